"""The factors of one sentence, looked up once, so that charts only add and multiply.

They list attachment factors by position, stop factors by head or fringe position, and the
fragment that each word lies in. Compiled code only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.induce.parameters import Floats, Ints, Longs, Parameters
from caesura.jit import kernel

# Constraints as the kernels know them; `punctuation_constraints` has their names.
FREE, THREAD, TEAR, SPRAWL, LOOSE, STRICT = range(6)


class Factors(NamedTuple):
    """Factors of a sentence, by position (probabilities or logarithms)."""

    #: Attachment, [head x n + dependent]: to further dependents of a side, and to its first one.
    far: Floats
    near: Floats
    root: Floats
    #: [direction, adjacent, position of the head or of the fringe]
    stop: Floats
    go: Floats
    #: First and last word of the fragment that a word lies in.
    first: Longs
    last: Longs


@kernel
def new_factors(n: int) -> Factors:
    return Factors(
        np.zeros(n * n),
        np.zeros(n * n),
        np.empty(n),
        np.empty((2, 2, n)),
        np.empty((2, 2, n)),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )


@kernel
def look_up(
    factors: Factors, t: Parameters, classes: Ints, marks: Ints, fragments: Ints, comp: int
) -> None:
    """Look up every factor of a sentence."""
    n = classes.shape[0]
    rc = min(comp, t.root.shape[0] - 1)
    sc = min(comp, t.stop.shape[0] - 1)
    crosses = t.attach.shape[1]
    adjacents = t.attach.shape[2]
    for i in range(n):
        c = classes[i]
        factors.root[i] = t.root[rc, c]
        for direction in range(2):
            for adjacent in range(2):
                factors.stop[direction, adjacent, i] = t.stop[sc, direction, adjacent, c]
                factors.go[direction, adjacent, i] = t.go[sc, direction, adjacent, c]
    far, near = factors.far, factors.near
    lefts, rights = t.attach[0, 0, 0], t.attach[1, 0, 0]
    over_l, over_r = t.attach[0, crosses - 1, 0], t.attach[1, crosses - 1, 0]
    for h in range(n):
        c = classes[h]
        at = h * n
        for d in range(h):
            far[at + d] = (lefts if marks[d] == marks[h] else over_l)[c, classes[d]]
        far[at + h] = 0.0
        for d in range(h + 1, n):
            far[at + d] = (rights if marks[d] == marks[h] else over_r)[c, classes[d]]
        if adjacents == 2:
            for d in range(n):
                x = 1 if crosses == 2 and marks[d] != marks[h] else 0
                near[at + d] = t.attach[1 if d > h else 0, x, 1, c, classes[d]]
    bounds(fragments, factors.first, factors.last)


@kernel
def bounds(fragments: Ints, first: Longs, last: Longs) -> None:
    """First and last word of each word's fragment."""
    n = fragments.shape[0]
    start = 0
    for i in range(n):
        if fragments[i] != fragments[start]:
            start = i
        first[i] = start
    end = n - 1
    for i in range(n - 1, -1, -1):
        if fragments[i] != fragments[end]:
            end = i
        last[i] = end


@kernel
def right_splits(constraint: int, h: int, d: int, last_h: int, first_d: int) -> tuple[int, bool]:
    """Where head h may stand open when it takes d, of another fragment, to its right.

    Splits from the first number on are all allowed; before it, if the second is true, only the
    last words of fragments are. The conditions are those of the prose definitions, spelt out by
    what they leave when head and dependent lie in two fragments; in one, every split is allowed.
    """
    if constraint == FREE:
        return h, False
    if constraint == THREAD:
        return last_h, False
    if constraint == TEAR:
        return first_d, True
    return d, True


@kernel
def left_splits(constraint: int, h: int, d: int, first_h: int, last_d: int) -> tuple[int, bool]:
    """The mirror image: splits up to the first number, above it only first words of fragments."""
    if constraint == FREE:
        return h, False
    if constraint == THREAD:
        return first_h, False
    if constraint == TEAR:
        return last_d, True
    return d, True


@kernel
def confined(constraint: int) -> bool:
    """Loose and strict: a word attached inside its fragment may not reach outside it."""
    return constraint in (LOOSE, STRICT)
