"""Sparse rows of weights, as a model file has them, added to dense scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.models.packing import SCALES, SparseRows

__all__ = ["add_row"]


@kernel(inline="always")
def add_row(rows: SparseRows, row: int, scores: NDArray[np.float32]) -> None:
    """Add a sparse row to dense scores."""
    scale = SCALES[np.int64(rows.exponent[row]) + 128]
    for at in range(np.int64(rows.begin[row]), np.int64(rows.begin[row + 1])):
        scores[rows.column[at]] += np.float32(rows.value[at]) * scale
