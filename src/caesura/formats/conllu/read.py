"""From a stream of ten columns to documents, or to pieces of documents.

Runs of whole sentences become columns at once; they are put together to documents where `# newdoc`
says so. A run with something wrong in it goes through `validate`, which says what.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from caesura.document import NO, YES, Document, EmptyNode, Strings
from caesura.formats.conllu.attributes import Turn, set_marked_turns
from caesura.formats.conllu.columns import Malformed, SentenceRun, parse, within
from caesura.formats.conllu.validate import leave_out_bad, warn
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions

#: A table of strings is left to its documents when it has grown so large.
_MANY_STRINGS = 200_000
#: More characters between two tokens than any text has, so that few bytes never allocate much.
_LONGEST_GAP = 1_000_000


def read_conllu(stream: BinaryIO, options: ReadOptions, *, x: bool = False) -> Iterator[Document]:
    """The documents of a CoNLL-U file, or their pieces; `x` for CoNLL-X."""
    strings = Strings()
    gatherer = _Gatherer(options)
    carry: list[str] = []
    for body, line in _sentences(stream, options):
        sentences = [part for part in body.split("\n\n") if part]
        if len(strings) > _MANY_STRINGS:
            strings = Strings()
        if "\n\n\n" in body or body[:1] == "\n" or body[-2:] != "\n\n":
            sentences = _numbered(body, line)[0]
        good: tuple[list[str], list[int]] | None = None
        lost: tuple[str, ...] = ()
        try:
            found = parse(sentences, carry, strings, options, x)
        except Malformed:
            kept, numbers, lost = leave_out_bad(*_numbered(body, line), options, x)
            good = kept, numbers
            found = parse(kept, carry, strings, options, x)
        if found.comments:
            carry = []
        carry += found.carry
        carry += lost
        if options.lines:
            found.lines = _first_rows(*(good or _numbered(body, line)))
        if options.checking:
            warn(found, *(good or _numbered(body, line)), options)
        yield from gatherer.add(found)
    yield from gatherer.finish(tuple(carry))


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


def _first_rows(sentences: list[str], numbers: list[int]) -> list[int]:
    """The line of the first word of each sentence that has words."""
    found = []
    for sentence, number in zip(sentences, numbers, strict=True):
        rows = sentence.split("\n")
        comments = next((i for i, row in enumerate(rows) if not row.startswith("#")), None)
        if comments is not None:
            found.append(number + comments)
    return found


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

    def add(self, found: SentenceRun) -> Iterator[Document]:
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
                turns = within(found.turns, token, int(starts[end]))
                self.marks += [(self.size + t - token, turn) for t, turn in turns]
            self.parts.append(segment(found, s, end, lead, self.options))
            self.size += int(starts[end]) - token
            self.after = found.after[int(starts[end]) - 1]
            if found.ranges is not None:
                self.range = found.ranges[int(starts[end]) - 1]
            s = end

    def _end(self, found: SentenceRun, s: int) -> int:
        """The sentence before which the part that starts with sentence s must end."""
        n = len(found.comments)
        later = bisect_right(self.starts, s)
        limit = self.starts[later] if later < len(self.starts) else n
        if self.options.pieces:
            wanted = int(found.token_bounds[s]) + max(1, self.options.pieces - self.size)
            limit = min(limit, int(np.searchsorted(found.token_bounds, wanted)))
        return max(s + 1, limit)

    def _lead(self, found: SentenceRun, token: int) -> str:
        lead = found.before.get(token, "")
        if found.ranges is not None and found.ranges[token] is not None:
            length = found.ranges[token][0]  # type: ignore[index]
            lead = _as_long(lead, length, self.options)
        return lead

    def _close_gap(self, found: SentenceRun, token: int) -> None:
        gap = found.gap(token, self.after, self.space)
        if found.ranges is not None:
            here, there = self.range, found.ranges[token]
            if here is not None and there is not None:
                gap = _as_long(gap, there[0] - here[1], self.options)
        self.parts[-1].text += gap

    def _flush(self, *, last: bool, more: bool = False) -> Document:
        if last and self.after:
            self.parts[-1].text += self.after
        doc = self.parts[0] if len(self.parts) == 1 else Document.join(self.parts)
        doc.id, doc.continues = self.id, self.continues
        if self.marks or self.turn is not None:
            self.turn = set_marked_turns(doc, self.marks, self.turn, more)
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


def segment(found: SentenceRun, first: int, last: int, lead: str, options: ReadOptions) -> Document:
    """Sentences first..last-1 as a document whose text ends with its last token."""
    ta, tb = int(found.token_bounds[first]), int(found.token_bounds[last])
    wa, wb = int(found.word_bounds[first]), int(found.word_bounds[last])
    space = " " if options.space else ""
    surfaces = found.surfaces[ta:tb]
    gaps = [space if gap is None else gap for gap in found.after[ta : tb - 1]] + [""]
    paragraphs = found.paragraphs[
        bisect_left(found.paragraphs, ta) : bisect_left(found.paragraphs, tb)
    ]
    for token in paragraphs:
        if token > ta and found.after[token - 1] is None:
            gaps[token - 1 - ta] = "\n\n"
    for token, before in within(found.before, ta + 1, tb):
        gaps[token - 1 - ta] += before
    if found.ranges is not None:
        _follow_ranges(found.ranges[ta:tb], gaps, options)
    parts: list[str] = [""] * (2 * len(surfaces))
    parts[0::2], parts[1::2] = surfaces, gaps
    lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    ends = np.cumsum(lengths) + len(lead)
    doc = Document(text=lead + "".join(parts), strings=found.strings, source=options.file)
    doc.token_end = ends[0::2].copy()
    doc.token_start = doc.token_end - lengths[0::2]
    doc.sent_start = np.full(tb - ta, NO, dtype=np.int8)
    doc.sent_start[found.token_bounds[first:last] - ta] = YES
    for name, values in found.columns.items():
        of_token = doc.schema.by_name[name].level == "token"
        setattr(doc, name, (values[ta:tb] if of_token else values[wa:wb]).copy())
    doc.word_token -= np.int32(ta)
    doc.head[doc.head >= 0] -= np.int32(wa)
    starts = (found.token_bounds[first:last] - ta).tolist()
    doc.comments = dict(zip(starts, found.comments[first:last], strict=True))
    if found.lines:
        doc.sent_line = dict(zip(starts, found.lines[first:last], strict=True))
    doc.paragraph_start = doc.token_start[np.array(paragraphs, dtype=np.int64) - ta]
    if found.token_columns:
        doc.token_columns = {t - ta: rest for t, rest in within(found.token_columns, ta, tb)}
    if found.empty_nodes:
        a = bisect_left(found.empty_nodes, wa, key=_word)
        b = bisect_left(found.empty_nodes, wb, key=_word)
        doc.empty_nodes = [node.moved(-wa) for node in found.empty_nodes[a:b]]
    return doc


def _word(node: EmptyNode) -> int:
    return node.word


def _as_long(gap: str, length: int, options: ReadOptions) -> str:
    """A gap of so many characters."""
    if length > _LONGEST_GAP:
        raise options.error(
            f"TokenRange leaves {length:,} characters before a token",
            remedy="Fix TokenRange, or read the file without token_range.",
        )
    return gap[: max(0, length)].ljust(length)


def _follow_ranges(
    ranges: list[tuple[int, int] | None], gaps: list[str], options: ReadOptions
) -> None:
    """Make every gap between two tokens with a TokenRange as long as they say."""
    for i in range(len(ranges) - 1):
        here, there = ranges[i], ranges[i + 1]
        if here is not None and there is not None:
            gaps[i] = _as_long(gaps[i], there[0] - here[1], options)
