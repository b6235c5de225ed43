"""Abbreviations that raw text shows, for languages without a file.

A type is an abbreviation if it hardly ever stands without its period, and if what comes after shows
that no sentence ends there: lower case, numbers, commas. One that only stands before capitals (a
title) must be short and never be seen bare. Kiss and Strunk (2006) ask the same of a text by
likelihood ratios; here the counts come from text enough to be taken as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from caesura.stages.word_types import BEFORE_LOWER, BEFORE_NUMBER, BEFORE_UPPER

__all__ = ["learn_abbreviations"]

#: A word, with periods inside it, whether a period is behind it, and what follows.
_WORD: Final = re.compile(
    r"(?<![\w.@/-])([^\W\d_]+(?:\.[^\W\d_]+)*)(?:(\.)(?=(,)|\s+[(\[\"'“‘„«]*(\S)|$)|(?![\w.@/-]))"
)
_LONGEST: Final = 10
_SHORT: Final = 5
#: Occurrences with a period that are enough, the share of them among all, and the share of those
#: before something that starts no sentence.
_LEAST: Final = 3
_MOSTLY: Final = 0.8
_INSIDE: Final = 0.2


def learn_abbreviations(texts: Iterable[str]) -> dict[str, int]:
    """Abbreviations with their periods, in lower case, and the bits of what they stand before."""
    bare: Counter[str] = Counter()
    before: dict[str, Counter[str]] = {}
    for text in texts:
        for match in _WORD.finditer(text):
            word = match[1].lower()
            if len(word) > _LONGEST:
                continue
            if not match[2]:
                bare[word] += 1
                continue
            follower = match[4] or ""
            kind = "lower" if match[3] or follower.islower() else "upper"
            if follower.isdigit():
                kind = "number"
            before.setdefault(word, Counter())[kind if match[3] or follower else "end"] += 1
    found = {}
    for word, kinds in before.items():
        bits = _judge(word, kinds, bare[word])
        if bits:
            found[f"{word}."] = bits
    return found


def _judge(word: str, kinds: Counter[str], bare: int) -> int:
    """What an abbreviation stands before; 0 if the word is none."""
    seen = kinds.total()
    inside = kinds["lower"] + kinds["number"]
    if seen < _LEAST or seen < _MOSTLY * (seen + bare):
        return 0
    if inside < _INSIDE * seen:
        return BEFORE_UPPER if not bare and len(word) <= _SHORT and not kinds["end"] else 0
    bits = BEFORE_LOWER if 2 * kinds["lower"] >= inside else 0
    bits |= BEFORE_NUMBER if 2 * kinds["number"] >= inside else 0
    return bits | (BEFORE_UPPER if 2 * kinds["upper"] >= seen else 0)
