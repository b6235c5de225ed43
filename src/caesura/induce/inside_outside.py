"""Expected events of sentences: the chart of `chart` inside, then outside, O(n^3).

`expect` is the E-step of soft EM, `evidence` the probability of sentences alone, `posteriors` the
probability of every arc. Compiled code only.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.chart import SUMS, Charts, dot, new_charts, weigh
from caesura.induce.factors import (
    STRICT,
    Factors,
    confined,
    left_splits,
    look_up,
    new_factors,
    right_splits,
)
from caesura.induce.parameters import Bytes, Floats, Ints, Longs, Parameters
from caesura.jit import kernel


@kernel(inline="always")
def _spread(
    w: float, a: Floats, b: Floats, oa: Floats, ob: Floats, low: int, high: int, shift: int
) -> None:
    """What `_dot` summed, handed back: the outside weight w to both factors of every product."""
    if low < high:
        by = np.uint64(shift)
        for k in range(np.uint64(low), np.uint64(high)):
            oa[k] += w * b[k + by]
            ob[k + by] += w * a[k]


@kernel(fastmath=SUMS)
def outside(
    s: Factors, c: Charts, o: Charts, n: int, fringe: int, adjacent: int, constraint: int
) -> None:
    """Fill the outside charts; the spans of `inside` in reverse order.

    Seals collect by head and by edge, as the loops find them; a finished span adds the two into
    `seal`.
    """
    go_l, go_r, seal_l, seal_r = c.go_l, c.go_r, c.seal_l, c.seal_r
    edge_l, edge_r, take_l, take_r = c.edge_l, c.edge_r, c.take_l, c.take_r
    o_go_l, o_go_r, o_seal_l, o_seal_r = o.go_l, o.go_r, o.seal_l, o.seal_r
    o_edge_l, o_edge_r, o_take_l, o_take_r = o.edge_l, o.edge_r, o.take_l, o.take_r
    far, near, first_of, last_of = s.far, s.near, s.first, s.last
    p_go_l, p_go_r, p_stop_l, p_stop_r = s.go[0, 0], s.go[1, 0], s.stop[0, 0], s.stop[1, 0]
    close, strict = confined(constraint), constraint == STRICT
    for k in range(n * n):
        o_go_l[k] = o_go_r[k] = o_seal_l[k] = o_seal_r[k] = 0.0
        o_edge_l[k] = o_edge_r[k] = o_take_l[k] = o_take_r[k] = 0.0
    top = (n - 1) * n
    for r in range(n):
        o_edge_l[r] = s.root[r] * edge_r[top + r]
        o_edge_r[top + r] = s.root[r] * edge_l[r]
    for j in range(n - 1, -1, -1):
        for i in range(j):
            ri, rj = i * n, j * n
            ij, ji = ri + j, rj + i
            apart = first_of[i] != first_of[j]
            # the right side of i, then the left side of j
            at = j if fringe else i
            sealed = o_seal_r[ij] + o_edge_r[ji]
            o_seal_r[ij] = sealed
            w = o_go_r[ij] * p_go_r[at] + sealed * p_stop_r[at]
            start = last_of[i] + 1 if close and apart else i + 1
            _spread(w, take_r, edge_r, o_take_r, o_edge_r, ri + start, ij + 1, rj - ri)
            at = i if fringe else j
            sealed = o_seal_l[ji] + o_edge_l[ij]
            o_seal_l[ji] = sealed
            w = o_go_l[ji] * p_go_l[at] + sealed * p_stop_l[at]
            stop = first_of[j] if close and apart else j
            _spread(w, take_l, edge_l, o_take_l, o_edge_l, ji, rj + stop, ri - rj)
            # the arc from i to j, then the arc from j to i
            if not (strict and apart and last_of[i] != first_of[i]):
                w = o_take_r[ij] * far[ij]
                lead = o_take_r[ij] * near[ij] if adjacent else w
                first, ends = i, False
                if apart:
                    first, ends = right_splits(constraint, i, j, last_of[i], first_of[j])
                if ends:
                    k = last_of[i]
                    while k < first:
                        u = lead if k == i else w
                        o_go_r[ri + k] += u * seal_l[rj + k + 1]
                        o_seal_l[rj + k + 1] += u * go_r[ri + k]
                        k = last_of[k + 1]
                elif first == i:
                    o_go_r[ri + i] += lead * seal_l[rj + i + 1]
                    o_seal_l[rj + i + 1] += lead * go_r[ri + i]
                    first = i + 1
                _spread(w, go_r, seal_l, o_go_r, o_seal_l, ri + first, ij, rj + 1 - ri)
            if not (strict and apart and last_of[j] != first_of[j]):
                w = o_take_l[ji] * far[ji]
                lead = o_take_l[ji] * near[ji] if adjacent else w
                last, starts = j, False
                if apart:
                    last, starts = left_splits(constraint, j, i, first_of[j], last_of[i])
                if starts:
                    k = first_of[j]
                    while k > last:
                        u = lead if k == j else w
                        o_go_l[rj + k] += u * seal_r[ri + k - 1]
                        o_seal_r[ri + k - 1] += u * go_l[rj + k]
                        k = first_of[k - 1]
                elif last == j:
                    o_go_l[rj + j] += lead * seal_r[ri + j - 1]
                    o_seal_r[ri + j - 1] += lead * go_l[rj + j]
                    last = j - 1
                _spread(w, go_l, seal_r, o_go_l, o_seal_r, rj + i + 1, rj + last + 1, ri - rj - 1)
        at = j * n + j
        o_seal_r[at] += o_edge_r[at]
        o_seal_l[at] += o_edge_l[at]


@kernel(fastmath=SUMS)
def collect(
    s: Factors,
    c: Charts,
    o: Charts,
    classes: Ints,
    marks: Ints,
    comp: int,
    total: float,
    adjacent: int,
    constraint: int,
    counts: Parameters,
) -> None:
    """Add the expected number of each event to the counts."""
    n = classes.shape[0]
    fringe = counts.fringe[0]
    rc = min(comp, counts.root.shape[0] - 1)
    sc = min(comp, counts.stop.shape[0] - 1)
    crosses = counts.attach.shape[1]
    by = 1.0 / total
    top = (n - 1) * n
    for h in range(n):
        ch = classes[h]
        counts.root[rc, ch] += s.root[h] * c.edge_l[h] * c.edge_r[top + h] * by
    for side in range(2):
        seals, o_seals = (c.seal_l, o.seal_l) if side == 0 else (c.seal_r, o.seal_r)
        goes, o_goes = (c.go_l, o.go_l) if side == 0 else (c.go_r, o.go_r)
        takes, o_takes = (c.take_l, o.take_l) if side == 0 else (c.take_r, o.take_r)
        stop, go = counts.stop[sc, side, 0], counts.go[sc, side, 0]
        plain, crossed = counts.attach[side, 0, 0], counts.attach[side, crosses - 1, 0]
        for h in range(n):
            ch = classes[h]
            at = h * n
            counts.stop[sc, side, 1, ch] += seals[at + h] * o_seals[at + h] * by
            counts.go[sc, side, 1, ch] += goes[at + h] * o_goes[at + h] * by
            low, high = (0, h) if side == 0 else (h + 1, n)
            if fringe:
                for k in range(low, high):
                    stop[classes[k]] += seals[at + k] * o_seals[at + k] * by
                    go[classes[k]] += goes[at + k] * o_goes[at + k] * by
            else:
                stop[ch] += dot(seals, o_seals, at + low, at + high, 0) * by
                go[ch] += dot(goes, o_goes, at + low, at + high, 0) * by
            if adjacent == 0:
                for d in range(low, high):
                    p = takes[at + d] * o_takes[at + d] * by
                    if marks[d] == marks[h]:
                        plain[ch, classes[d]] += p
                    else:
                        crossed[ch, classes[d]] += p
            else:
                for d in range(low, high):
                    x = 1 if crosses == 2 and marks[d] != marks[h] else 0
                    p = takes[at + d] * o_takes[at + d] * by
                    q = o_takes[at + d] * goes[at + h] * by
                    q *= _inner(s, c, n, side, h, d, constraint)
                    counts.attach[side, x, 1, ch, classes[d]] += q
                    counts.attach[side, x, 0, ch, classes[d]] += max(p - q, 0.0)


@kernel
def _inner(s: Factors, c: Charts, n: int, side: int, h: int, d: int, constraint: int) -> float:
    """An arc and its dependent's inner side, where the head has no nearer dependent."""
    first_of, last_of = s.first, s.last
    apart = first_of[h] != first_of[d]
    if constraint == STRICT and apart and last_of[h] != first_of[h]:
        return 0.0
    if side == 1:
        first, ends = h, False
        if apart:
            first, ends = right_splits(constraint, h, d, last_of[h], first_of[d])
        if first == h or (ends and last_of[h] == h):
            return s.near[h * n + d] * c.seal_l[d * n + h + 1]
    else:
        last, starts = h, False
        if apart:
            last, starts = left_splits(constraint, h, d, first_of[h], last_of[d])
        if last == h or (starts and first_of[h] == h):
            return s.near[h * n + d] * c.seal_r[d * n + h - 1]
    return 0.0


