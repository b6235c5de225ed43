"""Training kernels of the chain: an epoch of AdaGrad on the likelihood, or of the perceptron.

The gradient of a feature is its observed minus its expected count (Sutton & McCallum 2012,
section 5). Only candidates that survive pruning have an expectation, so an update touches few
columns of a row. Averaging is lazy: `total` collects tick times step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.updates import adagrad, add
from caesura.tag.features import FeatureRows
from caesura.tag.lattice import (
    Lattice,
    Transitions,
    backward,
    forward,
    select,
    transition,
    transition_slot,
    viterbi,
)

__all__ = ["ChainWeights", "Step", "crf_epoch", "emit", "perceptron_epoch"]

#: Smaller slopes change nothing that matters; e^-9 is about as small.
_TINY = 1e-4
_FAINT = -9.0


class ChainWeights(NamedTuple):
    """Weights, sums of squared gradients (AdaGrad) and averaging totals of features and moves."""

    weight: NDArray[np.float32]
    square: NDArray[np.float32]
    total: NDArray[np.float32]
    move: Transitions
    move_square: Transitions
    move_total: Transitions


class Step(NamedTuple):
    """How to step: learning rate, AdaGrad's offset, L2 strength, pruning margin."""

    rate: float
    offset: float
    l2: float
    margin: float


class Slopes(NamedTuple):
    """Gradients of label trigrams, collected over one chain."""

    past: NDArray[np.int32]
    last: NDArray[np.int32]
    label: NDArray[np.int32]
    value: NDArray[np.float64]


@kernel
def emit(
    weight: NDArray[np.float32], rows: FeatureRows, i: int, scores: NDArray[np.float32]
) -> None:
    """The score of every label at word i, features only."""
    scores[:] = 0.0
    for p in range(rows.around.shape[1]):
        word = rows.around[i, p]
        for s in range(rows.bounds[p], rows.bounds[p + 1]):
            row = rows.spot[word, s]
            if row >= 0:
                for y in range(scores.shape[0]):
                    scores[y] += weight[row, y]
    for m in range(rows.mixed.shape[1]):
        row = rows.mixed[i, m]
        if row >= 0:
            for y in range(scores.shape[0]):
                scores[y] += weight[row, y]


@kernel(inline="always")
def _climb(
    weight: NDArray[np.float32],
    square: NDArray[np.float32],
    total: NDArray[np.float32],
    at: Any,
    slope: float,
    step: Step,
    tick: float,
) -> None:
    """One step uphill on one weight; L2 pulls a weight back whenever it is touched."""
    slope -= step.l2 * weight[at]
    add(weight, total, at, adagrad(square, at, slope, slope * slope, step.rate, step.offset), tick)


@kernel
def _nudge_word(
    weights: ChainWeights,
    rows: FeatureRows,
    i: int,
    label: int,
    slope: float,
    step: Step,
    tick: float,
) -> None:
    weight, square, total = weights.weight, weights.square, weights.total
    for p in range(rows.around.shape[1]):
        word = rows.around[i, p]
        for s in range(rows.bounds[p], rows.bounds[p + 1]):
            row = rows.spot[word, s]
            if row >= 0:
                _climb(weight, square, total, (row, label), slope, step, tick)
    for m in range(rows.mixed.shape[1]):
        row = rows.mixed[i, m]
        if row >= 0:
            _climb(weight, square, total, (row, label), slope, step, tick)


@kernel
def _nudge_move(
    weights: ChainWeights, before: int, last: int, label: int, slope: float, step: Step, tick: float
) -> None:
    if last < 0:
        return
    move, square, total = weights.move, weights.move_square, weights.move_total
    _climb(move.pairs, square.pairs, total.pairs, (last, label), slope, step, tick)
    if move.order == 2 and before >= 0:
        at = transition_slot(move, before, last, label)
        _climb(move.triples, square.triples, total.triples, at, slope, step, tick)


@kernel
def _fill(
    weights: ChainWeights,
    rows: FeatureRows,
    gold: NDArray[np.int32],
    begin: int,
    end: int,
    margin: float,
    lat: Lattice,
    scores: NDArray[np.float32],
) -> None:
    for i in range(begin, end):
        emit(weights.weight, rows, i, scores)
        k = i - begin
        lat.size[k] = select(scores, margin, gold[i], lat.label[k], lat.score[k])


