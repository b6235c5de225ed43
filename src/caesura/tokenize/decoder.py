"""Characters in, decided tokens out: the state that a text leaves behind between its blocks.

A token is decided when WINDOW characters after it are known, a sentence start when AHEAD tokens
after it are. What is decided never depends on how the text was cut into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import NO, YES, Document
from caesura.tokenize.characters import MARGIN, classify, code_points
from caesura.tokenize.chunk_memo import LONGEST_CHUNK, Memo
from caesura.tokenize.logistic import Codes
from caesura.tokenize.prepared_text import WINDOW, Text, prepare
from caesura.tokenize.sentence_starts import (
    AHEAD,
    BEHIND,
    STATE,
    Marks,
    append_marks,
    blank_marks,
    drop_marks,
    mark,
    starts,
)
from caesura.tokenize.token_boundaries import cut
from caesura.tokenize.word_types import Types

__all__ = ["NOTHING", "Decided", "Decoder", "OffsetConstraints", "mark_tokens"]

Longs = NDArray[np.int64]

#: Characters that are worth a call of the kernels.
_WORTHWHILE = 4096
_PARAGRAPH = 4


class OffsetConstraints(NamedTuple):
    """`Constraints` by offset: where sentences start, where none does; and paragraphs.

    With `all_starts` no sentence starts anywhere else.
    """

    starts: Longs = np.zeros(0, np.int64)
    no_starts: Longs = np.zeros(0, np.int64)
    all_starts: bool = False
    paragraphs: Longs = np.zeros(0, np.int64)

    @classmethod
    def of(cls, doc: Document) -> OffsetConstraints:
        """What a document fixes of its boundaries, wherever its tokens will be."""
        known = Constraints.of(doc).starts
        if known is None or not doc.n_tokens:
            return cls(paragraphs=doc.paragraph_start)
        return cls(
            doc.token_start[known == YES],
            doc.token_start[known == NO],
            doc.has_sentences,
            doc.paragraph_start,
        )

    def at(self, begins: Longs) -> NDArray[np.int8]:
        """1, 0 or -1 (unknown) for tokens that begin here."""
        if not len(self.starts) and not len(self.no_starts) and not self.all_starts:
            return np.full(len(begins), -1, dtype=np.int8)
        known = np.full(len(begins), 0 if self.all_starts else -1, dtype=np.int8)
        known[np.isin(begins, self.no_starts)] = 0
        known[np.isin(begins, self.starts)] = 1
        return known


class Decided(NamedTuple):
    """Tokens by offset and the probability that a sentence starts at each."""

    starts: Longs
    ends: Longs
    evidence: NDArray[np.float32]

    def part(self, first: int, last: int | None = None) -> Decided:
        return Decided(self.starts[first:last], self.ends[first:last], self.evidence[first:last])

    @staticmethod
    def join(parts: Sequence[Decided]) -> Decided:
        return Decided(
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.ends for part in parts]),
            np.concatenate([part.evidence for part in parts]),
        )


NOTHING = Decided(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


def mark_tokens(text: Text, begins: Longs, ends: Longs, paragraphs: Longs, types: Types) -> Marks:
    """Marks of the tokens of a whole text; offsets are those of the text."""
    marks = blank_marks(len(begins))
    carried = np.array([MARGIN, MARGIN], np.int64)
    mark(text, begins + MARGIN, ends + MARGIN, carried, types, marks)
    _set_paragraphs(marks, begins, paragraphs)
    return marks


def _set_paragraphs(marks: Marks, begins: Longs, paragraphs: Longs) -> None:
    at = np.searchsorted(begins, paragraphs)
    at = at[at < len(begins)]
    inside = marks.gap[BEHIND + at]
    marks.gap[BEHIND + at] = np.where(inside > 0, _PARAGRAPH, inside)


class Decoder:
    """Takes a text block by block and hands back what is decided."""

    def __init__(
        self,
        cuts: Codes,
        begins: Codes,
        lexicon: NDArray[np.uint64],
        types: Types,
        memo: Memo,
        threshold: float,
        given: OffsetConstraints | None = None,
    ) -> None:
        self._cuts = cuts
        self._lexicon = lexicon
        self._types = types
        self._memo = memo
        self._begins = begins
        self._threshold = threshold
        self._given = given or OffsetConstraints()
        self._pending: list[str] = []
        self._size = 0
        self._codes = np.zeros(0, dtype=np.uint32)
        self._base = 0  # the offset of the first code point that is kept
        self._at = 0  # the offset that is looked at next
        # Start of the open token, of its chunk, the chunk's kind, whether one is open.
        self._open = np.zeros(5, dtype=np.int64)
        self._carried = np.zeros(2, dtype=np.int64)  # where the gap and the line began
        self._paragraph = 0  # given paragraphs that are behind
        self._marks = blank_marks(0)
        self._tokens: tuple[Longs, Longs] = (np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._state = np.zeros(STATE, dtype=np.int64)
        self._new = True  # no token was seen yet

    def start_at(self, offsets: Sequence[int]) -> None:
        """More starts that are given, of text that is not decided; those behind are forgotten."""
        behind = min([self._base, *self._tokens[0][:1].tolist()])
        known = self._given.starts
        starts = np.concatenate((known[known >= behind], np.array(offsets, dtype=np.int64)))
        self._given = self._given._replace(starts=starts)

    def feed(self, text: str, *, last: bool = False) -> Decided:
        """Take the next block; returns the tokens that are decided now."""
        self._pending.append(text)
        self._size += len(text)
        # What is kept is prepared again with every call: wait until as much is new, so that a
        # token of any length costs time in proportion to its length.
        if not last and self._size < max(_WORTHWHILE, len(self._codes)):
            return NOTHING
        fresh = code_points("".join(self._pending))
        self._pending, self._size = [], 0
        codes = np.concatenate((self._codes, fresh)) if len(self._codes) else fresh
        prepared = prepare(*classify(codes))
        marks = self._cut(prepared, len(codes), last)
        self._forget(codes)
        return self._decide(marks, last)

    def _cut(self, prepared: Text, size: int, last: bool) -> Marks:
        """Find tokens in the block; returns the marks of the new ones."""
        shift = MARGIN - self._base
        end = self._base + size + 1 if last else self._base + size - WINDOW - 2
        if end <= self._at:
            return blank_marks(0)
        room = end - self._at + LONGEST_CHUNK + 2
        begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
        self._open[:2] += shift
        n = cut(
            prepared,
            self._at + shift,
            end + shift,
            self._open,
            self._forced(prepared, shift),
            self._lexicon,
            self._types,
            self._memo,
            self._cuts,
            begins,
            ends,
        )
        self._open[:2] -= shift
        begins, ends = begins[:n], ends[:n]
        marks = blank_marks(n)
        self._carried += shift
        mark(prepared, begins, ends, self._carried, self._types, marks)
        self._carried -= shift
        begins, ends = begins - shift, ends - shift
        if len(self._given.paragraphs) and n:
            paragraphs = self._given.paragraphs
            passed = int(np.searchsorted(paragraphs, begins[-1], side="right"))
            _set_paragraphs(marks, begins, paragraphs[self._paragraph : passed])
            self._paragraph = passed
        if len(self._tokens[0]):
            begins = np.concatenate((self._tokens[0], begins))
            ends = np.concatenate((self._tokens[1], ends))
        self._tokens = (begins, ends)
        self._at = int(self._open[4]) - shift
        return marks

    def _forced(self, prepared: Text, shift: int) -> NDArray[np.int8]:
        """Where a token must begin since a sentence does."""
        if not len(self._given.starts):
            return np.zeros(0, dtype=np.int8)
        forced = np.zeros(len(prepared.classes), dtype=np.int8)
        here = self._given.starts + shift
        forced[here[(here >= 0) & (here < len(forced))]] = 1
        return forced

    def _forget(self, codes: NDArray[np.uint32]) -> None:
        """Drop the characters that nothing will look at again."""
        keep = self._at - MARGIN
        if self._open[3]:
            keep = min(keep, int(self._open[0]) - MARGIN)
        keep = max(keep, self._base)
        self._codes = codes[keep - self._base :].copy()
        self._base = keep

    def _decide(self, fresh: Marks, last: bool) -> Decided:
        """Decide about sentence starts as far as enough tokens are known."""
        joined = fresh if self._new else append_marks(self._marks, fresh)
        begins, ends = self._tokens
        self._new = self._new and not len(begins)
        decided = len(begins) if last else max(0, len(begins) - AHEAD)
        evidence = np.empty(decided, dtype=np.float32)
        starts(
            joined,
            self._given.at(begins[:decided]),
            self._state,
            self._begins,
            self._threshold,
            evidence,
        )
        self._marks = drop_marks(joined, decided)
        self._tokens = (begins[decided:], ends[decided:])
        return Decided(begins[:decided], ends[:decided], evidence)

    @property
    def held(self) -> tuple[Longs, Longs]:
        """Tokens that are known but not handed back yet."""
        return self._tokens
