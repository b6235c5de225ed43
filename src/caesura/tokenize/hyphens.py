"""Words that are hyphenated at the end of a line: where they are, and which of them are one word.

The last word of a line ends in a hyphen, the next line goes on in lower case: that is one word if
it is known as one, or if neither part is known as a word. `well-` and `known` are two. Whether the
lines are wrapped prose at all is for the layout to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import DASH, JOINER, LETTERS, LOWER, MARGIN, NEWLINE, SPACE
from caesura.layout import WRAP
from caesura.tokenize.prepared_text import WINDOW, Text

__all__ = [
    "HYPHENS",
    "Hyphenated",
    "find_hyphenated",
    "joined",
    "known_words",
    "merges",
    "without_hyphen",
]

Longs = NDArray[np.int64]

#: What a word may end in that goes on in the next line.
HYPHENS = ("-", "\u2010", "\xad")
#: The shortest part of a word on either line.
_LEAST = 2


class Hyphenated(NamedTuple):
    """A word in two parts, by offsets: where it begins, where its second part does, its end."""

    start: int
    second: int
    end: int


def known_words(chunks: Iterable[Sequence[str]]) -> frozenset[str]:
    """The words that a tokeniser remembers, in lower case."""
    return frozenset(token.lower() for tokens in chunks for token in tokens if token.isalpha())


def find_hyphenated(text: Text, ends: Longs, shift: int, words: frozenset[str]) -> list[Hyphenated]:
    """Words that go on in the next line, of those whose hyphen ends one of some tokens.

    The ends of the tokens are positions in the text; offsets are less by `shift`.
    """
    kinds = text.classes[ends - 1]
    at = np.flatnonzero((kinds == DASH) | (kinds == JOINER))
    found = (_goes_on(text, int(end), shift, words) for end in ends[at].tolist())
    return [word for word in found if word is not None]


def _goes_on(text: Text, end: int, shift: int, words: frozenset[str]) -> Hyphenated | None:
    kinds, codes = text.classes, text.folded
    if chr(codes[end - 1]) not in HYPHENS:
        return None
    second, newlines = end, 0
    limit = min(end + WINDOW, len(kinds) - MARGIN)
    while second < limit and kinds[second] in (SPACE, NEWLINE):
        if kinds[second] == NEWLINE and not (codes[second] == 10 and codes[second - 1] == 13):
            newlines += 1
        second += 1
    if newlines != 1 or kinds[second] != LOWER:
        return None
    start, last = end - 1, second
    while start > max(MARGIN, end - WINDOW) and kinds[start - 1] in LETTERS:
        start -= 1
    while last < limit and kinds[last] in LETTERS:
        last += 1
    if end - 1 - start < _LEAST or last - second < _LEAST or kinds[start - 1] > NEWLINE:
        return None
    left = "".join(map(chr, codes[start : end - 1].tolist()))
    right = "".join(map(chr, codes[second:last].tolist()))
    if left + right not in words and (left in words or right in words):
        return None
    return Hyphenated(start - shift, second - shift, last - shift)


def merges(
    found: Sequence[Hyphenated], begins: Longs, ends: Longs, breaks: NDArray[np.uint8]
) -> list[tuple[int, int]]:
    """First and last of the tokens that are one word, as far as the layout is known."""
    pairs = []
    for word in found:
        first, last = begins.searchsorted([word.start, word.second]).tolist()
        if last < len(breaks) and (
            first < last
            and begins[first] == word.start
            and begins[last] == word.second
            and ends[last] == word.end
            and breaks[last] == WRAP
        ):
            pairs.append((first, last))
    return pairs


def joined(
    pairs: Sequence[tuple[int, int]], begins: Longs, ends: Longs
) -> tuple[Longs, Longs, NDArray[np.bool_], NDArray[np.bool_]]:
    """Tokens with those that are one word merged; which of the old are kept, which are merged."""
    kept = np.ones(len(begins), np.bool_)
    merged = np.zeros(len(begins), np.bool_)
    last = ends.copy()
    for first, other in pairs:
        kept[first + 1 : other + 1] = False
        merged[first] = True
        last[first] = ends[other]
    return begins[kept], last[kept], kept, merged[kept]


def without_hyphen(surface: str) -> str:
    """The form of a word that is written in two parts."""
    left, right = surface.split(maxsplit=1)
    return left[:-1] + right
