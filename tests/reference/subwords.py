"""Unigram sub-words, the slow and obvious way: every row of pieces is tried."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache


def best_sum(word: str, scores: Mapping[str, float], worst: float) -> float:
    """The largest sum of scores that the pieces of a word can have."""

    @lru_cache(None)
    def rest(at: int) -> float:
        if at == len(word):
            return 0.0
        sums = [
            scores[word[at:end]] + rest(end)
            for end in range(at + 1, len(word) + 1)
            if word[at:end] in scores
        ]
        if word[at] not in scores:
            sums.append(worst + rest(at + 1))
        return max(sums)

    return rest(0)
