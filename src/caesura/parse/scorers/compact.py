"""The 8-bit weights as a search reads them: full rows, short rows, and where each one is.

A trained table is nearly empty, and the rows that states ask for most are its fullest ones. So full
rows lie side by side, the fullest first, whole cache lines each; a row of a few weights is two
numbers that hold their columns and values; and for every hash an entry says where its row is, or is
itself the row if that has three weights at most, as most rows have. That is an eighth of the memory
of the whole table, and what is rare is read at once.
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
    "FULL",
    "HELD",
    "HIGHEST",
    "SHORT",
    "VALUES",
    "CompactRows",
    "compact",
    "compact_sparse",
    "to_table",
    "weight",
]

#: Weights that an entry holds: a byte for each column, and from bit VALUES on one for each value.
HELD: Final = 3
VALUES: Final = np.uint64(24)
#: Where the exponent of the row begins; its four bits are followed by these two. With one of them
#: the lower half of the entry is the number of a full row, or of a short one, and in that of a full
#: one the highest of its sums' parts follows, without its sign.
EXPONENT: Final = np.uint64(56)
FULL: Final = np.uint64(1 << 60)
SHORT: Final = np.uint64(1 << 61)
HIGHEST: Final = np.uint64(32)
#: Weights of a short row.
_SHORT: Final = 8
_LINE: Final = 64
_BYTE: Final = np.uint64(8)
_COLUMN: Final = np.uint64(0xFF)
_NUMBER: Final = np.uint64(0xFFFFFFFF)
_FOUR_BITS: Final = np.uint64(15)
#: Columns that a byte can name.
_NARROW: Final = 256


class CompactRows(NamedTuple):
    """Weights in 8 bits: an entry of `lookup` for every hash; `full` rows with their exponent in
    the last byte; `short` ones, eight columns as a number and eight values as another."""

    lookup: NDArray[np.uint64]
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
    return _lay_out(SparseRows(begin, columns, values, table[:, -1].copy()), 0, width)


def compact_sparse(rows: SparseRows, width: int) -> tuple[CompactRows, float]:
    """The rows of a table in a model file, padded to `width`, and the unit in which they count."""
    lowest = int(rows.exponent.max(initial=0)) - MOST_SHIFT
    return _lay_out(rows, lowest, width), float(2.0**lowest)


def to_table(rows: CompactRows) -> NDArray[np.int8]:
    """The dense table."""
    table = np.zeros((len(rows.lookup), rows.full.shape[1]), np.int8)
    _unfold(rows, table)
    return table


def _lay_out(rows: SparseRows, lowest: int, width: int) -> CompactRows:
    """Rows whose exponents count from the lowest on."""
    narrow = width <= _NARROW
    firsts = np.zeros(width + 1, np.int64)
    _order(rows.begin, _SHORT if narrow else 0, firsts)
    short = _aligned(int(firsts[-1]) * 2 if narrow else 0, np.dtype(np.uint64)).reshape(-1, 2)
    full = _aligned(int(firsts[0]) * width, np.dtype(np.int8)).reshape(-1, width)
    lookup = np.zeros(len(rows.exponent), np.uint64)
    _fill(rows, lowest, firsts, narrow, lookup, full, short)
    return CompactRows(lookup, full, short)


def _aligned(size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Zeros that begin where a cache line does."""
    room = np.zeros(size * kind.itemsize + _LINE, np.int8)
    first = -room.ctypes.data % _LINE
    return room[first : first + size * kind.itemsize].view(kind)


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
def _order(begin: NDArray[np.uint32], most: int, firsts: NDArray[np.int64]) -> None:
    """The number of full rows that have more weights than each number; last, that of short ones."""
    width = firsts.shape[0] - 1
    for r in range(begin.shape[0] - 1):
        count = np.int64(begin[r + 1]) - np.int64(begin[r])
        if count > most:
            firsts[count - 1] += 1
        elif count > HELD:
            firsts[width] += 1
    for least in range(width - 2, -1, -1):
        firsts[least] += firsts[least + 1]