@kernel
def crf_epoch(
    weights: ChainWeights,
    rows: FeatureRows,
    gold: NDArray[np.int32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    starts: NDArray[np.int32],
    order: NDArray[np.int64],
    step: Step,
    ticks: int,
    lat: Lattice,
) -> float:
    """One pass over the chains in the given order; the negative log-likelihood before updates."""
    scores = np.zeros(weights.weight.shape[1], np.float32)
    length, width = lat.label.shape
    room = length * width**3
    slopes = Slopes(
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.float64),
    )
    loss = 0.0
    for turn in range(order.shape[0]):
        chain = order[turn]
        begin, end, start = begins[chain], ends[chain], starts[chain]
        n = end - begin
        tick = float(ticks + turn)
        _fill(weights, rows, gold, begin, end, step.margin, lat, scores)
        log_z = forward(lat, n, weights.move, start)
        backward(lat, n, weights.move, start)
        loss += log_z
        for k in range(n):
            i = begin + k
            befores = lat.size[k - 1] if k > 0 else 1
            for b in range(lat.size[k]):
                mass = 0.0
                for a in range(befores):
                    mass += np.exp(lat.alpha[k, a, b] + lat.beta[k, a, b] - log_z)
                slope = -mass
                if lat.label[k, b] == gold[i]:
                    slope += 1.0
                    loss -= lat.score[k, b]
                if abs(slope) > _TINY:
                    _nudge_word(weights, rows, i, lat.label[k, b], slope, step, tick)
        moves = 0
        for k in range(n):
            i = begin + k
            last_gold = gold[i - 1] if k > 0 else start
            past_gold = gold[i - 2] if k > 1 else start
            loss -= transition(weights.move, past_gold, last_gold, gold[i])
            moves = _move_slopes(
                weights.move, lat, k, start, past_gold, last_gold, gold[i], log_z, slopes, moves
            )
        # All slopes are known before the first weight of a move changes.
        for at in range(moves):
            past, last, label = slopes.past[at], slopes.last[at], slopes.label[at]
            _nudge_move(weights, past, last, label, slopes.value[at], step, tick)
    return loss


@kernel
def _move_slopes(
    move: Transitions,
    lat: Lattice,
    k: int,
    start: int,
    past_gold: int,
    last_gold: int,
    label_gold: int,
    log_z: float,
    slopes: Slopes,
    size: int,
) -> int:
    """Observed minus expected label trigrams that end at word k; the new number of slopes."""
    befores = lat.size[k - 2] if k > 1 else 1
    lasts = lat.size[k - 1] if k > 0 else 1
    for a in range(lasts):
        last = lat.label[k - 1, a] if k > 0 else start
        for b in range(lat.size[k]):
            label = lat.label[k, b]
            # alpha[k, a, b] is a sum over z; each z has its share of the pair's posterior.
            rest = lat.beta[k, a, b] - log_z + lat.score[k, b]
            pair = last == last_gold and label == label_gold
            if lat.alpha[k, a, b] + lat.beta[k, a, b] - log_z < _FAINT and not pair:
                continue
            for z in range(befores):
                past = lat.label[k - 2, z] if k > 1 else start
                value = rest + transition(move, past, last, label)
                if k > 0:
                    value += lat.alpha[k - 1, z, a]
                slope = -np.exp(value)
                if pair and past == past_gold:
                    slope += 1.0
                if abs(slope) > _TINY:
                    slopes.past[size] = past
                    slopes.last[size] = last
                    slopes.label[size] = label
                    slopes.value[size] = slope
                    size += 1
    return size


@kernel
def perceptron_epoch(
    weights: ChainWeights,
    rows: FeatureRows,
    gold: NDArray[np.int32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    starts: NDArray[np.int32],
    order: NDArray[np.int64],
    margin: float,
    ticks: int,
    lat: Lattice,
) -> float:
    """One pass of the averaged structured perceptron (Collins 2002); the number of wrong labels."""
    scores = np.zeros(weights.weight.shape[1], np.float32)
    path = np.zeros(lat.size.shape[0], np.int32)
    wrong = 0
    for turn in range(order.shape[0]):
        chain = order[turn]
        begin, end, start = begins[chain], ends[chain], starts[chain]
        n = end - begin
        tick = float(ticks + turn)
        _fill(weights, rows, gold, begin, end, margin, lat, scores)
        viterbi(lat, n, weights.move, start, path)
        for k in range(n):
            i = begin + k
            label = gold[i]
            last = gold[i - 1] if k > 0 else start
            past = gold[i - 2] if k > 1 else start
            guessed_last = path[k - 1] if k > 0 else start
            guessed_past = path[k - 2] if k > 1 else start
            if path[k] != label:
                wrong += 1
                _add_word(weights, rows, i, label, 1.0, tick)
                _add_word(weights, rows, i, path[k], -1.0, tick)
            if path[k] != label or last != guessed_last or past != guessed_past:
                _add_move(weights, past, last, label, 1.0, tick)
                _add_move(weights, guessed_past, guessed_last, path[k], -1.0, tick)
    return float(wrong)


@kernel
def _add_word(
    weights: ChainWeights, rows: FeatureRows, i: int, label: int, delta: float, tick: float
) -> None:
    for p in range(rows.around.shape[1]):
        word = rows.around[i, p]
        for s in range(rows.bounds[p], rows.bounds[p + 1]):
            row = rows.spot[word, s]
            if row >= 0:
                add(weights.weight, weights.total, (row, label), delta, tick)
    for m in range(rows.mixed.shape[1]):
        row = rows.mixed[i, m]
        if row >= 0:
            add(weights.weight, weights.total, (row, label), delta, tick)


@kernel
def _add_move(
    weights: ChainWeights, before: int, last: int, label: int, delta: float, tick: float
) -> None:
    if last < 0:
        return
    move, total = weights.move, weights.move_total
    add(move.pairs, total.pairs, (last, label), delta, tick)
    if weights.move.order == 2 and before >= 0:
        slot = transition_slot(weights.move, before, last, label)
        add(move.triples, total.triples, slot, delta, tick)
