"""Unigram sub-words, as SentencePiece has them (Kudo, 2018, section 3.2): XLM-R and its kin.

A word is normalised (NFKC, blanks, control characters). In the core it gets the blank sign where a
blank stands before it, and is cut into the pieces whose scores have the largest sum.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.errors import ModelError
from caesura.neural.subwords import Subwords, number_in, specials, table_of

__all__ = ["Unigram", "normal"]

#: How much worse an unknown character is than the worst piece.
_PENALTY: Final = 10.0
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
    _cutter: _core.Unigram = field(init=False, repr=False, compare=False)
    _known: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table = table_of(self.pieces_)
        if len(self.scores) != len(self.pieces_) or not np.isfinite(self.scores).all():
            raise ModelError("its sub-word vocabulary has no score for each piece")
        if not math.isfinite(self.worst):
            raise ModelError("its sub-word vocabulary has no score for what is unknown")
        for name, number in specials(table).items():
            object.__setattr__(self, name, number)
        # No text has these pieces.
        unused = [number_in(table, piece) for piece in ("", "<mask>")]
        usable = np.ones(len(self.pieces_), np.bool_)
        unused = [self.begin, self.end, self.pad, self.unknown, *(n for n in unused if n >= 0)]
        usable[unused] = False
        scores = np.array(self.scores, np.float64)
        cutter = _core.Unigram(table, scores, usable, self.unknown, self.worst)
        object.__setattr__(self, "_cutter", cutter)

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

    def _normal(self, form: str) -> str:
        return normal(form)


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
