"""Sparse rows of weights, as a model file has them, added to dense scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.fetch import fetch
from caesura.learn.index import Index, ask, find, key_of
from caesura.models.packing import SCALES, SparseRows

__all__ = ["add_row", "add_rows_of"]


@kernel(inline="always")
def add_row(rows: SparseRows, row: int, scores: NDArray[np.float32]) -> None:
    """Add a sparse row to dense scores."""
    scale = SCALES[np.int64(rows.exponent[row]) + 128]
    for at in range(np.int64(rows.begin[row]), np.int64(rows.begin[row + 1])):
        scores[rows.column[at]] += np.float32(rows.value[at]) * scale


@kernel(counted=False)
def add_rows_of(
    index: Index,
    rows: SparseRows,
    hashes: NDArray[np.uint64],
    first: int,
    last: int,
    found: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> None:
    """Add the rows of the features with these hashes (0: there is none) to dense scores.

    Everything is asked for before it is looked at, so that the waits for memory overlap; `found`
    is room for the rows.
    """
    for t in range(first, last):
        ask(index, key_of(hashes[t]))
    n = 0
    for t in range(first, last):
        if hashes[t] != np.uint64(0):
            row = find(index, key_of(hashes[t]))
            if row >= 0:
                fetch(rows.begin, row)
                fetch(rows.exponent, row)
                found[n] = row
                n += 1
    for k in range(n):
        at = np.int64(rows.begin[found[k]])
        fetch(rows.column, at)
        fetch(rows.value, at)
    for k in range(n):
        add_row(rows, found[k], scores)
