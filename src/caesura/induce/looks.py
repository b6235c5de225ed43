"""The looks of rare words, which have too few neighbours to tell their class."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["looks"]


def looks(word: str, endings: Collection[str]) -> str:
    """A name for the looks of a word: a digit in it, a capital, its ending if that is named."""
    if any(c.isdigit() for c in word):
        return "rare #"
    case = "rare A" if word[:1].isupper() else "rare a"
    if len(word) > 3:
        low = word.lower()
        for size in (2, 1):
            if low[-size:] in endings:
                return f"{case} -{low[-size:]}"
    return case
