"""The k best trees of a sentence: lists of the k best scores in every item of the chart.

A list is no number, so that the chart of the package, which is over a semiring of numbers, is
written anew here. Only the comparison with filtered lists (`baselines.filtered`) needs it.

Each way to build an item combines two shorter lists; of the pair (a, b) of ranks only those with
(a + 1)(b + 1) <= k can be among the best.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.factors import (
    STRICT,
    Factors,
    confined,
    left_splits,
    look_up,
    new_factors,
    right_splits,
)
from caesura.induce.parameters import Floats, Ints, Parameters, logs
from caesura.induce.punctuation_constraints import code
from caesura.induce.sentences import Sentences
from caesura.jit import kernel

__all__ = ["k_best"]


def k_best(
    sentences: Sentences, index: int, parameters: Parameters, k: int, constraint: str | None = None
) -> tuple[Ints, Floats]:
    """Heads [rank, word] and scores of the k best trees of one sentence, or fewer if there are."""
    words = sentences.one(index)
    heads = np.zeros((k, len(words[0])), dtype=np.int32)
    scores = np.zeros(k)
    _k_best(*words, logs(parameters), code(constraint), heads, scores)
    found = int(np.isfinite(scores).sum())
    return heads[:found], scores[:found]


@kernel
def _insert(scores: Floats, ways: Ints, score: float, split: int, a: int, b: int) -> None:
    """Put a score into a falling list, with the way it came about."""
    k = scores.shape[0]
    if not score > scores[k - 1]:
        return
    at = k - 1
    while at > 0 and scores[at - 1] < score:
        scores[at] = scores[at - 1]
        ways[at] = ways[at - 1]
        at -= 1
    scores[at] = score
    ways[at, 0], ways[at, 1], ways[at, 2] = split, a, b


@kernel
def _combine(scores: Floats, ways: Ints, one: Floats, two: Floats, plus: float, split: int) -> None:
    k = scores.shape[0]
    for a in range(k):
        if one[a] == -np.inf:
            break
        for b in range(k // (a + 1)):
            score = one[a] + two[b] + plus
            if not score > scores[k - 1]:
                break
            _insert(scores, ways, score, split, a, b)


@kernel
def _fill(
    s: Factors,
    n: int,
    fringe: int,
    adjacent: int,
    constraint: int,
    side: Floats,
    side_way: Ints,
    arc: Floats,
    arc_way: Ints,
) -> None:
    """Lists of open sides [direction, head, edge] and of arcs [head, dependent]."""
    first_of, last_of = s.first, s.last
    close, strict = confined(constraint), constraint == STRICT
    for j in range(n):
        side[0, j, j, 0] = side[1, j, j, 0] = 0.0
        for i in range(j - 1, -1, -1):
            apart = first_of[i] != first_of[j]
            first, ends, last, starts = i, False, j, False
            if apart:
                first, ends = right_splits(constraint, i, j, last_of[i], first_of[j])
                last, starts = left_splits(constraint, j, i, first_of[j], last_of[i])
            if not (strict and apart and last_of[i] != first_of[i]):
                for k in range(i, j):
                    if not (k >= first or (ends and last_of[k] == k)):
                        continue
                    near = 1 if k == i else 0
                    plus = s.near[i * n + j] if adjacent and near else s.far[i * n + j]
                    plus += s.go[1, near, k if fringe else i]
                    plus += s.stop[0, 1 if k + 1 == j else 0, k + 1 if fringe else j]
                    _combine(arc[i, j], arc_way[i, j], side[1, i, k], side[0, j, k + 1], plus, k)
            if not (strict and apart and last_of[j] != first_of[j]):
                for k in range(i + 1, j + 1):
                    if not (k <= last or (starts and first_of[k] == k)):
                        continue
                    near = 1 if k == j else 0
                    plus = s.near[j * n + i] if adjacent and near else s.far[j * n + i]
                    plus += s.go[0, near, k if fringe else j]
                    plus += s.stop[1, 1 if k - 1 == i else 0, k - 1 if fringe else i]
                    _combine(arc[j, i], arc_way[j, i], side[0, j, k], side[1, i, k - 1], plus, k)
            start = last_of[i] + 1 if close and apart else i + 1
            for d in range(start, j + 1):
                plus = s.stop[1, 1 if d == j else 0, j if fringe else d]
                _combine(side[1, i, j], side_way[1, i, j], arc[i, d], side[1, d, j], plus, d)
            for d in range(i, first_of[j] if close and apart else j):
                plus = s.stop[0, 1 if d == i else 0, i if fringe else d]
                _combine(side[0, j, i], side_way[0, j, i], arc[j, d], side[0, d, i], plus, d)


@kernel
def _k_best(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    heads: Ints,
    scores: Floats,
) -> None:
    """Fill heads [k, n] and scores [k], best first; a score of -inf has no tree."""
    n = classes.shape[0]
    k = scores.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    fringe = parameters.fringe[0]
    side = np.full((2, n, n, k), -np.inf)
    side_way = np.zeros((2, n, n, k, 3), np.int32)
    arc = np.full((n, n, k), -np.inf)
    arc_way = np.zeros((n, n, k, 3), np.int32)
    _fill(s, n, fringe, parameters.attach.shape[2] - 1, constraint, side, side_way, arc, arc_way)
    scores[:] = -np.inf
    ways = np.zeros((k, 3), np.int32)
    for r in range(n):
        plus = s.root[r]
        plus += s.stop[0, 1 if r == 0 else 0, 0 if fringe else r]
        plus += s.stop[1, 1 if r == n - 1 else 0, n - 1 if fringe else r]
        _combine(scores, ways, side[0, r, 0], side[1, r, n - 1], plus, r)
    agenda = np.empty((4 * n + 8, 4), np.int32)
    for rank in range(k):
        if scores[rank] == -np.inf:
            break
        r = ways[rank, 0]
        heads[rank, r] = -1
        agenda[0, 0], agenda[0, 1], agenda[0, 2], agenda[0, 3] = 0, r, 0, ways[rank, 1]
        agenda[1, 0], agenda[1, 1], agenda[1, 2], agenda[1, 3] = 1, r, n - 1, ways[rank, 2]
        size = 2
        while size > 0:
            size -= 1
            kind, h, e, at = agenda[size, 0], agenda[size, 1], agenda[size, 2], agenda[size, 3]
            if kind < 2:
                if h == e:
                    continue
                way = side_way[kind, h, e, at]
                d = way[0]
                heads[rank, d] = h
                agenda[size, 0], agenda[size, 1] = kind, d
                agenda[size, 2], agenda[size, 3] = e, way[2]
                size += 1
                agenda[size, 0], agenda[size, 1] = 2, h
                agenda[size, 2], agenda[size, 3] = d, way[1]
                size += 1
            else:
                way = arc_way[h, e, at]
                out = 1 if e > h else 0
                agenda[size, 0], agenda[size, 1] = out, h
                agenda[size, 2], agenda[size, 3] = way[0], way[1]
                size += 1
                agenda[size, 0], agenda[size, 1] = 1 - out, e
                agenda[size, 2], agenda[size, 3] = way[0] + (1 if out else -1), way[2]
                size += 1
