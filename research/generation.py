"""Sentences drawn from a grammar, word by word: the generative story told forwards."""

from __future__ import annotations

import numpy as np

from caesura.induce.backtrace import mixed, seed_of, splitmix
from caesura.induce.parameters import Bytes, Floats, Ints, Parameters
from caesura.jit import kernel

__all__ = ["draw_sentence"]


@kernel
def _choose(row: Floats, state: np.uint64) -> int:
    left = mixed(state) * row.sum()
    chosen = 0
    for k in range(row.shape[0]):
        if row[k] > 0.0:
            chosen = k
            left -= row[k]
            if left < 0.0:
                break
    return chosen


@kernel
def draw_sentence(
    parameters: Parameters,
    comp: int,
    seed: int,
    index: int,
    limit: int,
    classes: Ints,
    parents: Ints,
    order: Ints,
    side: Bytes,
) -> int:
    """Words of one sentence, top down: class, parent and side of each, in order of creation.

    Every word carries both its sides to the end before the next one begins, except that a fringe
    class needs its dependents finished: the agenda is therefore a stack of open words, and a word
    stays open on a side until its draw says stop. Returns the number of words, or -1 if the limit
    was reached. `order` gets the rank of each word in the sentence.
    """
    state = seed_of(seed, index)
    fringe = parameters.fringe[0]
    rc = min(comp, parameters.root.shape[0] - 1)
    sc = min(comp, parameters.stop.shape[0] - 1)
    adjacents = parameters.attach.shape[2]
    state = splitmix(state)
    classes[0] = _choose(parameters.root[rc], state)
    parents[0] = -1
    size = 1
    # per open word: [word, side, fringe class, has a dependent on this side]
    stack = np.empty((2 * limit + 4, 4), np.int32)
    edge = np.empty((limit + 1, 2), np.int32)
    edge[0, 0] = edge[0, 1] = classes[0]
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, classes[0], 0
    depth = 1
    while depth > 0:
        top = depth - 1
        w, d, e, busy = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        adjacent = 1 - busy
        at = e if fringe else classes[w]
        state = splitmix(state)
        if mixed(state) < parameters.stop[sc, d, adjacent, at]:
            edge[w, d] = e
            if d == 0:
                stack[top, 0], stack[top, 1] = w, 1
                stack[top, 2], stack[top, 3] = classes[w], 0
                continue
            depth -= 1
            if depth > 0:
                # the parent's fringe moves out to the far edge of the finished word
                stack[depth - 1, 2] = edge[w, stack[depth - 1, 1]]
            continue
        if size == limit:
            return -1
        state = splitmix(state)
        row = parameters.attach[d, 0, min(adjacent, adjacents - 1), classes[w]]
        classes[size] = _choose(row, state)
        parents[size] = w
        side[size] = d
        stack[top, 3] = 1
        stack[depth, 0], stack[depth, 1] = size, 0
        stack[depth, 2], stack[depth, 3] = classes[size], 0
        depth += 1
        size += 1
    _arrange(parents, side, size, order)
    return size


@kernel
def _arrange(parents: Ints, side: Bytes, size: int, order: Ints) -> None:
    """Ranks in the sentence: left dependents inside out before the word, right ones after it."""
    stack = np.empty((2 * size + 2, 2), np.int32)
    stack[0, 0], stack[0, 1] = 0, 0
    depth = 1
    rank = 0
    while depth > 0:
        depth -= 1
        w, seen = stack[depth, 0], stack[depth, 1]
        if seen:
            order[w] = rank
            rank += 1
            continue
        # pushed in reverse: right dependents outside in, the word, left dependents inside out
        for d in range(size - 1, w, -1):
            if parents[d] == w and side[d] == 1:
                stack[depth, 0], stack[depth, 1] = d, 0
                depth += 1
        stack[depth, 0], stack[depth, 1] = w, 1
        depth += 1
        for d in range(w + 1, size):
            if parents[d] == w and side[d] == 0:
                stack[depth, 0], stack[depth, 1] = d, 0
                depth += 1
