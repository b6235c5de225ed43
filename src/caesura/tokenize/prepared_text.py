"""Kernels: a text prepared so that the hash of any short stretch of it costs two multiplications.

The hash of a stretch is a polynomial in 2**64 arithmetic, taken from prefix sums as Karp and Rabin
do; it depends on the characters alone and not on where they stand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import MARGIN, NEWLINE, SPACE, WORDLIKE
from caesura.jit import kernel

__all__ = ["WINDOW", "Text", "lines_joined", "prepare", "stretch", "to_slots", "wordlike"]

#: No feature looks further than this to either side.
WINDOW = 64

_BASE = np.uint64(0x9E3779B97F4A7C15)
_A = np.uint64(0xBF58476D1CE4E5B9)
_B = np.uint64(0x94D049BB133111EB)
_S32 = np.uint64(32)
_S29 = np.uint64(29)
wordlike = np.zeros(256, dtype=np.bool_)
wordlike[list(WORDLIKE)] = True
_powers = np.ones(2 * MARGIN + 2, dtype=np.uint64)
for _i in range(1, len(_powers)):
    _powers[_i] = np.uint64((int(_powers[_i - 1]) * int(_BASE)) & 0xFFFFFFFFFFFFFFFF)


class Text(NamedTuple):
    """Per position: class, lower-case twin, prefix hash, end of the run of letters or digits that
    it is in (itself if it is neither), and the next white space."""

    classes: NDArray[np.uint8]
    folded: NDArray[np.uint32]
    prefix: NDArray[np.uint64]
    run_end: NDArray[np.int32]
    next_space: NDArray[np.int32]


def prepare(classes: NDArray[np.uint8], folded: NDArray[np.uint32]) -> Text:
    n = len(classes)
    text = Text(
        classes,
        folded,
        np.zeros(n + 1, np.uint64),
        np.zeros(n + 1, np.int32),
        np.zeros(n + 1, np.int32),
    )
    _fill(text)
    return text


def lines_joined(
    classes: NDArray[np.uint8], folded: NDArray[np.uint32]
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Classes and lower-case twins with blanks for newlines that stand alone between ink.

    Whether such a line is wrapped prose is not known where tokens are cut, and a word is the same
    word at the end of a line.
    """
    at = np.flatnonzero(classes == NEWLINE)
    if not len(at):
        return classes, folded
    pair = (folded[at] == 13) & (folded[at + 1] == 10)
    alone = (classes[at - 1] > NEWLINE) & (classes[at + 1 + pair] > NEWLINE)
    at = np.concatenate((at[alone], at[alone & pair] + 1))
    classes, folded = classes.copy(), folded.copy()
    classes[at], folded[at] = SPACE, 32
    return classes, folded


@kernel
def _fill(text: Text) -> None:
    n = text.classes.shape[0]
    for i in range(n):
        text.prefix[i + 1] = text.prefix[i] * _BASE + np.uint64(text.folded[i]) + np.uint64(1)
    space, end = n, n
    text.next_space[n] = n
    text.run_end[n] = n
    for i in range(n - 1, -1, -1):
        if text.classes[i] <= NEWLINE:
            space = i
        if not wordlike[text.classes[i]]:
            end = i
        text.next_space[i] = space
        text.run_end[i] = end


@kernel(counted=False)
def stretch(text: Text, start: int, end: int) -> np.uint64:
    """The hash of the characters start..end-1, of which there are at most 2 * MARGIN."""
    return text.prefix[end] - text.prefix[start] * _powers[end - start]


@kernel(counted=False)
def to_slots(values: NDArray[np.uint64], first: int, last: int, template: int, bits: int) -> None:
    """Turn the values of templates, from `template` on, into rows of a table of 2**bits rows."""
    salt = np.uint64(template + 1) * _B
    shift = np.uint64(64 - bits)
    for i in range(first, last):
        x = (values[i] + salt) * _A
        x = (x ^ (x >> _S32)) * _B
        x ^= x >> _S29
        values[i] = x >> shift
        salt += _B
