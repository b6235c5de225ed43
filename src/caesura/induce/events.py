"""The decisions that a given tree is made of: counted, or multiplied into its probability.

Compiled code only.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.parameters import Bytes, Floats, Ints, Longs, Parameters
from caesura.jit import kernel


@kernel
def reach(heads: Ints, left: Ints, right: Ints) -> None:
    """Leftmost and rightmost word of the subtree below each word."""
    n = heads.shape[0]
    for i in range(n):
        left[i] = i
        right[i] = i
    for i in range(n):
        h = heads[i]
        # A word is climbed over only if its reach grows, so that even a circle ends.
        while h >= 0 and (left[h] > i or right[h] < i):
            left[h] = min(left[h], i)
            right[h] = max(right[h], i)
            h = heads[h]


@kernel
def tree_events(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comps: Bytes,
    starts: Longs,
    low: int,
    high: int,
    longest: int,
    heads: Ints,
    counting: bool,
    parameters: Parameters,
    scores: Floats,
) -> None:
    """Add the events of each tree to the parameters, or sum their logarithms into its score."""
    left = np.empty(longest, np.int32)
    right = np.empty(longest, np.int32)
    fringe = parameters.fringe[0]
    crosses = parameters.attach.shape[1]
    adjacents = parameters.attach.shape[2]
    for index in range(low, high):
        a, b = starts[index], starts[index + 1]
        n = b - a
        if n == 0:
            continue
        cl, mk, hd = classes[a:b], marks[a:b], heads[a:b]
        reach(hd, left, right)
        comp = int(comps[index])
        rc = min(comp, parameters.root.shape[0] - 1)
        sc = min(comp, parameters.stop.shape[0] - 1)
        score = 0.0
        for h in range(n):
            c = cl[h]
            if hd[h] < 0:
                if counting:
                    parameters.root[rc, c] += 1.0
                else:
                    score += parameters.root[rc, c]
            for side in range(2):
                at = c
                adjacent = 1
                size = n - 1 - h if side == 1 else h
                for step in range(1, size + 1):
                    d = h + step if side == 1 else h - step
                    if hd[d] != h:
                        continue
                    x = 1 if crosses == 2 and mk[d] != mk[h] else 0
                    near = min(adjacent, adjacents - 1)
                    if counting:
                        parameters.go[sc, side, adjacent, at] += 1.0
                        parameters.attach[side, x, near, c, cl[d]] += 1.0
                    else:
                        score += parameters.go[sc, side, adjacent, at]
                        score += parameters.attach[side, x, near, c, cl[d]]
                    adjacent = 0
                    if fringe:
                        at = cl[right[d]] if side == 1 else cl[left[d]]
                if counting:
                    parameters.stop[sc, side, adjacent, at] += 1.0
                else:
                    score += parameters.stop[sc, side, adjacent, at]
        scores[index] = score
