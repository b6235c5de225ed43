"""Sums of weight rows without LLVM of our own: the twins of `simd_llvm`, three times slower."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel, overload

__all__ = [
    "add_low_rows",
    "add_rows",
    "add_up",
    "at_least",
    "highest",
    "join",
    "lowest_bit",
]

#: No score is lower.
LEAST = np.float32(-3e38)


def _row(table: Any, row: Any) -> Any:
    """A row whose numbers can be added: bytes are shifted by the last of them."""
    if table.dtype == np.int8:
        return _shifted(table, row)
    return _as_it_is(table, row)


def _shifted(table: Any, row: Any) -> Any:
    wide = table[row].astype(np.int32)
    return wide << wide[-1]


def _as_it_is(table: Any, row: Any) -> Any:
    return table[row]


@overload(_row)
def _compiled_row(table: Any, row: Any) -> Callable[..., Any]:
    return _shifted if str(table.dtype) == "int8" else _as_it_is


@kernel
def add_rows(
    table: NDArray[Any],
    rows: NDArray[np.uint64],
    first: int,
    last: int,
    sums: NDArray[Any],
    place: int,
) -> None:
    total = sums[place]
    total[:] = 0
    for i in range(first, last):
        total += _row(table, rows[i])


#: There is nothing to gain from sums that fit into 16 bits.
add_low_rows = add_rows


@kernel
def add_up(
    sums: NDArray[Any], a: int, b: int, c: int, d: int, unit: np.float32, out: NDArray[np.float32]
) -> None:
    out[:] = (sums[a] + sums[b] + sums[c] + sums[d]).astype(np.float32) * unit


@kernel
def join(
    sums: NDArray[Any],
    places: NDArray[np.int64],
    count: int,
    unit: np.float32,
    target: int,
    out: NDArray[np.float32],
) -> None:
    total = np.zeros_like(sums[target])
    for k in range(count):
        total += sums[places[k]]
    sums[target] = total
    out[:] = total.astype(np.float32) * unit


@kernel
def highest(scores: NDArray[np.float32]) -> np.float32:
    best = LEAST
    for score in scores:
        if score > best:
            best = score
    return best


@kernel
def at_least(scores: NDArray[np.float32], first: int, floor: np.float32) -> int:
    found = 0
    for k in range(32):
        if scores[first + k] >= floor:
            found |= 1 << k
    return found


@kernel
def lowest_bit(bits: int) -> int:
    number = 0
    while not bits >> number & 1:
        number += 1
    return number
