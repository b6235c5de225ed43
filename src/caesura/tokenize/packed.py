"""A trained table as it is used and stored: 8-bit codes of a book of 256 values.

The book is denser near zero (a code stands for the signed square of its share), which loses less
than equal steps do. Nearly all rows are zero, so only the others have a code: one bit a row says
which, and the codes lie in the order of their rows. In a file there are the gaps between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.tokenize._logistic import Codes, codes_of

__all__ = ["Packed", "pack"]

_STEPS = 127


@dataclass(frozen=True, eq=False)
class Packed:
    """The codes of the rows that are not zero, and the value of each code from -128 on."""

    table: Codes

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that have codes."""
        bits = np.unpackbits(self.table.there.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[: 1 << self.table.bits])

    def weights(self) -> NDArray[np.float32]:
        weights = np.zeros(1 << self.table.bits, np.float32)
        weights[self.rows] = self.table.values[self.table.codes.astype(np.int64) + 128]
        return weights

    def to_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        gaps = np.diff(self.rows, prepend=-1)
        # A gap over 255 is filled up with rows of code 0.
        fill = (gaps - 1) // 255
        at = np.cumsum(fill + 1) - 1
        steps = np.full(int(at[-1]) + 1 if len(at) else 0, 255, dtype=np.uint8)
        codes = np.zeros(len(steps), dtype=np.int8)
        steps[at] = gaps - 255 * fill
        codes[at] = self.table.codes
        scale = np.array([self.table.values[-1]], dtype=np.float32)
        return {f"{name}_gaps": steps, f"{name}_codes": codes, f"{name}_scale": scale}

    @classmethod
    def from_part(cls, part: Part, name: str, bits: int) -> Packed:
        gaps = part.array(f"{name}_gaps", np.uint8, (None,))
        packed = part.array(f"{name}_codes", np.int8, (len(gaps),))
        scale = float(part.array(f"{name}_scale", np.float32, (1,))[0])
        rows = np.cumsum(gaps, dtype=np.int64) - 1
        rising = len(rows) == 0 or (gaps.min() > 0 and 0 <= rows[0] <= rows[-1] < 1 << bits)
        if not rising:
            raise ModelError(
                f"the model's {part.kind}: rows of {name} lie outside its table",
                remedy="The file is damaged; train or fetch it again.",
            )
        there = packed != 0
        return cls(codes_of(bits, rows[there], packed[there], _book(scale)))


def _book(scale: float) -> NDArray[np.float32]:
    share = np.arange(-128, 128) / _STEPS
    return (np.sign(share) * share * share * scale).astype(np.float32)


def pack(weights: NDArray[np.float32], prune: float) -> Packed:
    """The nearest codes of weights; those smaller than `prune` become zero."""
    scale = float(np.abs(weights).max(initial=0.0)) or 1.0
    rows = np.flatnonzero(np.abs(weights) >= prune)
    share = weights[rows].astype(np.float64) / scale
    codes = np.rint(np.sign(share) * np.sqrt(np.abs(share)) * _STEPS).astype(np.int8)
    there = codes != 0
    bits = len(weights).bit_length() - 1
    return Packed(codes_of(bits, rows[there], codes[there], _book(scale)))
