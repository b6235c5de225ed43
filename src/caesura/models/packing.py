"""The codecs of weights in model files: prune, quantise to bytes, keep what is not zero.

A sparse table has a power of two as the scale of each row, without measurable loss, where one scale
for the whole table would lose much. It is four arrays: the number of weights of each row, their
columns, their quantised values, and the exponents of the scales. Rows are used as they are, or
unpacked to a dense table of bytes.

A list of single weights has 8-bit codes of a book of 256 values, which is denser near zero (a code
is the signed square of its share); that loses less than equal steps. It is the gaps between the
weights that are not zero, their codes and the largest value.

Networks are dense: products have 8 bits with one scale per column, embeddings 8 bits with one scale
per row or 4 bits with one scale per block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import DamagedModel
from caesura.errors import ModelError
from caesura.models.file import Part

__all__ = [
    "DAMAGED",
    "MOST_DENSE",
    "SCALES",
    "Coded",
    "SparseRows",
    "book",
    "coded_of",
    "encode",
    "pack",
    "pack_codes",
    "pack_embeddings",
    "pack_entries",
    "pack_keys",
    "pack_product",
    "packed_in",
    "refusing",
    "spread",
    "unpack_codes",
    "unpack_dense",
    "unpack_embeddings",
    "unpack_keys",
    "unpack_sparse",
]

DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."
_MOST: Final = {8: 127, 16: 32767}
_DTYPE: Final = {8: np.int8, 16: np.int16}
_STEPS: Final = 127
#: Weights beyond this many powers of two would not be finite when some hundred are added.
_MOST_EXPONENT: Final = 64
_MOST_SCALE: Final = 1e18
#: Bytes of a table that is unpacked: a small file must not ask for all there is.
MOST_DENSE: Final = 1 << 30

#: Values of an embedding in 4 bits that share a scale.
_BLOCK: Final = 32
#: Powers of two, by the exponent of a row plus 128.
SCALES: Final = np.ldexp(np.float32(1), np.arange(-128, 128)).astype(np.float32)


@contextmanager
def refusing() -> Iterator[None]:
    """Raise `ModelError` where the core refuses the arrays of a model."""
    try:
        yield
    except DamagedModel as error:
        raise ModelError(str(error), remedy=DAMAGED) from error


class SparseRows(NamedTuple):
    """Rows of a table as lists, one behind another: how many weights each row has, which columns.

    A weight is its value times the scale of its row, which is exact.
    """

    counts: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]
    exponents: NDArray[np.int8]

    def weights(self) -> NDArray[np.float32]:
        """The weights of all rows, one after the other."""
        scales = np.repeat(SCALES[self.exponents.astype(np.int64) + 128], self.counts)
        return (self.values * scales).astype(np.float32)


def pack(
    weights: NDArray[np.float32], *, bits: int = 8, floor: float = 0.0
) -> dict[str, NDArray[Any]]:
    """The arrays of a packed table; weights smaller than `floor` and those that round to 0 go."""
    rows, columns = np.nonzero(np.abs(weights) >= max(floor, np.finfo(np.float32).tiny))
    return pack_entries(rows, columns, weights[rows, columns], weights.shape, bits=bits)


def pack_entries(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    weights: NDArray[np.float32],
    shape: tuple[int, ...],
    *,
    bits: int = 8,
) -> dict[str, NDArray[Any]]:
    """The arrays of a packed table of this shape; given are its weights that are not 0."""
    if bits not in _MOST:
        raise ValueError(f"bits is {bits}; it can be 8 or 16")
    top = np.zeros(shape[0], np.float32)
    np.maximum.at(top, rows, np.abs(weights))
    exponents = np.zeros(shape[0], np.int8)
    full = top > 0
    exponents[full] = np.clip(np.ceil(np.log2(top[full] / _MOST[bits])), -126, 126)
    integers = np.rint(np.ldexp(weights, -exponents[rows].astype(np.int32)))
    left = integers != 0
    counts = np.bincount(rows[left], minlength=shape[0])
    return {
        "counts": counts.astype(np.uint8 if counts.max(initial=0) < 256 else np.uint16),
        "columns": columns[left].astype(np.uint8 if shape[1] <= 256 else np.uint16),
        "values": integers[left].astype(_DTYPE[bits]),
        "exponents": exponents,
    }


def spread(
    packed: Mapping[str, NDArray[Any]], numbers: NDArray[np.uint32], size: int
) -> dict[str, NDArray[Any]]:
    """A packed table as rows of a larger one; `numbers` rise, and the other rows are empty."""
    found = dict(packed)
    for name in ("counts", "exponents"):
        found[name] = np.zeros(size, packed[name].dtype)
        found[name][numbers] = packed[name]
    return found


def unpack_sparse(arrays: Mapping[str, NDArray[Any]], classes: int) -> SparseRows:
    """A packed table as lists of weights; the arrays are shared, not copied."""
    try:
        rows = SparseRows(*(arrays[name] for name in SparseRows._fields))
    except KeyError as error:
        raise ModelError(f"a table of the model has no {error}", remedy=DAMAGED) from error
    counts, columns, values, exponents = rows
    fits = (
        all(a.ndim == 1 for a in rows)
        and counts.dtype in (np.uint8, np.uint16)
        and columns.dtype in (np.uint8, np.uint16)
        and values.dtype in (np.int8, np.int16)
        and exponents.dtype == np.int8
        and len(counts) == len(exponents)
        and len(columns) == len(values) == int(counts.sum(dtype=np.int64)) < 1 << 32
        and (len(columns) == 0 or int(columns.max()) < classes)
        and int(exponents.max(initial=0)) <= _MOST_EXPONENT
    )
    if not fits:
        raise ModelError("a table of the model has the wrong shape", remedy=DAMAGED)
    return rows


def packed_in(part: Part, prefix: str = "") -> dict[str, NDArray[Any]]:
    """The arrays of a packed table in a part, whose names start with a prefix."""
    return {name: part.array(f"{prefix}{name}") for name in SparseRows._fields}


def unpack_dense(arrays: Mapping[str, NDArray[Any]], classes: int) -> NDArray[np.float32]:
    """A packed table as a dense table."""
    rows = unpack_sparse(arrays, classes)
    if 4 * len(rows.exponents) * classes > MOST_DENSE:
        raise ModelError("a table of the model is too large", remedy=DAMAGED)
    table = np.zeros((len(rows.exponents), classes), np.float32)
    table[np.repeat(np.arange(len(table)), rows.counts), rows.columns] = rows.weights()
    return table


def pack_product(name: str, weight: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """The arrays of a dense product in 8 bits with one scale per column, from weights [in, out]."""
    scale = (np.maximum(np.abs(weight).max(0), 1e-12) / 127).astype(np.float32)
    rounded = np.ascontiguousarray(np.rint(weight / scale).astype(np.int8))
    return {f"{name}.weight": rounded, f"{name}.scale": scale}


def pack_embeddings(name: str, table: NDArray[np.float32], bits: int) -> dict[str, NDArray[Any]]:
    """The arrays of embeddings: one scale per row in 8 bits, one per block of a row in 4.

    In a block of 4 bits the largest value is kept exactly.
    """
    rows, size = table.shape
    if bits == 8 or size % _BLOCK:
        scale = (np.maximum(np.abs(table).max(1), 1e-12) / 127).astype(np.float32)
        rounded = np.rint(table / scale[:, None]).astype(np.int8)
        return {f"{name}.weight": rounded, f"{name}.scale": scale}
    parts = table.reshape(rows, size // _BLOCK, _BLOCK)
    at = np.abs(parts).argmax(-1)
    largest = np.take_along_axis(parts, at[:, :, None], -1)[:, :, 0]
    scales = (largest / -8).astype(np.float16)
    safe = np.where(scales == 0, 1, scales).astype(np.float32)
    values = np.clip(np.rint(parts / safe[:, :, None]) + 8, 0, 15).astype(np.uint8)
    values = values.reshape(rows, size)
    # Two values per byte: the first half of a row in the low bits, the second in the high bits.
    packed = values[:, : size // 2] | (values[:, size // 2 :] << 4)
    return {f"{name}.weight": packed, f"{name}.scale": scales}


def unpack_embeddings(rows: NDArray[Any], scale: NDArray[Any] | None) -> NDArray[np.float32]:
    """Embeddings as floats; without a scale they are stored so."""
    if scale is None:
        return np.array(rows, np.float32)
    if rows.dtype == np.int8:
        return rows.astype(np.float32) * scale.astype(np.float32)[:, None]
    values = np.concatenate([rows & 15, rows >> 4], 1).astype(np.float32) - 8
    parts = values.reshape(len(rows), scale.shape[1], -1) * scale.astype(np.float32)[:, :, None]
    found: NDArray[np.float32] = parts.reshape(values.shape)
    return found


def pack_keys(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Rising keys as the gaps between them, which compress well."""
    return np.diff(keys, prepend=np.uint32(0)).astype(np.uint32)


