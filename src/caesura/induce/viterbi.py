"""The best tree of a sentence: the chart of `_chart` with maxima of sums of logarithms.

No back-pointers are kept. Only the items of the best tree need their best split, so the way back
looks for it again, which costs O(n^2) against the O(n^3) of the chart and settles ties in one
place: the leftmost, or one drawn at random. Compiled code only.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.factors import (
    SPRAWL_LITERAL,
    STRICT,
    Factors,
    bounds,
    confined,
    left_splits,
    look_up,
    new_factors,
    right_splits,
)
from caesura.induce.inside_outside import Charts, new_charts
from caesura.induce.parameters import Bytes, Floats, Ints, Longs, Parameters
from caesura.jit import kernel

# No chart ever holds a NaN, which lets the compiler take maxima with vector registers.
MAXIMA = {"nnan", "nsz"}
#: Scores this close, relative to a logarithm, are taken to be the same.
TIE = 1e-9


@kernel(fastmath=MAXIMA, inline="always")
def _best(a: Floats, b: Floats, low: int, high: int, shift: int) -> float:
    """The largest a[k] + b[k + shift] over low <= k < high."""
    best = -np.inf
    if low < high:
        by = np.uint64(shift)
        for k in range(np.uint64(low), np.uint64(high)):
            v = a[k] + b[k + by]
            best = v if v > best else best
    return best


@kernel(fastmath=MAXIMA)
def fill(s: Factors, c: Charts, n: int, fringe: int, adjacent: int, constraint: int) -> float:
    """Fill the charts with best scores; return the score of the best tree."""
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
            apart = first_of[i] != first_of[j]
            first, ends = i, False
            if apart:
                first, ends = right_splits(constraint, i, j, last_of[i], first_of[j])
            best, lead = -np.inf, -np.inf
            if ends:
                k = last_of[i]
                while k < first:
                    v = go_r[ri + k] + seal_l[rj + k + 1]
                    if k == i:
                        lead = v
                    elif v > best:
                        best = v
                    k = last_of[k + 1]
            elif first == i:
                lead = go_r[ri + i] + seal_l[rj + i + 1]
                first = i + 1
            best = max(best, _best(go_r, seal_l, ri + first, ij, rj + 1 - ri))
            weight = far[ij]
            weight = max(weight + best, (near[ij] if adjacent else weight) + lead)
            take_r[ij] = -np.inf if strict and apart and last_of[i] != first_of[i] else weight
            last, starts = j, False
            if apart:
                last, starts = left_splits(constraint, j, i, first_of[j], last_of[i])
            best, lead = -np.inf, -np.inf
            if starts:
                k = first_of[j]
                while k > last:
                    v = go_l[rj + k] + seal_r[ri + k - 1]
                    if k == j:
                        lead = v
                    elif v > best:
                        best = v
                    k = first_of[k - 1]
            elif last == j:
                lead = go_l[rj + j] + seal_r[ri + j - 1]
                last = j - 1
            best = max(best, _best(go_l, seal_r, ji + 1, rj + last + 1, ri - rj - 1))
            weight = far[ji]
            weight = max(weight + best, (near[ji] if adjacent else weight) + lead)
            take_l[ji] = -np.inf if strict and apart and last_of[j] != first_of[j] else weight
            start = last_of[i] + 1 if close and apart else i + 1
            best = _best(take_r, edge_r, ri + start, ij + 1, rj - ri)
            at = j if fringe else i
            go_r[ij] = best + p_go_r[at]
            best += p_stop_r[at]
            if constraint == SPRAWL_LITERAL and apart and last_of[j] != j:
                best = -np.inf
            seal_r[ij] = best
            edge_r[ji] = best
            stop = first_of[j] if close and apart else j
            best = _best(take_l, edge_l, ji, rj + stop, ri - rj)
            at = i if fringe else j
            go_l[ji] = best + p_go_l[at]
            best += p_stop_l[at]
            if constraint == SPRAWL_LITERAL and apart and first_of[i] != i:
                best = -np.inf
            seal_l[ji] = best
            edge_l[ij] = best
    best = -np.inf
    for r in range(n):
        best = max(best, s.root[r] + edge_l[r] + edge_r[(n - 1) * n + r])
    return best


@kernel
def splitmix(state: np.uint64) -> np.uint64:
    """The next state of a small generator of random numbers (Steele et al. 2014)."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@kernel
