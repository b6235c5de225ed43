"""`caesura tag`: part of speech, features and lemma for the words of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesura.cli.inputs import find_sources
from caesura.cli.options import (
    across_turns_option,
    encoding_options,
    inputs_argument,
    mode_option,
    reading_options,
    resume_option,
    threads_option,
    to_mode_option,
    writing_options,
)
from caesura.cli.outputs import default_format
from caesura.cli.refuse import confidences, refuse
from caesura.cli.running import plan, result_format, run_plan, writing
from caesura.pipeline.engine import Engine
from caesura.pipeline.runner import engine_of
from caesura.pipeline.tasks import RunOptions, Source

if TYPE_CHECKING:
    from caesura.stages.tagger import Regime

__all__ = ["command"]


@click.command()
@inputs_argument
@click.option("-m", "--model", required=True, metavar="MODEL", help="A model with a tagger.")
@click.option(
    "--regime",
    type=click.Choice(["auto", "sentences", "document"]),
    default="auto",
    show_default=True,
    help="Tag sentence by sentence or whole documents; auto: by what the input has.",
)
@click.option("--keep", is_flag=True, help="Obey tags and lemmas that the input has.")
@click.option(
    "--confidence",
    is_flag=True,
    help="Write the probability of each tag (CoNLL-U, JSON Lines, spaCy, Parquet).",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0.0, 1.0),
    help="For a boundary labeller: start a sentence where the probability reaches this.",
)
@across_turns_option
@threads_option
@encoding_options
@resume_option
@reading_options
@writing_options
@mode_option
@to_mode_option
def command(
    inputs: tuple[str, ...],
    model: str,
    regime: Regime,
    keep: bool,
    confidence: bool,
    threshold: float | None,
    across_turns: bool,
    threads: int,
    encoding: str,
    errors: str,
    resume: bool,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    to_format: str | None,
    output: str | None,
    to_mode: str | None,
) -> int:
    """Tag the words of FILES, which must have tokens; CoNLL-U in, CoNLL-U out by default.

    A folder is looked through for files of known formats. A model comes from `caesura train
    tagger`. Raw text is tokenised first: see `caesura tokenize`. A file that cannot be read or
    tagged is told of and passed over; the exit status is then 1.
    """
    from caesura.formats import ready
    from caesura.models.store import load_model
    from caesura.pipeline.choose import one_part

    if threshold is not None:
        refuse("--threshold", "regime", remedy="A boundary labeller reads whole documents.")
    chosen = result_format("tags", output, to_format)

    def format_of(source: Source) -> str:
        return chosen or default_format("tags", source.format)

    def make_engine() -> Engine:
        nlp = one_part(load_model(model), "tagger").with_search(regime=regime)
        if threshold is not None:
            nlp = nlp.with_search(threshold=threshold)
        return engine_of(nlp, threads=threads)

    sources = find_sources(
        inputs, from_format, output=output, default=None, named=False, quiet=quiet
    )
    todo = plan(sources, output, format_of, resume=resume)
    for job in todo.jobs:
        confidences(job.format)
        ready(job.format, to_mode)
    options = RunOptions(
        keep=("tags", "lemmas") if keep else (),
        added=True,
        tokenised=(),
        across_turns=across_turns,
        confidence=confidence,
        encoding=encoding,
        errors=errors,
        skip_bad=skip_bad,
        strict=strict,
    )
    return run_plan(todo, make_engine, options, writing(mode=to_mode), what="Tagging", quiet=quiet)
