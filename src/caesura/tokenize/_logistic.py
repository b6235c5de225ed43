"""Kernels: logistic regression with AdaGrad (Duchi et al. 2011) on one weight a hashed feature.

In use the weights are 8-bit codes of a book of 256 values, so that a million rows lie in the
processor's cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["Table", "decide", "new_table", "probability_of", "step", "tally"]


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


@kernel
def tally(features: NDArray[np.int64], n: int, seen: NDArray[np.uint8]) -> None:
    """Count an instance's n features, up to 255."""
    for i in range(n):
        if seen[features[i]] < 255:
            seen[features[i]] += 1


@kernel
def step(
    features: NDArray[np.int64],
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
        for i in range(n):
            row = features[i]
            if seen[row] >= table.least[0]:
                squares[row] += np.float32(gradient * gradient)
                weights[row] -= np.float32(rate * gradient / np.sqrt(squares[row]))
    return score > 0.0


@kernel(inline="always")
def probability_of(score: float) -> float:
    return 1.0 / (1.0 + np.exp(-min(max(score, -30.0), 30.0)))


@kernel(inline="always")
def decide(
    features: NDArray[np.int64], n: int, codes: NDArray[np.int8], values: NDArray[np.float32]
) -> float:
    """The score of an instance of n features under packed weights."""
    score = 0.0
    for i in range(n):
        score += values[np.int64(codes[features[i]]) + 128]
    return score
