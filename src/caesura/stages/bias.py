"""The bias in a unit that a person can use: 1 is twice as many boundaries, -1 half as many.

A scorer decides boundaries in units of its own, so that the *bonus* that doubles them differs from
model to model, and between edited text and transcripts. A `BiasScale` says which bonus a bias is
worth; `measure` finds it on held-out text, and model files keep it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from caesura.errors import ModelError, UsageError
from caesura.learn.shuffle import epoch_order

if TYPE_CHECKING:
    from caesura.document import Document

__all__ = ["GRID", "LIMIT", "BiasScale", "check_bias", "measure", "refuse_bias", "sample"]

#: The biases for which a scale has a measured bonus: 2**bias times as many boundaries.
GRID: Final = (-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0)
#: The largest bias, either way: beyond a quarter and four times as many nothing is measured.
LIMIT: Final = GRID[-1]
#: A text with fewer boundaries says too little.
LEAST: Final = 12
#: Words of held-out text that are enough to measure on.
ENOUGH: Final = 10_000
#: The first bonus that is tried, and the last: from there on a bonus decides everything.
_FIRST: Final = 0.05
_LAST: Final = 200.0
#: Powers of two by which the number of boundaries may be off, and how often it is halved.
_CLOSE: Final = 0.02
_HALVINGS: Final = 10
#: Counts the boundaries of a text that is decoded with a bonus.
Count = Callable[[float], int]


def check_bias(bias: float) -> float:
    """The bias itself, if it is one."""
    if not -LIMIT <= bias <= LIMIT:  # nor is NaN one
        raise UsageError(
            f"the bias is {bias:g}, but must be from {-LIMIT:g} to {LIMIT:g}",
            remedy="1 asks for about twice as many sentence boundaries, -1 for half as many.",
        )
    return bias


def refuse_bias(bias: float) -> None:
    """A model file keeps no bias, so that one that is given for training would be lost."""
    if bias:
        raise UsageError(
            f"search.bias is {bias:g}, but a bias is for parsing, and a model does not keep it",
            remedy="Set search.bonus, which is in scores, or tune it on held-out data.",
        )


@dataclass(frozen=True)
class BiasScale:
    """The bonus of each bias of `GRID`: for edited text, and for text as transcripts have it."""

    edited: tuple[float, ...]
    unedited: tuple[float, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.unedited:
            object.__setattr__(self, "unedited", self.edited)
        for points in (self.edited, self.unedited):
            rising = all(a <= b for a, b in pairwise(points))
            finite = all(math.isfinite(point) for point in points)
            if len(points) != len(GRID) or not finite or not rising or points[len(GRID) // 2]:
                raise ModelError(
                    f"the scale of the bias must be {len(GRID)} rising numbers around 0",
                    remedy="The file is damaged or made by another program; train it again.",
                )

    def bonus(self, bias: float, edited: bool = True) -> float:
        """What a bias is worth, on straight lines between the measured points."""
        check_bias(bias)
        points = self.edited if edited else self.unedited
        above = next(k for k in range(1, len(GRID)) if bias <= GRID[k])
        share = (bias - GRID[above - 1]) / (GRID[above] - GRID[above - 1])
        return points[above - 1] + share * (points[above] - points[above - 1])

    def as_config(self) -> dict[str, list[float]]:
        return {"edited": list(self.edited), "unedited": list(self.unedited)}

    @classmethod
    def from_config(cls, config: Mapping[str, Any], default: BiasScale) -> BiasScale:
        """What a model file says; a file from before there were scales has the default."""
        found = {}
        for kind in ("edited", "unedited"):
            points = config.get(kind, getattr(default, kind))
            if not all(isinstance(point, int | float) for point in points):
                raise ModelError("the scale of the bias must be numbers", remedy="Train it again.")
            found[kind] = tuple(map(float, points))
        return cls(**found)

    def measured(self, counts: Mapping[str, Count]) -> BiasScale:
        """The same scale with what could be measured: `edited`, `unedited`, or both."""
        found = {kind: measure(count) for kind, count in counts.items()}
        return replace(self, **{kind: points for kind, points in found.items() if points})


def measure(count: Count) -> tuple[float, ...] | None:
    """The bonus for each bias of `GRID`; None if there are too few boundaries to tell.

    A number of boundaries that no bonus gives, as four times as many where every second word is
    one, is taken from the line through the points next to it.
    """
    known = {0.0: count(0.0)}
    if known[0.0] < LEAST:
        return None
    found = {0.0: 0.0}
    for bias in sorted(GRID, key=abs)[1:]:
        bonus = _find(count, known, known[0.0] * 2.0**bias, math.copysign(1.0, bias))
        if bonus is not None:
            found[bias] = bonus
    if len(found) == 1:
        return None
    for bias in sorted(GRID, key=abs):
        if bias not in found:
            found[bias] = _beyond(found, bias)
    points = [float(f"{found[bias]:.4g}") for bias in GRID]
    middle = len(GRID) // 2
    for k in range(middle - 1, -1, -1):  # a search is not quite monotone; a scale is
        points[k] = min(points[k], points[k + 1])
    for k in range(middle + 1, len(GRID)):
        points[k] = max(points[k], points[k - 1])
    return tuple(points)


def _find(count: Count, known: dict[float, int], target: float, sign: float) -> float | None:
    """The bonus of this sign that gives this many boundaries, more or less; None: there is none.

    `known` are all bonuses that were tried, with their counts.
    """

    def off(size: float) -> float:
        bonus = sign * size
        if bonus not in known:
            known[bonus] = count(bonus)
        # Above 0 once there are as many as wanted, or as few. A half keeps 0 a number.
        return sign * math.log2((known[bonus] + 0.5) / (target + 0.5))

    tried = sorted(abs(bonus) for bonus in known if bonus * sign >= 0)
    high = next((size for size in tried if off(size) >= 0), None)
    if high is None:
        high = max(tried[-1], _FIRST / 2)
        while off(high) < 0:
            high *= 2
            if high > _LAST:
                return None
    low = max(abs(bonus) for bonus in known if bonus * sign >= 0 and abs(bonus) < high)
    for _ in range(_HALVINGS):
        a, b = off(low), off(high)
        if min(abs(a), abs(b)) <= _CLOSE or high - low < 1e-3 * high:
            break
        share = min(max(-a / (b - a), 0.2), 0.8)
        middle = low + share * (high - low)
        if off(middle) >= 0:
            high = middle
        else:
            low = middle
    return sign * min((low, high), key=lambda size: abs(off(size)))


def _beyond(found: Mapping[float, float], bias: float) -> float:
    """A point on the line through the two that are nearest."""
    a, b = sorted(found, key=lambda other: abs(other - bias))[:2]
    return found[a] + (bias - a) * (found[b] - found[a]) / (b - a)


def sample(docs: Sequence[Document], words: int = ENOUGH) -> list[Document]:
    """About so many words of some documents, from all over them; the same ones every time."""
    left = words
    chosen: dict[int, Document] = {}
    for k in epoch_order(len(docs), 1, 1).tolist() if docs else ():
        doc = docs[k]
        if left <= 0:
            break
        tokens = min(doc.n_tokens, left)
        chosen[k] = doc if tokens == doc.n_tokens else doc.cut(0, tokens)
        left -= doc.n_words
    return [chosen[k] for k in sorted(chosen)]


def boundaries(starts: Iterable[int]) -> int:
    """The boundaries within documents, from the number of sentences of each."""
    return sum(max(0, number - 1) for number in starts)
