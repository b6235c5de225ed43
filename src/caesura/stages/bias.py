"""The bias in a unit that a person can use: 1 is twice as many boundaries, -1 half as many.

A scorer decides boundaries in units of its own, so that the *bonus* that doubles them differs from
model to model, and between edited text and transcripts. A `BiasScale` has the bonus of each bias;
`learn/tuning` measures it on held-out text, and model files keep it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from caesura.errors import ModelError, UsageError

#: The biases for which a scale has a measured bonus: 2**bias times as many boundaries.
GRID: Final = (-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0)
#: The largest bias, either way: beyond a quarter and four times as many nothing is measured.
LIMIT: Final = GRID[-1]


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
        """The bonus of a bias, interpolated between the measured points."""
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
