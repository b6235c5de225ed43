"""What an arc model sees of an arc, its sums, and a pass of learning. Compiled code only.

A feature is a place in a table of weights, found by hashing: classes of both words and of their
neighbours, how far apart they are, marks and classes between them, and the words themselves.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.parameters import Floats, Ints, Longs
from caesura.jit import kernel
from caesura.learn.hashing import fold, mix

__all__ = ["learn_arcs", "score_arcs"]

#: Words between head and dependent whose classes are looked at, and the most features of an arc.
BETWEEN = 8
MOST = 32
#: Errors below this are not worth a step.
SMALL = 0.01


@kernel(inline="always")
def _place(template: int, a: int, b: int, c: int, d: int, size: int) -> int:
    state = fold(np.uint64(template), np.uint64(a + 2))
    state = fold(state, np.uint64(b + 2))
    state = fold(state, np.uint64(c + 2))
    state = mix(fold(state, np.uint64(d + 2)))
    return int(state & np.uint64(size - 1))


@kernel
def _root(d: int, classes: Ints, words: Ints, size: int, found: Longs) -> int:
    n = classes.shape[0]
    own = classes[d]
    before = classes[d - 1] if d > 0 else -1
    after = classes[d + 1] if d < n - 1 else -1
    found[0] = _place(1, own, 0, 0, 0, size)
    found[1] = _place(2, own, words[d], 0, 0, size)
    found[2] = _place(3, own, before, after, 0, size)
    found[3] = _place(4, 1 if d == 0 else 0, 1 if d == n - 1 else 0, 0, 0, size)
    return 4


@kernel
def _arc(h: int, d: int, classes: Ints, words: Ints, marks: Ints, size: int, found: Longs) -> int:
    """The features of an arc; returns how many there are."""
    n = classes.shape[0]
    side = 1 if d > h else 0
    low, high = min(h, d), max(h, d)
    far = high - low
    step = 2 * (far if far <= 5 else 6 if far <= 10 else 7) + side
    crossed = min(abs(marks[h] - marks[d]), 2)
    head, own = classes[h], classes[d]
    head_before = classes[h - 1] if h > 0 else -1
    head_after = classes[h + 1] if h < n - 1 else -1
    before = classes[d - 1] if d > 0 else -1
    after = classes[d + 1] if d < n - 1 else -1
    sided = 2 * own + side
    found[0] = _place(5, step, crossed, 0, 0, size)
    found[1] = _place(6, head, sided, 0, 0, size)
    found[2] = _place(7, head, own, step, crossed, size)
    found[3] = _place(8, head, step, crossed, 0, size)
    found[4] = _place(9, own, step, crossed, 0, size)
    found[5] = _place(10, head, sided, head_after, before, size)
    found[6] = _place(11, head, sided, head_before, before, size)
    found[7] = _place(12, head, sided, head_after, after, size)
    found[8] = _place(13, head, sided, head_before, after, size)
    found[9] = _place(14, head, sided, after, 0, size)
    found[10] = _place(15, head, sided, before, 0, size)
    k = 11
    if words[h] >= 0:
        found[k] = _place(16, words[h], sided, 0, 0, size)
        found[k + 1] = _place(17, words[h], own, step, 0, size)
        k += 2
    if words[d] >= 0:
        found[k] = _place(18, head, words[d], side, 0, size)
        found[k + 1] = _place(19, head, words[d], step, 0, size)
        k += 2
    if words[h] >= 0 and words[d] >= 0:
        found[k] = _place(20, words[h], words[d], side, 0, size)
        k += 1
    for x in range(low + 1, min(high, low + 1 + BETWEEN)):
        new = True
        for y in range(low + 1, x):
            if classes[y] == classes[x]:
                new = False
        if new:
            found[k] = _place(21, head, sided, classes[x], 0, size)
            k += 1
    return k


@kernel
def _chances(classes: Ints, words: Ints, marks: Ints, weights: Floats, chances: Floats) -> None:
    """The probability of each head, and of being the root, of each word by itself."""
    n = classes.shape[0]
    found = np.empty(MOST, np.int64)
    for d in range(n):
        most = -np.inf
        for h in range(n):
            if h == d:
                k = _root(d, classes, words, weights.shape[0], found)
            else:
                k = _arc(h, d, classes, words, marks, weights.shape[0], found)
            score = 0.0
            for j in range(k):
                score += weights[found[j]]
            chances[h, d] = score
            most = max(most, score)
        total = 0.0
        for h in range(n):
            chances[h, d] = np.exp(chances[h, d] - most)
            total += chances[h, d]
        for h in range(n):
            chances[h, d] /= total


@kernel
def score_arcs(
    classes: Ints,
    words: Ints,
    marks: Ints,
    starts: Longs,
    places: Longs,
    weights: Floats,
    chances: Floats,
) -> None:
    """The probability of each arc, as a flat array."""
    for index in range(starts.shape[0] - 1):
        a, b = starts[index], starts[index + 1]
        if b > a:
            mine = chances[places[index] : places[index + 1]].reshape((b - a, b - a))
            _chances(classes[a:b], words[a:b], marks[a:b], weights, mine)


@kernel
def learn_arcs(
    order: Longs,
    classes: Ints,
    words: Ints,
    marks: Ints,
    starts: Longs,
    places: Longs,
    aims: Floats,
    weights: Floats,
    squares: Floats,
    rate: float,
    decay: float,
) -> None:
    """One pass over sentences in an order: weights move towards the chances that are aimed at."""
    found = np.empty(MOST, np.int64)
    for index in order:
        a, b = starts[index], starts[index + 1]
        n = b - a
        if n < 2:
            continue
        aim = aims[places[index] : places[index + 1]].reshape((n, n))
        chances = np.empty((n, n))
        _chances(classes[a:b], words[a:b], marks[a:b], weights, chances)
        for d in range(n):
            for h in range(n):
                error = chances[h, d] - aim[h, d]
                if abs(error) < SMALL:
                    continue
                if h == d:
                    k = _root(d, classes[a:b], words[a:b], weights.shape[0], found)
                else:
                    k = _arc(h, d, classes[a:b], words[a:b], marks[a:b], weights.shape[0], found)
                for j in range(k):
                    f = found[j]
                    slope = error + decay * weights[f]
                    squares[f] += slope * slope
                    weights[f] -= rate * slope / np.sqrt(squares[f])
