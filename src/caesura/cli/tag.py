"""`caesura tag`: part of speech, features and lemma for the words of documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import click

from caesura.cli.files import find_sources, result_format
from caesura.cli.options import inputs_argument, mode_option, options
from caesura.cli.outputs import default_format
from caesura.cli.refuse import confidences, refuse
from caesura.cli.running import plan, run_plan, written
from caesura.options import Reading, Request, Running, Writing, option
from caesura.pipeline.jobs import Source
from caesura.pipeline.run import Engine, engine_of

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    model: str = option(
        "", "A model with a tagger.", name="-m --model", metavar="MODEL", required=True
    )
    keep: bool = option(False, "Obey tags and lemmas that the input has.")


@click.command()
@inputs_argument
@mode_option
@options("tag", own=Options, request=Request, running=Running, reading=Reading, writing=Writing)
def command(
    inputs: tuple[str, ...],
    own: Options,
    request: Request,
    running: Running,
    reading: Reading,
    writing: Writing,
) -> int:
    """Tag the words of FILES, which must have tokens; CoNLL-U in, CoNLL-U out by default.

    Folders are searched for files of known formats. A model comes from `caesura train tagger`. Raw
    text is tokenised first: see `caesura tokenize`. Files that cannot be read or tagged are
    reported and skipped; the exit status is then 1.
    """
    from caesura.formats import ready
    from caesura.models.store import load_model
    from caesura.pipeline.loading import one_part

    if request.threshold is not None:
        refuse("--threshold", "regime", remedy="A boundary labeller reads whole documents.")
    chosen = result_format("tags", writing.output, writing.to_format)

    def format_of(source: Source) -> str:
        return chosen or default_format("tags", source.format)

    def make_engine() -> Engine:
        nlp = one_part(load_model(own.model), "tagger").with_search(**request.search)
        return engine_of(nlp, threads=running.threads)

    sources = find_sources(
        inputs,
        reading.from_format,
        output=writing.output,
        default=None,
        named=False,
        quiet=reading.quiet,
    )
    todo = plan(sources, writing, format_of)
    for job in todo.jobs:
        confidences(job.format)
        ready(job.format, writing.to_mode)
    keep = ("tags", "lemmas") if own.keep else ()
    request = replace(request, keep=keep, added=True, tokenised=())
    return run_plan(todo, make_engine, request, reading, written(writing), what="Tagging")
