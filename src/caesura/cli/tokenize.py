"""`caesura tokenize`: texts to tokens, words and sentences, with a model or by rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from caesura.cli.files import result_format
from caesura.cli.refuse import keeping
from caesura.cli.running import Call, annotates
from caesura.errors import UsageError
from caesura.options import option

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    model: str | None = option(
        None, "A model with a tokeniser.", name="-m --model", metavar="MODEL", reads=True
    )
    rules: bool = option(False, "Use rules that need no model.")


@click.command()
@annotates("tokenize", own=Options)
def command(call: Call, own: Options) -> int:
    """Split texts into tokens, words and sentences; CoNLL-U on stdout by default.

    Folders are searched for files of known formats, and a long text is streamed. A model comes
    from `caesura train tokenizer`; --rules needs none and serves any language. Files that cannot
    be read are reported and skipped; the exit status is then 1.
    """
    from caesura.formats import ready
    from caesura.models.file import ModelFile, Part
    from caesura.models.store import load_model
    from caesura.pipeline.loading import one_part

    if own.rules == bool(own.model):
        raise UsageError(
            "it needs either a model or the rules", remedy="Give --model MODEL or --rules."
        )
    sources = call.sources(named=False)
    keeping(call.request.keep, (source.format for source, _ in sources))
    writing = call.writing
    chosen = result_format("tokens", writing.output, writing.to_format) or "conllu"
    ready(chosen, writing.to_mode)

    def load() -> Pipeline:
        if own.model:
            return one_part(load_model(own.model), "tokenizer")
        return one_part(ModelFile({"rules": Part("rules")}), "rules")

    request = replace(call.request, added=True, tokenised=())
    return call.run(call.plan(sources, lambda source: chosen), load, "Tokenising", request=request)