def mixed(state: np.uint64) -> float:
    """A number in [0, 1) from a state of the generator."""
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) / 9007199254740992.0


@kernel
def pick(values: Floats, size: int, mode: int, state: np.uint64) -> int:
    """Choose one of `size` values: the first best, a random best, or one drawn by weight.

    Modes: 0 and 1 read logarithms, 2 reads weights.
    """
    if mode == 2:
        total = 0.0
        for k in range(size):
            total += values[k]
        left = mixed(state) * total
        chosen = 0
        for k in range(size):
            if values[k] > 0.0:
                chosen = k
                left -= values[k]
                if left < 0.0:
                    break
        return chosen
    best = values[0]
    for k in range(1, size):
        best = max(best, values[k])
    limit = best - TIE * (1.0 + abs(best))
    ties = 0
    chosen = 0
    for k in range(size):
        if values[k] >= limit:
            ties += 1
            if ties == 1:
                chosen = k
                if mode == 0:
                    break
            else:
                state = splitmix(state)
                if mixed(state) * ties < 1.0:
                    chosen = k
    return chosen


@kernel
def descend(
    s: Factors,
    c: Charts,
    n: int,
    adjacent: int,
    constraint: int,
    mode: int,
    state: np.uint64,
    heads: Ints,
    agenda: Ints,
    values: Floats,
) -> np.uint64:
    """Walk from the root to the leaves of one tree, by score or by weight; write its heads.

    An agenda entry (kind, h, k) is a side of h that reaches out to k (kind 0 left, 1 right) or the
    arc from h to k (kind 2). Heads are positions in the sentence, -1 for the root.
    """
    first_of, last_of = s.first, s.last
    close = confined(constraint)
    draw = mode == 2
    for r in range(n):
        a, b = c.edge_l[r], c.edge_r[(n - 1) * n + r]
        values[r] = s.root[r] * a * b if draw else s.root[r] + a + b
    state = splitmix(state)
    root = pick(values, n, mode, state)
    heads[root] = -1
    agenda[0, 0], agenda[0, 1], agenda[0, 2] = 0, root, 0
    agenda[1, 0], agenda[1, 1], agenda[1, 2] = 1, root, n - 1
    size = 2
    while size > 0:
        size -= 1
        kind, h, k = agenda[size, 0], agenda[size, 1], agenda[size, 2]
        state = splitmix(state)
        if kind < 2:
            if h == k:
                continue
            apart = first_of[h] != first_of[k]
            if kind == 1:
                start = last_of[h] + 1 if close and apart else h + 1
                for d in range(start, k + 1):
                    a, b = c.take_r[h * n + d], c.edge_r[k * n + d]
                    values[d - start] = a * b if draw else a + b
                d = start + pick(values, k + 1 - start, mode, state)
            else:
                stop = first_of[h] if close and apart else h
                for d in range(k, stop):
                    a, b = c.take_l[h * n + d], c.edge_l[k * n + d]
                    values[d - k] = a * b if draw else a + b
                d = k + pick(values, stop - k, mode, state)
            heads[d] = h
            agenda[size, 0], agenda[size, 1], agenda[size, 2] = kind, d, k
            size += 1
            agenda[size, 0], agenda[size, 1], agenda[size, 2] = 2, h, d
            size += 1
            continue
        d = k
        apart = first_of[h] != first_of[d]
        none = 0.0 if draw else -np.inf
        if d > h:
            first, ends = h, False
            if apart:
                first, ends = right_splits(constraint, h, d, last_of[h], first_of[d])
            for k in range(h, d):
                arc = s.near[h * n + d] if adjacent and k == h else s.far[h * n + d]
                a, b = c.go_r[h * n + k], c.seal_l[d * n + k + 1]
                allowed = k >= first or (ends and last_of[k] == k)
                value = a * b * arc if draw else a + b + arc
                values[k - h] = value if allowed else none
            k = h + pick(values, d - h, mode, state)
            agenda[size, 0], agenda[size, 1], agenda[size, 2] = 0, d, k + 1
            size += 1
            agenda[size, 0], agenda[size, 1], agenda[size, 2] = 1, h, k
            size += 1
        else:
            last, starts = h, False
            if apart:
                last, starts = left_splits(constraint, h, d, first_of[h], last_of[d])
            for k in range(d + 1, h + 1):
                arc = s.near[h * n + d] if adjacent and k == h else s.far[h * n + d]
                a, b = c.go_l[h * n + k], c.seal_r[d * n + k - 1]
                allowed = k <= last or (starts and first_of[k] == k)
                value = a * b * arc if draw else a + b + arc
                values[k - d - 1] = value if allowed else none
            k = d + 1 + pick(values, h - d, mode, state)
            agenda[size, 0], agenda[size, 1], agenda[size, 2] = 1, d, k - 1
            size += 1
            agenda[size, 0], agenda[size, 1], agenda[size, 2] = 0, h, k
            size += 1
    return state


