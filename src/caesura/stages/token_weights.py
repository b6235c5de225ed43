"""Coded weights of hashed features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenTable, TokenWeights
from caesura.models.packing import Coded, book, coded_of, encode
from caesura.stages.token_vocabulary import refusing

__all__ = ["Codes", "codes_of"]


class Codes:
    """A table of 2**bits rows, of which those that are not zero have a code of 8 bits."""

    def __init__(self, bits: int, coded: Coded) -> None:
        self.bits = bits
        self._values = book(coded.scale)
        with refusing():
            self.core = TokenWeights(bits, coded.gaps, coded.codes, self._values)

    def coded(self) -> Coded:
        """The weights as they are stored."""
        return coded_of(self.core.rows, self.core.codes, float(self._values[-1]))

    def weights(self) -> NDArray[np.float32]:
        """The table of all weights."""
        rows, values = self.entries()
        weights = np.zeros(1 << self.bits, np.float32)
        weights[rows] = values
        return weights

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The rows that are not zero, rising, and their weights."""
        return self.core.rows, self._values[self.core.codes.astype(np.int64) + 128]


def codes_of(table: TokenTable, prune: float) -> Codes:
    """The codes of learned weights; those smaller than `prune` become zero."""
    rows, weights, _ = table.entries()
    return Codes(table.bits, encode(weights, prune, rows))
