"""Passages of a text for a reader who sees more than the characters around a place.

Where a passage ends depends on the text from its beginning on and not on the blocks in which it
comes: with its line, or, where the line is long, with a sentence or before a blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["LONG", "Reader", "Reading", "passages"]

#: Takes a passage, gives what is added to the log-odds of a token at each of its characters.
Reader = Callable[[str], NDArray[np.float32]]

#: Characters of a passage at most, and at least where it is not a line.
LONG: Final = 200
_SHORT: Final = 60
_ENDS: Final = (re.compile(r".*[。！？!?｡．…][」』”’）)]*", re.S), re.compile(r".*\s", re.S))


class Reading:
    """A text as it is read passage by passage."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._rest = ""  # what is not read yet
        self._odds = np.zeros(0, np.float32)
        self._base = 0  # the offset of the first odds that are kept

    @property
    def known(self) -> int:
        """The offset up to which the text is read."""
        return self._base + len(self._odds)

    def feed(self, text: str, *, last: bool = False) -> None:
        """Take the next block."""
        text, found, read = self._rest + text, [self._odds], 0
        for passage in passages(text, last):
            blank = not passage.strip()
            found.append(np.zeros(len(passage), np.float32) if blank else self._reader(passage))
            read += len(passage)
        self._rest, self._odds = text[read:], np.concatenate(found)

    def take(self, base: int) -> NDArray[np.float32]:
        """The odds from an offset on; those before it are forgotten."""
        self._odds, self._base = self._odds[base - self._base :], base
        return self._odds


def passages(text: str, last: bool = True) -> Iterator[str]:
    """The passages of a text that goes on, unless this is the last of it; a rest may be left."""
    at = 0
    while size := _passage(text[at : at + LONG], last):
        yield text[at : at + size]
        at += size


def _passage(text: str, last: bool) -> int:
    """Characters of the first passage of what follows; 0 if more must be known of it."""
    line = text.find("\n") + 1
    if line:
        return line
    if len(text) < LONG:
        return len(text) if last else 0
    for end in _ENDS:
        match = end.match(text)
        if match is not None and match.end() >= _SHORT:
            return match.end()
    return len(text)
