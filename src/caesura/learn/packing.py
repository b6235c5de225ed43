"""Packing a trained table for the model file: prune, quantise row by row, keep the non-zeros.

A scale is a power of two for each row, which loses nothing that one can measure, where one scale
for the whole table would ruin it. A packed table is four arrays: how many weights each row has,
their columns, their quantised values, and the exponents of the rows' scales. They are used as they
are, as sparse rows, or unpacked in compiled code to a dense table of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.jit import kernel

__all__ = [
    "PackingLoss",
    "SparseRows",
    "add_row",
    "measure_loss",
    "pack",
    "pack_keys",
    "quantise",
    "unpack_bytes",
    "unpack_dense",
    "unpack_keys",
    "unpack_sparse",
]

_DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."
_MOST: Final = {8: 127, 16: 32767}
_DTYPE: Final = {8: np.int8, 16: np.int16}


#: Powers of two, by the exponent of a row plus 128.
_SCALES: Final = np.ldexp(np.float32(1), np.arange(-128, 128)).astype(np.float32)
#: Rows that are unpacked at a time, so that what is needed in between stays small.
_AT_ONCE: Final = 1 << 15


class SparseRows(NamedTuple):
    """Rows of a table as lists: those of row r lie at begin[r] to begin[r + 1].

    A weight is its value times the scale of its row, which is exact.
    """

    begin: NDArray[np.uint32]
    column: NDArray[Any]
    value: NDArray[Any]
    exponent: NDArray[np.int8]

    def weights(self) -> NDArray[np.float32]:
        """The weights of all rows, one after the other."""
        scales = np.repeat(_SCALES[self.exponent.astype(np.int64) + 128], np.diff(self.begin))
        return (self.value * scales).astype(np.float32)


@dataclass(frozen=True)
class PackingLoss:
    """What packing cost: weights kept, error of the weights, and scores before and after."""

    kept: int
    dropped: int
    largest_error: float
    rms_error: float
    before: Mapping[str, float]
    after: Mapping[str, float]


@kernel(inline="always")
def add_row(rows: SparseRows, row: int, scores: NDArray[np.float32]) -> None:
    """Add a sparse row to dense scores."""
    scale = _SCALES[np.int64(rows.exponent[row]) + 128]
    for at in range(np.int64(rows.begin[row]), np.int64(rows.begin[row + 1])):
        scores[rows.column[at]] += np.float32(rows.value[at]) * scale


def quantise(weights: NDArray[np.float32], bits: int = 8) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Integers of 8 or 16 bits and a power-of-two exponent for each row: w ~ q * 2**exponent."""
    top = np.abs(weights).max(axis=1, initial=0.0)
    exponents = np.zeros(len(weights), np.int8)
    full = top > 0
    exponents[full] = np.clip(np.ceil(np.log2(top[full] / _MOST[bits])), -126, 126)
    scaled = np.rint(np.ldexp(weights, -exponents[:, None].astype(np.int32)))
    return np.clip(scaled, -_MOST[bits], _MOST[bits]).astype(_DTYPE[bits]), exponents


def pack(
    weights: NDArray[np.float32], *, bits: int = 8, floor: float = 0.0
) -> dict[str, NDArray[Any]]:
    """The arrays of a packed table; weights smaller than `floor` and those that round to 0 go."""
    if bits not in _MOST:
        raise ValueError(f"bits is {bits}; it can be 8 or 16")
    kept = np.abs(weights) >= max(floor, np.finfo(np.float32).tiny)
    rows, columns = np.nonzero(kept)
    values = weights[rows, columns]
    top = np.zeros(len(weights), np.float32)
    np.maximum.at(top, rows, np.abs(values))
    exponents = np.zeros(len(weights), np.int8)
    full = top > 0
    exponents[full] = np.clip(np.ceil(np.log2(top[full] / _MOST[bits])), -126, 126)
    integers = np.rint(np.ldexp(values, -exponents[rows].astype(np.int32)))
    left = integers != 0
    counts = np.bincount(rows[left], minlength=len(weights))
    narrow = weights.shape[1] <= 256
    return {
        "counts": counts.astype(np.uint8 if counts.max(initial=0) < 256 else np.uint16),
        "columns": columns[left].astype(np.uint8 if narrow else np.uint16),
        "values": integers[left].astype(_DTYPE[bits]),
        "exponents": exponents,
    }


