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

from caesura import _core
from caesura.cluster.counts import RARE, Bigrams

_TABLE = 1 << 20


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
    rank = np.arange(size, dtype=np.int32)
    word_class = np.where(rank > RARE, (rank - 2) % classes + 2, rank).astype(np.int32)
    xlogx = np.arange(_TABLE, dtype=np.float64)
    xlogx[1:] *= np.log(xlogx[1:])
    if looks is None:
        looks = np.zeros(size, dtype=np.int32)
    counts = _core.Bigrams(*bigrams)
    table = _core.Exchange(counts, word_class, classes + 2, looks, weight, xlogx)
    for number in range(1, passes + 1):
        moved = table.sweep()
        if report is not None:
            report(number, moved, objective(table.pairs, table.sums))
        if moved == 0:
            break
    return table.word_class


def objective(pairs: NDArray[np.int64], sums: NDArray[np.int64]) -> float:
    """The part of the log-likelihood that depends on the classes."""

    def xlogx(x: NDArray[np.int64]) -> float:
        positive = x[x > 0].astype(np.float64)
        return float((positive * np.log(positive)).sum())

    return xlogx(pairs) - 2.0 * xlogx(sums)
