"""`caesura tag`: part of speech, features and lemma for the words of documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from caesura.cli.files import result_format
from caesura.cli.outputs import default_format
from caesura.cli.refuse import confidences, refuse
from caesura.cli.running import Call, annotates
from caesura.options import option
from caesura.pipeline.jobs import Source

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    model: str = option(
        "", "A model with a tagger.", name="-m --model", metavar="MODEL", required=True, reads=True
    )
    keep: bool = option(False, "Obey tags and lemmas that the input has.")


@click.command()
@annotates("tag", own=Options)
def command(call: Call, own: Options) -> int:
    """Tag the words of FILES, which must have tokens; CoNLL-U in, CoNLL-U out by default.

    Folders are searched for files of known formats. A model comes from `caesura train tagger`. Raw
    text is tokenised first: see `caesura tokenize`. Files that cannot be read or tagged are
    reported and skipped; the exit status is then 1.
    """
    from caesura.formats import ready
    from caesura.models.store import load_model
    from caesura.pipeline.loading import one_part

    if call.request.threshold is not None:
        refuse("--threshold", "regime", remedy="A boundary labeller reads whole documents.")
    writing = call.writing
    chosen = result_format("tags", writing.output, writing.to_format)

    def format_of(source: Source) -> str:
        return chosen or default_format("tags", source.format)

    def load() -> Pipeline:
        return one_part(load_model(own.model), "tagger").with_search(**call.request.search)

    plan = call.plan(call.sources(default=None, named=False), format_of)
    for job in plan.jobs:
        confidences(job.format)
        ready(job.format, writing.to_mode)
    keep = ("tags", "lemmas") if own.keep else ()
    request = replace(call.request, keep=keep, added=True, tokenised=())
    return call.run(plan, load, "Tagging", request=request)
