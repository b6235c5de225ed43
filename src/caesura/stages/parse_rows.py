"""The weight table in 8 bits: integers times a power of two, the exponent in a row's last byte.

The exponents count from one unit for the whole table, so that the search adds integers only and a
score is exact; rows a hundred times smaller than the largest keep full precision.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import LearnedWeights, ParserRows, largest_weights, round_rows
from caesura.errors import UsageError
from caesura.models.packing import pack_entries, spread

__all__ = [
    "MOST_SHIFT",
    "entries",
    "lean_rows",
    "packed_rows",
    "padded",
    "rounded",
    "to_bytes",
    "to_floats",
]

#: Largest exponent of a row: 127 << 15 a thousand times still fits into 32 bits.
MOST_SHIFT: Final = 14
_MOST: Final = 127
#: Weights of a model file are lower (see `models/packing.py`).
_HIGHEST: Final = 2.0**64


def padded(actions: int) -> int:
    """The width of a row: all transitions and the exponent, in whole blocks of 32 bytes."""
    return (actions + 1 + 31) // 32 * 32


def to_bytes(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """The 8-bit table of padded float rows, and the unit in which its integers count."""
    tops = np.zeros(len(weights), np.float32)
    largest_weights(weights, tops)
    shifts, lowest = _shifts(tops)
    unit = float(2.0**lowest)
    table = np.zeros(weights.shape, np.int8)
    round_rows(weights, shifts, unit, table)
    return table, unit


def packed_rows(rows: ParserRows, columns: int) -> dict[str, NDArray[Any]]:
    """The arrays of the first columns of rows in a model file; the dense table is never made."""
    numbers, table = rows.filled()
    packed = pack_entries(*entries(table, rows.unit), (len(table), columns))
    return spread(packed, numbers, len(rows))


def lean_rows(rows: ParserRows, share: float) -> ParserRows:
    """Rows without the given share of their weights, the smallest of them."""
    numbers, table = rows.filled()
    at, column, weights = entries(table, rows.unit)
    if not len(weights) or share <= 0:
        return rows
    sizes = np.abs(weights)
    small = sizes < np.quantile(sizes, share)
    table[at[small], column[small]] = 0
    return ParserRows.of_rows(len(rows), numbers, table, rows.unit)


def entries(
    table: NDArray[np.int8], unit: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Rows, columns and values of the weights of an 8-bit table that are not 0."""
    at, column = np.nonzero(table[:, :-1])
    scales = np.ldexp(np.float32(unit), table[:, -1].astype(np.int32))
    return at, column, table[at, column].astype(np.float32) * scales[at]


def rounded(weights: LearnedWeights, ticks: int) -> ParserRows:
    """The averages of learned weights over so many ticks, in 8 bits."""
    tops = weights.largest(ticks)
    if not np.all(tops < _HIGHEST):
        raise UsageError(
            "the weights of the parser grow without bound",
            remedy="Set a cap for passive-aggressive steps (--set cap=1).",
        )
    shifts, lowest = _shifts(tops)
    counts, columns, values = weights.rounded(ticks, shifts, float(2.0**lowest))
    rows = weights.rows()
    exponents = np.zeros(len(weights), np.int8)
    exponents[rows] = shifts + lowest
    begin = np.zeros(len(weights) + 1, np.uint32)
    begin[rows + np.uint32(1)] = counts
    np.cumsum(begin, out=begin)
    return ParserRows(begin, columns, values, exponents, weights.width)


def _shifts(tops: NDArray[np.float32]) -> tuple[NDArray[np.int8], int]:
    """How rows of these highest weights are shifted, and the exponent of the unit."""
    full = tops > 0
    needed = np.zeros(len(tops), np.int32)
    needed[full] = np.ceil(np.log2(tops[full] / _MOST)).astype(np.int32)
    lowest = int(needed[full].max(initial=0)) - MOST_SHIFT
    return np.clip(needed - lowest, 0, MOST_SHIFT).astype(np.int8), lowest


def to_floats(table: NDArray[np.int8], unit: float) -> NDArray[np.float32]:
    """The weights of an 8-bit table; the last column becomes 0."""
    scales = np.ldexp(np.float32(unit), table[:, -1].astype(np.int32))
    weights: NDArray[np.float32] = table.astype(np.float32) * scales[:, None]
    weights[:, -1] = 0.0
    return weights
