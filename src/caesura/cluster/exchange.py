"""Exchange clustering (Kneser and Ney 1993; Martin, Liermann and Ney 1998).

One word at a time is taken out of its class and put into the class where the likelihood of the
class bigram model, sum N(c,c') log N(c,c') - 2 sum N(c) log N(c), is highest. Words start in the
classes of their frequency rank modulo the number of classes; a pass visits all words.

Looks may be added (after Clark 2003): every word type is then also drawn to the class whose words
look like it, by log P(looks | class) times a weight. It is one term a type, so it decides for rare
words, whose neighbours say little, and hardly matters for frequent ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from caesura.cluster.counts import RARE, Bigrams
from caesura.jit import kernel

__all__ = ["exchange"]

_TABLE = 1 << 20
#: Smoothing of looks in a class.
ALPHA = 0.1


def exchange(
    bigrams: Bigrams,
    classes: int,
    passes: int = 20,
    report: Callable[[int, int, float], None] | None = None,
    looks: NDArray[np.int32] | None = None,
    weight: float = 0.0,
) -> NDArray[np.int32]:
    """The class of each word; the boundary and the rare words have one of their own each.

    With a `weight`, the `looks` of words, a number for each, count, too.
    `report` is told of the pass, the words that moved, and the objective.
    """
    size = len(bigrams.counts)
    word_class = np.arange(size, dtype=np.int32) - 2
    word_class = np.where(word_class >= 0, word_class % classes + 2, word_class + 2)
    word_class = word_class.astype(np.int32)
    total = classes + 2
    pairs = np.zeros((total, total), dtype=np.int64)
    sums = np.zeros(total, dtype=np.int64)
    xlogx = np.arange(_TABLE, dtype=np.float64)
    xlogx[1:] *= np.log(xlogx[1:])
    _count(bigrams, word_class, pairs, sums)
    if looks is None:
        looks = np.zeros(size, dtype=np.int32)
    alike = np.zeros((total, int(looks.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(alike, (word_class, looks), 1)
    for number in range(1, passes + 1):
        moved = _sweep(bigrams, word_class, pairs, sums, xlogx, looks, alike, weight)
        if report is not None:
            report(number, moved, objective(pairs, sums))
        if moved == 0:
            break
    return word_class


def objective(pairs: NDArray[np.int64], sums: NDArray[np.int64]) -> float:
    """The part of the log-likelihood that depends on the classes."""

    def xlogx(x: NDArray[np.int64]) -> float:
        positive = x[x > 0].astype(np.float64)
        return float((positive * np.log(positive)).sum())

    return xlogx(pairs) - 2.0 * xlogx(sums)


@kernel
def _count(
    bigrams: Bigrams,
    word_class: NDArray[np.int32],
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Count the classes and their neighbours."""
    for w in range(bigrams.counts.shape[0]):
        sums[word_class[w]] += bigrams.counts[w]
        for i in range(bigrams.next_at[w], bigrams.next_at[w + 1]):
            pairs[word_class[w], word_class[bigrams.next_word[i]]] += bigrams.next_count[i]


@kernel(inline="always")
def _entropy(x: int, xlogx: NDArray[np.float64]) -> float:
    if x < xlogx.shape[0]:
        return xlogx[x]
    return x * np.log(x)


@kernel
def _sweep(
    bigrams: Bigrams,
    word_class: NDArray[np.int32],
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    xlogx: NDArray[np.float64],
    looks: NDArray[np.int32],
    alike: NDArray[np.int64],
    weight: float,
) -> int:
    """Visit every word once; returns how many moved."""
    counts = bigrams.counts
    next_at, next_word, next_count = bigrams.next_at, bigrams.next_word, bigrams.next_count
    last_at, last_word, last_count = bigrams.last_at, bigrams.last_word, bigrams.last_count
    total = sums.shape[0]
    after = np.zeros(total, np.int64)
    before = np.zeros(total, np.int64)
    members = np.zeros(total, np.int64)
    for w in range(word_class.shape[0]):
        members[word_class[w]] += 1
    moved = 0
    for w in range(RARE + 1, word_class.shape[0]):
        home = word_class[w]
        if members[home] == 1:
            continue  # the last word of a class stays, or the class would be lost
        after[:] = 0
        before[:] = 0
        own = 0
        for i in range(next_at[w], next_at[w + 1]):
            if next_word[i] == w:
                own = next_count[i]
            else:
                after[word_class[next_word[i]]] += next_count[i]
        for i in range(last_at[w], last_at[w + 1]):
            if last_word[i] != w:
                before[word_class[last_word[i]]] += last_count[i]
        _put(home, -1, after, before, own, counts[w], pairs, sums)
        best, best_gain = home, -np.inf
        for c in range(RARE + 1, total):
            gain = -2.0 * (_entropy(sums[c] + counts[w], xlogx) - _entropy(sums[c], xlogx))
            for x in range(total):
                if x != c:
                    if before[x] > 0:
                        n = pairs[x, c]
                        gain += _entropy(n + before[x], xlogx) - _entropy(n, xlogx)
                    if after[x] > 0:
                        n = pairs[c, x]
                        gain += _entropy(n + after[x], xlogx) - _entropy(n, xlogx)
            n = pairs[c, c]
            gain += _entropy(n + before[c] + after[c] + own, xlogx) - _entropy(n, xlogx)
            if weight > 0.0:
                same = alike[c, looks[w]] - (1 if c == home else 0)
                others = members[c] - (1 if c == home else 0)
                gain += weight * np.log((same + ALPHA) / (others + ALPHA * alike.shape[1]))
            if gain > best_gain + 1e-9 or (c == home and gain > best_gain - 1e-9):
                best, best_gain = c, gain
        _put(best, 1, after, before, own, counts[w], pairs, sums)
        if best != home:
            word_class[w] = best
            members[home] -= 1
            members[best] += 1
            alike[home, looks[w]] -= 1
            alike[best, looks[w]] += 1
            moved += 1
    return moved


@kernel
def _put(
    c: int,
    sign: int,
    after: NDArray[np.int64],
    before: NDArray[np.int64],
    own: int,
    count: int,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Add a word's counts to a class, or take them away."""
    for x in range(sums.shape[0]):
        pairs[c, x] += sign * after[x]
        pairs[x, c] += sign * before[x]
    pairs[c, c] += sign * own
    sums[c] += sign * count
