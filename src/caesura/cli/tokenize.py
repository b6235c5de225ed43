"""`caesura tokenize`: texts to tokens, words and sentences, with a model or by rule."""

from __future__ import annotations

import click

from caesura.cli.inputs import find_sources
from caesura.cli.options import (
    across_turns_option,
    encoding_options,
    fields_options,
    inputs_argument,
    mode_option,
    reading_options,
    resume_option,
    threads_option,
    to_mode_option,
    writing_options,
)
from caesura.cli.refuse import keeping, refuse
from caesura.cli.running import plan, result_format, run_plan, writing
from caesura.errors import UsageError
from caesura.formats.options import Fields
from caesura.pipeline.engine import Engine
from caesura.pipeline.runner import engine_of
from caesura.pipeline.tasks import RunOptions

__all__ = ["command"]


@click.command()
@inputs_argument
@click.option("-m", "--model", metavar="MODEL", help="A model with a tokeniser.")
@click.option("--rules", is_flag=True, help="Use rules that need no model.")
@click.option(
    "--keep",
    multiple=True,
    type=click.Choice(["tokens", "sentences"]),
    help="Obey the tokens or the sentences of the input. May be repeated.",
)
@click.option("--newline-is-boundary", is_flag=True, help="Every line ends a sentence.")
@across_turns_option
@click.option("--token-range", is_flag=True, help="CoNLL-U: write TokenRange=start:end.")
@threads_option
@encoding_options
@fields_options
@resume_option
@reading_options
@writing_options
@mode_option
@to_mode_option
def command(
    inputs: tuple[str, ...],
    model: str | None,
    rules: bool,
    keep: tuple[str, ...],
    newline_is_boundary: bool,
    across_turns: bool,
    token_range: bool,
    threads: int,
    encoding: str,
    errors: str,
    fields: Fields | None,
    resume: bool,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    to_format: str | None,
    output: str | None,
    to_mode: str | None,
) -> int:
    """Split texts into tokens, words and sentences; CoNLL-U on stdout by default.

    A folder is looked through for files of known formats, and a long text is streamed. A model
    comes from `caesura train tokenizer`; --rules needs none and serves any language. A file that
    cannot be read is told of and passed over; the exit status is then 1.
    """
    from caesura.formats import ready
    from caesura.models.file import ModelFile, Part
    from caesura.models.store import load_model
    from caesura.pipeline.choose import one_part

    if rules == bool(model):
        raise UsageError(
            "it needs either a model or the rules", remedy="Give --model MODEL or --rules."
        )
    if newline_is_boundary:
        refuse("--newline-is-boundary", "keep", remedy="Leave one of them out.")
    sources = find_sources(inputs, from_format, output=output, named=False, quiet=quiet)
    keeping(keep, (source.format for source, _ in sources))
    chosen = result_format("tokens", output, to_format) or "conllu"
    ready(chosen, to_mode)

    def make_engine() -> Engine:
        if model:
            nlp = one_part(load_model(model), "tokenizer")
        else:
            nlp = one_part(ModelFile({"rules": Part("rules")}), "rules")
        return engine_of(nlp, threads=threads)

    return run_plan(
        plan(sources, output, lambda source: chosen, resume=resume),
        make_engine,
        RunOptions(
            keep=keep,
            added=True,
            tokenised=(),
            newline_is_boundary=newline_is_boundary,
            across_turns=across_turns,
            encoding=encoding,
            errors=errors,
            fields=fields,
            skip_bad=skip_bad,
            strict=strict,
        ),
        writing(token_range=token_range, mode=to_mode),
        what="Tokenising",
        quiet=quiet,
    )
