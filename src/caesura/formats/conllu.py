"""CoNLL-U: ten columns, multi-word tokens, empty nodes, comments, documents and paragraphs.

The text of a document is its surface forms joined by what MISC and `# newpar` say. Everything else
stays as it is written, so that a file read and written again is the same, byte for byte. Without
`# newdoc` the whole file is one document.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from caesura.document import Document, Strings
from caesura.formats import check, rows
from caesura.formats.conllu_write import write_rows
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.rows import Rows, segment
from caesura.formats.turns import Turn, set_turns

__all__ = ["EXTENSIONS", "read", "write"]

HANDLES_PIECES = True
EXTENSIONS = (".conllu",)
#: A table of strings is left to its documents when it has grown so large.
_MANY_STRINGS = 200_000


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a CoNLL-U file, or their pieces."""
    return read_rows(stream, options, x=False)


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as CoNLL-U."""
    write_rows(documents, stream, options, x=False)


def read_rows(stream: BinaryIO, options: ReadOptions, *, x: bool) -> Iterator[Document]:
    """The documents of a file of ten columns; `x` for CoNLL-X."""
    strings = Strings()
    gatherer = _Gatherer(options)
    carry: tuple[str, ...] = ()
    for body, line in _sentences(stream, options):
        sentences = [part for part in body.split("\n\n") if part]
        if len(strings) > _MANY_STRINGS:
            strings = Strings()
        if "\n\n\n" in body or body[:1] == "\n" or body[-2:] != "\n\n":
            sentences = _numbered(body, line)[0]
        good: tuple[list[str], list[int]] | None = None
        lost: tuple[str, ...] = ()
        try:
            found = rows.parse(sentences, carry, strings, options, x)
        except rows.Malformed:
            kept, numbers, lost = check.leave_out_bad(*_numbered(body, line), options, x)
            good = kept, numbers
            found = rows.parse(kept, carry, strings, options, x)
        carry = found.carry + lost
        if options.checking:
            check.warn(found, *(good or _numbered(body, line)), options)
        yield from gatherer.add(found)
    yield from gatherer.finish(carry)


def _sentences(stream: BinaryIO, options: ReadOptions) -> Iterator[tuple[str, int]]:
    """Runs of whole sentences with the number of their first line."""
    waiting: list[str] = []
    block, line = "", 1
    for block, line in blocks(stream, options):
        if waiting and not block.startswith("\n") and "\n\n" not in block:
            waiting.append(block)
            continue
        begin = line - sum(part.count("\n") for part in waiting)
        text = "".join([*waiting, block])
        end = text.rfind("\n\n") + 2
        if end < 2:
            waiting = [text]
            continue
        waiting = [text[end:]] if end < len(text) else []
        yield text[:end], begin
    last = "".join(waiting)
    if last.strip("\n"):
        begin = line + block.count("\n") - last.count("\n")
        last_line = begin + last.rstrip("\n").count("\n")
        options.warning("there is no blank line after the last sentence", last_line)
        yield last, begin


def _numbered(body: str, line: int) -> tuple[list[str], list[int]]:
    """The sentences of a text and the numbers of their first lines."""
    sentences, numbers = [], []
    for sentence in body.split("\n\n"):
        begin = line
        line += sentence.count("\n") + 2
        if sentence[:1] == "\n" or sentence[-1:] == "\n":
            begin += len(sentence) - len(sentence.lstrip("\n"))
            sentence = sentence.strip("\n")
        if sentence:
            sentences.append(sentence)
            numbers.append(begin)
    return sentences, numbers


class _Gatherer:
    """Puts runs of sentences together to documents, or cuts them to pieces."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.space = " " if options.space else ""
        self.parts: list[Document] = []
        self.size = 0
        self.id: str | None = None
        self.continues = False
        #: What the MISC of the last token says about the text after it, and its TokenRange.
        self.after: str | None = None
        self.range: tuple[int, int] | None = None
        self.seen = False
        #: Where turns start in the present document or piece, and one that is open at its start.
        self.marks: list[tuple[int, Turn | None]] = []
        self.turn: Turn | None = None
        #: Sentences of the present run that start documents.
        self.starts: list[int] = []

    def add(self, found: Rows) -> Iterator[Document]:
        starts, n = found.token_bounds, len(found.comments)
        self.starts = list(found.newdoc)
        s = 0
        while s < n:
            new, name = s in found.newdoc, found.newdoc.get(s)
            token = int(starts[s])
            lead = ""
            if new or not self.seen:
                if self.seen:
                    yield self._flush(last=True)
                self.seen, self.id, self.continues, self.turn = True, name, False, None
                lead = self._lead(found, token)
            else:
                self._close_gap(found, token)
                if self.options.pieces and self.size >= self.options.pieces:
                    yield self._flush(last=False, more=token not in found.turns)
            end = self._end(found, s)
            if found.turns:
                inside = range(token, int(starts[end]))
                self.marks += [
                    (self.size + t - token, turn) for t, turn in found.turns.items() if t in inside
                ]
            self.parts.append(segment(found, s, end, lead, self.options))
            self.size += int(starts[end]) - token
            self.after = found.after[int(starts[end]) - 1]
            if found.ranges is not None:
                self.range = found.ranges[int(starts[end]) - 1]
            s = end

    def _end(self, found: Rows, s: int) -> int:
        """The sentence before which the part that starts with sentence s must end."""
        n = len(found.comments)
        later = bisect_right(self.starts, s)
        limit = self.starts[later] if later < len(self.starts) else n
        if self.options.pieces:
            wanted = int(found.token_bounds[s]) + max(1, self.options.pieces - self.size)
            limit = min(limit, int(np.searchsorted(found.token_bounds, wanted)))
        return max(s + 1, limit)

    def _lead(self, found: Rows, token: int) -> str:
        lead = found.before.get(token, "")
        if found.ranges is not None and found.ranges[token] is not None:
            length = found.ranges[token][0]  # type: ignore[index]
            lead = lead[:length].ljust(length)
        return lead

    def _close_gap(self, found: Rows, token: int) -> None:
        gap = found.gap(token, self.after, self.space)
        if found.ranges is not None:
            here, there = self.range, found.ranges[token]
            if here is not None and there is not None:
                length = max(0, there[0] - here[1])
                gap = gap[:length].ljust(length)
        self.parts[-1].text += gap

    def _flush(self, *, last: bool, more: bool = False) -> Document:
        if last and self.after:
            self.parts[-1].text += self.after
        doc = self.parts[0] if len(self.parts) == 1 else Document.join(self.parts)
        doc.id, doc.continues = self.id, self.continues
        if self.marks or self.turn is not None:
            self.turn = set_turns(doc, self.marks, self.turn, more)
        self.marks = []
        self.parts, self.size, self.continues = [], 0, True
        return doc

    def finish(self, trailer: tuple[str, ...]) -> Iterator[Document]:
        if self.seen:
            doc = self._flush(last=True)
            doc.trailer = trailer
            yield doc
        elif trailer:
            yield Document(trailer=trailer, source=self.options.file)
