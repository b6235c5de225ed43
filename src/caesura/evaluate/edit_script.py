"""Alignment of two sequences by a shortest edit script."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura import _core

__all__ = ["match"]

Longs = NDArray[np.int64]


def match(a: Longs, b: Longs) -> Longs:
    """For each element of a the index of its equal in b, or -1, in rising order."""
    partner = np.full(len(a), -1, dtype=np.int64)
    if len(a) == len(b) and np.array_equal(a, b):
        partner[:] = np.arange(len(a))
    else:
        gap = np.array([[0, len(a), 0, len(b)]], dtype=np.int64)
        _core.fill_gaps(np.ascontiguousarray(a), np.ascontiguousarray(b), gap, partner)
    return partner
