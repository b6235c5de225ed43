"""Tokenised text: one sentence a line, or one token a line.

Mode `sentence`: tokens are separated by blanks; a blank line starts a paragraph, two a document.
Mode `token`: a blank line ends a sentence, two end a document. The extension `.vert` means the
second mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from caesura.document import Document, Strings
from caesura.errors import UsageError
from caesura.formats.build import encoded, from_tokens
from caesura.formats.io import lines, stem
from caesura.formats.options import ReadOptions, WriteOptions

__all__ = ["read", "write"]


def _mode(mode: str | None, file: str) -> str:
    mode = mode or ("token" if stem(file).endswith(".vert") else "sentence")
    if mode not in ("sentence", "token"):
        raise UsageError(
            f"there is no mode {mode!r} of tokens", remedy="Modes are: sentence, token."
        )
    return mode


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a tokenised file, or their pieces."""
    by_line = _mode(options.mode, options.file) == "sentence"
    gather = _Gatherer(options)
    blanks = 0
    for number, line in lines(stream, options):
        if not line.strip():
            blanks += 1
            gather.end_sentence()
            continue
        if blanks >= 2:
            yield from gather.finish()
        elif blanks and by_line:
            gather.paragraph = True
        yield from gather.full()
        blanks = 0
        if by_line:
            gather.sentence = [token for token in re.split(r"[ \t]+", line) if token]
            gather.end_sentence()
        else:
            if line != line.strip(" ") or "\t" in line:
                raise options.error(
                    f"the line {line!r} is not one token",
                    number,
                    remedy="Put one token on a line, or use the mode `sentence`.",
                )
            gather.sentence.append(line)
    gather.end_sentence()
    yield from gather.finish()


class _Gatherer:
    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.sentence: list[str] = []
        self.paragraph = False
        self.continues = False
        self._start()

    def _start(self) -> None:
        self.sentences: list[list[str]] = []
        self.paragraphs: list[int] = []
        self.size = 0

    def end_sentence(self) -> None:
        if self.sentence:
            if self.paragraph:
                self.paragraphs.append(len(self.sentences))
            self.paragraph = False
            self.sentences.append(self.sentence)
            self.size += len(self.sentence)
            self.sentence = []

    def full(self) -> Iterator[Document]:
        """A piece, if it is large enough; called when another sentence is known to follow."""
        if self.options.pieces and self.size >= self.options.pieces and not self.sentence:
            yield self._make("\n\n" if self.paragraph else "\n")
            self.continues = True

    def finish(self) -> Iterator[Document]:
        if self.sentences:
            yield self._make("")
        self.continues = self.paragraph = False

    def _make(self, final: str) -> Document:
        doc = from_tokens(
            self.sentences,
            strings=Strings(),
            space=" " if self.options.space else "",
            gaps=dict.fromkeys(self.paragraphs, "\n\n"),
            final=final,
        )
        if self.paragraphs:
            marked = self.paragraphs if self.continues else [0, *self.paragraphs]
            starts = doc.sentence_bounds[np.unique(marked)]
            doc.paragraph_start = doc.token_start[starts]
        doc.source, doc.continues = self.options.file, self.continues
        self._start()
        return doc


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write surface tokens; blanks inside a token become `_`."""
    by_line = _mode(options.mode, options.file) == "sentence"
    begun = False
    for doc in documents:
        if not doc.n_tokens:
            continue
        paragraphs = doc.token_paragraph_start.tolist()
        out: list[str] = []
        if begun and not doc.continues:
            out.append("\n\n" if by_line else "\n")
        begun = True
        bounds = doc.sentence_bounds.tolist()
        starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
        for s, (first, last) in enumerate(pairwise(bounds)):
            tokens = [
                re.sub(r"\s+", "_", doc.text[starts[t] : ends[t]]) or "_"
                for t in range(first, last)
            ]
            if by_line:
                opens = paragraphs[first] and len(doc.paragraph_start) and s > 0
                opens = opens or (s == 0 and doc.continues and 0 in doc.paragraph_start.tolist())
                out.append(("\n" if opens else "") + " ".join(tokens) + "\n")
            else:
                out.append("\n".join(tokens) + "\n\n")
        stream.write(encoded("".join(out)))
