"""Weights of hashed features: coded ones for use, and a table for training."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenWeights
from caesura.models.packing import Coded, book
from caesura.tokenize.vocabulary import refusing

__all__ = ["Codes", "Table", "new_table"]


class Codes:
    """A table of 2**bits rows, of which those that are not zero have a code of 8 bits."""

    def __init__(self, bits: int, coded: Coded) -> None:
        self.bits = bits
        self._values = book(coded.scale)
        with refusing():
            self.core = TokenWeights(bits, coded.rows, coded.codes, self._values)

    def coded(self) -> Coded:
        """The weights as they are stored."""
        return Coded(self.core.rows, self.core.codes, float(self._values[-1]))

    def weights(self) -> NDArray[np.float32]:
        rows, codes, _ = self.coded()
        weights = np.zeros(1 << self.bits, np.float32)
        weights[rows] = self._values[codes.astype(np.int64) + 128]
        return weights


class Table(NamedTuple):
    """Weights in training: values, sums of squared gradients, counts of the features.

    Features that were seen less often than `least` are not learned.
    """

    weights: NDArray[np.float32]
    squares: NDArray[np.float32]
    seen: NDArray[np.uint8]
    least: int


def new_table(bits: int, least: int) -> Table:
    size = 1 << bits
    return Table(
        np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size, np.uint8), least
    )
