"""Abbreviations by corpus statistics, after Kiss and Strunk (2006), "Unsupervised Multilingual
Sentence Boundary Detection", sections 3 and 4.

An abbreviation is a short word that almost always stands before a period. After one, a sentence
starts only if the next word is written with a capital and is known to be a lower-case word
elsewhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

__all__ = ["Statistics"]

_THRESHOLD = 0.3
_LONGEST = 20


@dataclass
class Statistics:
    """What a text tells about its words; texts may be added one after the other."""

    with_period: Counter[str] = field(default_factory=Counter)
    without_period: Counter[str] = field(default_factory=Counter)
    #: Words written with a lower-case letter, and with a capital in the middle of a sentence.
    lower: Counter[str] = field(default_factory=Counter)
    upper_inside: Counter[str] = field(default_factory=Counter)
    _abbreviations: frozenset[str] | None = None

    def add(self, tokens: Sequence[str], glued: Sequence[bool]) -> None:
        """Count the tokens of a text; `glued` says which stand right behind the one before."""
        self._abbreviations = None
        for i, token in enumerate(tokens):
            first = token[:1]
            if not first.isalpha():
                continue
            word = token.lower()
            period = i + 1 < len(tokens) and glued[i + 1] and tokens[i + 1] == "."
            (self.with_period if period else self.without_period)[word] += 1
            if first.islower():
                self.lower[word] += 1
            elif first.isupper() and i and tokens[i - 1][-1:].isalnum():
                self.upper_inside[word] += 1

    @property
    def abbreviations(self) -> frozenset[str]:
        """Words that are abbreviations when a period follows."""
        if self._abbreviations is None:
            self._abbreviations = frozenset(self._find())
        return self._abbreviations

    def _find(self) -> Iterable[str]:
        periods = sum(self.with_period.values())
        words = periods + sum(self.without_period.values())
        if not periods:
            return
        usual = min(periods / words, 0.989)
        for word, k in self.with_period.items():
            if len(word) > _LONGEST:
                continue
            bare = self.without_period[word]
            n = k + bare
            ratio = _log_binomial(k, n, 0.99) - _log_binomial(k, n, usual)
            inner = word.count(".") + 1
            length = max(1, len(word.replace(".", "")))
            score = 2.0 * ratio * math.exp(-length) * inner * length ** -float(min(bare, 300))
            if score >= _THRESHOLD:
                yield word

    def starts_sentence(self, token: str) -> bool:
        """Whether a word after an abbreviation looks like the first of a sentence."""
        if not token[:1].isupper():
            return False
        word = token.lower()
        return self.lower[word] > 0 and self.upper_inside[word] == 0


def _log_binomial(k: int, n: int, p: float) -> float:
    return k * math.log(p) + (n - k) * math.log(1.0 - p)
