"""Kernels: what the gap before a line is, decided by the lines around it.

Whether a block of lines is wrapped prose is a tally over its pairs of lines: in wrapped prose the
first word of a line would not have fitted on the line before, and most lines go on in lower case.
A block reaches REACH lines to each side of a gap and ends at blank, ruled and long lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.layout.codes import (
    BLANK,
    DOUBLE,
    FIELD,
    HEAD,
    INDENT,
    ITEM,
    LINE,
    PARAGRAPH,
    SHORT,
    START,
    VERSE,
    WRAP,
)
from caesura.layout.lines import (
    BEGINS_LOWER,
    BEGINS_UPPER,
    BODY,
    ENDS_COLON,
    ENDS_COMMA,
    ENDS_FINAL,
    ENDS_HYPHEN,
    FIRST,
    FLAGS,
    IS_BLANK,
    IS_ITEM,
    IS_LABELLED,
    IS_LONG,
    IS_RULE,
    IS_TITLE,
    LABEL,
    MARK,
    OFFSET,
    QUOTED,
    WIDTH,
)
from caesura.layout.lines import INDENT as COLUMN

__all__ = ["BACK", "REACH", "decide", "goes_on_alone", "is_opened", "is_ready"]

#: Lines to each side of a gap that have a say, and lines before it that tell the usual width.
REACH, BACK = 8, 40
#: Prose is not wrapped narrower or wider than this, nor prose that is typed with double spacing,
#: nor verse. In narrow columns words are hyphenated.
_NARROW, _WIDE = 28, 160
_NARROW_COLUMN = 12
_NARROW_DOUBLE, _WIDE_DOUBLE = 40, 104
_NARROW_VERSE, _WIDE_VERSE = 20, 56
#: The least width of a long line, and of a long word that is one.
_LONG_LINE, _LONG_WORD = 60, 20
#: A step of indentation.
_STEP = 2
_END = IS_BLANK | IS_RULE
#: So many pairs of lines without room for a word are wrapped.
_FULL_PAIRS = 3
#: What a capital says for wrapped prose in the block itself, and in the text around it.
_AGAINST, _NO_MATTER = -1, 0


@kernel
def _fits(rows: NDArray[np.int64], before: int, i: int, width: int) -> bool:
    """Whether the first word of line i had fitted on the line before."""
    return bool(rows[before, WIDTH] + 1 + rows[i, FIRST] <= width)


@kernel
def _is_parted(rows: NDArray[np.int64], before: int, i: int) -> bool:
    """Whether a word is hyphenated between two lines, of which the first is no word alone."""
    if not (rows[before, FLAGS] & ENDS_HYPHEN and rows[i, FLAGS] & BEGINS_LOWER):
        return False
    return bool(rows[before, WIDTH] > rows[before, COLUMN] + rows[before, FIRST])


@kernel
def _tally(rows: NDArray[np.int64], before: int, i: int, width: int, capital: int) -> int:
    """What a pair of lines says for (positive) or against wrapped prose.

    `capital` is what one says that begins the second after a line that is full but not long.
    """
    flags, last = rows[i, FLAGS], rows[before, FLAGS]
    if flags & IS_ITEM or rows[i, COLUMN] > rows[before, BODY] + 1:
        return 0
    # A word that is hyphenated goes on, whatever room there was.
    if _is_parted(rows, before, i):
        return 4
    if _fits(rows, before, i, width):
        return -2
    if flags & BEGINS_LOWER:
        return 4 if last & ENDS_HYPHEN else 3
    if flags & BEGINS_UPPER and not last & ENDS_FINAL:
        # What stands for itself is rarely so long, but for a title.
        return 1 if rows[before, WIDTH] >= _LONG_LINE and not last & IS_TITLE else capital
    return 1


@kernel
def _is_wrapped(rows: NDArray[np.int64], low: int, high: int, width: int) -> bool:
    """Whether the lines low..high-1 are prose that was wrapped at about this width."""
    if width < _NARROW_COLUMN or width > _WIDE:
        return False
    total = 0
    narrow = width < _NARROW
    for j in range(low + 1, high):
        if not (rows[j - 1, FLAGS] | rows[j, FLAGS]) & IS_LONG:
            total += _tally(rows, j - 1, j, width, _AGAINST)
            narrow = narrow and not _is_parted(rows, j - 1, j)
    return total > 0 and not narrow


@kernel
def _are_full(rows: NDArray[np.int64], low: int, high: int, width: int) -> bool:
    """Whether no line of several had room for the first word of the next, whatever its case.

    Titles, names and capitals are wrapped, too; lines that stand for themselves differ in length.
    """
    if high - low <= _FULL_PAIRS or width < _NARROW or width > _WIDE:
        return False
    for j in range(low + 1, high):
        if rows[j, FLAGS] & (IS_ITEM | IS_LABELLED) or _fits(rows, j - 1, j, width):
            return False
    return True


@kernel
def _is_one_word(rows: NDArray[np.int64], i: int) -> bool:
    """Whether a line is one long word, as in a list of addresses."""
    return bool(rows[i, FIRST] >= _LONG_WORD and rows[i, WIDTH] == rows[i, COLUMN] + rows[i, FIRST])


@kernel
def _is_full(rows: NDArray[np.int64], n: int, i: int) -> bool:
    """Whether line i begins since the line before was full, by the width of the text around it.

    A block of names and numbers does not say by itself that it is wrapped; the blocks around it do.
    """
    first, last = i - 1, i + 1
    while first > 0 and first > i - BACK and not rows[first - 1, FLAGS] & IS_LONG:
        first -= 1
    while last < n and last < i + REACH and not rows[last, FLAGS] & IS_LONG:
        last += 1
    width = 0
    for j in range(first, last):
        # One word alone may be longer than lines are.
        if not rows[j, FLAGS] & _END and rows[j, WIDTH] > rows[j, COLUMN] + rows[j, FIRST]:
            width = max(width, rows[j, WIDTH])
    if width < _NARROW or width > _WIDE or _fits(rows, i - 1, i, width):
        return False
    total = 0
    for j in range(first + 1, last):
        if not (rows[j - 1, FLAGS] | rows[j, FLAGS]) & _END:
            # Names and capitals may begin any line of a text that is wrapped elsewhere.
            total += _tally(rows, j - 1, j, width, _NO_MATTER)
    return total > 0


@kernel
def _is_quoted_alone(rows: NDArray[np.int64], n: int, i: int) -> bool:
    """Whether no line beside line i has the mark of a quoted mail, which nobody introduced.

    Then it is what closes a bracket: `<< File: map.doc >>`.
    """
    if rows[i, QUOTED] == 0 or rows[i - 1, QUOTED] > 0 or rows[i - 1, FLAGS] & ENDS_COLON:
        return False
    return bool(i + 1 >= n or rows[i + 1, QUOTED] == 0)


@kernel
def _is_heading(rows: NDArray[np.int64], low: int, i: int, high: int, width: int) -> bool:
    """Whether line i is like a title and stands where one may: first, last, or short."""
    if not rows[i, FLAGS] & IS_TITLE:
        return False
    if i == low or i + 1 == high:
        return True
    if rows[i - 1, FLAGS] & IS_TITLE or rows[i + 1, FLAGS] & IS_TITLE:
        return True
    return bool(rows[i - 1, FLAGS] & ENDS_FINAL) and _fits(rows, i, i + 1, width)


@kernel
def _is_head_break(rows: NDArray[np.int64], low: int, i: int, high: int, width: int) -> bool:
    """Whether a heading ends or begins between line i - 1 and line i."""
    if rows[i, FLAGS] & BEGINS_LOWER:
        return False
    first = _is_heading(rows, low, i - 1, high, width)
    second = _is_heading(rows, low, i, high, width)
    if first and second:
        return True
    if first:
        # One line of a wrapped paragraph may hold nothing but names.
        return _fits(rows, i - 1, i, width) or not rows[i, FLAGS] & BEGINS_UPPER
    return second and bool(rows[i - 1, FLAGS] & ENDS_FINAL) and i + 1 < high


@kernel
def _has_fellow(rows: NDArray[np.int64], low: int, i: int, high: int, flag: int) -> bool:
    """Whether another line of the block has a flag, too."""
    found = False
    for j in range(low, high):
        found = found or (j != i and rows[j, FLAGS] & flag != 0)
    return found


@kernel
def _block(rows: NDArray[np.int64], n: int, low: int, high: int, i: int) -> tuple[int, int]:
    """The first and the last but one of the lines around low..high-1 that have a say about i."""
    while low > 0 and low > i - REACH and not rows[low - 1, FLAGS] & (_END | IS_LONG):
        low -= 1
    while high < n and high < i + REACH and not rows[high, FLAGS] & (_END | IS_LONG):
        high += 1
    return low, high


@kernel
def is_opened(rows: NDArray[np.int64], n: int, i: int, kind: int, at: int) -> bool:
    """Whether what opens line i, before which is a gap of some kind, reaches up to an offset.

    In wrapped prose nothing but the mark of a quoted mail does; a label does where another line
    has one, too.
    """
    inside = at - rows[i, OFFSET]
    if kind in (WRAP, SHORT):
        # What no line before it has is no margin.
        return bool(inside <= rows[i, QUOTED]) and rows[i - 1, QUOTED] > 0
    if inside <= rows[i, MARK]:
        return True
    if inside > rows[i, LABEL]:
        return False
    low, high = _block(rows, n, i, i + 1, i)
    return _has_fellow(rows, low, i, high, IS_LABELLED)


@kernel
def _is_verse(rows: NDArray[np.int64], n: int, low: int, high: int, width: int) -> bool:
    """Whether the lines low..high-1, which are not wrapped, are verse.

    Many lines of verse end in commas, in this stanza or the ones next to it. Or they are about as
    long as each other, begin with capitals, and more go on over the end of a line than stop there,
    but the last stops. Lines are about as long as each other; `Kind regards,` closes a letter.
    """
    if width < _NARROW_VERSE:
        return False
    first, last = low, high
    while first > 0 and first > high - REACH and not rows[first - 1, FLAGS] & (IS_RULE | IS_LONG):
        first -= 1
    while last < n and last < low + REACH and not rows[last, FLAGS] & (IS_RULE | IS_LONG):
        last += 1
    commas = lines = 0
    for j in range(first, last):
        if rows[j, FLAGS] & IS_BLANK:
            continue
        lines += 1
        if rows[j, FLAGS] & ENDS_COMMA and 2 * rows[j, WIDTH] >= width:
            commas += 1
    if 4 * commas >= lines:
        return True
    if width > _WIDE_VERSE or not rows[high - 1, FLAGS] & ENDS_FINAL:
        return False
    over = 0
    for j in range(low, high):
        flags = rows[j, FLAGS]
        if (
            2 * rows[j, WIDTH] < width
            or not flags & BEGINS_UPPER
            or flags & (IS_ITEM | IS_LABELLED)
        ):
            return False
        if not flags & ENDS_FINAL:
            over += 1
    return 2 * over >= high - low


@kernel
def _line_break(rows: NDArray[np.int64], n: int, i: int) -> int:
    """The code between two lines with ink, i - 1 and i."""
    flags, last = rows[i, FLAGS], rows[i - 1, FLAGS]
    if (flags | last) & IS_RULE:
        return INDENT
    if (flags | last) & IS_LONG:
        return PARAGRAPH
    low, high = _block(rows, n, i - 1, i + 1, i)
    width = 0
    for j in range(low, high):
        width = max(width, rows[j, WIDTH])
    if _is_one_word(rows, i - 1) and _is_one_word(rows, i):
        return LINE
    full = _is_full(rows, n, i) or _are_full(rows, low, high, width)
    wrapped = full or _is_wrapped(rows, low, high, width)
    # A word that is hyphenated goes on, whatever room there was.
    parted = last & ENDS_HYPHEN and flags & BEGINS_LOWER
    fits = not full and not parted and _fits(rows, i - 1, i, width)
    if full and _is_quoted_alone(rows, n, i):
        return WRAP
    # A dash or a number may open a line of wrapped prose, too.
    opens = fits or not wrapped or last & (ENDS_FINAL | IS_ITEM)
    if flags & IS_ITEM and (opens or _has_fellow(rows, low, i, high, IS_ITEM)):
        return ITEM
    labelled = flags & IS_LABELLED and (fits or not wrapped or last & IS_LABELLED)
    if labelled and _has_fellow(rows, low, i, high, IS_LABELLED):
        return FIELD
    if not full and _is_head_break(rows, low, i, high, width):
        return HEAD
    if width > _WIDE:
        return PARAGRAPH
    if last & IS_ITEM:
        # What hangs below the text of an item goes on with it.
        hangs = abs(rows[i, COLUMN] - rows[i - 1, BODY]) <= 1
        if not hangs and rows[i, COLUMN] <= rows[i - 1, COLUMN]:
            return LINE if fits or not wrapped else WRAP
        return SHORT if fits else WRAP
    step = rows[i, COLUMN] - rows[i - 1, COLUMN]
    if step >= _STEP:
        return INDENT
    if step <= -_STEP:
        # The first line of a paragraph may be indented, and the others less.
        opened = i - 1 == low or rows[i - 1, COLUMN] - rows[i - 2, COLUMN] >= _STEP
        if not opened:
            return INDENT
    if wrapped:
        return SHORT if fits else WRAP
    return VERSE if _is_verse(rows, n, low, high, width) else LINE


@kernel
def goes_on_alone(rows: NDArray[np.int64], n: int, i: int) -> bool:
    """Whether line i stands for itself, since the next one does and is no heading."""
    if i + 1 >= n or (rows[i, FLAGS] | rows[i + 1, FLAGS]) & (_END | IS_LONG):
        return False
    return _line_break(rows, min(n, i + REACH), i + 1) == LINE  # no more lines need be known


@kernel
def _is_double_spaced(rows: NDArray[np.int64], n: int, i: int, before: int) -> bool:
    """Whether prose was typed with a blank line after each line, around lines before and i."""
    if i - before != 2 or (rows[i, FLAGS] | rows[before, FLAGS]) & (IS_LONG | _END):
        return False
    low, high = before, i
    while low > 1 and low > i - REACH and not rows[low - 2, FLAGS] & (_END | IS_LONG):
        if rows[low - 1, FLAGS] & IS_LONG:
            break
        if not rows[low - 1, FLAGS] & IS_BLANK:
            return False
        low -= 2
    while high + 2 < n and high < i + REACH - 2 and not rows[high + 2, FLAGS] & (_END | IS_LONG):
        if rows[high + 1, FLAGS] & IS_LONG:
            break
        if not rows[high + 1, FLAGS] & IS_BLANK:
            return False
        high += 2
    width = 0
    for j in range(low, high + 1, 2):
        width = max(width, rows[j, WIDTH])
    if width < _NARROW_DOUBLE or width > _WIDE_DOUBLE or high - low < 4:
        return False
    total = finals = lowers = lines = 0
    for j in range(low + 2, high + 1, 2):
        total += _tally(rows, j - 2, j, width, _AGAINST)
        lines += 1
        if rows[j - 2, FLAGS] & ENDS_FINAL:
            finals += 1
        if rows[j, FLAGS] & BEGINS_LOWER:
            lowers += 1
    if total <= 0 or 2 * finals > lines or 2 * lowers < lines:
        return False
    # Where a paragraph ends its last line is short, and the next begins with a capital.
    return bool(rows[i, FLAGS] & BEGINS_LOWER) or not _fits(rows, before, i, width)


@kernel
def is_ready(rows: NDArray[np.int64], n: int, i: int) -> bool:
    """Whether enough lines are known to decide about line i, though more may come."""
    if i >= n:
        return False
    for j in range(i, min(n, i + REACH)):
        if rows[j, FLAGS] & IS_LONG:
            return True
    return i + REACH <= n


@kernel
def decide(rows: NDArray[np.int64], n: int, i: int, opened: bool) -> int:
    """The code of the gap before line i, which has ink; `opened` if tokens came before."""
    if not opened:
        return START
    before = i - 1
    while before >= 0 and before > i - REACH and rows[before, FLAGS] & IS_BLANK:
        before -= 1
    if before < 0 or before == i - REACH or rows[before, FLAGS] & IS_BLANK:
        return BLANK
    if before == i - 1:
        return _line_break(rows, n, i)
    return DOUBLE if _is_double_spaced(rows, n, i, before) else BLANK
