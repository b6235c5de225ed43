"""Prediction kernels of the chain: scores from cached type vectors, Viterbi that emits online.

All features of one place are summed once for each word type; a token adds a few such vectors and
looks up its mixed features. Viterbi keeps a bounded stretch of the chain: where all surviving
paths go through one pair of labels, everything before it is settled and is emitted.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.borrow import borrowed
from caesura.learn.index import Index
from caesura.learn.sparse import add_rows_of
from caesura.models.packing import SparseRows
from caesura.tag.features import mixed_hash
from caesura.tag.lattice import Lattice, Transitions, backward, forward, highest, select, transition

__all__ = ["AllowedLabels", "Scorer", "decode", "marginals", "push", "type_vectors"]

#: A plain 0 would be compiled for itself.
_EMPTY = cast(int, np.int64(0))
_NEVER = np.float32(-1e30)
#: In a chain longer than the room, marginals are taken this far from the ends of a window.
_OVERLAP = 64


class Scorer(NamedTuple):
    """What gives features their scores."""

    features: Index
    rows: SparseRows
    spot: NDArray[np.int32]
    places: NDArray[np.int32]
    bounds: NDArray[np.int32]
    mixed: NDArray[np.int32]
    margin: float
    clear: float


class AllowedLabels(NamedTuple):
    """The group of labels that a word is restricted to (-1: none), and the groups."""

    group: NDArray[np.int32]
    allowed: NDArray[np.bool_]


@kernel
def type_vectors(
    scorer: Scorer, hashes: NDArray[np.uint64], first: int, vectors: NDArray[np.float32]
) -> None:
    """Sum the spot features of each type by place, from their hashes."""
    found = np.zeros(hashes.shape[1], np.int64)
    for t in range(hashes.shape[0]):
        for p in range(scorer.places.shape[0]):
            scores = vectors[first + t, p]
            for y in range(scores.shape[0]):
                scores[y] = 0.0
            low, high = scorer.bounds[p], scorer.bounds[p + 1]
            add_rows_of(scorer.features, scorer.rows, hashes[t], low, high, found, scores)


@kernel(counted=False)
def _settled(scores: NDArray[np.float32], clear: float) -> bool:
    """Whether one label is so far ahead that no mixed feature could matter."""
    floor = highest(scores) - np.float32(clear)
    near = 0
    for y in range(scores.shape[0]):
        near += scores[y] >= floor
    return near == 1


@kernel(counted=False)
def _score(
    scorer: Scorer,
    attributes: NDArray[np.uint64],
    vectors: NDArray[np.float32],
    types: NDArray[np.int32],
    i: int,
    begin: int,
    end: int,
    limits: AllowedLabels,
    scores: NDArray[np.float32],
    hashes: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> None:
    """The score of every label at word i of a window.

    `hashes` and `found` are room for the mixed features and their rows.
    """
    n = scores.shape[0]
    for y in range(n):
        scores[y] = 0.0
    for p in range(scorer.places.shape[0]):
        at = i + scorer.places[p]
        vector = vectors[types[at] if begin <= at < end else 0, p]
        for y in range(n):
            scores[y] += vector[y]
    if limits.group.shape[0] > 0 and limits.group[i] >= 0:
        allowed = limits.allowed[limits.group[i]]
        for y in range(n):
            if not allowed[y]:
                scores[y] = _NEVER
    if _settled(scores, scorer.clear):
        return
    n_mixed = scorer.mixed.shape[0]
    for m in range(n_mixed):
        hashes[m] = mixed_hash(attributes, types, i, begin, end, scorer.mixed[m])
    add_rows_of(scorer.features, scorer.rows, hashes, 0, n_mixed, found, scores)


@kernel(counted=False)
def _extend(lat: Lattice, i: int, move: Transitions, start: int) -> None:
    """One more word of Viterbi; `i` counts within the lattice."""
    if i == 0:
        for b in range(lat.size[0]):
            lat.alpha[0, 0, b] = lat.score[0, b] + transition(move, start, start, lat.label[0, b])
        return
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


@kernel(counted=False)
def _trace(lat: Lattice, last: int, a: int, b: int, path: NDArray[np.int32], emitted: int) -> None:
    """Write the labels of the path that ends with candidates a, b at `last`."""
    for i in range(last, 0, -1):
        path[emitted + i] = lat.label[i, b]
        choice = lat.back[i, a, b]
        b = a
        a = choice
    path[emitted] = lat.label[0, b]


@kernel(counted=False)
def _best_pair(lat: Lattice, n: int) -> tuple[int, int]:
    top = -np.inf
    best_a = 0
    best_b = 0
    for a in range(lat.size[n - 2] if n > 1 else 1):
        for b in range(lat.size[n - 1]):
            if lat.alpha[n - 1, a, b] > top:
                top = lat.alpha[n - 1, a, b]
                best_a = a
                best_b = b
    return best_a, best_b


@kernel
def _settle(lat: Lattice, n: int, path: NDArray[np.int32], emitted: int) -> int:
    """Emit what all surviving paths agree on and move the rest to the front; the new size.

    Where a full lattice holds no agreement, the first half of the best path is emitted.
    """
    width = lat.label.shape[1]
    alive = np.zeros((width, width), np.bool_)
    older = np.zeros((width, width), np.bool_)
    for a in range(lat.size[n - 2]):
        for b in range(lat.size[n - 1]):
            alive[a, b] = True
    settled = 0
    for i in range(n - 1, 1, -1):
        for a in range(width):
            for b in range(width):
                older[a, b] = False
        pairs = 0
        for a in range(lat.size[i - 1]):
            for b in range(lat.size[i]):
                if alive[a, b]:
                    z = lat.back[i, a, b]
                    if not older[z, a]:
                        older[z, a] = True
                        pairs += 1
        alive, older = older, alive
        if pairs == 1:
            for z in range(width):
                for a in range(width):
                    if alive[z, a]:
                        _trace(lat, i - 1, z, a, path, emitted)
            settled = i
            break
    if settled == 0:
        if n < lat.label.shape[0]:
            return n
        best_a, best_b = _best_pair(lat, n)
        _trace(lat, n - 1, best_a, best_b, path, emitted)
        settled = n // 2
    settled = min(settled, n - 2)
    for i in range(settled, n):
        j = i - settled
        lat.size[j] = lat.size[i]
        for a in range(width):
            lat.label[j, a] = lat.label[i, a]
            for b in range(width):
                lat.alpha[j, a, b] = lat.alpha[i, a, b]
                lat.back[j, a, b] = lat.back[i, a, b]
    return n - settled


@kernel
def push(
    scorer: Scorer,
    move: Transitions,
    attributes: NDArray[np.uint64],
    vectors: NDArray[np.float32],
    types: NDArray[np.int32],
    first: int,
    last: int,
    begin: int,
    end: int,
    limits: AllowedLabels,
    lat: Lattice,
    size: int,
    path: NDArray[np.int32],
    emitted: int,
    close: bool,
) -> int:
    """Take words first..last-1 of a window into the chain; the new size of the lattice.

    `size` words of the chain are in the lattice, `emitted` labels of it are in `path` already;
    `close` ends the chain, which emits the rest.
    """
    scorer, move, lat, limits = borrowed(scorer), borrowed(move), borrowed(lat), borrowed(limits)
    scores = np.zeros(vectors.shape[2], np.float32)
    hashes = np.zeros(scorer.mixed.shape[0], np.uint64)
    found = np.zeros(scorer.mixed.shape[0], np.int64)
    for i in range(first, last):
        if size == lat.label.shape[0]:
            rest = _settle(lat, size, path, emitted)
            emitted += size - rest
            size = rest
        _score(scorer, attributes, vectors, types, i, begin, end, limits, scores, hashes, found)
        lat.size[size] = select(scores, scorer.margin, -1, lat.label[size], lat.score[size])
        _extend(lat, size, move, move.classes)
        size += 1
    if close and size > 0:
        a, b = _best_pair(lat, size)
        _trace(lat, size - 1, a, b, path, emitted)
        size = 0
    elif size > 2:
        size = _settle(lat, size, path, emitted)
    return size


@kernel
def decode(
    scorer: Scorer,
    move: Transitions,
    attributes: NDArray[np.uint64],
    vectors: NDArray[np.float32],
    types: NDArray[np.int32],
    begins: NDArray[np.int64],
    limits: AllowedLabels,
    lat: Lattice,
    path: NDArray[np.int32],
) -> None:
    """The best labels of each chain begins[c]..begins[c + 1] - 1."""
    for c in range(begins.shape[0] - 1):
        begin, end = begins[c], begins[c + 1]
        if begin < end:
            push(
                scorer, move, attributes, vectors, types, begin, end, begin, end, limits,
                lat, _EMPTY, path, begin, True,
            )  # fmt: skip


@kernel
def marginals(
    scorer: Scorer,
    move: Transitions,
    attributes: NDArray[np.uint64],
    vectors: NDArray[np.float32],
    types: NDArray[np.int32],
    begins: NDArray[np.int64],
    limits: AllowedLabels,
    lat: Lattice,
    labels: NDArray[np.int32],
    masses: NDArray[np.float32],
) -> None:
    """The labels of each word with their posterior probabilities, the likeliest first."""
    room = lat.label.shape[0]
    scores = np.zeros(vectors.shape[2], np.float32)
    hashes = np.zeros(scorer.mixed.shape[0], np.uint64)
    found = np.zeros(scorer.mixed.shape[0], np.int64)
    for c in range(begins.shape[0] - 1):
        begin, end = begins[c], begins[c + 1]
        first = begin
        while first < end:  # windows are longer than what two of them share, or the only one
            last = min(first + room, end)
            n = last - first
            for k in range(n):
                _score(
                    scorer,
                    attributes,
                    vectors,
                    types,
                    first + k,
                    begin,
                    end,
                    limits,
                    scores,
                    hashes,
                    found,
                )
                lat.size[k] = select(scores, scorer.margin, -1, lat.label[k], lat.score[k])
            start = move.classes if first == begin else -1
            log_z = forward(lat, n, move, start)
            backward(lat, n, move, start)
            low = 0 if first == begin else _OVERLAP
            high = n if last == end else n - _OVERLAP
            for k in range(low, high):
                _rank(lat, k, log_z, labels[first + k], masses[first + k])
            if last == end:
                break
            first = last - 2 * _OVERLAP


@kernel
def _rank(
    lat: Lattice, k: int, log_z: float, labels: NDArray[np.int32], masses: NDArray[np.float32]
) -> None:
    """Write the likeliest labels of word k, in falling order."""
    kept = 0
    for b in range(lat.size[k]):
        mass = 0.0
        for a in range(lat.size[k - 1] if k > 0 else 1):
            mass += np.exp(lat.alpha[k, a, b] + lat.beta[k, a, b] - log_z)
        if kept < labels.shape[0]:
            at = kept
            kept += 1
        elif mass > masses[kept - 1]:
            at = kept - 1
        else:
            continue
        while at > 0 and masses[at - 1] < mass:
            masses[at] = masses[at - 1]
            labels[at] = labels[at - 1]
            at -= 1
        masses[at] = mass
        labels[at] = lat.label[k, b]
    for at in range(kept, labels.shape[0]):
        labels[at] = -1
        masses[at] = 0.0
