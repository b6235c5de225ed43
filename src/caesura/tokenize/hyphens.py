"""Words that are hyphenated at the end of a line: which are known, and the form of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["known_words", "without_hyphen"]


def known_words(chunks: Iterable[Sequence[str]]) -> frozenset[str]:
    """The words that a tokeniser remembers, in lower case."""
    return frozenset(token.lower() for tokens in chunks for token in tokens if token.isalpha())


def without_hyphen(surface: str) -> str:
    """The form of a word that is written in two parts."""
    left, right = surface.split(maxsplit=1)
    return left[:-1] + right
