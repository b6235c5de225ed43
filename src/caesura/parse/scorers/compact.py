"""The 8-bit weights as a search reads them: full rows, short rows, and where each one is.

A trained table is nearly empty, and the rows that states ask for most are its fullest ones. So full
rows lie side by side, the fullest first, whole cache lines each; a row of few weights is one or two
numbers that hold their columns and values; and an index says for every hash what its row is. That
is an eighth of the memory of the whole table, and most of what is read stays in the caches.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.models.packing import SparseRows
from caesura.parse.quantised import MOST_SHIFT

__all__ = [
    "EXPONENT",
    "LONGER",
    "NUMBER",
    "CompactRows",
    "compact",
    "compact_sparse",
    "to_table",
    "weight",
]

#: An entry of the index: the exponent of a row, whether a short row has a second number, and the
#: row's number, first those of the full rows, then those of the short ones.
EXPONENT: Final = np.uint32(28)
LONGER: Final = np.uint32(1 << 27)
NUMBER: Final = np.uint32((1 << 27) - 1)
#: Weights that a number of a short row holds: a byte for each column and one for each value.
_HELD: Final = 4
_LINE: Final = 64
_BYTE: Final = np.uint64(8)
_HALF: Final = np.uint64(32)
#: Columns that a byte can name.
_NARROW: Final = 256


class CompactRows(NamedTuple):
    """Weights in 8 bits: `lookup` by hash, `full` rows with their exponent in the last byte, and
    the numbers of short rows, of which the first is empty."""

    lookup: NDArray[np.uint32]
    full: NDArray[np.int8]
    short: NDArray[np.uint64]


def compact(table: NDArray[np.int8]) -> CompactRows:
    """The rows of a dense table (see `quantised.py`)."""
    width = table.shape[1]
    counts = np.zeros(len(table), np.uint32)
    _count(table, counts)
    begin = np.zeros(len(table) + 1, np.uint32)
    np.cumsum(counts, out=begin[1:])
    columns = np.zeros(int(begin[-1]), np.uint8 if width <= _NARROW else np.uint16)
    values = np.zeros(len(columns), np.int8)
    _gather(table, begin, columns, values)
    return _lay_out(begin, columns, values, table[:, -1].copy(), width)


def compact_sparse(rows: SparseRows, width: int) -> tuple[CompactRows, float]:
    """The rows of a table in a model file, padded to `width`, and the unit in which they count."""
    lowest = int(rows.exponent.max(initial=0)) - MOST_SHIFT
    shifts = rows.exponent.astype(np.int32) - lowest
    values = rows.value
    if len(shifts) and shifts.min() < 0:
        # Of rows that are so much smaller than the largest some bits are lost.
        scales = np.repeat(np.ldexp(1.0, np.minimum(shifts, 0)), np.diff(rows.begin))
        values = np.rint(values * scales).astype(np.int8)
    exponents = np.clip(shifts, 0, MOST_SHIFT).astype(np.int8)
    found = _lay_out(rows.begin, rows.column, values, exponents, width)
    return found, float(2.0**lowest)


def to_table(rows: CompactRows) -> NDArray[np.int8]:
    """The dense table."""
    table = np.zeros((len(rows.lookup), rows.full.shape[1]), np.int8)
    _unfold(rows, table)
    return table


def _lay_out(
    begin: NDArray[np.uint32],
    columns: NDArray[Any],
    values: NDArray[np.int8],
    exponents: NDArray[np.int8],
    width: int,
) -> CompactRows:
    counts = np.diff(begin)
    most = 2 * _HELD if width <= _NARROW else 0
    full = np.flatnonzero(counts > most)
    full = full[np.argsort(-counts[full].astype(np.int32), kind="stable")]
    numbers = np.full(len(counts), len(full), np.uint32)
    numbers[full] = np.arange(len(full), dtype=np.uint32)
    held = np.zeros(len(counts), np.uint32)
    if most:
        held[:] = (counts + _HELD - 1) // _HELD
        held[full] = 0
    # The first number after those of the full rows is that of a row without weights.
    ends = np.cumsum(held, dtype=np.uint32)
    short = held > 0
    numbers[short] = (np.uint32(len(full) + 1) + ends - held)[short]
    index = numbers | np.where(held > 1, LONGER, np.uint32(0))
    index |= exponents.astype(np.uint32) << EXPONENT
    table = _aligned(max(1, len(full)), width)
    packed = np.zeros(1 + int(ends[-1] if len(ends) else 0), np.uint64)
    _fill(begin, columns, values, exponents, index, len(full), table, packed)
    return CompactRows(index, table[: len(full)], packed)


def _aligned(rows: int, width: int) -> NDArray[np.int8]:
    """Rows of zeros that begin where a cache line does, if their width lets them."""
    room = np.zeros(rows * width + _LINE, np.int8)
    first = -room.ctypes.data % _LINE
    return room[first : first + rows * width].reshape(rows, width)


@kernel
def _count(table: NDArray[np.int8], counts: NDArray[np.uint32]) -> None:
    for r in range(table.shape[0]):
        count = 0
        for a in range(table.shape[1] - 1):
            count += table[r, a] != 0
        counts[r] = count


@kernel
def _gather(
    table: NDArray[np.int8],
    begin: NDArray[np.uint32],
    columns: NDArray[Any],
    values: NDArray[np.int8],
) -> None:
    for r in range(table.shape[0]):
        at = begin[r]
        for a in range(table.shape[1] - 1):
            if table[r, a] != 0:
                columns[at] = a
                values[at] = table[r, a]
                at += 1


@kernel
def _fill(
    begin: NDArray[np.uint32],
    columns: NDArray[Any],
    values: NDArray[np.int8],
    exponents: NDArray[np.int8],
    index: NDArray[np.uint32],
    n_full: int,
    full: NDArray[np.int8],
    short: NDArray[np.uint64],
) -> None:
    width = full.shape[1]
    for k in range(short.shape[0] * _HELD):
        # Places that hold nothing add 0 to columns that differ, which need not wait for each other.
        short[k // _HELD] |= np.uint64((k * 5) % min(width, _NARROW)) << (
            _BYTE * np.uint64(k % _HELD)
        )
    for r in range(index.shape[0]):
        number = np.int64(index[r] & NUMBER)
        if number < n_full:
            for at in range(begin[r], begin[r + 1]):
                full[number, columns[at]] = values[at]
            full[number, width - 1] = exponents[r]
            continue
        for at in range(begin[r], begin[r + 1]):
            k = at - begin[r]
            place = number - n_full + k // _HELD
            shift = _BYTE * np.uint64(k % _HELD)
            short[place] &= ~(np.uint64(0xFF) << shift)
            short[place] |= np.uint64(columns[at]) << shift
            short[place] |= (np.uint64(values[at]) & np.uint64(0xFF)) << (shift + _HALF)


@kernel
def _unfold(rows: CompactRows, table: NDArray[np.int8]) -> None:
    width = table.shape[1]
    n_full = rows.full.shape[0]
    for r in range(table.shape[0]):
        entry = rows.lookup[r]
        number = np.int64(entry & NUMBER)
        if number < n_full:
            table[r] = rows.full[number]
            continue
        for place in range(number, number + (2 if entry & LONGER else 1)):
            held = rows.short[place - n_full]
            for k in range(_HELD):
                shift = _BYTE * np.uint64(k)
                value = np.int8(np.int64(held >> (shift + _HALF)))
                if value != 0:
                    table[r, np.int64((held >> shift) & np.uint64(0xFF))] = value
        table[r, width - 1] = np.int8(entry >> EXPONENT)


@kernel
def weight(rows: CompactRows, row: int, column: int) -> Any:
    """One weight of a row, times the unit."""
    entry = rows.lookup[row]
    number = np.int64(entry & NUMBER)
    n_full = rows.full.shape[0]
    exponent = np.int64(entry >> EXPONENT)
    if number < n_full:
        return np.int64(rows.full[number, column]) << exponent
    total = np.int64(0)
    for place in range(number, number + (2 if entry & LONGER else 1)):
        held = rows.short[place - n_full]
        for k in range(_HELD):
            shift = _BYTE * np.uint64(k)
            if np.int64((held >> shift) & np.uint64(0xFF)) == column:
                total += np.int64(np.int8(np.int64(held >> (shift + _HALF))))
    return total << exponent
