"""The split-head chart of Eisner, O(n^3), one derivation for each tree, filled over a semiring.

For head h and the outer edge k of its right side, `go[h, k]` weighs everything up to the decision
to take another dependent, `seal[h, k]` everything up to the decision to stop, and `take[h, d]` the
arc to d with d's inner side sealed; left sides are mirror images. Spans grow by right edge and
then by left edge, which keeps all inner loops on rows that lie next to each other in memory; seals
are therefore held twice, by head and by edge.

The chart is written once: `inside` takes sums of products of probabilities, `viterbi` maxima of
sums of logarithms. Each is compiled for itself, since the two may reorder different things, and the
choice between them is a constant that the compiler folds. Compiled code only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.induce.factors import STRICT, Factors, confined, left_splits, right_splits
from caesura.induce.parameters import Floats
from caesura.jit import kernel

# Sums may be reordered, which lets the compiler use vector registers for dot products.
SUMS = {"reassoc", "contract", "nsz"}
# No chart ever holds a NaN, which lets the compiler take maxima with vector registers.
MAXIMA = {"nnan", "nsz"}
#: Outside this range of the scaled total, a sentence is weighed again with other scales.
TINY, HUGE = 1e-200, 1e200


class Charts(NamedTuple):
    """Weights of half-trees: [head x n + outer edge or dependent]; `edge`: [edge x n + head]."""

    go_l: Floats
    go_r: Floats
    seal_l: Floats
    seal_r: Floats
    edge_l: Floats
    edge_r: Floats
    take_l: Floats
    take_r: Floats


@kernel
def new_charts(n: int) -> Charts:
    m = n * n
    return Charts(
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
    )


@kernel(inline="always")
def plus(sums: bool, a: float, b: float) -> float:
    """Two ways to build the same item: their sum, or the better one."""
    if sums:
        return a + b
    return a if a > b else b


@kernel(inline="always")
def times(sums: bool, a: float, b: float) -> float:
    """Two parts of one item: the product of weights, or the sum of their logarithms."""
    return a * b if sums else a + b


@kernel(fastmath=SUMS, inline="always")
def dot(a: Floats, b: Floats, low: int, high: int, shift: int) -> float:
    """The sum of a[k] * b[k + shift] over low <= k < high."""
    total = 0.0
    if low < high:
        # unsigned indices spare the test for negative ones, which would forbid vector loads
        by = np.uint64(shift)
        for k in range(np.uint64(low), np.uint64(high)):
            total += a[k] * b[k + by]
    return total


@kernel(inline="always")
def largest(a: Floats, b: Floats, low: int, high: int, shift: int) -> float:
    """The largest a[k] + b[k + shift] over low <= k < high."""
    best = -np.inf
    if low < high:
        by = np.uint64(shift)
        for k in range(np.uint64(low), np.uint64(high)):
            v = a[k] + b[k + by]
            best = v if v > best else best
    return best


@kernel(inline="always")
def combine(sums: bool, a: Floats, b: Floats, low: int, high: int, shift: int) -> float:
    """All ways to put an item together from a[k] and b[k + shift], low <= k < high."""
    if sums:
        return dot(a, b, low, high, shift)
    return largest(a, b, low, high, shift)


@kernel(inline="always")
def _fill(
    sums: bool, s: Factors, c: Charts, n: int, fringe: int, adjacent: int, constraint: int
) -> float:
    """Fill the charts over a semiring; return the weight of all trees together."""
    zero = 0.0 if sums else -np.inf
    go_l, go_r, seal_l, seal_r = c.go_l, c.go_r, c.seal_l, c.seal_r
    edge_l, edge_r, take_l, take_r = c.edge_l, c.edge_r, c.take_l, c.take_r
    far, near, first_of, last_of = s.far, s.near, s.first, s.last
    p_go_l, p_go_r, p_stop_l, p_stop_r = s.go[0, 0], s.go[1, 0], s.stop[0, 0], s.stop[1, 0]
    close, strict = confined(constraint), constraint == STRICT
    for j in range(n):
        at = j * n + j
        go_r[at] = s.go[1, 1, j]
        go_l[at] = s.go[0, 1, j]
        seal_r[at] = edge_r[at] = s.stop[1, 1, j]
        seal_l[at] = edge_l[at] = s.stop[0, 1, j]
        for i in range(j - 1, -1, -1):
            ri, rj = i * n, j * n
            ij, ji = ri + j, rj + i
            # i takes j: the splits, the first dependent of its side apart
            apart = first_of[i] != first_of[j]
            first, ends = i, False
            if apart:
                first, ends = right_splits(constraint, i, j, last_of[i], first_of[j])
            total, lead = zero, zero
            if ends:
                k = last_of[i]
                while k < first:  # from one end of a fragment to the next
                    if k == i:
                        lead = times(sums, go_r[ri + k], seal_l[rj + k + 1])
                    else:
                        total = plus(sums, total, times(sums, go_r[ri + k], seal_l[rj + k + 1]))
                    k = last_of[k + 1]
            elif first == i:
                lead = times(sums, go_r[ri + i], seal_l[rj + i + 1])
                first = i + 1
            total = plus(sums, total, combine(sums, go_r, seal_l, ri + first, ij, rj + 1 - ri))
            weight = far[ij]
            total = times(sums, weight, total)
            weight = plus(sums, total, times(sums, near[ij] if adjacent else weight, lead))
            take_r[ij] = zero if strict and apart and last_of[i] != first_of[i] else weight
            # j takes i
            last, starts = j, False
            if apart:
                last, starts = left_splits(constraint, j, i, first_of[j], last_of[i])
            total, lead = zero, zero
            if starts:
                k = first_of[j]
                while k > last:  # from one begin of a fragment to the one before
                    if k == j:
                        lead = times(sums, go_l[rj + k], seal_r[ri + k - 1])
                    else:
                        total = plus(sums, total, times(sums, go_l[rj + k], seal_r[ri + k - 1]))
                    k = first_of[k - 1]
            elif last == j:
                lead = times(sums, go_l[rj + j], seal_r[ri + j - 1])
                last = j - 1
            way = combine(sums, go_l, seal_r, ji + 1, rj + last + 1, ri - rj - 1)
            total = plus(sums, total, way)
            weight = far[ji]
            total = times(sums, weight, total)
            weight = plus(sums, total, times(sums, near[ji] if adjacent else weight, lead))
            take_l[ji] = zero if strict and apart and last_of[j] != first_of[j] else weight
            # i's right side out to j, and j's left side out to i
            start = last_of[i] + 1 if close and apart else i + 1
            total = combine(sums, take_r, edge_r, ri + start, ij + 1, rj - ri)
            at = j if fringe else i
            go_r[ij] = times(sums, total, p_go_r[at])
            seal_r[ij] = edge_r[ji] = times(sums, total, p_stop_r[at])
            stop = first_of[j] if close and apart else j
            total = combine(sums, take_l, edge_l, ji, rj + stop, ri - rj)
            at = i if fringe else j
            go_l[ji] = times(sums, total, p_go_l[at])
            seal_l[ji] = edge_l[ij] = times(sums, total, p_stop_l[at])
    total = zero
    for r in range(n):
        way = times(sums, times(sums, s.root[r], edge_l[r]), edge_r[(n - 1) * n + r])
        total = plus(sums, total, way)
    return total


@kernel(fastmath=SUMS)
def inside(s: Factors, c: Charts, n: int, fringe: int, adjacent: int, constraint: int) -> float:
    """Fill the charts with sums; return the total weight of all trees."""
    return _fill(True, s, c, n, fringe, adjacent, constraint)


@kernel(fastmath=MAXIMA)
def viterbi(s: Factors, c: Charts, n: int, fringe: int, adjacent: int, constraint: int) -> float:
    """Fill the charts with best scores; return the score of the best tree."""
    return _fill(False, s, c, n, fringe, adjacent, constraint)


@kernel
def multiply(s: Factors, n: int, factor: float) -> None:
    """Multiply all attachments by a factor: each tree changes by its (n - 1)th power."""
    for k in range(n * n):
        s.far[k] *= factor
        s.near[k] *= factor


@kernel
def level(s: Factors, n: int) -> float:
    """Divide the attachments to each word by its best one; return the logarithm of what was taken.

    Half-trees over the same number of words then weigh about the same, whatever their words.
    """
    taken = 0.0
    for d in range(n):
        best = s.root[d]
        for h in range(n):
            if h != d and s.far[h * n + d] > best:
                best = s.far[h * n + d]
        if best > 0.0:
            for h in range(n):
                s.far[h * n + d] /= best
                s.near[h * n + d] /= best
            s.root[d] /= best
            taken += np.log(best)
    return taken


@kernel
def rescale(total: float, power: float, bounds: Floats) -> float:
    """By how much the logarithm of the scale should change, 0 where the total is in range.

    `bounds` are the largest power that was too small and the smallest that was too large, so far.
    """
    if total < TINY:
        bounds[0] = power
        return 2.0 if bounds[1] == np.inf else 0.5 * (bounds[1] - power)
    if not total < HUGE:
        bounds[1] = power
        return -2.0 if bounds[0] == -np.inf else 0.5 * (bounds[0] - power)
    return 0.0


@kernel
def weigh(
    s: Factors, c: Charts, n: int, fringe: int, adjacent: int, constraint: int
) -> tuple[float, float]:
    """Inside with scales that keep the total in range: the scaled total and its true logarithm."""
    taken = level(s, n) if n > 30 else 0.0
    total = inside(s, c, n, fringe, adjacent, constraint)
    power, bounds = 0.0, np.array([-np.inf, np.inf])
    for _ in range(24):
        step = rescale(total, power, bounds)
        if step == 0.0:
            break
        multiply(s, n, np.exp(step))
        power += step
        total = inside(s, c, n, fringe, adjacent, constraint)
    if total > 0.0:
        return total, np.log(total) + taken - power * (n - 1)
    return 0.0, -np.inf
