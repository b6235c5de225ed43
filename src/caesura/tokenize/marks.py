"""What is known of each token where sentence starts are decided: rows of numbers, filled once."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import DASH, DIGIT, LOWER, NEWLINE, STOP, UPPER
from caesura.jit import kernel
from caesura.layout.codes import WRAP
from caesura.tokenize.prepared_text import WINDOW, Text, stretch, wordlike
from caesura.tokenize.word_types import ADDRESS, LONGEST_TYPE, Types, bits_of

__all__ = ["AHEAD", "BEHIND", "Marks", "append_marks", "blank_marks", "drop_marks"]
__all__ += ["is_behind_note", "is_note", "join_lines", "mark", "without_note"]

#: Tokens that the features of a gap look back and ahead.
BEHIND = 3
AHEAD = 8
#: The hashes of `[` and `]`, and first and last class of a number as a shape has them.
_OPENING, _CLOSING, _NUMBER = np.array([92, 94, 33 * DIGIT], dtype=np.uint64)
#: The gap before a token: a blank, one newline, a blank line.
_BLANK, _NEWLINE, _PARAGRAPH = cast(list[int], np.array([1, 3, 4]))
#: Lines are told apart up to this width, in steps.
_WIDEST, _STEP = cast(list[int], np.array([160, 10]))
_WRAPPED = cast(int, np.int64(WRAP))


class Marks(NamedTuple):
    """Per token: hash of the form, of its ending, shape, gap before it, width of its line so far,
    and what is known of its type.

    There are BEHIND rows before the first token and AHEAD after the last.
    """

    form: NDArray[np.uint64]
    ending: NDArray[np.uint64]
    shape: NDArray[np.uint64]
    gap: NDArray[np.uint8]
    width: NDArray[np.uint8]
    known: NDArray[np.uint32]


def blank_marks(n: int) -> Marks:
    size = n + BEHIND + AHEAD
    return Marks(
        np.zeros(size, np.uint64),
        np.zeros(size, np.uint64),
        np.zeros(size, np.uint64),
        np.zeros(size, np.uint8),
        np.zeros(size, np.uint8),
        np.zeros(size, np.uint32),
    )


def append_marks(marks: Marks, more: Marks) -> Marks:
    """The rows of some tokens and those of the tokens after them."""
    n = len(marks.gap) - AHEAD
    return Marks(
        np.concatenate((marks.form[:n], more.form[BEHIND:])),
        np.concatenate((marks.ending[:n], more.ending[BEHIND:])),
        np.concatenate((marks.shape[:n], more.shape[BEHIND:])),
        np.concatenate((marks.gap[:n], more.gap[BEHIND:])),
        np.concatenate((marks.width[:n], more.width[BEHIND:])),
        np.concatenate((marks.known[:n], more.known[BEHIND:])),
    )


def drop_marks(marks: Marks, n: int) -> Marks:
    """Without the first n tokens, the last of which stay as what is behind."""
    return Marks(
        marks.form[n:],
        marks.ending[n:],
        marks.shape[n:],
        marks.gap[n:],
        marks.width[n:],
        marks.known[n:],
    )


@kernel
def mark(
    text: Text,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    carried: NDArray[np.int64],
    types: Types,
    marks: Marks,
) -> None:
    """Fill the rows of tokens; `carried` holds where the gap and the line before them began."""
    k = text.classes
    before, line = carried[0], carried[1]
    for i in range(begins.shape[0]):
        row = i + BEHIND
        a = begins[i]
        b = ends[i]
        lines = 0
        for p in range(max(before, a - WINDOW), a):
            if k[p] == NEWLINE and not (text.folded[p] == 10 and text.folded[p - 1] == 13):
                lines += 1
                line = p + 1
        gap = min(lines, 2) + 2 if lines else (_BLANK if a > before else 0)
        if a - before >= WINDOW:
            gap = _PARAGRAPH
        width = min(a - line, _WIDEST) // _STEP
        c = min(b, a + WINDOW)
        marks.form[row] = stretch(text, a, c)
        marks.ending[row] = stretch(text, max(a, c - 3), c)
        inner = np.uint64(0)
        upper = lower = digit = 0
        for p in range(a, c):
            if k[p] == UPPER:
                upper += 1
            elif k[p] == LOWER:
                lower += 1
            elif k[p] == DIGIT:
                digit += 1
            elif k[p] == STOP and p + 1 < c and p > a:
                inner = np.uint64(1)
        shape = np.uint64(k[a]) * np.uint64(32) + np.uint64(k[c - 1])
        shape = shape * np.uint64(8) + np.uint64(min(c - a, 4))
        shape = shape * np.uint64(2) + inner
        shape = shape * np.uint64(8)
        if lower == 0 and upper > 1:
            shape += np.uint64(1)
        if digit > 0:
            shape += np.uint64(2)
        if upper > 1 and lower > 0:
            shape += np.uint64(4)
        marks.shape[row] = shape + np.uint64(1)
        marks.gap[row] = gap
        marks.width[row] = width
        if types.keys.shape[0] > 1:
            begin = a
            if b == a + 1 and gap == 0 and k[a] == STOP:
                # A period of its own: what it makes of the word that it is behind.
                while begin > a - LONGEST_TYPE and (wordlike[k[begin - 1]] or k[begin - 1] == STOP):
                    begin -= 1
            marks.known[row] = bits_of(types, text, begin, b)
            if b - a > 6 and _is_address(text, a, c):
                marks.known[row] |= ADDRESS
        before = b
    carried[0], carried[1] = before, line


@kernel
def join_lines(
    begins: NDArray[np.int64],
    breaks: NDArray[np.uint8],
    first: int,
    carried: NDArray[np.int64],
    marks: Marks,
) -> None:
    """Make the rows of wrapped prose, from a token on, what they were before it was wrapped.

    There the end of a line is a blank, or nothing behind a hyphen, and lines go on. `carried` holds
    where the line began, and whether it goes on from one before.
    """
    line, joined = carried[0], carried[1] != 0
    for i in range(first, breaks.shape[0]):
        row = i + BEHIND
        if marks.gap[row] == _NEWLINE and breaks[i] == _WRAPPED:
            marks.gap[row] = 0 if _is_hyphenated(marks, row) else _BLANK
            joined = True
        elif marks.gap[row] > _BLANK:
            line = begins[i] - _STEP * np.int64(marks.width[row])
            joined = False
        if joined:
            marks.width[row] = min(begins[i] - line, _WIDEST) // _STEP
    carried[0], carried[1] = line, joined


@kernel(counted=False)
def _is_hyphenated(marks: Marks, row: int) -> bool:
    """Whether the token before, at the end of a line, is the hyphen of a word that goes on."""
    before = marks.shape[row - 1] >> np.uint64(7)
    glued = marks.gap[row - 1] == 0 or before >> np.uint64(5) != np.uint64(DASH)
    ends = before & np.uint64(31) == np.uint64(DASH)
    return bool(glued and ends and marks.shape[row] >> np.uint64(12) == np.uint64(LOWER))


@kernel(counted=False)
def _is_address(text: Text, start: int, end: int) -> bool:
    """Whether a token is the address of a page or of a mailbox: with ://, www. or an inner @."""
    f = text.folded
    if f[start] == 119 and f[start + 1] == 119 and f[start + 2] == 119:
        return True
    for p in range(start + 1, end - 2):
        if f[p] == 64 or (f[p] == 58 and f[p + 1] == 47 and f[p + 2] == 47):
            return True
    return False


