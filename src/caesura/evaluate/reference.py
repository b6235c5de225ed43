"""What tokens are laid over, and how loosely their letters were matched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Looseness", "Reference"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Reference:
    """The characters of a text without spaces, and where known the tokens in it."""

    chars: NDArray[np.uint32]
    start: Longs | None = None
    end: Longs | None = None


@dataclass(frozen=True)
class Looseness:
    """Letters that were matched although they are not written alike."""

    #: They differ in combining marks, variation selectors or skin tones.
    marks: int = 0
    #: They differ in case.
    case: int = 0
    #: The same letter in another spelling: composed or not, quotes, dashes, ligatures.
    spelling: int = 0

    def __add__(self, other: Looseness) -> Looseness:
        return Looseness(
            self.marks + other.marks, self.case + other.case, self.spelling + other.spelling
        )

    def as_dict(self) -> dict[str, int]:
        return {"marks": self.marks, "case": self.case, "spelling": self.spelling}
