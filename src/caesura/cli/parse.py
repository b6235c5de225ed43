"""`caesura parse`: texts in, sentences with trees out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesura.cli.inputs import find_sources
from caesura.cli.language import lang_option, model_option, take_model
from caesura.cli.options import (
    across_turns_option,
    bias_option,
    device_option,
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
from caesura.cli.refuse import confidences, keeping, refuse
from caesura.cli.running import (
    mention_faster,
    plan,
    result_format,
    run_plan,
    writing,
)
from caesura.formats.options import Fields
from caesura.pipeline.engine import Engine
from caesura.pipeline.runner import engine_of
from caesura.pipeline.tasks import RunOptions

if TYPE_CHECKING:
    from caesura.models.file import ModelFile
    from caesura.pipeline.core import Pipeline

__all__ = ["KEEP", "command", "load_pipeline"]

#: What can be kept of the input, and what the switch of each says.
KEEP = {
    "tokens": "Keep the tokens and words of the input.",
    "sentences": "Keep the sentence boundaries of the input.",
    "tags": "Keep the tags of the input, where there are some.",
    "lemmas": "Keep the lemmas of the input, where there are some.",
    "heads": "Keep the heads and relations of the input, where there are some.",
}


@click.command()
@inputs_argument
@model_option
@lang_option
@mode_option
@click.option("--beam", type=click.IntRange(min=1), metavar="N", help="Width of the beam.")
@click.option(
    "--margin",
    type=float,
    metavar="M",
    help="Open the beam where the best choice leads by no more than M.",
)
@bias_option
@click.option(
    "--keep",
    "keep_list",
    multiple=True,
    type=click.Choice(list(KEEP)),
    help="Keep this of the input, as the switches below. May be repeated.",
)
@click.option("--keep-tokens", is_flag=True, help=KEEP["tokens"])
@click.option("--keep-sentences", is_flag=True, help=KEEP["sentences"])
@click.option("--keep-tags", is_flag=True, help=KEEP["tags"])
@click.option("--keep-lemmas", is_flag=True, help=KEEP["lemmas"])
@click.option("--keep-heads", is_flag=True, help=KEEP["heads"])
@click.option("--newline-is-boundary", is_flag=True, help="Every line ends a sentence.")
@across_turns_option
@click.option(
    "--confidence", is_flag=True, help="Write confidences (CoNLL-U, JSON Lines, spaCy, Parquet)."
)
@click.option(
    "--k-best",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write the N best analyses of each document, as documents of their own.",
)
@click.option("--token-range", is_flag=True, help="CoNLL-U: write TokenRange=start:end.")
@threads_option
@device_option
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Parse here, or on a Ray cluster (extra `ray`).",
)
@encoding_options
@fields_options
@resume_option
@reading_options
@writing_options
@to_mode_option
def command(
    inputs: tuple[str, ...],
    model: str | None,
    lang: str | None,
    beam: int | None,
    margin: float | None,
    bias: float | None,
    keep_list: tuple[str, ...],
    keep_tokens: bool,
    keep_sentences: bool,
    keep_tags: bool,
    keep_lemmas: bool,
    keep_heads: bool,
    newline_is_boundary: bool,
    across_turns: bool,
    confidence: bool,
    k_best: int | None,
    token_range: bool,
    threads: int,
    device: str | None,
    engine: str,
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
    """Find sentences, tokens, tags, lemmas and trees in FILES (or stdin).

    Any format is read: a file whose extension tells none is plain text, and a folder is looked
    through for files of known formats. CoNLL-U goes to stdout unless -o or --to say otherwise.
    A long text is streamed. A file that cannot be read or parsed is told of and passed over; the
    exit status is then 1.

    \b
    caesura parse letter.txt
    caesura parse brev.txt --lang da
    caesura parse corpus/ -o parsed/ --threads 4 --resume
    caesura parse half-done.conllu --keep-tokens --keep-tags --keep-heads
    """
    from caesura.formats import ready
    from caesura.models.store import load_model

    switches = (keep_tokens, keep_sentences, keep_tags, keep_lemmas, keep_heads)
    kept = dict(zip(KEEP, switches, strict=True))
    options = RunOptions(
        keep=tuple(name for name in KEEP if kept[name] or name in keep_list),
        newline_is_boundary=newline_is_boundary,
        across_turns=across_turns,
        confidence=confidence,
        k_best=k_best or 0,
        encoding=encoding,
        errors=errors,
        fields=fields,
        skip_bad=skip_bad,
        strict=strict,
    )
    if k_best is not None:
        refuse("--k-best", "confidence")
    if engine == "ray":
        refuse("--engine ray", "threads", remedy="Workers are as many as the cluster has cores.")
    to_format = result_format("heads", output, to_format, default="conllu")
    confidences(to_format)
    ready(to_format, to_mode)
    sources = find_sources(inputs, from_format, output=output, quiet=quiet)
    keeping(options.keep, (source.format for source, _ in sources))

    todo = plan(sources, output, lambda source: to_format, resume=resume)

    def make_engine() -> Engine:
        chosen = take_model(model, lang, (source for source, _ in sources), quiet=quiet)
        file = load_model(chosen.model)
        mention_faster(quiet, file, todo)
        nlp = load_pipeline(
            file,
            language=chosen.language,
            threads=threads,
            beam=beam,
            margin=margin,
            bias=bias,
            device=device,
        )
        return engine_of(nlp, threads=threads, cluster=engine == "ray")

    return run_plan(
        todo,
        make_engine,
        options,
        writing(token_range=token_range, mode=to_mode),
        what="Parsing",
        quiet=quiet,
    )


def load_pipeline(
    file: ModelFile,
    *,
    language: str = "",
    threads: int = 1,
    enough: frozenset[str] = frozenset({"head"}),
    **search: float | str | None,
) -> Pipeline:
    """The pipeline of a model that adds what is `enough`, with those options that were given.

    Options of the command for which the model has no use are refused.
    """
    from caesura.pipeline.choose import choose
    from caesura.pipeline.loading import in_language

    nlp = in_language(choose(file, threads=threads, enough=enough), language)
    missing = {"beam", "margin", "bias", "confidence", "device", "k_best"} - nlp.offers
    # A parser without boundaries says itself why it has no bias.
    if missing - {"device"} != {"bias"}:
        refuse(nlp.title, *sorted(missing))
    return nlp.with_search(**{name: value for name, value in search.items() if value is not None})
