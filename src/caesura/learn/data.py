"""Reading what a run learns from: the files that were named, and how they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from caesura import formats, transform
from caesura.document import Document
from caesura.errors import InputError
from caesura.learn.raw_text import refuse_garbled
from caesura.learn.report import Report

__all__ = ["Data", "refuse_empty", "transcripts"]


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
        """The documents of files, told of as they are read.

        Where another encoding than UTF-8 was named, a file that is UTF-8 all the same is refused.
        """
        plain = self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
        with report.warnings() as warn:
            for path in paths:
                name = "stdin" if path == "-" else os.path.basename(path)
                texts: list[str] = []
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
                        if not plain:
                            texts.append("\n".join(doc.column("form")) or doc.text)
                if texts:
                    refuse_garbled(path, texts, encoding=self.encoding, option="--encoding")

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
