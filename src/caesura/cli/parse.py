"""`caesura parse`: texts in, sentences with trees out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from caesura.cli.files import find_sources, result_format
from caesura.cli.language import take_model
from caesura.cli.options import inputs_argument, mode_option, options
from caesura.cli.refuse import confidences, keeping, refuse
from caesura.cli.running import mention_faster, plan, run_plan, written
from caesura.options import ModelChoice, Reading, Request, Running, Writing
from caesura.pipeline.run import Engine, engine_of

if TYPE_CHECKING:
    from caesura.models.file import ModelFile
    from caesura.pipeline.core import Pipeline

__all__ = ["command", "load_pipeline"]


@click.command()
@inputs_argument
@mode_option
@options(
    "parse", named=ModelChoice, request=Request, running=Running, reading=Reading, writing=Writing
)
def command(
    inputs: tuple[str, ...],
    named: ModelChoice,
    request: Request,
    running: Running,
    reading: Reading,
    writing: Writing,
) -> int:
    """Find sentences, tokens, tags, lemmas and trees in FILES (or stdin).

    Any format is read: files with an unknown extension as plain text; folders are searched for
    files of known formats. CoNLL-U goes to stdout unless -o or --to say otherwise. A long text is
    streamed. Files that cannot be read or parsed are reported and skipped; the exit status is
    then 1.

    \b
    caesura parse letter.txt
    caesura parse brev.txt --lang da
    caesura parse corpus/ -o parsed/ --threads 4 --resume
    caesura parse half-done.conllu --keep-tokens --keep-tags --keep-heads
    """
    from caesura.formats import ready
    from caesura.models.store import load_model

    if request.k_best is not None:
        refuse("--k-best", "confidence")
    if running.engine == "ray":
        refuse("--engine ray", "threads", remedy="Workers are as many as the cluster has cores.")
    to_format = result_format("heads", writing.output, writing.to_format, default="conllu")
    confidences(to_format)
    ready(to_format, writing.to_mode)
    quiet = reading.quiet
    sources = find_sources(inputs, reading.from_format, output=writing.output, quiet=quiet)
    keeping(request.keep, (source.format for source, _ in sources))
    todo = plan(sources, writing, lambda source: to_format)

    def make_engine() -> Engine:
        chosen = take_model(named, (source for source, _ in sources), quiet=quiet)
        file = load_model(chosen.model)
        mention_faster(quiet, file, todo)
        asked = replace(request, language=chosen.language or None)
        nlp = load_pipeline(file, asked, threads=running.threads)
        return engine_of(nlp, threads=running.threads, cluster=running.engine == "ray")

    return run_plan(todo, make_engine, request, reading, written(writing), what="Parsing")


def load_pipeline(
    file: ModelFile,
    request: Request,
    *,
    threads: int = 1,
    enough: frozenset[str] = frozenset({"head"}),
) -> Pipeline:
    """The pipeline of a model that adds what is `enough`, for a request.

    Options of the command for which the model has no use are refused.
    """
    from caesura.pipeline.loading import choose, in_language

    nlp = in_language(choose(file, threads=threads, enough=enough), request.language or "")
    missing = {"beam", "margin", "bias", "confidence", "device", "k_best"} - nlp.offers
    # A parser without boundaries reports itself why it has no bias.
    if missing - {"device"} != {"bias"}:
        refuse(nlp.title, *sorted(missing))
    return nlp.with_search(**replace(request, language=None).search)