@kernel
def expect(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comps: Bytes,
    starts: Longs,
    low: int,
    high: int,
    longest: int,
    parameters: Parameters,
    constraint: int,
    counts: Parameters,
    scores: Floats,
    fell: Bytes,
) -> None:
    """The E-step over sentences low..high: expected counts, and each sentence's log-probability.

    A sentence that the constraint leaves without a tree is weighed without it, and marked.
    """
    s = new_factors(longest)
    c = new_charts(longest)
    o = new_charts(longest)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    for index in range(low, high):
        a, b = starts[index], starts[index + 1]
        n = b - a
        if n == 0:
            scores[index] = 0.0
            continue
        comp = int(comps[index])
        look_up(s, parameters, classes[a:b], marks[a:b], fragments[a:b], comp)
        used = constraint
        total, scores[index] = weigh(s, c, n, fringe, adjacent, used)
        if total == 0.0 and constraint != 0:
            fell[index] = 1
            used = 0
            look_up(s, parameters, classes[a:b], marks[a:b], fragments[a:b], comp)
            total, scores[index] = weigh(s, c, n, fringe, adjacent, used)
        if total > 0.0:
            outside(s, c, o, n, fringe, adjacent, used)
            collect(s, c, o, classes[a:b], marks[a:b], comp, total, adjacent, used, counts)


