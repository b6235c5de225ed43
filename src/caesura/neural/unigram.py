"""Unigram sub-words, as SentencePiece has them (Kudo, 2018, section 3.2): XLM-R and its kin.

A word is normalised (NFKC, blanks, control characters), gets the blank sign where a blank stands
before it, and is cut into the pieces whose scores have the largest sum. Pieces are found in a
table of hashes, so that nothing has to be built of a large vocabulary but that table.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.jit import kernel
from caesura.learn.index import PLACES, refuse_crowded
from caesura.neural.subwords import CHARACTERS, PIECES, Subwords, numbered, specials

__all__ = ["Unigram", "normal"]

#: Stands for a blank in pieces.
_BLANK: Final = "\u2581"
_RUN: Final = re.compile(" +")
#: How much worse an unknown character is than the worst piece.
_PENALTY: Final = 10.0
#: Words whose sub-words are kept.
_KEPT: Final = 1 << 17
#: Normalisers of others that are what `normal` does, or change nothing inside a word.
_NORMALISERS: Final = frozenset({"Sequence", "Precompiled", "Replace", "Strip"})

# --------------------------------------------------------------------- normal form

_GONE: Final = (*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)
_BLANKS: Final = (
    0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD,
)  # fmt: skip
#: What differs from NFKC: the rules `nmt_nfkc` of SentencePiece. The wide tilde stays.
_RULES: Final = {chr(c): "" for c in _GONE} | {chr(c): " " for c in _BLANKS} | {"\uff5e": "\uff5e"}
#: A cluster of so many bytes is not looked up as a whole.
_CLUSTER: Final = 6


def _one(c: str) -> str:
    found = _RULES.get(c)
    return unicodedata.normalize("NFKC", c) if found is None else found


def _cluster(text: str) -> str:
    """The normal form of a character with its marks.

    As in the library: the shortest beginning of a small cluster that has a normal form stands for
    the whole; else each character is looked up by itself, so that marks keep their order.
    """
    if len(text) > 1 and len(text.encode("utf-8", "surrogatepass")) < _CLUSTER:
        for end in range(1, len(text) + 1):
            part = text[:end]
            found = _one(part) if end == 1 else unicodedata.normalize("NFC", part)
            if found != part and (end == 1 or len(found) == 1):
                return found
    return "".join(map(_one, text))


def _extends(c: str) -> bool:
    return c in "\u200c\u200d" or unicodedata.category(c)[0] == "M"


def normal(text: str) -> str:
    """A text in the normal form that the pieces have."""
    if text.isascii() and text.isprintable():
        return text
    out: list[str] = []
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _extends(text[at]):
            out.append(_cluster(text[begin:at]))
            begin = at
    return "".join(out)


# ------------------------------------------------------------------------- kernels

_SEED: Final = np.uint64(0xCBF29CE484222325)
_PRIME: Final = np.uint64(0x100000001B3)
_SHIFT: Final = np.uint64(29)


class Lookup(NamedTuple):
    """The pieces for the kernels: code points one after the other, and a table of hashes."""

    codes: NDArray[np.uint32]
    #: Where each piece begins (one more than pieces).
    first: NDArray[np.int64]
    scores: NDArray[np.float64]
    #: The number of a piece and 1, or 0; a power of two of them.
    slots: NDArray[np.int32]
    longest: int


@kernel
def _insert(
    codes: NDArray[np.uint32],
    first: NDArray[np.int64],
    usable: NDArray[np.bool_],
    slots: NDArray[np.int32],
) -> bool:
    """Whether all found a place."""
    mask = np.uint64(len(slots) - 1)
    left = PLACES * (len(first) + PLACES)
    for piece in range(len(first) - 1):
        if not usable[piece]:
            continue
        key = _SEED
        for at in range(first[piece], first[piece + 1]):
            key = (key ^ np.uint64(codes[at])) * _PRIME
        slot = (key ^ (key >> _SHIFT)) & mask
        while slots[slot]:
            slot = (slot + np.uint64(1)) & mask
            left -= 1
            if left < 0:
                return False
        slots[slot] = piece + 1
    return True


@kernel
def _same(codes: NDArray[np.uint32], a: int, other: NDArray[np.uint32], b: int, size: int) -> bool:
    n = 0
    while n < size and codes[a + n] == other[b + n]:
        n += 1
    return n == size


@kernel
def _cut(
    text: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    lookup: Lookup,
    unknown: int,
    worst: float,
    out: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> int:
    """The best pieces of each part of a text, and how many of them there are.

    Of several ways with the same sum the one whose last piece begins first is taken; unknown
    characters that follow each other are one piece.
    """
    codes, first, scores, slots, longest = lookup
    mask = np.uint64(len(slots) - 1)
    room = 0
    for part in range(len(bounds) - 1):
        room = max(room, bounds[part + 1] - bounds[part])
    best = np.zeros(room + 1, np.float64)
    piece = np.zeros(room + 1, np.int32)
    back = np.zeros(room + 1, np.int64)
    total = 0
    for part in range(len(bounds) - 1):
        begin, n = bounds[part], bounds[part + 1] - bounds[part]
        back[: n + 1] = -1
        best[0], back[0] = 0.0, 0
        for at in range(n):
            # Every place is reached: at the worst by an unknown character.
            single = False
            key = _SEED
            for end in range(at + 1, min(n, at + longest) + 1):
                key = (key ^ np.uint64(text[begin + end - 1])) * _PRIME
                slot = (key ^ (key >> _SHIFT)) & mask
                while slots[slot]:  # half of the places are free
                    found = slots[slot] - 1
                    size = first[found + 1] - first[found]
                    if size == end - at and _same(codes, first[found], text, begin + at, size):
                        if size == 1:
                            single = True
                        sum_ = best[at] + scores[found]
                        if back[end] < 0 or sum_ > best[end]:
                            best[end], piece[end], back[end] = sum_, found, at
                        break
                    slot = (slot + np.uint64(1)) & mask
            if not single:
                sum_ = best[at] + worst
                if back[at + 1] < 0 or sum_ > best[at + 1]:
                    best[at + 1], piece[at + 1], back[at + 1] = sum_, unknown, at
        # From the last piece to the first, then turned round.
        at, start, before = n, total, -1
        while at > 0:  # a piece begins before it ends
            if not (piece[at] == unknown and before == unknown):
                out[total] = piece[at]
                total += 1
            before = piece[at]
            at = back[at]
        for step in range((total - start) // 2):
            other = total - 1 - step
            out[start + step], out[other] = out[other], out[start + step]
        counts[part] = total - start
    return total


# ---------------------------------------------------------------------- vocabulary


@dataclass(frozen=True)
class Unigram(Subwords):
    """A vocabulary whose best-scored row of pieces wins. Threads may share one."""

    sees_blanks: ClassVar[bool] = True

    pieces_: tuple[str, ...]
    #: The logarithm of each piece's chance.
    scores: tuple[float, ...]
    #: The score of an unknown character.
    worst: float
    begin: int = -1
    end: int = -1
    pad: int = -1
    unknown: int = -1
    _lookup: list[Lookup] = field(default_factory=list, repr=False, compare=False)
    _known: dict[tuple[str, bool], tuple[int, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        numbers = numbered(self.pieces_)
        if len(self.scores) != len(self.pieces_) or not np.isfinite(self.scores).all():
            raise ModelError("its sub-word vocabulary has no score for each piece")
        if not math.isfinite(self.worst):
            raise ModelError("its sub-word vocabulary has no score for what is unknown")
        for name, number in specials(numbers).items():
            object.__setattr__(self, name, number)
        # The pieces that no text has.
        unused = {self.begin, self.end, self.pad, self.unknown}
        unused |= {numbers[piece] for piece in ("", "<mask>") if piece in numbers}
        self._lookup.append(_lookup_of(self.pieces_, self.scores, frozenset(unused)))

    @property
    def definition(self) -> str:
        # Scores came as 32-bit numbers; nine digits give them back.
        scores = [float(f"{score:.9g}") for score in self.scores]
        settings = {"type": "unigram", "worst": self.worst, "pieces": list(self.pieces_)}
        return json.dumps(settings | {"scores": scores}, ensure_ascii=False)

    @classmethod
    def own(cls, found: Mapping[str, Any]) -> Self:
        return cls(tuple(found["pieces"]), _numbers(found.get("scores")), _number(found, "worst"))

    @classmethod
    def foreign(cls, found: Mapping[str, Any]) -> Self:
        model = found["model"]
        kinds = set(_normalisers(found.get("normalizer")))
        if kinds - _NORMALISERS or "Precompiled" not in kinds:
            raise ModelError(
                f"its sub-words are normalised by {', '.join(sorted(kinds)) or 'nothing'}",
                remedy="Use an encoder with SentencePiece's own normal form, such as XLM-R's.",
            )
        if model.get("byte_fallback"):
            raise ModelError("its unknown characters are cut into bytes, which is not known here")
        rows = model.get("vocab")
        if not isinstance(rows, list) or not all(
            isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) for row in rows
        ):
            raise ModelError("its sub-word vocabulary is no list of pieces and scores")
        scores = _numbers([row[1] for row in rows])
        worst = min(scores, default=0.0) - _PENALTY
        return cls(tuple(row[0] for row in rows), scores, worst)

    def only(self, keep: Iterable[int]) -> tuple[Self, NDArray[np.int64]]:
        """The vocabulary of these pieces and the special ones, and the old number of each.

        Text that needs no other piece is cut as before.
        """
        named = {self.begin, self.end, self.pad, self.unknown}
        numbers = np.array(sorted({*keep, *named}), dtype=np.int64)
        pieces = tuple(self.pieces_[n] for n in numbers.tolist())
        scores = tuple(self.scores[n] for n in numbers.tolist())
        return type(self)(pieces, scores, self.worst), numbers

    # --------------------------------------------------------------- cutting

    def of_word(self, form: str, blank: bool = True) -> tuple[int, ...]:
        return self.of_words([form], [blank])[0]

    def of_words(self, forms: Sequence[str], blanks: Sequence[bool]) -> list[tuple[int, ...]]:
        known = self._known
        keys = list(zip(forms, blanks, strict=True))
        new = [key for key in dict.fromkeys(keys) if key not in known]
        found = dict(zip(new, self._cut(new), strict=True))
        if len(known) + len(found) <= _KEPT:
            known.update(found)
        return [known[key] if key in known else found[key] for key in keys]

    def _cut(self, words: Sequence[tuple[str, bool]]) -> list[tuple[int, ...]]:
        parts: list[str] = []
        owner: list[int] = []
        for number, (form, blank) in enumerate(words):
            written = _RUN.sub(" ", normal(form[:CHARACTERS]))
            for at, part in enumerate(written.split(" ")):
                # Every blank begins a part, the last one too.
                if part or at:
                    parts.append(_BLANK + part if blank or at else part)
                    owner.append(number)
        bounds = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
        text = _codes("".join(parts))
        out = np.zeros(len(text), np.int32)
        counts = np.zeros(len(parts), np.int64)
        total = _cut(text, bounds, self._lookup[0], self.unknown, self.worst, out, counts)
        pieces: list[list[int]] = [[] for _ in words]
        ends = np.cumsum(counts).tolist()
        numbers = out[:total].tolist()
        begin = 0
        for number, end in zip(owner, ends, strict=True):
            pieces[number] += numbers[begin:end]
            begin = end
        return [tuple(found[:PIECES]) or (self.unknown,) for found in pieces]


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _lookup_of(pieces: Sequence[str], scores: Sequence[float], unused: frozenset[int]) -> Lookup:
    sizes = [len(piece) for piece in pieces]
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    codes = _codes("".join(pieces))
    usable = np.ones(len(pieces), dtype=bool)
    usable[list(unused)] = False
    slots = np.zeros(1 << (2 * len(pieces)).bit_length(), np.int32)
    refuse_crowded(_insert(codes, first, usable, slots), "sub-words")
    return Lookup(codes, first, np.array(scores, np.float64), slots, max(sizes))


def _normalisers(found: Any) -> Iterable[str]:
    if isinstance(found, dict):
        yield str(found.get("type"))
        for one in found.get("normalizers") or ():
            yield from _normalisers(one)


def _numbers(found: Any) -> tuple[float, ...]:
    if not isinstance(found, list) or not {*map(type, found)} <= {int, float}:
        raise ModelError("its sub-word vocabulary has no score for each piece")
    return tuple(map(float, found))


def _number(found: Mapping[str, Any], name: str) -> float:
    return _numbers([found.get(name)])[0]
