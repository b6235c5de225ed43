"""Slow, obvious twins of the kernels of `caesura.learn`."""

from __future__ import annotations

import math
from collections.abc import Sequence

MASK = (1 << 64) - 1


def mix(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def fold(state: int, value: int) -> int:
    state = ((state ^ value) * 0x9E3779B97F4A7C15) & MASK
    return state ^ (state >> 31)


def average(steps: Sequence[tuple[int, float]], ticks: int) -> float:
    """The mean of a weight over ticks 1..n; a step made at tick t is seen from t + 1 on."""
    weights = []
    for now in range(1, ticks + 1):
        weights.append(sum(delta for tick, delta in steps if tick < now))
    return sum(weights) / ticks


def adagrad(slopes: Sequence[float], rate: float, offset: float, l2: float) -> float:
    weight, square = 0.0, 0.0
    for slope in slopes:
        gradient = slope - l2 * weight
        square += gradient**2
        weight += rate * gradient / (offset + math.sqrt(square))
    return weight


def passive_aggressive(loss: float, norm: float, bound: float) -> float:
    return min(bound, loss / norm) if norm > 0 and loss > 0 else 0.0


def quantised(row: Sequence[float], bits: int) -> list[float]:
    """A row after rounding to integers with a power-of-two scale of its own."""
    most = 2 ** (bits - 1) - 1
    top = max((abs(w) for w in row), default=0.0)
    if top == 0:
        return [0.0] * len(row)
    scale = 2.0 ** math.ceil(math.log2(top / most))
    return [max(-most, min(most, round(w / scale))) * scale for w in row]
