"""From feature keys to rows: an open-addressing index over the 32-bit keys of a model's features.

A key is the upper half of a feature's 64-bit hash. A feature that training never kept finds no
row, so it adds no noise; with half a million keys one unseen feature in ten thousand is taken for
another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["Index", "build", "find", "key_of"]

_S32 = np.uint64(32)
_GOLDEN = np.uint32(0x9E3779B1)


class Index(NamedTuple):
    """Slots of an open-addressing table; a slot with row -1 is free."""

    keys: NDArray[np.uint32]
    rows: NDArray[np.int32]


def build(keys: NDArray[np.uint32]) -> Index:
    """Index a list of distinct keys by their position."""
    size = 16
    while size < 2 * len(keys) + 1:
        size *= 2
    index = Index(np.zeros(size, np.uint32), np.full(size, -1, np.int32))
    _insert(index, np.ascontiguousarray(keys, dtype=np.uint32))
    return index


@kernel(inline="always")
def key_of(hashed: np.uint64) -> np.uint32:
    return np.uint32(hashed >> _S32)


@kernel
def _insert(index: Index, keys: NDArray[np.uint32]) -> None:
    mask = np.uint32(index.keys.shape[0] - 1)
    for row in range(keys.shape[0]):
        slot = np.uint32(keys[row] * _GOLDEN) & mask
        while index.rows[slot] >= 0:
            slot = (slot + np.uint32(1)) & mask
        index.keys[slot] = keys[row]
        index.rows[slot] = row


@kernel(inline="always")
def find(index: Index, key: np.uint32) -> int:
    """The row of a key, or -1."""
    mask = np.uint32(index.keys.shape[0] - 1)
    slot = np.uint32(key * _GOLDEN) & mask
    while index.rows[slot] >= 0:
        if index.keys[slot] == key:
            return index.rows[slot]
        slot = (slot + np.uint32(1)) & mask
    return -1
