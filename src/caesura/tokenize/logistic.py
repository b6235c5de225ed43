"""Kernels: logistic regression with AdaGrad (Duchi et al. 2011) on one weight a hashed feature.

In use the weights are 8-bit codes of a book of 256 values, and only rows that are not zero have
one: a bit says which rows do, and the number of those before it where its code lies. So a table
of 2**24 rows takes 3 MB and the codes, and a look at most features ends at their bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.updates import adagrad
from caesura.models.packing import Coded, book

__all__ = ["Codes", "Table", "codes_of", "decide", "new_table", "probability_of", "step", "tally"]

_ONE = np.uint64(1)
_S6 = np.uint64(6)
_LOW6 = np.uint64(63)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H1 = np.uint64(0x0101010101010101)


class Table(NamedTuple):
    """Weights in training: values, sums of squared gradients, counts of the features.

    Features that were seen less often than `least` are not learned.
    """

    weights: NDArray[np.float32]
    squares: NDArray[np.float32]
    seen: NDArray[np.uint8]
    least: NDArray[np.uint8]


def new_table(bits: int, least: int) -> Table:
    size = 1 << bits
    return Table(
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.uint8),
        np.array([least], np.uint8),
    )


class Codes(NamedTuple):
    """A packed table: a bit for each row, how many are set before each 64 of them, their codes."""

    there: NDArray[np.uint64]
    before: NDArray[np.uint32]
    codes: NDArray[np.int8]
    values: NDArray[np.float32]
    bits: int

    def coded(self) -> Coded:
        """The weights as they are stored."""
        bits = np.unpackbits(self.there.view(np.uint8), bitorder="little")
        rows = np.flatnonzero(bits[: 1 << self.bits])
        return Coded(rows, self.codes, float(self.values[-1]))

    def weights(self) -> NDArray[np.float32]:
        weights = np.zeros(1 << self.bits, np.float32)
        weights[self.coded().rows] = self.values[self.codes.astype(np.int64) + 128]
        return weights


def codes_of(bits: int, coded: Coded) -> Codes:
    """The table of 2**bits rows that holds stored weights."""
    words = max(1, (1 << bits) >> 6)
    there = np.zeros(words, np.uint64)
    before = np.zeros(words, np.uint32)
    _enter(coded.rows, there, before)
    return Codes(there, before, coded.codes, book(coded.scale), bits)


@kernel
def _enter(rows: NDArray[np.int64], there: NDArray[np.uint64], before: NDArray[np.uint32]) -> None:
    at = 0
    for i in range(rows.shape[0]):
        word = rows[i] >> 6
        while at < word:
            at += 1
            before[at] = i
        there[word] |= _ONE << np.uint64(rows[i] & 63)
    for word in range(at + 1, before.shape[0]):
        before[word] = rows.shape[0]


@kernel
def tally(features: NDArray[np.uint64], n: int, seen: NDArray[np.uint8]) -> None:
    """Count an instance's n features, up to 255."""
    for i in range(n):
        if seen[features[i]] < 255:
            seen[features[i]] += 1


@kernel
def step(
    features: NDArray[np.uint64],
    n: int,
    truth: bool,
    table: Table,
    rate: float,
    statistics: NDArray[np.float64],
) -> bool:
    """One step on one instance of n features; returns what the model thought before it.

    Features seen too rarely are left alone. `statistics` gathers instances, loss and errors.
    """
    weights, squares, seen = table.weights, table.squares, table.seen
    score = 0.0
    for i in range(n):
        score += weights[features[i]]
    probability = probability_of(score)
    gradient = probability - (1.0 if truth else 0.0)
    statistics[0] += 1.0
    statistics[1] -= np.log(max(1e-12, 1.0 - abs(gradient)))
    statistics[2] += 1.0 if abs(gradient) > 0.5 else 0.0
    if abs(gradient) > 1e-3:
        squared = np.float32(gradient * gradient)
        for i in range(n):
            row = features[i]
            if seen[row] >= table.least[0]:
                weights[row] -= np.float32(adagrad(squares, row, gradient, squared, rate, 0.0))
    return score > 0.0


@kernel(inline="always")
def probability_of(score: float) -> float:
    return 1.0 / (1.0 + np.exp(-min(max(score, -30.0), 30.0)))


@kernel(inline="always")
def decide(features: NDArray[np.uint64], n: int, table: Codes) -> float:
    """The score of an instance of n features under packed weights."""
    score = 0.0
    for i in range(n):
        row = features[i]
        at = np.int64(row >> _S6)
        bit = _ONE << (row & _LOW6)
        there = table.there[at]
        if there & bit:
            rank = np.int64(table.before[at]) + _ones(there & (bit - _ONE))
            score += table.values[np.int64(table.codes[rank]) + 128]
    return score


@kernel(inline="always")
def _ones(x: np.uint64) -> np.int64:
    """How many bits are set (LLVM makes one instruction of it)."""
    x -= (x >> _ONE) & _M1
    x = (x & _M2) + ((x >> np.uint64(2)) & _M2)
    x = (x + (x >> np.uint64(4))) & _M4
    return np.int64((x * _H1) >> np.uint64(56))
