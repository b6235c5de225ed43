"""`caesura tokenize`: texts to tokens, words and sentences, with a model or by rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

import click

from caesura.cli.files import find_sources, result_format
from caesura.cli.options import inputs_argument, mode_option, options
from caesura.cli.refuse import keeping
from caesura.cli.running import plan, run_plan, written
from caesura.errors import UsageError
from caesura.options import Reading, Request, Running, Writing, option
from caesura.pipeline.run import Engine, engine_of

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    model: str | None = option(
        None, "A model with a tokeniser.", name="-m --model", metavar="MODEL"
    )
    rules: bool = option(False, "Use rules that need no model.")


@click.command()
@inputs_argument
@mode_option
@options(
    "tokenize", own=Options, request=Request, running=Running, reading=Reading, writing=Writing
)
def command(
    inputs: tuple[str, ...],
    own: Options,
    request: Request,
    running: Running,
    reading: Reading,
    writing: Writing,
) -> int:
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
    sources = find_sources(
        inputs, reading.from_format, output=writing.output, named=False, quiet=reading.quiet
    )
    keeping(request.keep, (source.format for source, _ in sources))
    chosen = result_format("tokens", writing.output, writing.to_format) or "conllu"
    ready(chosen, writing.to_mode)

    def make_engine() -> Engine:
        if own.model:
            nlp = one_part(load_model(own.model), "tokenizer")
        else:
            nlp = one_part(ModelFile({"rules": Part("rules")}), "rules")
        return engine_of(nlp, threads=running.threads)

    todo = plan(sources, writing, lambda source: chosen)
    request = replace(request, added=True, tokenised=())
    return run_plan(todo, make_engine, request, reading, written(writing), what="Tokenising")
