"""Trees drawn by their probability. Compiled code only."""

from __future__ import annotations

import numpy as np

from caesura.induce.backtrace import descend, seed_of
from caesura.induce.chart import new_charts, weigh
from caesura.induce.factors import look_up, new_factors
from caesura.induce.parameters import Bytes, Ints, Longs, Parameters
from caesura.jit import kernel


@kernel
def draw_trees(
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
    fell: Bytes,
) -> None:
    """One tree for each sentence, with the probability that the parameters give it."""
    s = new_factors(longest)
    c = new_charts(longest)
    agenda = np.empty((4 * longest + 8, 3), np.int32)
    values = np.empty(longest + 1)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    for index in range(low, high):
        a, b = starts[index], starts[index + 1]
        n = b - a
        if n == 0:
            continue
        look_up(s, parameters, classes[a:b], marks[a:b], fragments[a:b], int(comps[index]))
        used = constraint
        total, _ = weigh(s, c, n, fringe, adjacent, used)
        if total == 0.0 and constraint != 0:
            fell[index] = 1
            used = 0
            look_up(s, parameters, classes[a:b], marks[a:b], fragments[a:b], int(comps[index]))
            weigh(s, c, n, fringe, adjacent, used)
        descend(s, c, n, adjacent, used, 2, seed_of(seed, index), heads[a:b], agenda, values)
