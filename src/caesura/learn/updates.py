"""Steps that linear learners make: AdaGrad, passive-aggressive, perceptron; lazy averaging.

Averaging keeps no history: `total` collects tick times step, so that the average of the weights
over ticks 1..n is `weight - total / n` for a step made at tick t and seen from t + 1 on. A tick
passes with each instance, whether or not it brought an update. A weight is one of an array of any
shape: `at` is its index.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["adagrad", "add", "average", "passive_aggressive"]


@kernel(inline="always")
def add(
    weight: NDArray[np.float32], total: NDArray[np.float32], at: Any, step: Any, tick: Any
) -> None:
    """Make a step on one weight, and note it for the average."""
    weight[at] += step
    total[at] += tick * step


@kernel(inline="always")
def adagrad(square: NDArray[Any], at: Any, slope: Any, squared: Any, rate: Any, offset: Any) -> Any:
    """The step uphill that AdaGrad makes on one weight (Duchi, Hazan & Singer 2011).

    `square` gathers the squares of its slopes. The caller gives that of this `slope` too: it is
    the same for all features of an instance, and rounded as the caller wants it.
    """
    square[at] += squared
    return rate * slope / (offset + np.sqrt(square[at]))


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
