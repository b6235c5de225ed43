"""Sums over trees for the literal reading of strict and loose, which judge a seal's two edges.

A dependent's two sides meet in one item [i, d, j], so the charts take O(n^4) time and are meant for
comparison with the prose reading, which needs no such item. Inside, outside and exact draws are
here, the best tree in `_literal_best`. Compiled code only.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.factors import STRICT, Factors, look_up, new_factors
from caesura.induce.inside_outside import HUGE, TINY, level, multiply
from caesura.induce.parameters import Floats, Ints, Parameters
from caesura.induce.viterbi import pick, seed_of, splitmix
from caesura.jit import kernel


@kernel
def sealable(constraint: int, s: Factors, i: int, h: int, j: int) -> bool:
    """Whether h may dominate exactly i..j (Spitkovsky et al. 2011, the printed formulas)."""
    first_of, last_of = s.first, s.last
    if j < last_of[j] and i < first_of[j]:
        return False
    if i > first_of[i] and j > last_of[i]:
        return False
    if constraint == STRICT and first_of[h] != last_of[h]:
        return i >= first_of[h] and j <= last_of[h]
    return True


@kernel
def sealed(s: Factors, side: Floats, h: int, a: int, b: int, fringe: int) -> float:
    """The weight of h with both sides sealed, dominating a..b."""
    left = s.stop[0, 1 if a == h else 0, a if fringe else h]
    right = s.stop[1, 1 if b == h else 0, b if fringe else h]
    return side[0, h, a] * left * side[1, h, b] * right


@kernel
def _arc(s: Factors, n: int, h: int, d: int, adjacent: int, near: int) -> float:
    return s.near[h * n + d] if adjacent and near else s.far[h * n + d]


@kernel
def _inside(s: Factors, side: Floats, n: int, fringe: int, adjacent: int, constraint: int) -> float:
    """Fill the open sides [direction, head, edge]; return the total weight of all trees."""
    for j in range(n):
        side[0, j, j] = side[1, j, j] = 1.0
        for i in range(j - 1, -1, -1):
            for out in range(2):
                h, e = (i, j) if out == 1 else (j, i)
                total = 0.0
                # the head's side reached out to k before it took d, which covers the rest
                for k in range(i, j) if out == 1 else range(i + 1, j + 1):
                    near = 1 if k == h else 0
                    base = side[out, h, k] * s.go[out, near, k if fringe else h]
                    a, b = (k + 1, j) if out == 1 else (i, k - 1)
                    for d in range(a, b + 1):
                        if sealable(constraint, s, a, d, b):
                            v = base * _arc(s, n, h, d, adjacent, near)
                            total += v * sealed(s, side, d, a, b, fringe)
                side[out, h, e] = total
    total = 0.0
    for r in range(n):
        if sealable(constraint, s, 0, r, n - 1):
            total += s.root[r] * sealed(s, side, r, 0, n - 1, fringe)
    return total


@kernel
def _weigh(
    s: Factors, side: Floats, n: int, fringe: int, adjacent: int, constraint: int
) -> tuple[float, float]:
    """Inside with scales that keep the total in range: the scaled total and its true logarithm."""
    taken = level(s, n) if n > 30 else 0.0
    total = _inside(s, side, n, fringe, adjacent, constraint)
    power, low, high = 0.0, -np.inf, np.inf
    for _ in range(24):
        if total < TINY:
            low = power
            step = 2.0 if high == np.inf else 0.5 * (high - power)
        elif not total < HUGE:
            high = power
            step = -2.0 if low == -np.inf else 0.5 * (low - power)
        else:
            break
        multiply(s, n, np.exp(step))
        power += step
        total = _inside(s, side, n, fringe, adjacent, constraint)
    if total > 0.0:
        return total, np.log(total) + taken - power * (n - 1)
    return 0.0, -np.inf


@kernel
def literal_total(
    classes: Ints, marks: Ints, fragments: Ints, comp: int, parameters: Parameters, constraint: int
) -> float:
    """The log-probability of a sentence, all trees that the constraint allows together."""
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    side: Floats = np.zeros((2, n, n))
    return _weigh(s, side, n, parameters.fringe[0], parameters.attach.shape[2] - 1, constraint)[1]


@kernel
def literal_expect(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    counts: Parameters,
    arcs: Floats,
    roots: Floats,
) -> float:
    """Add expected counts to the parameters, fill arc posteriors [head, dependent] and roots.

    Returns the log-probability of the sentence; nothing is counted where there is no tree.
    """
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    side: Floats = np.zeros((2, n, n))
    total, score = _weigh(s, side, n, fringe, adjacent, constraint)
    if total == 0.0:
        return score
    rc = min(comp, counts.root.shape[0] - 1)
    sc = min(comp, counts.stop.shape[0] - 1)
    crosses = counts.attach.shape[1]
    outer: Floats = np.zeros((2, n, n))
    for r in range(n):
        if sealable(constraint, s, 0, r, n - 1):
            w = s.root[r] / total
            p = w * sealed(s, side, r, 0, n - 1, fringe)
            roots[r] = p
            counts.root[rc, classes[r]] += p
            _seal(s, side, outer, counts, classes, sc, r, 0, n - 1, fringe, w)
    for j in range(n - 1, -1, -1):
        for i in range(j):
            for out in range(2):
                h, e = (i, j) if out == 1 else (j, i)
                w = outer[out, h, e]
                if w == 0.0:
                    continue
                for k in range(i, j) if out == 1 else range(i + 1, j + 1):
                    near = 1 if k == h else 0
                    at = k if fringe else h
                    go = s.go[out, near, at]
                    a, b = (k + 1, j) if out == 1 else (i, k - 1)
                    for d in range(a, b + 1):
                        if not sealable(constraint, s, a, d, b):
                            continue
                        x = w * go * _arc(s, n, h, d, adjacent, near)
                        inner = sealed(s, side, d, a, b, fringe)
                        outer[out, h, k] += x * inner
                        p = x * inner * side[out, h, k]
                        arcs[h, d] += p
                        counts.go[sc, out, near, classes[at]] += p
                        over = 1 if crosses == 2 and marks[d] != marks[h] else 0
                        first = near if adjacent else 0
                        counts.attach[out, over, first, classes[h], classes[d]] += p
                        x *= side[out, h, k]
                        _seal(s, side, outer, counts, classes, sc, d, a, b, fringe, x)
    return score


@kernel
def _seal(
    s: Factors,
    side: Floats,
    outer: Floats,
    counts: Parameters,
    classes: Ints,
    sc: int,
    h: int,
    a: int,
    b: int,
    fringe: int,
    w: float,
) -> None:
    """Hand the outside weight of h over a..b on to its sides, and count its two stops."""
    near_a, near_b = 1 if a == h else 0, 1 if b == h else 0
    at_a, at_b = a if fringe else h, b if fringe else h
    w *= s.stop[0, near_a, at_a] * s.stop[1, near_b, at_b]
    outer[0, h, a] += w * side[1, h, b]
    outer[1, h, b] += w * side[0, h, a]
    p = w * side[0, h, a] * side[1, h, b]
    counts.stop[sc, 0, near_a, classes[at_a]] += p
    counts.stop[sc, 1, near_b, classes[at_b]] += p


@kernel
def literal_draw(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    seed: int,
    index: int,
    heads: Ints,
) -> float:
    """One tree, drawn with its probability among those allowed; the sentence's log-probability."""
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    side: Floats = np.zeros((2, n, n))
    total, score = _weigh(s, side, n, fringe, adjacent, constraint)
    if total == 0.0:
        return score
    state = splitmix(seed_of(seed, index))
    values = np.zeros(n * n + 1)
    for r in range(n):
        if sealable(constraint, s, 0, r, n - 1):
            values[r] = s.root[r] * sealed(s, side, r, 0, n - 1, fringe)
    root = pick(values, n, 2, state)
    heads[root] = -1
    agenda = np.empty((4 * n + 8, 3), np.int32)
    agenda[0, 0], agenda[0, 1], agenda[0, 2] = 0, root, 0
    agenda[1, 0], agenda[1, 1], agenda[1, 2] = 1, root, n - 1
    size = 2
    while size > 0:
        size -= 1
        out, h, e = agenda[size, 0], agenda[size, 1], agenda[size, 2]
        if h == e:
            continue
        i, j = min(h, e), max(h, e)
        # one value for each pair of split and dependent
        width = j - i + 1
        for at in range(width * width):
            values[at] = 0.0
        for k in range(i, j) if out == 1 else range(i + 1, j + 1):
            near = 1 if k == h else 0
            base = side[out, h, k] * s.go[out, near, k if fringe else h]
            a, b = (k + 1, j) if out == 1 else (i, k - 1)
            for d in range(a, b + 1):
                if sealable(constraint, s, a, d, b):
                    v = base * _arc(s, n, h, d, adjacent, near)
                    values[(k - i) * width + d - i] = v * sealed(s, side, d, a, b, fringe)
        state = splitmix(state)
        at = pick(values, width * width, 2, state)
        k, d = i + at // width, i + at % width
        heads[d] = h
        agenda[size, 0], agenda[size, 1], agenda[size, 2] = out, h, k
        size += 1
        agenda[size, 0], agenda[size, 1], agenda[size, 2] = out, d, e
        size += 1
        agenda[size, 0], agenda[size, 1] = 1 - out, d
        agenda[size, 2] = k + 1 if out == 1 else k - 1
        size += 1
    return score
