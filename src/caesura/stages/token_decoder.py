"""Characters in, decided tokens out: what a text leaves behind between its blocks is in the core.

A token is decided when some characters after it are known, a sentence start when some tokens after
it are, and at a line's beginning the lines that the layout depends on. What is decided never
depends on how the text was cut into blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenDecoder, TokenModel
from caesura.constraints import Constraints
from caesura.document import NO, YES, Document
from caesura.document.characters import code_points
from caesura.stages.token_habits import NO_HABITS, Habits
from caesura.stages.token_handles import known_cuts
from caesura.stages.token_reading import Reader, Reading

__all__ = ["NOTHING", "Decided", "Decoder", "OffsetConstraints"]

Longs = NDArray[np.int64]

#: Characters for which a call of the core pays.
_WORTHWHILE = 4096
_NO_HINTS = np.zeros(0, np.int8)


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

    `hyphenated` is 1 for those that a line end parts.
    """

    starts: Longs
    ends: Longs
    evidence: NDArray[np.float32]
    breaks: NDArray[np.uint8]
    hyphenated: NDArray[np.uint8]

    def part(self, first: int, last: int | None = None) -> Decided:
        own = slice(first, last)
        columns: list[Any] = [column[own] for column in self]
        return Decided(*columns)

    @staticmethod
    def join(parts: Sequence[Decided]) -> Decided:
        columns: list[Any] = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        return Decided(*columns)


NOTHING = Decided(
    np.zeros(0, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.float32),
    np.zeros(0, np.uint8),
    np.zeros(0, np.uint8),
)


class Decoder:
    """Takes a text block by block and hands back what is decided."""

    def __init__(
        self,
        model: TokenModel,
        threshold: float,
        given: OffsetConstraints | None = None,
        *,
        weigh: bool = True,
        reader: Reader | None = None,
        habits: Habits = NO_HABITS,
    ) -> None:
        """Without `weigh` the evidence of sentence starts is not needed, and there is none.

        A `reader` adds to the scores of tokens; `habits` tell what stays whole.
        """
        self._habits = habits
        self._reading = Reading(reader) if reader is not None else None
        self._pending: list[str] = []
        self._size = 0
        self._taken = 0  # characters that the core took
        starts, no_starts, all_starts, paragraphs = given or OffsetConstraints()
        self._core = TokenDecoder(
            model,
            threshold,
            weigh,
            habits.numbers,
            _offsets(starts),
            _offsets(no_starts),
            all_starts,
            _offsets(paragraphs),
        )

    def start_at(self, offsets: Sequence[int]) -> None:
        """More starts that are given, of text that is not decided; those behind are forgotten."""
        self._core.start_at(np.array(offsets, dtype=np.int64))

    def feed(self, text: str, *, last: bool = False) -> Decided:
        """Take the next block; returns the tokens that are decided now."""
        self._pending.append(text)
        self._size += len(text)
        # What is kept is prepared again with every call: wait until as much is new, so that a
        # token of any length costs time in proportion to its length.
        if not last and self._size < max(_WORTHWHILE, self.kept):
            return NOTHING
        text = "".join(self._pending)
        codes = code_points(text)
        self._core.take(codes)
        kept = self._core.kept if self._taken else codes
        self._taken += self._size
        self._pending, self._size = [], 0
        odds = None
        if self._reading is not None:
            self._reading.feed(text, last=last)
            odds = self._reading.take(self._core.base)
        known = known_cuts(kept, self._habits)
        return Decided(*self._core.decide(_NO_HINTS if known is None else known, odds, last))

    @property
    def kept(self) -> int:
        """The number of characters that the core took and may look at again."""
        return self._taken - self._core.base

    @property
    def held(self) -> tuple[Longs, Longs]:
        """Tokens that are known but not handed back yet."""
        return self._core.held


def _offsets(values: NDArray[Any]) -> Longs:
    """Offsets that a caller set may be columns of a wider array."""
    return np.ascontiguousarray(values, np.int64)