def _checked(arrays: Mapping[str, NDArray[Any]], classes: int) -> SparseRows:
    try:
        counts, columns = arrays["counts"], arrays["columns"]
        values, exponents = arrays["values"], arrays["exponents"]
    except KeyError as error:
        raise ModelError(f"a table of the model has no {error}", remedy=_DAMAGED) from error
    fits = (
        all(a.ndim == 1 for a in (counts, columns, values, exponents))
        and counts.dtype in (np.uint8, np.uint16)
        and columns.dtype in (np.uint8, np.uint16)
        and values.dtype in (np.int8, np.int16)
        and exponents.dtype == np.int8
        and len(counts) == len(exponents)
        and len(columns) == len(values) == int(counts.sum(dtype=np.int64)) < 1 << 32
        and (len(columns) == 0 or int(columns.max()) < classes)
    )
    if not fits:
        raise ModelError("a table of the model has the wrong shape", remedy=_DAMAGED)
    begin = np.zeros(len(counts) + 1, np.uint32)
    np.cumsum(counts, dtype=np.uint32, out=begin[1:])
    return SparseRows(begin, columns, values, exponents)


def unpack_sparse(arrays: Mapping[str, NDArray[Any]], classes: int) -> SparseRows:
    """A packed table as lists of weights; the arrays are shared, not copied."""
    return _checked(arrays, classes)


def unpack_bytes(
    arrays: Mapping[str, NDArray[Any]], classes: int, width: int | None = None
) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """A packed table as a dense table of integers, rows padded to `width`, and the rows' scales."""
    rows = _checked(arrays, classes)
    table = np.zeros((len(rows.exponent), width or classes), rows.value.dtype)
    for first in range(0, len(table), _AT_ONCE):
        part = rows.begin[first : first + _AT_ONCE + 1].astype(np.int64)
        low, high = int(part[0]), int(part[-1])
        columns = rows.column[low:high].astype(np.uint16)
        _scatter(part - low, columns, rows.value[low:high], table[first : first + _AT_ONCE])
    return table, _SCALES[rows.exponent.astype(np.int64) + 128]


def unpack_dense(
    arrays: Mapping[str, NDArray[Any]], classes: int, width: int | None = None
) -> NDArray[np.float32]:
    """A packed table as a dense table of float32, rows padded to `width`."""
    table, scales = unpack_bytes(arrays, classes, width)
    return (table * scales[:, None]).astype(np.float32)


@kernel
def _scatter(
    begin: NDArray[np.int64],
    columns: NDArray[np.uint16],
    values: NDArray[Any],
    table: NDArray[Any],
) -> None:
    for row in range(begin.shape[0] - 1):
        for at in range(begin[row], begin[row + 1]):
            table[row, columns[at]] = values[at]


def pack_keys(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Rising keys as the gaps between them, which compress well."""
    return np.diff(keys, prepend=np.uint32(0)).astype(np.uint32)


def unpack_keys(gaps: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The keys of `pack_keys`; gaps that are no rising keys are refused."""
    keys = np.cumsum(gaps, dtype=np.uint64)
    if len(keys) and (keys[-1] > 0xFFFFFFFF or np.any(gaps[1:] == 0)):
        raise ModelError("the feature keys of the model do not rise", remedy=_DAMAGED)
    return keys.astype(np.uint32)


def measure_loss(
    weights: NDArray[np.float32],
    score: Callable[[NDArray[np.float32]], Mapping[str, float]] | None = None,
    *,
    bits: int = 8,
    floor: float = 0.0,
) -> PackingLoss:
    """Pack and unpack a table, and say what that cost; `score` judges a dense table."""
    packed = pack(weights, bits=bits, floor=floor)
    again = unpack_dense(packed, weights.shape[1])
    error = np.abs(again - weights)
    kept = len(packed["values"])
    return PackingLoss(
        kept,
        int(np.count_nonzero(weights)) - kept,
        float(error.max(initial=0.0)),
        float(np.sqrt(np.mean(np.square(error, dtype=np.float64)))) if weights.size else 0.0,
        score(weights) if score else {},
        score(again) if score else {},
    )