def unpack_keys(gaps: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The keys of `pack_keys`; gaps that are no rising keys are refused."""
    keys = np.cumsum(gaps, dtype=np.uint64)
    if len(keys) and (keys[-1] > 0xFFFFFFFF or np.any(gaps[1:] == 0)):
        raise ModelError("the feature keys of the model do not rise", remedy=DAMAGED)
    return keys.astype(np.uint32)


class Coded(NamedTuple):
    """Single weights: the gap from each row to the next one, its code, and the largest value.

    Rows that are zero have none; a gap over 255 is filled up with rows of code 0.
    """

    gaps: NDArray[np.uint8]
    codes: NDArray[np.int8]
    scale: float


def book(scale: float) -> NDArray[np.float32]:
    """The value of each code from -128 on."""
    share = np.arange(-128, 128) / _STEPS
    return (np.sign(share) * share * share * scale).astype(np.float32)


def encode(
    weights: NDArray[np.float32], prune: float, rows: NDArray[np.int64] | None = None
) -> Coded:
    """The nearest codes of the weights of some rows (by default of all), which rise.

    Weights smaller than `prune` become zero.
    """
    scale = float(np.abs(weights).max(initial=0.0)) or 1.0
    kept = np.flatnonzero(np.abs(weights) >= prune)
    share = weights[kept].astype(np.float64) / scale
    codes = np.rint(np.sign(share) * np.sqrt(np.abs(share)) * _STEPS).astype(np.int8)
    there = codes != 0
    kept = (kept if rows is None else rows[kept])[there]
    return coded_of(kept, codes[there], scale)


def coded_of(rows: NDArray[np.int64], codes: NDArray[np.int8], scale: float) -> Coded:
    """The codes of rows, which rise."""
    gaps = np.diff(rows, prepend=-1)
    fill = (gaps - 1) // 255
    at = np.cumsum(fill + 1) - 1
    size = int(at[-1]) + 1 if len(at) else 0
    found = Coded(np.full(size, 255, np.uint8), np.zeros(size, np.int8), scale)
    found.gaps[at] = gaps - 255 * fill
    found.codes[at] = codes
    return found


def pack_codes(name: str, coded: Coded) -> dict[str, NDArray[Any]]:
    """The arrays of coded weights."""
    scale = np.array([coded.scale], dtype=np.float32)
    return {f"{name}_gaps": coded.gaps, f"{name}_codes": coded.codes, f"{name}_scale": scale}


def unpack_codes(part: Part, name: str, size: int) -> Coded:
    """The coded weights of a part; rows that lie outside a table of this size are refused."""
    gaps = part.array(f"{name}_gaps", np.uint8, (None,))
    codes = part.array(f"{name}_codes", np.int8, (len(gaps),))
    scale = float(part.array(f"{name}_scale", np.float32, (1,))[0])
    if not 0 <= scale <= _MOST_SCALE:
        raise ModelError(f"the model's {part.kind}: the scale of {name} is {scale:g}")
    if len(gaps) and (gaps.min() == 0 or int(gaps.sum(dtype=np.int64)) > size):
        raise ModelError(
            f"the model's {part.kind}: rows of {name} lie outside its table", remedy=DAMAGED
        )
    return Coded(gaps, codes, scale)
