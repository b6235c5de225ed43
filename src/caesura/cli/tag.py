"""`caesura tag`: part of speech, features and lemma for the words of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from caesura.cli.files import Inputs, targets
from caesura.cli.options import inputs_argument, reading_options, writing_options
from caesura.cli.refuse import confidences, refuse
from caesura.document import Document
from caesura.errors import InputError

if TYPE_CHECKING:
    from caesura.tag.tagger import Regime, Tagger

__all__ = ["command", "tag"]

#: Words that are tagged together; larger batches are not faster.
_BATCH = 20_000


def tag(
    documents: Iterable[Document],
    tagger: Tagger,
    *,
    regime: Regime = "auto",
    keep: bool = False,
    k: int = 0,
    threshold: float | None = None,
) -> Iterator[Document]:
    """The documents tagged, in their order.

    With `keep`, tags and lemmas that are there already are obeyed. A boundary labeller also sets
    sentence starts, at the threshold where one is given.
    """
    batch: list[Document] = []
    size = 0
    for doc in documents:
        if not doc.n_tokens and not doc.text.isspace() and doc.text:
            raise InputError(
                "there are no tokens to tag",
                file=doc.source,
                remedy="Tokenise it first (caesura tokenize), or use `caesura parse`.",
            )
        kept = {"tags", "lemmas"} if keep else frozenset()
        batch.append(replace(doc, fixed=doc.fixed | kept))
        size += doc.n_words
        if size >= _BATCH:
            yield from _tagged(batch, tagger, regime, k, threshold)
            batch, size = [], 0
    yield from _tagged(batch, tagger, regime, k, threshold)


def _tagged(
    batch: list[Document], tagger: Tagger, regime: Regime, k: int, threshold: float | None
) -> list[Document]:
    if not batch:
        return batch
    if threshold is not None:
        from caesura.tag.boundaries import mark_starts

        tagger.tag(batch, regime="document", k=k)
        mark_starts(tagger, batch, threshold)
    else:
        tagger.tag(batch, regime=regime, k=k)
    return batch


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
    help="Write the probability of each tag (CoNLL-U, JSON Lines, spaCy).",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0.0, 1.0),
    help="For a boundary labeller: start a sentence where the probability reaches this.",
)
@reading_options
@writing_options
def command(
    inputs: tuple[str, ...],
    model: str,
    regime: Regime,
    keep: bool,
    confidence: bool,
    threshold: float | None,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    to_format: str | None,
    output: str | None,
) -> None:
    """Tag the words of FILES, which must have tokens; CoNLL-U in, CoNLL-U out by default.

    A model comes from `caesura train tagger`. Raw text is tokenised first: see
    `caesura tokenize`.
    """
    from caesura import formats
    from caesura.language import watched
    from caesura.models.store import load_model
    from caesura.tag.tagger import Tagger

    if threshold is not None:
        refuse("--threshold", "regime", remedy="A boundary labeller reads whole documents.")
    file = load_model(model)
    tagger = Tagger(file.part("tagger"))
    files = Inputs(
        inputs, from_format, skip_bad=skip_bad, strict=strict, quiet=quiet, what="Tagging"
    )
    for target in targets(files, output, to_format, adds="tags"):
        confidences(target.format)
        documents = (doc for source in target.sources for doc in files.of(source))
        heard = watched(documents, file.meta, None if quiet else files.warnings)
        tagged = tag(
            heard, tagger, regime=regime, keep=keep, k=int(confidence), threshold=threshold
        )
        formats.write(tagged, target.path, target.format)
    files.finish()
