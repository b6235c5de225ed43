"""Best trees of sentences, by a grammar or by the posteriors of arcs. Compiled code only."""

from __future__ import annotations

import numpy as np

from caesura.induce.backtrace import descend, seed_of
from caesura.induce.chart import new_charts, viterbi
from caesura.induce.factors import bounds, look_up, new_factors
from caesura.induce.parameters import Bytes, Floats, Ints, Longs, Parameters
from caesura.jit import kernel


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
        scores[index] = viterbi(s, c, n, fringe, adjacent, used)
        if scores[index] == -np.inf and constraint != 0:
            fell[index] = 1
            used = 0
            scores[index] = viterbi(s, c, n, fringe, adjacent, used)
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
    score = viterbi(s, c, n, 0, 0, constraint)
    agenda = np.empty((4 * n + 8, 3), np.int32)
    descend(s, c, n, 0, constraint, 0, np.uint64(0), heads, agenda, np.empty(n + 1))
    return score