@kernel(counted=False)
def is_note(marks: Marks, i: int) -> bool:
    """Whether `[6]` begins here on the line of the token before: it is a note to that sentence."""
    if marks.form[i] != _OPENING or marks.form[i + 2] != _CLOSING or marks.gap[i] > 1:
        return False
    number = marks.shape[i + 1] >> np.uint64(7) == _NUMBER
    return number and marks.gap[i + 1] == 0 and marks.gap[i + 2] == 0


@kernel(counted=False)
def is_behind_note(marks: Marks, i: int) -> bool:
    """Whether the token before may end a note."""
    return marks.form[i - 1] == _CLOSING


@kernel(counted=False)
def without_note(marks: Marks, i: int, into: Marks) -> None:
    """The rows around a note, and around others that follow it at once, as if there were none."""
    after = i + 3
    while after + 3 < i + AHEAD and is_note(marks, after):
        after += 3
    for row in range(BEHIND + AHEAD):
        k = i - BEHIND + row if row < BEHIND else after + row - BEHIND
        there = k < i + AHEAD
        into.form[row] = marks.form[k] if there else np.uint64(0)
        into.ending[row] = marks.ending[k] if there else np.uint64(0)
        into.shape[row] = marks.shape[k] if there else np.uint64(0)
        into.gap[row] = marks.gap[k] if there else np.uint8(0)
        into.width[row] = marks.width[k] if there else np.uint8(0)
        into.known[row] = marks.known[k] if there else np.uint32(0)
