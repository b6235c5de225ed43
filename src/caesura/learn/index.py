"""From feature keys to rows: an open-addressing index over the 32-bit keys of a model's features.

A key is the upper half of a feature's 64-bit hash. A feature that training never kept finds no
row, so it adds no noise; with half a million keys one unseen feature in ten thousand is taken for
another one.

Whoever makes a model file can choose keys that all want the same place. A table in which entries
look for theirs too long is refused when it is made; no later search is longer than what is left.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.jit import kernel
from caesura.learn.fetch import fetch

__all__ = ["PLACES", "Index", "ask", "build", "find", "key_of", "refuse_crowded"]

#: Places that an entry may try, on average, before it finds a free one. Tables are filled by two
#: thirds at most, where entries that are not chosen to meet try two or three.
PLACES: Final = 64

_S32 = np.uint64(32)
_GOLDEN = np.uint32(0x9E3779B1)
_FREE = np.uint64(0)
_LOW = np.uint64(0xFFFFFFFF)


class Index(NamedTuple):
    """Slots of an open-addressing table: key in the upper half, row + 1 in the lower; 0 is free."""

    slots: NDArray[np.uint64]


def build(keys: NDArray[np.uint32]) -> Index:
    """Index a list of distinct keys by their position."""
    size = 16
    while 2 * size < 3 * len(keys) + 1:
        size *= 2
    index = Index(np.zeros(size, np.uint64))
    refuse_crowded(_insert(index, np.ascontiguousarray(keys, dtype=np.uint32)), "features")
    return index


def refuse_crowded(filled: bool, what: str) -> None:
    """Refuse a table whose entries could not all be placed in a reasonable time."""
    if not filled:
        raise ModelError(
            f"the model's {what} all want the same place of their table",
            remedy="The file is damaged or made to do harm; train or fetch it again.",
        )


@kernel(inline="always")
def key_of(hashed: np.uint64) -> np.uint32:
    return np.uint32(hashed >> _S32)


@kernel
def _insert(index: Index, keys: NDArray[np.uint32]) -> bool:
    """Whether all found a place."""
    mask = np.uint32(index.slots.shape[0] - 1)
    left = PLACES * (keys.shape[0] + PLACES)
    for row in range(keys.shape[0]):
        at = np.uint32(keys[row] * _GOLDEN) & mask
        while index.slots[at] != _FREE:
            at = (at + np.uint32(1)) & mask
            left -= 1
            if left < 0:
                return False
        index.slots[at] = (np.uint64(keys[row]) << _S32) | np.uint64(row + 1)
    return True


@kernel(inline="always")
def ask(index: Index, key: np.uint32) -> None:
    """Ask for the place where a key will be looked for."""
    mask = np.uint32(index.slots.shape[0] - 1)
    fetch(index.slots, np.int64(np.uint32(key * _GOLDEN) & mask))


@kernel(inline="always")
def find(index: Index, key: np.uint32) -> int:
    """The row of a key, or -1."""
    mask = np.uint32(index.slots.shape[0] - 1)
    at = np.uint32(key * _GOLDEN) & mask
    row = -1
    while True:  # a third of the slots is free
        slot = index.slots[at]
        if slot == _FREE:
            break
        if np.uint32(slot >> _S32) == key:
            row = int(slot & _LOW) - 1
            break
        at = (at + np.uint32(1)) & mask
    return row
