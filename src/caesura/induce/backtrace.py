"""One tree out of a filled chart: the best one, or one drawn by its probability.

No back-pointers are kept. Only the items of the tree need their split, so the way back looks for it
again, which costs O(n^2) against the O(n^3) of the chart and settles ties in one place: the
leftmost, or one drawn at random. Compiled code only.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.chart import Charts
from caesura.induce.factors import Factors, confined, left_splits, right_splits
from caesura.induce.parameters import Floats, Ints
from caesura.jit import kernel

#: Scores this close, relative to a logarithm, are taken to be the same.
TIE = 1e-9


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
    # An entry is replaced by two that share its words, whatever the charts hold, numbers or not.
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
