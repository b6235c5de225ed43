"""Kernels: white-space chunks that were always cut the same way, in a table of their own.

Most chunks of a text are old acquaintances; a look into this table spares the model the work. The
table is made once from the training data and never changes, so results do not depend on what was
tokenised before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import MARGIN, classify, code_points
from caesura.jit import kernel
from caesura.learn.index import PLACES, refuse_crowded
from caesura.tokenize.prepared_text import Text, prepare, stretch

__all__ = ["LONGEST_CHUNK", "Memo", "look_up", "make_memo"]

#: Longer chunks are not remembered.
LONGEST_CHUNK = 20

_MIX = np.uint64(0xBF58476D1CE4E5B9)
_S29 = np.uint64(29)


class Memo(NamedTuple):
    """Hashes of chunks and where tokens begin in them: bit i for the i-th character."""

    keys: NDArray[np.uint64]
    cuts: NDArray[np.uint32]


def make_memo(chunks: Sequence[Sequence[str]]) -> Memo:
    """A table of chunks, each given as its tokens; a single row if there are none."""
    if not chunks:
        return Memo(np.zeros(1, np.uint64), np.zeros(1, np.uint32))
    size = 1 << (3 * len(chunks)).bit_length()
    memo = Memo(np.zeros(size, np.uint64), np.zeros(size, np.uint32))
    joined = ["".join(tokens) for tokens in chunks]
    lengths = np.array([len(chunk) for chunk in joined], dtype=np.int64)
    ends = np.cumsum(lengths) + MARGIN
    cuts = np.array([_cuts(tokens) if len(tokens) > 1 else 0 for tokens in chunks], np.uint32)
    text = prepare(*classify(code_points("".join(joined))))
    refuse_crowded(_fill(memo, text, ends - lengths, ends, cuts), "chunks")
    return memo


def _cuts(tokens: Sequence[str]) -> int:
    """Where tokens begin in their chunk, but for the first."""
    at = found = 0
    for token in tokens[:-1]:
        at += len(token)
        found |= 1 << at
    return found


@kernel(counted=False)
def _key(text: Text, start: int, end: int) -> np.uint64:
    """The hash of a chunk, case included."""
    classes = np.uint64(1)
    for i in range(start, end):
        classes = classes * np.uint64(37) + np.uint64(text.classes[i])
    key = (stretch(text, start, end) ^ (classes * _MIX)) * _MIX
    return (key ^ (key >> _S29)) | np.uint64(1)


@kernel
def _fill(
    memo: Memo,
    text: Text,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    cuts: NDArray[np.uint32],
) -> bool:
    """Whether all found a place; a chunk that is named twice takes two."""
    mask = np.uint64(memo.keys.shape[0] - 1)
    left = PLACES * (begins.shape[0] + PLACES)
    for i in range(begins.shape[0]):
        key = _key(text, begins[i], ends[i])
        at = (key >> np.uint64(20)) & mask
        while memo.keys[np.int64(at)] != np.uint64(0):
            at = (at + np.uint64(1)) & mask
            left -= 1
            if left < 0:
                return False
        memo.keys[np.int64(at)] = key
        memo.cuts[np.int64(at)] = cuts[i]
    return True


@kernel(counted=False)
def look_up(memo: Memo, text: Text, start: int, end: int) -> np.int64:
    """Where a chunk is cut, or -1 if it is not remembered."""
    key = _key(text, start, end)
    mask = np.uint64(memo.keys.shape[0] - 1)
    at = (key >> np.uint64(20)) & mask
    while memo.keys[np.int64(at)] != np.uint64(0):  # a third of the places is free
        if memo.keys[np.int64(at)] == key:
            return np.int64(memo.cuts[np.int64(at)])
        at = (at + np.uint64(1)) & mask
    return np.int64(-1)
