"""A hidden Markov model over word classes: what class a word has depends on its neighbours.

Clustering gives every word one class, and `that` or `work` have several. Here the classes are the
states of a model whose first guess is a clustering, and expectation maximisation (Baum 1972) lets
words share them; the best row of states is Viterbi's. After Spitkovsky, Alshawi, Chang & Jurafsky
(2011, "Unsupervised dependency parsing without gold part-of-speech tags").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["Hidden", "best_states", "fit"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: The share of a word's counts that is spread over all the states it may have at first.
SPREAD = 0.05
#: What is added to the counts of symbols in states, and to those of starts and moves.
EMITTED = 0.01
MOVED = 0.1


class Hidden(NamedTuple):
    """Probabilities of the first state, of the next one [state, next], and of symbols."""

    start: Floats
    move: Floats
    #: [symbol, state]
    emit: Floats


def fit(
    symbols: Ints, starts: Longs, first: Ints, allowed: NDArray[np.bool_], iterations: int
) -> Hidden:
    """The model of a text after so many iterations.

    The text is a row of symbols, and the places where sentences start, with its length at the end.
    `first` is the state of each symbol in the first guess; `allowed` says by symbol which states
    it may have.
    """
    number, states = allowed.shape
    often = np.bincount(symbols, minlength=number).astype(np.float64)
    emitted = SPREAD * allowed / allowed.sum(axis=1, keepdims=True)
    emitted[np.arange(number), first] += 1.0 - SPREAD
    emitted *= often[:, None]
    hard = first[symbols]
    follows = np.ones(len(symbols), dtype=bool)
    opening = starts[:-1][np.diff(starts) > 0]
    follows[opening] = False
    moved = np.zeros((states, states))
    np.add.at(moved, (hard[:-1][follows[1:]], hard[1:][follows[1:]]), 1.0)
    moved = (1.0 - SPREAD) * moved + SPREAD * moved.sum(axis=1, keepdims=True) / states
    started = np.bincount(hard[opening], minlength=states).astype(np.float64)
    model = _normalised(started, moved, emitted, allowed)
    for _ in range(iterations):
        started, moved, emitted = (
            np.zeros(states),
            np.zeros((states, states)),
            np.zeros_like(emitted),
        )
        _expect(symbols, starts, *model, started, moved, emitted)
        model = _normalised(started, moved, emitted, allowed)
    return model


def best_states(symbols: Ints, starts: Longs, model: Hidden) -> Ints:
    """The most probable row of states of each sentence."""
    found = np.zeros(len(symbols), dtype=np.int32)
    with np.errstate(divide="ignore"):
        start, move, emit = (np.log(table) for table in model)
    _best(symbols, starts, start, move, emit, found)
    return found


def _normalised(
    started: Floats, moved: Floats, emitted: Floats, allowed: NDArray[np.bool_]
) -> Hidden:
    started = started + MOVED
    moved = moved + MOVED
    emitted = (emitted + EMITTED) * allowed
    return Hidden(
        started / started.sum(),
        moved / moved.sum(axis=1, keepdims=True),
        emitted / np.maximum(emitted.sum(axis=0, keepdims=True), 1e-300),
    )


@kernel
def _expect(
    symbols: Ints,
    starts: Longs,
    start: Floats,
    move: Floats,
    emit: Floats,
    started: Floats,
    moved: Floats,
    emitted: Floats,
) -> float:
    """Add the expected counts of starts, moves and symbols; returns the log-likelihood."""
    states = start.shape[0]
    longest = 1
    for k in range(starts.shape[0] - 1):
        longest = max(longest, starts[k + 1] - starts[k])
    forth = np.zeros((longest, states))
    back = np.ones((longest, states))
    scale = np.zeros(longest)
    row = np.zeros(states)
    total = 0.0
    for k in range(starts.shape[0] - 1):
        at, size = starts[k], starts[k + 1] - starts[k]
        for t in range(size):
            if t == 0:
                row[:] = start
            else:
                row[:] = 0.0
                for before in range(states):
                    if forth[t - 1, before] > 0.0:
                        for state in range(states):
                            row[state] += forth[t - 1, before] * move[before, state]
            scale[t] = 0.0
            for state in range(states):
                row[state] *= emit[symbols[at + t], state]
                scale[t] += row[state]
            scale[t] = max(scale[t], 1e-300)
            for state in range(states):
                forth[t, state] = row[state] / scale[t]
            total += np.log(scale[t])
        if size > 0:
            back[size - 1] = 1.0
        for t in range(size - 1, -1, -1):
            for state in range(states):
                emitted[symbols[at + t], state] += forth[t, state] * back[t, state]
            if t == 0:
                for state in range(states):
                    started[state] += forth[0, state] * back[0, state]
                continue
            for state in range(states):
                row[state] = back[t, state] * emit[symbols[at + t], state] / scale[t]
            for before in range(states):
                weight = forth[t - 1, before]
                summed = 0.0
                if weight > 0.0:
                    for state in range(states):
                        part = move[before, state] * row[state]
                        summed += part
                        moved[before, state] += weight * part
                back[t - 1, before] = summed
    return total


@kernel
def _best(
    symbols: Ints, starts: Longs, start: Floats, move: Floats, emit: Floats, found: Ints
) -> None:
    """Viterbi over logarithms; of equals the first state."""
    states = start.shape[0]
    longest = 1
    for k in range(starts.shape[0] - 1):
        longest = max(longest, starts[k + 1] - starts[k])
    score = np.zeros((longest, states))
    came = np.zeros((longest, states), np.int32)
    for k in range(starts.shape[0] - 1):
        at, size = starts[k], starts[k + 1] - starts[k]
        if size == 0:
            continue
        for state in range(states):
            score[0, state] = start[state] + emit[symbols[at], state]
        for t in range(1, size):
            for state in range(states):
                best, best_from = -np.inf, 0
                for before in range(states):
                    value = score[t - 1, before] + move[before, state]
                    if value > best:
                        best, best_from = value, before
                score[t, state] = best + emit[symbols[at + t], state]
                came[t, state] = best_from
        last = 0
        for state in range(states):
            if score[size - 1, state] > score[size - 1, last]:
                last = state
        for t in range(size - 1, -1, -1):
            found[at + t] = last
            last = came[t, last]