@kernel
def _value(rows: SparseRows, at: int, lost: int) -> Any:
    """A value without its last bits, of which a row much smaller than the largest loses some."""
    value = rows.value[at]
    return np.int8(np.rint(value * 2.0**-lost)) if lost > 0 else value


@kernel
def _fill(
    rows: SparseRows,
    lowest: int,
    firsts: NDArray[np.int64],
    narrow: bool,
    lookup: NDArray[np.uint64],
    full: NDArray[np.int8],
    short: NDArray[np.uint64],
) -> None:
    width = full.shape[1]
    most = _SHORT if narrow else 0
    shorts = 0
    columns = rows.column
    for r in range(lookup.shape[0]):
        first = int(rows.begin[r])
        count = int(rows.begin[r + 1]) - first
        exponent = int(rows.exponent[r]) - lowest
        lost, exponent = (-exponent, 0) if exponent < 0 else (0, exponent)
        entry = np.uint64(exponent) << EXPONENT
        if count > most:
            # Rows of more weights come before it, and those of as many that were met before.
            number = firsts[count]
            firsts[count] += 1
            highest = 0
            for k in range(count):
                value = _value(rows, first + k, lost)
                full[number, columns[first + k]] = value
                highest = max(highest, abs(int(value)))
            full[number, width - 1] = exponent
            entry |= np.uint64(highest << exponent) << HIGHEST
            lookup[r] = entry | FULL | np.uint64(number)
            continue
        if count > HELD:
            for k in range(_SHORT):
                # Places that hold nothing add 0 to columns that differ, so that none has to wait.
                column = np.uint64(columns[first + k] if k < count else (shorts + k * 5) % width)
                short[shorts, 0] |= column << (_BYTE * np.uint64(k))
                if k < count:
                    value = np.uint64(_value(rows, first + k, lost)) & _COLUMN
                    short[shorts, 1] |= value << (_BYTE * np.uint64(k))
            lookup[r] = entry | SHORT | np.uint64(shorts)
            shorts += 1
            continue
        for k in range(HELD):
            column = np.uint64(columns[first + k] if k < count else (r + k * 5) % min(width, 256))
            entry |= column << (_BYTE * np.uint64(k))
            if k < count:
                value = np.uint64(_value(rows, first + k, lost)) & _COLUMN
                entry |= value << (VALUES + _BYTE * np.uint64(k))
        lookup[r] = entry


@kernel
def _held(rows: CompactRows, entry: np.uint64, k: int) -> tuple[Any, Any]:
    """The column and the value of a weight of a row that is not full."""
    at = _BYTE * np.uint64(k)
    columns, values = entry, entry >> VALUES
    if entry & SHORT:
        columns, values = rows.short[entry & _NUMBER, 0], rows.short[entry & _NUMBER, 1]
    column, value = np.int64((columns >> at) & _COLUMN), np.int64((values >> at) & _COLUMN)
    return column, value - 256 if value > 127 else value


@kernel
def _unfold(rows: CompactRows, table: NDArray[np.int8]) -> None:
    width = table.shape[1]
    for r in range(table.shape[0]):
        entry = rows.lookup[r]
        if entry & FULL:
            table[r] = rows.full[entry & _NUMBER]
            continue
        for k in range(_SHORT if entry & SHORT else HELD):
            column, value = _held(rows, entry, k)
            if value != 0:
                table[r, column] = value
        table[r, width - 1] = np.int64((entry >> EXPONENT) & _FOUR_BITS)


@kernel
def weight(rows: CompactRows, row: int, column: int) -> Any:
    """One weight of a row, times the unit."""
    entry = rows.lookup[row]
    exponent = np.int64((entry >> EXPONENT) & _FOUR_BITS)
    if entry & FULL:
        return np.int64(rows.full[entry & _NUMBER, column]) << exponent
    total = np.int64(0)
    for k in range(_SHORT if entry & SHORT else HELD):
        where, value = _held(rows, entry, k)
        if where == column:
            total += value
    return total << exponent