@kernel
def seed_of(seed: int, index: int) -> np.uint64:
    """A state of its own for each sentence, so that no draw depends on who draws it."""
    return (np.uint64(seed) + np.uint64(1)) * np.uint64(0xD1342543DE82EF95) ^ (
        np.uint64(index) * np.uint64(0x9E3779B97F4A7C15)
    )


@kernel
def best_trees(
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
    seed: int,
    heads: Ints,
    scores: Floats,
    fell: Bytes,
) -> None:
    """Heads and log-probability of the best tree of sentences low..high.

    Parameters are logarithms. A seed below zero takes the leftmost of equally good trees.
    """
    s = new_factors(longest)
    c = new_charts(longest)
    agenda = np.empty((4 * longest + 8, 3), np.int32)
    values = np.empty(longest + 1)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    mode = 0 if seed < 0 else 1
    for index in range(low, high):
        a, b = starts[index], starts[index + 1]
        n = b - a
        scores[index] = 0.0
        if n == 0:
            continue
        look_up(s, parameters, classes[a:b], marks[a:b], fragments[a:b], int(comps[index]))
        used = constraint
        scores[index] = fill(s, c, n, fringe, adjacent, used)
        if scores[index] == -np.inf and constraint != 0:
            fell[index] = 1
            used = 0
            scores[index] = fill(s, c, n, fringe, adjacent, used)
        state = seed_of(max(seed, 0), index)
        descend(s, c, n, adjacent, used, mode, state, heads[a:b], agenda, values)


@kernel
def best_arcs(arcs: Floats, roots: Floats, fragments: Ints, constraint: int, heads: Ints) -> float:
    """The tree whose arcs have the largest sum: minimum-risk decoding of posteriors."""
    n = roots.shape[0]
    s = new_factors(n)
    c = new_charts(n)
    for h in range(n):
        s.root[h] = roots[h]
        for d in range(n):
            s.far[h * n + d] = arcs[h, d]
    for i in range(n):
        for side in range(2):
            for adjacent in range(2):
                s.stop[side, adjacent, i] = 0.0
                s.go[side, adjacent, i] = 0.0
    bounds(fragments, s.first, s.last)
    score = fill(s, c, n, 0, 0, constraint)
    agenda = np.empty((4 * n + 8, 3), np.int32)
    descend(s, c, n, 0, constraint, 0, np.uint64(0), heads, agenda, np.empty(n + 1))
    return score
