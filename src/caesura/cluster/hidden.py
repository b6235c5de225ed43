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

from caesura import _core

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
        _core.expect_states(symbols, starts, *model, started, moved, emitted)
        model = _normalised(started, moved, emitted, allowed)
    return model


def best_states(symbols: Ints, starts: Longs, model: Hidden) -> Ints:
    """The most probable row of states of each sentence."""
    with np.errstate(divide="ignore"):
        start, move, emit = (np.log(table) for table in model)
    return _core.best_states(symbols, starts, start, move, emit)


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
