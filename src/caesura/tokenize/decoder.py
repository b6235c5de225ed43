"""Characters in, decided tokens out: the state that a text leaves behind between its blocks.

A token is decided when WINDOW characters after it are known, a sentence start when AHEAD tokens
after it are, and at a line's beginning the lines that tell what the layout says. What is decided
never depends on how the text was cut into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import layout_of
from caesura.constraints import Constraints, by_layout
from caesura.document import NO, YES, Document
from caesura.document.characters import DIGIT, MARGIN, classify, code_points
from caesura.jit_plain import Tiers
from caesura.layout import START, LayoutReader, learned
from caesura.tokenize.chunk_memo import LONGEST_CHUNK, Memo
from caesura.tokenize.habits import NO_HABITS, Habits, within_numbers
from caesura.tokenize.handles import known_cuts
from caesura.tokenize.hyphens import HYPHENS, Hyphenated, find_hyphenated, joined, merges
from caesura.tokenize.logistic import Codes
from caesura.tokenize.marks import (
    AHEAD,
    BEHIND,
    Marks,
    append_marks,
    blank_marks,
    drop_marks,
    join_lines,
    mark,
)
from caesura.tokenize.prepared_text import WINDOW, Text, lines_joined, prepare
from caesura.tokenize.reading import Reader, Reading
from caesura.tokenize.sentence_starts import STATE, starts
from caesura.tokenize.token_boundaries import Lexicon, cut
from caesura.tokenize.word_types import Types

__all__ = ["NOTHING", "Decided", "Decoder", "OffsetConstraints", "mark_tokens"]

Longs = NDArray[np.int64]

#: Characters that are worth a call of the kernels.
_WORTHWHILE = 4096
#: Tokens that Python marks as quickly as compiled code is loaded from the disk.
_LITTLE = 256
_PARAGRAPH = 4
#: Characters behind a blank that tell whether it is inside of a number, and some more.
_GROUP = 8
#: Longer lines are not examined by the layout.
_LONG_LINE = 400
_NO_BLANKS = np.zeros(0, np.int64)
#: What a text of one line does not have, if it is one of ASCII: other blanks, and two in a row.
_LAID_OUT = ("\n", "  ", "\t", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f")


_mark = Tiers(mark, _LITTLE)
_join_lines = Tiers(join_lines, _LITTLE)


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
    """Tokens by offset, the probability of a sentence start at each, and what the layout says.

    `hyphenated` are those that a line end parts.
    """

    starts: Longs
    ends: Longs
    evidence: NDArray[np.float32]
    breaks: NDArray[np.uint8]
    hyphenated: NDArray[np.bool_]

    def part(self, first: int, last: int | None = None) -> Decided:
        own = slice(first, last)
        columns: list[Any] = [column[own] for column in self]
        return Decided(*columns)

    @staticmethod
    def join(parts: Sequence[Decided]) -> Decided:
        columns: list[Any] = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        return Decided(*columns)


_NO_BREAKS = np.zeros(0, np.uint8)
_NO_ODDS = np.zeros(0, np.float32)
NOTHING = Decided(
    np.zeros(0, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.float32),
    _NO_BREAKS,
    np.zeros(0, np.bool_),
)


def mark_tokens(
    text: Text,
    begins: Longs,
    ends: Longs,
    paragraphs: Longs,
    breaks: NDArray[np.uint8],
    types: Types,
) -> Marks:
    """Marks of the tokens of a whole text; offsets are those of the text.

    Of lines without `breaks` nobody knows whether they are wrapped prose.
    """
    marks = blank_marks(len(begins))
    carried = np.array([MARGIN, MARGIN], np.int64)
    _mark(len(begins))(text, begins + MARGIN, ends + MARGIN, carried, types, marks)
    _set_paragraphs(marks, begins, paragraphs)
    if len(breaks):
        _join_lines(len(begins))(begins, breaks, 0, np.zeros(2, np.int64), marks)
    return marks


def _set_paragraphs(marks: Marks, begins: Longs, paragraphs: Longs) -> None:
    at = np.searchsorted(begins, paragraphs)
    at = at[at < len(begins)]
    inside = marks.gap[BEHIND + at]
    marks.gap[BEHIND + at] = np.where(inside > 0, _PARAGRAPH, inside)


def _is_one_line(text: str) -> bool:
    """Whether a text is one long line without wide gaps, so that its layout says nothing."""
    long = len(text) > _LONG_LINE
    return long and text.isascii() and all(sign not in text for sign in _LAID_OUT)


class Decoder:
    """Takes a text block by block and hands back what is decided."""

    def __init__(
        self,
        cuts: Codes,
        begins: Codes,
        lexicon: Lexicon,
        types: Types,
        memo: Memo,
        threshold: float,
        given: OffsetConstraints | None = None,
        *,
        layout: bool = False,
        words: frozenset[str] = frozenset(),
        weigh: bool = True,
        reader: Reader | None = None,
        habits: Habits = NO_HABITS,
    ) -> None:
        """With `layout` the scores of sentence starts were learned with what it says.

        With `words` those that are hyphenated at the end of a line are made whole. Without `weigh`
        nobody asks for the evidence of sentence starts, and there is none. A `reader` has a say
        about tokens; `habits` tell what stays whole.
        """
        self._habits = habits
        self._reading = Reading(reader) if reader is not None else None
        self._words = words
        self._weigh = weigh
        self._may_hyphenate = False
        self._hyphenated: list[Hyphenated] = []  # of tokens that are not decided
        self._learned_layout = layout
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
        self._line = np.zeros(2, dtype=np.int64)  # where it began before it was wrapped
        self._joined = 0  # tokens whose lines are joined where they are wrapped
        self._paragraph = 0  # given paragraphs that are behind
        self._marks = blank_marks(0)
        self._layout: LayoutReader | None = None  # nobody reads the lines of a text that is whole
        self._breaks = _NO_BREAKS  # what the layout says about tokens that are not decided
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
        text = "".join(self._pending)
        fresh = code_points(text)
        # Nothing is looked for of which there is no sign.
        self._may_hyphenate = bool(self._words) and (
            self._may_hyphenate or any(hyphen in text for hyphen in HYPHENS)
        )
        whole = last and self._layout is None
        if not whole:
            self._layout = self._layout or LayoutReader(self._given.paragraphs)
            self._layout.feed(fresh, last=last)
        if self._reading is not None:
            self._reading.feed(text, last=last)
        self._pending, self._size = [], 0
        codes = np.concatenate((self._codes, fresh)) if len(self._codes) else fresh
        classes, folded = classify(codes)
        inside = self._inside_numbers(codes, classes)
        inked = classes
        if len(inside):
            inked = classes.copy()
            inked[inside] = DIGIT
        lines = prepare(*lines_joined(inked, folded))
        prepared = lines._replace(classes=classes, folded=folded)
        marks = self._cut(lines, prepared, codes, inside, last)
        self._forget(codes)
        if whole and _is_one_line(text) and not len(self._given.paragraphs):
            self._breaks = np.zeros(len(self._tokens[0]), np.uint8)
            self._breaks[:1] = START
        elif whole:
            inner = slice(MARGIN, MARGIN + len(codes))
            self._breaks = layout_of(
                prepared.classes[inner],
                prepared.folded[inner],
                self._tokens[0],
                self._tokens[1],
                self._given.paragraphs,
            )
        return self._decide(marks, last)

    def _cut(
        self, lines: Text, prepared: Text, codes: NDArray[np.uint32], inside: Longs, last: bool
    ) -> Marks:
        """Find tokens in the block; returns the marks of the new ones.

        In `lines` the newlines of the text that stand alone are blanks, and the blanks that are
        `inside` of numbers are none.
        """
        size = len(codes)
        shift = MARGIN - self._base
        end = self._base + size + 1 if last else self._base + size - WINDOW - _GROUP
        if self._reading is not None and not last:
            end = min(end, self._reading.known)
        if end <= self._at:
            return blank_marks(0)
        room = end - self._at + LONGEST_CHUNK + 2
        begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
        self._open[:2] += shift
        n = cut(
            lines,
            self._at + shift,
            end + shift,
            self._open,
            self._forced(codes, inside, shift),
            self._odds(size),
            self._lexicon,
            self._types,
            self._memo,
            self._cuts,
            begins,
            ends,
        )
        self._open[:2] -= shift
        begins, ends = begins[:n], ends[:n]
        marks = blank_marks(n if self._weigh else 0)
        if self._weigh:
            self._carried += shift
            _mark(n)(prepared, begins, ends, self._carried, self._types, marks)
            self._carried -= shift
        if self._may_hyphenate and n:
            self._hyphenated += find_hyphenated(prepared, ends, shift, self._words)
        begins, ends = begins - shift, ends - shift
        if len(self._given.paragraphs) and n and self._weigh:
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

    def _forced(self, codes: NDArray[np.uint32], inside: Longs, shift: int) -> NDArray[np.int8]:
        """Where a token must begin since a sentence does, or must and may not by its signs."""
        known = known_cuts(codes, self._habits)
        if known is None and not len(inside) and not len(self._given.starts):
            return np.zeros(0, dtype=np.int8)
        forced = np.zeros(len(codes) + 2 * MARGIN, dtype=np.int8)
        if known is not None:
            forced[MARGIN : MARGIN + len(codes)] = known
        forced[inside] = forced[inside + 1] = -1
        here = self._given.starts + shift
        forced[here[(here >= 0) & (here < len(forced))]] = 1
        return forced

    def _inside_numbers(self, codes: NDArray[np.uint32], classes: NDArray[np.uint8]) -> Longs:
        """The blanks that are part of a number, unless a sentence must start behind them."""
        if not self._habits.numbers:
            return _NO_BLANKS
        at = within_numbers(codes, classes)
        return at[~np.isin(at + 1 - MARGIN + self._base, self._given.starts)]

    def _odds(self, size: int) -> NDArray[np.float32]:
        """What the reader says of the code points that are kept."""
        if self._reading is None:
            return _NO_ODDS
        odds = np.zeros(size + 2 * MARGIN, dtype=np.float32)
        said = self._reading.take(self._base)[:size]
        odds[MARGIN : MARGIN + len(said)] = said
        return odds

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
        marks = fresh if self._new else append_marks(self._marks, fresh)
        begins, ends = self._tokens
        self._new = self._new and not len(begins)
        breaks, coded = self._breaks, len(self._breaks)
        if coded < len(begins) and self._layout is not None:
            breaks = self._layout.take(begins[coded:], ends[coded:])
            breaks = np.concatenate((self._breaks, breaks)) if coded else breaks
        if self._weigh and self._learned_layout:
            fresh_breaks = len(breaks) - self._joined
            _join_lines(fresh_breaks)(begins, breaks, self._joined, self._line, marks)
        # What follows a token must be known, and so must its lines.
        decided = len(begins) if last else max(0, len(breaks) - AHEAD)
        pairs = merges(self._hyphenated, begins, ends, breaks) if self._hyphenated else []
        for word in self._hyphenated if not last else ():
            # Both parts are decided together.
            first, second = begins.searchsorted([word.start, word.second]).tolist()
            decided = first if first < decided <= second else decided
        breaks, self._breaks = breaks[:decided], breaks[decided:]
        self._joined = len(self._breaks)
        evidence = np.zeros(decided, dtype=np.float32)
        known = by_layout(self._given.at(begins[:decided]), breaks)
        pairs = [pair for pair in pairs if pair[1] < decided and known[pair[1]] != YES]
        for first, second in pairs:
            known[first + 1 : second + 1] = NO
        if self._weigh:
            starts(
                marks,
                learned(breaks) if self._learned_layout else _NO_BREAKS,
                known,
                self._state,
                self._begins,
                self._threshold,
                evidence,
            )
            self._marks = drop_marks(marks, decided)
        self._tokens = (begins[decided:], ends[decided:])
        if self._hyphenated:
            held = int(begins[decided]) if decided < len(begins) else 1 << 62
            self._hyphenated = [word for word in self._hyphenated if word.start >= held]
        begins, ends = begins[:decided], ends[:decided]
        if not pairs:
            return Decided(begins, ends, evidence, breaks, np.zeros(decided, np.bool_))
        starts_, ends, kept, merged = joined(pairs, begins, ends)
        return Decided(starts_, ends, evidence[kept], breaks[kept], merged)

    @property
    def held(self) -> tuple[Longs, Longs]:
        """Tokens that are known but not handed back yet."""
        return self._tokens
