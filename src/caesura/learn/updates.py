"""Steps that linear learners make: perceptron, passive-aggressive, AdaGrad, L2; lazy averaging.

Averaging keeps no history: `total` collects tick times step, so that the average of the weights
over ticks 1..n is `weight - total / n` for a step made at tick t and seen from t + 1 on. A tick
passes with each instance, whether or not it brought an update.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["adagrad", "add", "average", "passive_aggressive"]


@kernel(inline="always")
def add(
    weight: NDArray[np.float32], total: NDArray[np.float32], at: int, delta: float, tick: float
) -> None:
    """Add to one weight of a row."""
    weight[at] += delta
    total[at] += tick * delta


@kernel(inline="always")
def adagrad(
    weight: NDArray[np.float32],
    square: NDArray[np.float32],
    total: NDArray[np.float32],
    at: int,
    slope: float,
    rate: float,
    offset: float,
    l2: float,
    tick: float,
) -> None:
    """One AdaGrad step uphill on one weight of a row (Duchi, Hazan & Singer 2011).

    L2 pulls a weight back whenever it is touched.
    """
    slope -= l2 * weight[at]
    square[at] += slope * slope
    delta = rate * slope / (offset + np.sqrt(square[at]))
    weight[at] += delta
    total[at] += tick * delta


@kernel(inline="always")
def passive_aggressive(loss: float, norm: float, bound: float) -> float:
    """The step tau = min(C, loss / |delta|^2) of PA-I (Crammer et al. 2006, section 4)."""
    if norm <= 0.0 or loss <= 0.0:
        return 0.0
    return min(bound, loss / norm)


def average(
    weight: NDArray[np.float32], total: NDArray[np.float32], ticks: float
) -> NDArray[np.float32]:
    """The average of the weights over all ticks so far."""
    if ticks <= 0:
        return weight.copy()
    averaged: NDArray[np.float32] = weight - total * np.float32(1.0 / ticks)
    return averaged