@kernel
def evidence(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comps: Bytes,
    starts: Longs,
    low: int,
    high: int,
    longest: int,
    parameters: Parameters,
    constraint: int,
    scores: Floats,
) -> None:
    """Each sentence's log-probability, without the outside pass."""
    s = new_factors(longest)
    c = new_charts(longest)
    for index in range(low, high):
        a, b = starts[index], starts[index + 1]
        scores[index] = 0.0
        if b > a:
            look_up(s, parameters, classes[a:b], marks[a:b], fragments[a:b], int(comps[index]))
            adjacent = parameters.attach.shape[2] - 1
            _, scores[index] = weigh(s, c, b - a, parameters.fringe[0], adjacent, constraint)


@kernel
def posteriors(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    arcs: Floats,
    roots: Floats,
) -> float:
    """Probability of each arc (head by dependent) and of each root in one sentence."""
    n = classes.shape[0]
    s = new_factors(n)
    c = new_charts(n)
    o = new_charts(n)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    look_up(s, parameters, classes, marks, fragments, comp)
    total, score = weigh(s, c, n, fringe, adjacent, constraint)
    if total > 0.0:
        outside(s, c, o, n, fringe, adjacent, constraint)
        for h in range(n):
            roots[h] = s.root[h] * c.edge_l[h] * c.edge_r[(n - 1) * n + h] / total
            for d in range(n):
                at = h * n + d
                if d < h:
                    arcs[h, d] = c.take_l[at] * o.take_l[at] / total
                else:
                    arcs[h, d] = c.take_r[at] * o.take_r[at] / total if d > h else 0.0
    return score
