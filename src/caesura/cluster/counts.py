"""Counts of words and of neighbouring words, which is all that clustering sees of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError

#: Rows of the sentence boundary and of all rare words together.
BOUNDARY = 0
RARE = 1


class Bigrams(NamedTuple):
    """How often each word occurs, and neighbours as sparse rows; the core takes it as it is.

    The successors of word w are `next_word[next_at[w]:next_at[w + 1]]`, each seen as often as
    `next_count` says; predecessors likewise.
    """

    counts: NDArray[np.int64]
    next_at: NDArray[np.int64]
    next_word: NDArray[np.int32]
    next_count: NDArray[np.int64]
    last_at: NDArray[np.int64]
    last_word: NDArray[np.int32]
    last_count: NDArray[np.int64]


def count_bigrams(
    sentences: Iterable[list[str]], min_count: int = 5
) -> tuple[list[str], Bigrams, Counter[str]]:
    """The words seen at least `min_count` times by falling frequency, their neighbours, all counts.

    The boundary and the rare words together stand before them.
    """
    seen: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    ids: list[int] = []
    for sentence in sentences:
        seen.update(sentence)
        ids.append(0)
        ids += [numbers.setdefault(word, len(numbers) + 1) for word in sentence]
    if not seen:
        raise InputError("there is no word to cluster", remedy="Give a text with words.")
    ids.append(0)
    frequent = [word for word, count in seen.items() if count >= min_count]
    frequent.sort(key=lambda word: (-seen[word], word))
    row = np.full(len(numbers) + 1, RARE, dtype=np.int64)
    row[0] = BOUNDARY
    for position, word in enumerate(frequent):
        row[numbers[word]] = position + 2
    text = row[np.array(ids, dtype=np.int64)]
    size = len(frequent) + 2
    counts = np.bincount(text, minlength=size).astype(np.int64)
    pairs, times = np.unique(text[:-1] * size + text[1:], return_counts=True)
    left, right = pairs // size, pairs % size
    following = np.searchsorted(left, np.arange(size + 1))
    order = np.lexsort((left, right))
    preceding = np.searchsorted(right[order], np.arange(size + 1))
    bigrams = Bigrams(
        counts,
        following.astype(np.int64),
        right.astype(np.int32),
        times.astype(np.int64),
        preceding.astype(np.int64),
        left[order].astype(np.int32),
        times[order].astype(np.int64),
    )
    return ["<s>", "<rare>", *frequent], bigrams, seen
