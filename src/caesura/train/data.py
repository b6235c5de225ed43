"""Reading what a run learns from: the files that were named, and how they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from caesura import formats, transform
from caesura.document import Document
from caesura.errors import InputError
from caesura.learn.shuffle import generator
from caesura.tokenize.knowledge import known_of
from caesura.tokenize.options import TokenizerOptions
from caesura.train.report import Report
from caesura.transform.exchange import exchanged

__all__ = ["Data", "other_items", "refuse_empty", "short_pieces", "transcripts"]

#: Streams of chance.
_OTHER: Final = 0x6F746865
_PIECES: Final = 0x70696563


@dataclass(frozen=True)
class Data:
    """The files of a run: those to learn from, and those on which it is scored."""

    train: Sequence[str]
    dev: Sequence[str] = ()
    format: str | None = None
    skip_bad: bool = False
    strict: bool = False
    encoding: str = "utf-8"
    #: Whether the language is written with spaces, where a file does not say.
    space: bool = True

    def read(self, paths: Iterable[str], report: Report) -> Iterator[Document]:
        """The documents of files, told of as they are read."""
        with report.warnings() as warn:
            for path in paths:
                name = "stdin" if path == "-" else os.path.basename(path)
                with report.counting(f"Reading {name}", unit="words") as count:
                    for doc in formats.read(
                        path,
                        self.format,
                        skip_bad=self.skip_bad,
                        strict=self.strict,
                        warn=warn,
                        encoding=self.encoding,
                        space=self.space,
                    ):
                        yield doc
                        count.advance(doc.n_words)

    def both(self, report: Report) -> tuple[list[Document], list[Document]]:
        """The documents to learn from, and those to score on, if there are any."""
        return list(self.read(self.train, report)), list(self.read(self.dev, report))


def refuse_empty(paths: Sequence[str], docs: Sequence[Document]) -> None:
    """Refuse files without a token, from which nothing can be learned."""
    if paths and not any(doc.n_tokens for doc in docs):
        raise InputError("there is no sentence in it", file=paths[0], remedy="Check the path.")


def transcripts(docs: Iterable[Document]) -> list[Document]:
    """The documents as transcripts would have them, but for those of punctuation alone."""
    return [doc for doc in map(transform.speech, docs) if doc.n_words]


def other_items(docs: Sequence[Document], seed: int) -> list[Document]:
    """The documents with other names, titles and numbers, as the language file has them.

    Where words came or went, a copy tells about tokens and sentences alone.
    """
    items = known_of(docs, TokenizerOptions()).items
    random = generator(seed, _OTHER)
    return [exchanged(doc, items, random).doc for doc in docs if doc.n_words] if items else []


def short_pieces(docs: Sequence[Document], seed: int) -> list[Document]:
    """The documents in pieces of one to five sentences."""
    random = generator(seed, _PIECES)
    found = []
    for doc in docs:
        bounds, at = doc.sentence_bounds.tolist(), 0
        while at < doc.n_sentences:
            to = min(at + int(random.integers(1, 6)), doc.n_sentences)
            found.append(doc.cut(bounds[at], bounds[to]))
            at = to
    return [piece for piece in found if piece.n_words]
