"""Words that are hyphenated at the end of a line: which are known, and the form of the whole."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["known_words", "without_hyphen"]


def known_words(chunks: Iterable[str]) -> frozenset[str]:
    """The words of chunks that a tokeniser remembers, in lower case. Tabs separate tokens."""
    words = filter(str.isalpha, set("\t".join(chunks).split("\t")))
    # Sets and strings as wholes: this is done at each start, for thousands of words.
    return frozenset("\t".join(words).lower().split("\t")) - {""}


def without_hyphen(surface: str) -> str:
    """The form of a word that is written in two parts."""
    left, right = surface.split(maxsplit=1)
    return left[:-1] + right
