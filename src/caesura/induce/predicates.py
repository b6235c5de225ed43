"""Predicates: the words of which nearly every sentence has one, found by that alone.

A sentence says something of something, and does so with a finite verb; articles, nouns and
prepositions come in any number. So of all sets of word classes one is looked for that occurs in
more sentences than chance would have it, by how frequent it is and how long sentences are: over
the Penn tags it is MD, VBD, VBP and VBZ. No single class would do, since a sentence with a modal
verb needs no other. Sentences are taken whole: what every fragment has is the beginning of a noun
phrase.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.cluster.counts import count_bigrams
from caesura.cluster.exchange import exchange
from caesura.induce.context import MARKS, PASSES, Context
from caesura.induce.parameters import Floats

__all__ = ["find_predicates", "in_most_sentences", "whole_sentences"]

#: Sentences of so many words are looked at: shorter ones are often titles.
SHORTEST, LONGEST = 3, 45
#: At most so many sentences are looked at; those that end in a mark, if there are as many as this.
SAMPLE, ENOUGH = 5000, 100
#: Classes seen less often have no part in the search.
SEEN = 5
#: Nothing is predicate that is more of the text than this.
SHARE = 0.5
#: What a class must add, in nats a sentence.
LEAST = 1e-3


def find_predicates(
    sentences: Sequence[Sequence[str]], context: Context, number: int
) -> frozenset[str]:
    """The symbols of a context (words, looks of rare ones) that are predicates.

    They are looked for among so many clusters, whose frequent words are apart from the others.
    """
    rows = [context.symbols_of(words) for words in sentences]
    clustered, bigrams, _ = count_bigrams(rows, 1)
    cluster = exchange(bigrams, number, PASSES).tolist()
    place = {
        symbol: 2 * at + (symbol.lower() in context.frequent)
        for symbol, at in zip(clustered, cluster, strict=True)
    }
    sizes = np.array([sum(symbol not in MARKS for symbol in row) for row in rows])
    ended = np.array([bool(row) and row[-1] in MARKS for row in rows], dtype=bool)
    looked = whole_sentences(sizes, ended)
    counts = np.zeros((len(looked), 2 * max(cluster, default=0) + 2), dtype=np.int32)
    for at, index in enumerate(looked.tolist()):
        for symbol in rows[index]:
            if symbol not in MARKS:
                counts[at, place[symbol]] += 1
    found = in_most_sentences(counts)
    return frozenset(s for s, at in place.items() if s not in MARKS and found[at])


def whole_sentences(sizes: NDArray[np.int64], ended: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Which sentences are looked at, by their numbers of words and whether they end in a mark."""
    chosen = (sizes >= SHORTEST) & (sizes <= LONGEST)
    whole = chosen & ended
    looked = np.flatnonzero(whole if whole.sum() >= ENOUGH else chosen)
    return looked[:: max(1, len(looked) // SAMPLE)]


def in_most_sentences(counts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """The set of columns of which most rows have one, beyond what chance would give.

    `counts` has a row for each sentence and a column for each class. From each class by itself,
    classes are added and taken away one by one while that helps; the best end is taken.
    """
    rows, columns = counts.shape
    sizes = counts.sum(axis=0)
    lengths = np.bincount(counts.sum(axis=1))
    absent = counts == 0
    best, most = np.zeros(columns, dtype=bool), 0.0
    for first in np.flatnonzero(sizes >= SEEN).tolist():
        chosen = np.zeros(columns, dtype=bool)
        chosen[first] = True
        have = counts[:, first].copy()
        now = float(_gains(np.mean(have > 0, keepdims=True), sizes[[first]], lengths)[0])
        while True:
            # How many rows would have none if the choice of a column changed.
            none = absent[have == 0].sum(axis=0)
            inside = np.flatnonzero(chosen)
            none[inside] = (have[:, None] == counts[:, inside]).sum(axis=0)
            size = sizes[chosen].sum() + np.where(chosen, -sizes, sizes)
            gains = _gains(1.0 - none / rows, size, lengths)
            gains[sizes < SEEN] = -np.inf
            at = int(np.argmax(gains))
            if gains[at] <= now + LEAST:
                break
            now = float(gains[at])
            have += -counts[:, at] if chosen[at] else counts[:, at]
            chosen[at] = not chosen[at]
        if now > most:
            best, most = chosen, now
    return best


def _gains(present: Floats, sizes: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
    """How much better the share of rows that have one is than chance, in nats a row."""
    size = np.arange(len(lengths))
    rows, words = max(1, int(lengths.sum())), max(1, int(lengths @ size))
    share = sizes / float(words)
    without = (1.0 - np.minimum(share, 1.0))[:, None] ** size
    tiny = 1e-6
    chance = np.clip(1.0 - without @ lengths / float(rows), tiny, 1.0 - tiny)
    p = np.clip(present, tiny, 1.0 - tiny)
    gain = p * np.log(p / chance) + (1.0 - p) * np.log((1.0 - p) / (1.0 - chance))
    usual = (p > chance) & (share <= SHARE)
    return np.asarray(np.where(usual, gain, -np.inf))
