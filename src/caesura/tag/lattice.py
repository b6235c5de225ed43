"""Inference over a pruned lattice: a few candidate labels a word, chains of first or second order.

Forward-backward and Viterbi (Lafferty, McCallum & Pereira 2001) run over pairs of neighbouring
candidates, so that a second-order transition sees two labels of history. Pruning keeps the labels
whose score is within a margin of the word's best (as MarMoT does, Müller, Schmid & Schütze 2013).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = [
    "Lattice",
    "Transitions",
    "backward",
    "empty_transitions",
    "forward",
    "highest",
    "lattice_of",
    "select",
    "transition",
    "transition_slot",
    "viterbi",
]

_MIX1 = np.int64(0x9E3779B1)
_MIX2 = np.int64(0x85EBCA77)
#: Up to this many labels, every label trigram has a weight of its own; beyond, they are hashed.
DENSE_TRIGRAMS = 128


class Transitions(NamedTuple):
    """Weights of label bigrams and trigrams; label `classes` stands before the first word."""

    classes: int
    order: int
    pairs: NDArray[np.float32]
    triples: NDArray[np.float32]


class Lattice(NamedTuple):
    """Room for one chain: candidates, their scores, and the tables of inference."""

    size: NDArray[np.int32]
    label: NDArray[np.int32]
    score: NDArray[np.float64]
    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]
    back: NDArray[np.int8]


def empty_transitions(classes: int, order: int) -> Transitions:
    if order == 1:
        size = 0
    elif classes <= DENSE_TRIGRAMS:
        size = (classes + 1) ** 3
    else:
        size = 1 << 21
    pairs = np.zeros((classes + 1, classes), np.float32)
    return Transitions(classes, order, pairs, np.zeros(size, np.float32))


def lattice_of(length: int, width: int) -> Lattice:
    """Room for chains up to a length with up to `width` candidates a word."""
    return Lattice(
        np.zeros(length, np.int32),
        np.zeros((length, width), np.int32),
        np.zeros((length, width)),
        np.zeros((length, width, width)),
        np.zeros((length, width, width)),
        np.zeros((length, width, width), np.int8),
    )


@kernel(inline="always")
def transition_slot(move: Transitions, before: int, last: int, label: int) -> int:
    """Where the weight of a label trigram lies."""
    size = move.triples.shape[0]
    n = move.classes + 1
    if n * n * n <= size:
        return (before * n + last) * n + label
    mixed = (np.int64(before) * _MIX1 + last) * _MIX2 + label
    mixed ^= mixed >> np.int64(17)
    return int(mixed & np.int64(size - 1))


@kernel(inline="always")
def transition(move: Transitions, before: int, last: int, label: int) -> float:
    """The weight of a label after two others; `before` -1 stands for an unknown past."""
    if last < 0:
        return 0.0
    weight = move.pairs[last, label]
    if move.order == 2 and before >= 0:
        weight += move.triples[transition_slot(move, before, last, label)]
    return weight


@kernel(fastmath={"nnan", "nsz"})
def highest(scores: NDArray[np.float32]) -> np.float32:
    """The largest score; the flags let it run in vectors, and a maximum has no rounding."""
    best = scores[0]
    for y in range(1, scores.shape[0]):
        best = max(best, scores[y])
    return best


@kernel(counted=False)
def select(
    scores: NDArray[np.float32],
    margin: float,
    must: int,
    label: NDArray[np.int32],
    score: NDArray[np.float64],
) -> int:
    """Keep the candidates within the margin of the best, at most as many as there is room for.

    Ties go to the lower label. `must` is a label that is kept in any case, or -1.
    """
    width = label.shape[0]
    floor = highest(scores) - np.float32(margin)
    kept = 0
    for y in range(scores.shape[0]):
        value = scores[y]
        if value < floor:
            continue
        if kept < width:
            at = kept
            kept += 1
        elif value > score[width - 1]:
            at = width - 1
        else:
            continue
        while at > 0 and score[at - 1] < value:
            label[at] = label[at - 1]
            score[at] = score[at - 1]
            at -= 1
        label[at] = y
        score[at] = value
    if must >= 0:
        for k in range(kept):
            if label[k] == must:
                return kept
        if kept < width:
            kept += 1
        label[kept - 1] = must
        score[kept - 1] = scores[must]
    return kept


@kernel
def forward(lat: Lattice, n: int, move: Transitions, start: int) -> float:
    """Fill alpha; the log partition sum. `start`: the label before the first word, or -1.

    alpha[i, a, b] is the log sum over all prefixes that end with candidate a at i-1 and b at i;
    at the first word a is 0.
    """
    for b in range(lat.size[0]):
        lat.alpha[0, 0, b] = lat.score[0, b] + transition(move, start, start, lat.label[0, b])
    for i in range(1, n):
        before = lat.size[i - 2] if i > 1 else 1
        for a in range(lat.size[i - 1]):
            last = lat.label[i - 1, a]
            for b in range(lat.size[i]):
                label = lat.label[i, b]
                top = -np.inf
                for z in range(before):
                    past = lat.label[i - 2, z] if i > 1 else start
                    value = lat.alpha[i - 1, z, a] + transition(move, past, last, label)
                    lat.beta[i, 0, z] = value
                    if value > top:
                        top = value
                total = 0.0
                for z in range(before):
                    total += np.exp(lat.beta[i, 0, z] - top)
                lat.alpha[i, a, b] = top + np.log(total) + lat.score[i, b]
    top = -np.inf
    before = lat.size[n - 2] if n > 1 else 1
    for a in range(before):
        for b in range(lat.size[n - 1]):
            top = max(top, lat.alpha[n - 1, a, b])
    total = 0.0
    for a in range(before):
        for b in range(lat.size[n - 1]):
            total += np.exp(lat.alpha[n - 1, a, b] - top)
    return top + np.log(total)


@kernel
def backward(lat: Lattice, n: int, move: Transitions, start: int) -> None:
    """Fill beta: the log sum over all that follows candidates a at i-1 and b at i."""
    before = lat.size[n - 2] if n > 1 else 1
    for a in range(before):
        for b in range(lat.size[n - 1]):
            lat.beta[n - 1, a, b] = 0.0
    for i in range(n - 2, -1, -1):
        before = lat.size[i - 1] if i > 0 else 1
        for a in range(before):
            past = lat.label[i - 1, a] if i > 0 else start
            for b in range(lat.size[i]):
                last = lat.label[i, b]
                top = -np.inf
                for c in range(lat.size[i + 1]):
                    value = (
                        lat.beta[i + 1, b, c]
                        + lat.score[i + 1, c]
                        + transition(move, past, last, lat.label[i + 1, c])
                    )
                    if value > top:
                        top = value
                total = 0.0
                for c in range(lat.size[i + 1]):
                    total += np.exp(
                        lat.beta[i + 1, b, c]
                        + lat.score[i + 1, c]
                        + transition(move, past, last, lat.label[i + 1, c])
                        - top
                    )
                lat.beta[i, a, b] = top + np.log(total)


@kernel
def viterbi(lat: Lattice, n: int, move: Transitions, start: int, path: NDArray[np.int32]) -> float:
    """The best labels of a chain, by max-product; ties go to the candidate that comes first."""
    for b in range(lat.size[0]):
        lat.alpha[0, 0, b] = lat.score[0, b] + transition(move, start, start, lat.label[0, b])
    for i in range(1, n):
        before = lat.size[i - 2] if i > 1 else 1
        for a in range(lat.size[i - 1]):
            last = lat.label[i - 1, a]
            for b in range(lat.size[i]):
                label = lat.label[i, b]
                top = -np.inf
                choice = 0
                for z in range(before):
                    past = lat.label[i - 2, z] if i > 1 else start
                    value = lat.alpha[i - 1, z, a] + transition(move, past, last, label)
                    if value > top:
                        top = value
                        choice = z
                lat.alpha[i, a, b] = top + lat.score[i, b]
                lat.back[i, a, b] = choice
    top = -np.inf
    best_a = 0
    best_b = 0
    for a in range(lat.size[n - 2] if n > 1 else 1):
        for b in range(lat.size[n - 1]):
            if lat.alpha[n - 1, a, b] > top:
                top = lat.alpha[n - 1, a, b]
                best_a = a
                best_b = b
    for i in range(n - 1, 0, -1):
        path[i] = lat.label[i, best_b]
        choice = lat.back[i, best_a, best_b]
        best_b = best_a
        best_a = choice
    path[0] = lat.label[0, best_b]
    return top
