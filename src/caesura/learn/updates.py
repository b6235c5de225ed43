"""Steps of linear learners outside of the core: AdaGrad on arrays, and lazy averaging.

Averaging keeps no history: `total` collects tick times step, so that the average of the weights
over ticks 1..n is `weight - total / n` for a step made at tick t and seen from t + 1 on. A tick
passes with each instance, whether or not it brought an update.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["adagrad", "average"]


def adagrad(square: NDArray[Any], at: Any, slope: Any, squared: Any, rate: Any, offset: Any) -> Any:
    """The step uphill that AdaGrad makes on some weights (Duchi, Hazan & Singer 2011).

    `square` collects the squares of their slopes; `at` is their index.
    """
    square[at] += squared
    return rate * slope / (offset + np.sqrt(square[at]))


def average(
    weight: NDArray[np.float32], total: NDArray[np.float32], ticks: float
) -> NDArray[np.float32]:
    """The average of the weights over all ticks so far."""
    if ticks <= 0:
        return weight.copy()
    averaged: NDArray[np.float32] = weight - total * np.float32(1.0 / ticks)
    return averaged
