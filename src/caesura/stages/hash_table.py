"""Rows of small numbers by 32-bit hash, the storage of lexica in model files.

Hashes are sorted, so a lookup is a binary search, and a file stores the differences between them.
Keys with the same hash share a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.packing import pack_keys, unpack_keys

Arrays = Mapping[str, NDArray[Any]]
#: The largest value.
MOST: Final = 65535


@dataclass(frozen=True)
class HashTable:
    """A sparse table. Each row has one or more entries, each with a value in every column."""

    keys: NDArray[np.uint32]
    #: The first entry of each row (one more than rows).
    first: NDArray[np.int32]
    columns: tuple[NDArray[np.uint16], ...]

    @classmethod
    def of(cls, rows: Mapping[int, Sequence[tuple[int, ...]]], columns: int) -> Self:
        """The table of rows by hash; values are at most `MOST`."""
        keys = sorted(rows)
        entries = np.array([entry for key in keys for entry in rows[key]], np.uint16)
        values = np.ascontiguousarray(entries.reshape(-1, columns).T)
        first = np.cumsum([0, *(len(rows[key]) for key in keys)], dtype=np.int32)
        return cls(np.array(keys, np.uint32), first, tuple(values))

    def find(self, hashes: Sequence[int]) -> NDArray[np.int64]:
        """The row of each hash, -1 if there is none."""
        wanted = np.array(hashes, np.uint32)
        if not len(self.keys):
            return np.full(len(wanted), -1, np.int64)
        at = np.minimum(self.keys.searchsorted(wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, at, -1)

    def row(self, number: int) -> list[list[int]]:
        """The values of a row, by column."""
        span = slice(int(self.first[number]), int(self.first[number + 1]))
        return [column[span].tolist() for column in self.columns]

    def rows(self) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
        """Yield all hashes with their entries."""
        entries = list(zip(*(column.tolist() for column in self.columns), strict=True))
        bounds = self.first.tolist()
        for number, key in enumerate(self.keys.tolist()):
            yield key, entries[bounds[number] : bounds[number + 1]]

    def arrays(self, prefix: str, *names: str) -> dict[str, NDArray[Any]]:
        """The arrays of a model file; `names` are those of the columns."""
        sizes = np.diff(self.first).astype(np.uint16)
        found: dict[str, NDArray[Any]] = {"gaps": pack_keys(self.keys), "sizes": sizes}
        found.update(zip(names, self.columns, strict=True))
        return {f"{prefix}{name}": array for name, array in found.items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays, damaged: str, prefix: str, *names: str) -> Self:
        """The table in a model file; `damaged` is the message for arrays that do not fit."""
        gaps = array_of(arrays, f"{prefix}gaps", np.uint32, damaged)
        sizes = array_of(arrays, f"{prefix}sizes", np.uint16, damaged)
        columns = tuple(array_of(arrays, prefix + name, np.uint16, damaged) for name in names)
        total = int(sizes.sum(dtype=np.int64))
        if len(gaps) != len(sizes) or any(len(column) != total for column in columns):
            raise ModelError(damaged)
        first = np.zeros(len(sizes) + 1, np.int32)
        np.cumsum(sizes, out=first[1:])
        return cls(unpack_keys(gaps), first, columns)


def array_of(arrays: Arrays, name: str, kind: type[np.generic], damaged: str) -> NDArray[Any]:
    """The one-dimensional array of a name and a type; any other is refused as damaged."""
    array = arrays.get(name)
    if array is None or array.dtype != kind or array.ndim != 1:
        raise ModelError(damaged)
    return array
