"""A trained table as it is used and stored: 8-bit codes of a book of 256 values.

The book is denser near zero (a code stands for the signed square of its share), which loses less
than equal steps do. In a file only the rows that are not zero are kept, with the gaps between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.file import Part

__all__ = ["Packed", "pack"]

_STEPS = 127


@dataclass(frozen=True, eq=False)
class Packed:
    """Codes by row and the value of each code, from -128 on."""

    codes: NDArray[np.int8]
    values: NDArray[np.float32]

    @property
    def bits(self) -> int:
        return len(self.codes).bit_length() - 1

    def weights(self) -> NDArray[np.float32]:
        return self.values[self.codes.astype(np.int64) + 128]

    def to_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        rows = np.flatnonzero(self.codes)
        gaps = np.diff(rows, prepend=-1)
        # A gap over 255 is filled up with rows of code 0.
        fill = (gaps - 1) // 255
        at = np.cumsum(fill + 1) - 1
        steps = np.full(int(at[-1]) + 1 if len(at) else 0, 255, dtype=np.uint8)
        codes = np.zeros(len(steps), dtype=np.int8)
        steps[at] = gaps - 255 * fill
        codes[at] = self.codes[rows]
        scale = np.array([self.values[-1]], dtype=np.float32)
        return {f"{name}_gaps": steps, f"{name}_codes": codes, f"{name}_scale": scale}

    @classmethod
    def from_part(cls, part: Part, name: str, bits: int) -> Packed:
        gaps = part.array(f"{name}_gaps", np.uint8, (None,))
        packed = part.array(f"{name}_codes", np.int8, (len(gaps),))
        scale = float(part.array(f"{name}_scale", np.float32, (1,))[0])
        rows = np.cumsum(gaps.astype(np.int64)) - 1
        if len(rows) and not 0 <= rows[0] <= rows[-1] < 1 << bits:
            raise ModelError(
                f"the model's {part.kind}: rows of {name} lie outside its table",
                remedy="The file is damaged; train or fetch it again.",
            )
        codes = np.zeros(1 << bits, dtype=np.int8)
        codes[rows] = packed
        return cls(codes, _book(scale))


def _book(scale: float) -> NDArray[np.float32]:
    share = np.arange(-128, 128) / _STEPS
    return (np.sign(share) * share * share * scale).astype(np.float32)


def pack(weights: NDArray[np.float32], prune: float) -> Packed:
    """The nearest codes of weights; those smaller than `prune` become zero."""
    scale = float(np.abs(weights).max(initial=0.0)) or 1.0
    codes = np.zeros(len(weights), dtype=np.int8)
    rows = np.flatnonzero(np.abs(weights) >= prune)
    share = weights[rows].astype(np.float64) / scale
    codes[rows] = np.rint(np.sign(share) * np.sqrt(np.abs(share)) * _STEPS)
    return Packed(codes, _book(scale))
