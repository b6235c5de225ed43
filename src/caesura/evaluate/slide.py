"""Slide gaps of an alignment to the edges of tokens.

A shortest edit script does not care where a missing run begins if the letters before it equal its
last ones: in `the [cat. the] dog` it may as well leave out `[the cat.]`. Cutting a token in two
would make it as wide as the gap, so every gap is slid to where tokens begin, if it can be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["slide"]

Longs = NDArray[np.int64]

#: Steps that a gap is slid at most.
STEPS = 200


@kernel
def slide(at: Longs, ours: Longs, theirs: Longs, begins: NDArray[np.bool_]) -> None:
    """Move matches in place; `begins` marks the atoms of ours with which tokens begin."""
    n = len(at)
    i = 1
    while i < n:
        if at[i] < 0 and at[i - 1] >= 0:
            # A run of ours that has no match, between two that are neighbours over there.
            stop = i
            while stop < n and at[stop] < 0:
                stop += 1
            if stop < n and at[stop] == at[i - 1] + 1 and not (begins[i] and begins[stop]):
                _slide_run(at, ours, begins, i, stop)
            i = stop + 1
        elif at[i] >= 0 and at[i - 1] >= 0 and at[i] > at[i - 1] + 1:
            if not begins[i]:
                _slide_gap(at, ours, theirs, begins, i)
            i += 1
        else:
            i += 1


@kernel
def _slide_gap(
    at: Longs, ours: Longs, theirs: Longs, begins: NDArray[np.bool_], place: int
) -> None:
    """A run of theirs before `place` has no match: find a token's beginning close by."""
    size = at[place] - at[place - 1] - 1
    for step in range(1, STEPS):
        left = place - step
        if left < 1 or at[left] < 0 or at[left] != at[place - 1] - step + 1:
            break
        if theirs[at[left] + size] != ours[left]:
            break
        if begins[left]:
            for k in range(left, place):
                at[k] += size
            return
    for step in range(STEPS):
        right = place + step
        if right >= len(at) - 1 or at[right] < 0 or at[right] != at[place] + step:
            break
        if theirs[at[right] - size] != ours[right]:
            break
        if begins[right + 1]:
            for k in range(place, right + 1):
                at[k] -= size
            return


@kernel
def _slide_run(at: Longs, ours: Longs, begins: NDArray[np.bool_], first: int, stop: int) -> None:
    """A run of ours has no match: find one of the same length that whole tokens make up."""
    for step in range(1, STEPS):
        left = first - step
        if left < 1 or at[left] < 0 or at[left] != at[first - 1] - step + 1:
            break
        if ours[left] != ours[stop - step]:
            break
        if begins[left] and begins[stop - step]:
            last = at[first - 1]
            for k in range(1, step + 1):
                at[stop - k] = last - k + 1
            for k in range(left, stop - step):
                at[k] = -1
            return
    for step in range(STEPS):
        right = stop + step
        if right >= len(at) - 1 or at[right] < 0 or at[right] != at[stop] + step:
            break
        if ours[right] != ours[first + step]:
            break
        if begins[first + step + 1] and begins[right + 1]:
            base = at[stop]
            for k in range(step + 1):
                at[first + k] = base + k
            for k in range(first + step + 1, right + 1):
                at[k] = -1
            return
