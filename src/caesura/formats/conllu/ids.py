"""Which line of a run of sentences is what: a word, a multi-word token, an empty node.

Identifiers must count up from 1 in every sentence; ranges and decimals stand where they belong.
Anything else raises `Malformed`, which says no more than that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from caesura.document import UNKNOWN

__all__ = ["VALUES", "Layout", "Malformed", "count_to", "layout"]

#: The numbers from 1 as text, and the value of a HEAD.
_NUMBERS: list[str] = []
VALUES: dict[str, int] = {"_": UNKNOWN}


class Malformed(Exception):
    """Some line of a run of sentences does not follow the format."""


def count_to(n: int) -> None:
    """Know the numbers up to n at least."""
    if n >= len(_NUMBERS):
        for number in range(len(_NUMBERS), 2 * n + 64):
            _NUMBERS.append(str(number + 1))
            VALUES[str(number)] = number


@dataclass
class Layout:
    """Which row is what."""

    word_rows: np.ndarray
    token_rows: np.ndarray
    word_token: np.ndarray
    word_bounds: np.ndarray
    token_bounds: np.ndarray
    #: Rows of multi-word tokens with their token, and of empty nodes with anchor and minor number.
    multiword: list[tuple[int, int]] = field(default_factory=list)
    empty: list[tuple[int, int, int]] = field(default_factory=list)


def layout(ids: list[str], counts: list[int], *, allow_special: bool) -> Layout:
    n = len(ids)
    bounds = np.cumsum([0, *counts], dtype=np.int64)
    special: list[int] = []
    at = 0
    for count in counts:
        if ids[at : at + count] != _NUMBERS[:count]:
            here = [i for i in range(at, at + count) if not ids[i].isdecimal()]
            left = [ids[i] for i in range(at, at + count) if ids[i].isdecimal()]
            if not left or left != _NUMBERS[: len(left)]:
                raise Malformed
            special += here
        at += count
    if not special:
        everything = np.arange(n, dtype=np.int64)
        return Layout(everything, everything, everything, bounds, bounds)
    if not allow_special:
        raise Malformed
    is_word = np.ones(n, dtype=bool)
    is_word[special] = False
    sentence = np.searchsorted(bounds, special, side="right") - 1
    word_counts = np.diff(bounds) - np.bincount(sentence, minlength=len(counts))
    word_rows = np.flatnonzero(is_word)
    word_bounds = np.concatenate(([0], np.cumsum(word_counts)))
    words_before = np.cumsum(is_word) - is_word
    multiword, empty = _special(ids, special, sentence, is_word, words_before, word_bounds)
    is_token = is_word.copy()
    first = np.ones(len(word_rows), dtype=bool)
    for row, a, b in multiword:
        first[a + 1 : b + 1] = False
        is_token[row] = True
        is_token[word_rows[a : b + 1]] = False
    word_token = np.cumsum(first) - 1
    token_rows = np.flatnonzero(is_token)
    starts = word_token[word_bounds[:-1]]
    token_bounds = np.concatenate((starts, [len(token_rows)]))
    return Layout(
        word_rows,
        token_rows,
        word_token,
        word_bounds,
        token_bounds,
        [(row, int(word_token[a])) for row, a, _ in multiword],
        empty,
    )


def _special(
    ids: list[str],
    special: list[int],
    sentences: np.ndarray,
    is_word: np.ndarray,
    words_before: np.ndarray,
    word_bounds: np.ndarray,
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]:
    """Rows of multi-word tokens (row, first and last word) and empty nodes (row, anchor, minor)."""
    multiword: list[tuple[int, int, int]] = []
    empty: list[tuple[int, int, int]] = []
    covered = -1
    for row, s in zip(special, sentences.tolist(), strict=True):
        base, here = int(word_bounds[s]), int(words_before[row])
        first, dash, last = ids[row].partition("-")
        if dash:
            if not (first in VALUES and last in VALUES) or "_" in (first, last):
                raise Malformed
            a, b = base + VALUES[first] - 1, base + VALUES[last] - 1
            if a != here or b <= a or b >= word_bounds[s + 1] or a <= covered:
                raise Malformed
            if row + 1 >= len(ids) or not is_word[row + 1]:
                raise Malformed
            covered = b
            multiword.append((row, a, b))
            continue
        major, dot, minor_text = ids[row].partition(".")
        if not dot or major not in VALUES or not re.fullmatch(r"[1-9][0-9]{0,8}", minor_text):
            raise Malformed
        if major == "_" or base + VALUES[major] != here:
            raise Malformed
        minor = int(minor_text)
        anchor = here - 1 if here > base else -1 - base
        follows = bool(empty) and empty[-1][1] == anchor and empty[-1][0] == row - 1
        if minor != (empty[-1][2] + 1 if follows else 1):
            raise Malformed
        empty.append((row, anchor, minor))
    return multiword, empty
