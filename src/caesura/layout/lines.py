"""Kernels: the lines of a text, one row of a table each, from one pass over its characters.

A row says how far a line is indented, how wide it is, how wide its first word is, and whether it
is blank, opens with a list mark or a label, is a rule or like a title, and how it begins and ends.
A line of more than LONGEST characters is told to be long and nothing else but its end: so a row is
known after so many characters, and a line of megabytes costs no more than its characters.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import (
    APOSTROPHE,
    ASKING,
    CLOSE,
    COMMA,
    DASH,
    DIGIT,
    JOINER,
    LETTERS,
    LOWER,
    NEWLINE,
    QUOTE,
    SPACE,
    STOP,
    TITLE,
    UPPER,
    WORDLIKE,
)
from caesura.jit import kernel

__all__ = ["COLUMNS", "INK_END", "LONGEST", "SCANNER", "end_of_text", "open_line", "scan"]
__all__ += ["BODY", "FIRST", "FLAGS", "INDENT", "LABEL", "MARK", "OFFSET", "QUOTED", "WIDTH"]
__all__ += ["IS_BLANK", "IS_ITEM", "IS_LABELLED", "IS_LONG", "IS_RULE", "IS_TITLE"]
__all__ += ["BEGINS_LOWER", "BEGINS_UPPER", "ENDS_COLON", "ENDS_COMMA", "ENDS_FINAL", "ENDS_HYPHEN"]

#: Characters of a line that are looked at; a longer line is long, whatever it holds.
LONGEST = 400

#: What a row holds: where the line begins, the columns at which its ink begins and ends, the width
#: of its first word, the column at which its text begins after a list mark, flags, and how many
#: characters into the line the text begins behind `>`, behind a mark and behind a label, if any.
OFFSET, INDENT, WIDTH, FIRST, BODY, FLAGS, QUOTED, MARK, LABEL = range(9)
COLUMNS = 9

IS_BLANK, IS_LONG, IS_ITEM, IS_RULE, IS_TITLE, IS_LABELLED = (1 << n for n in range(6))
BEGINS_LOWER, BEGINS_UPPER = 64, 128
ENDS_FINAL, ENDS_COMMA, ENDS_COLON, ENDS_HYPHEN = 256, 512, 1024, 2048

#: What is carried from block to block: where the open line begins, whether its row was written,
#: the offset after its last ink, the code of that ink, the class of the character before it, the
#: class of the last ink that closes nothing, and the code and class of the last character.
SCANNER = 8
_LINE, _WRITTEN, INK_END, _CODE, _BEFORE, _INNER, _LAST, _KIND = range(SCANNER)

_wordlike = np.zeros(256, dtype=np.bool_)
_wordlike[list(WORDLIKE)] = True
_letters = np.zeros(256, dtype=np.bool_)
_letters[list(LETTERS)] = True
#: Characters that open a list item when a blank follows, that make a rule, and that a label holds.
_BULLETS = np.array(sorted(map(ord, "-–—*+•·◦▪■□●○‣⁃►▸✓✔☐☑→#§")), dtype=np.uint32)
_RULES = np.array(sorted(map(ord, "-–—=_*~#+.·•─━═")), dtype=np.uint32)
_INSIDE_LABEL = np.array(sorted(map(ord, "-_.'’()[]#@&/")), dtype=np.uint32)
_NUMERALS = np.array(sorted(map(ord, "ivxlIVXL")), dtype=np.uint32)
_LONGEST_LABEL, _LONGEST_TITLE, _BIG_WORD, _TAB = cast(list[int], np.array([32, 90, 4, 4]))
_LONGEST_REMARK = cast(int, np.int64(40))
_HYPHENS = np.array([0x2D, 0xAD, 0x2010], dtype=np.uint32)


@kernel
def _among(code: int, known: NDArray[np.uint32]) -> bool:
    found = False
    for other in known:
        found = found or other == code
    return found


@kernel
def _after_mark(kinds: NDArray[np.uint8], codes: NDArray[np.uint32], p: int, b: int) -> int:
    """Where the list mark at p ends, p if there is none: `-`, `##`, `12.`, `3)`, `(iv)`, `a)`."""
    q = p
    while q < b and q - p < 3 and codes[q] == codes[p] and _among(codes[p], _BULLETS):
        q += 1
    if q == p:
        bracket = codes[q] == 40
        if bracket:
            q += 1
        inner = q
        numeral = True
        while q < b and q - inner < 4 and _wordlike[kinds[q]]:
            numeral = numeral and _among(codes[q], _NUMERALS)
            q += 1
        if q == inner or q >= b:
            return p
        digits = kinds[inner] == DIGIT
        for r in range(inner, q):
            digits = digits and kinds[r] == DIGIT
        single = q - inner == 1
        closed = codes[q] == 41
        if not digits and not (numeral and q - inner > 1) and not single:
            return p
        if not closed:
            # `J. Smith` may open a line of prose, and so may a year.
            if bracket or codes[q] != 46 or (kinds[inner] == UPPER and single):
                return p
            if digits and q - inner > 2:
                return p
        q += 1
    return q if q < b and kinds[q] == SPACE else p


@kernel
def _is_rule(kinds: NDArray[np.uint8], codes: NDArray[np.uint32], p: int, b: int) -> bool:
    """Whether nothing but a drawn line is there."""
    drawn = 0
    for q in range(p, b):
        if _among(codes[q], _RULES):
            drawn += 1
        elif kinds[q] != SPACE:
            return False
    return drawn >= 3


@kernel
def _after_number(kinds: NDArray[np.uint8], codes: NDArray[np.uint32], p: int, b: int) -> int:
    """Where a letter with a number ends, `Q1. What`, or a note, `[6] See`; p if there is none."""
    if codes[p] == 91:
        q = p + 1
        while q < b and q - p < 4 and kinds[q] == DIGIT:
            q += 1
        ends = q > p + 1 and q + 1 < b and codes[q] == 93 and kinds[q + 1] == SPACE
        return q + 1 if ends else p
    if p + 2 >= b or kinds[p] != UPPER or kinds[p + 1] != DIGIT:
        return p
    q = p + 2
    if kinds[q] == DIGIT:
        q += 1
    return q + 1 if q + 1 < b and codes[q] == 46 and kinds[q + 1] == SPACE else p


@kernel
def _after_remark(kinds: NDArray[np.uint8], codes: NDArray[np.uint32], p: int, b: int) -> int:
    """Where the text begins behind a label that ends at p, and a remark: `ANNA: (laughing) No.`."""
    while p < b and kinds[p] == SPACE:
        p += 1
    if p >= b or codes[p] != 40:
        return p
    q = p + 1
    while q < b and q - p < _LONGEST_REMARK and codes[q] != 40 and codes[q] != 41:
        q += 1
    if q + 1 >= b or codes[q] != 41 or kinds[q + 1] != SPACE:
        return p
    q += 1
    while q < b and kinds[q] == SPACE:
        q += 1
    return q


@kernel
def _after_label(kinds: NDArray[np.uint8], codes: NDArray[np.uint32], p: int, b: int) -> int:
    """Where up to four words and a colon that open the line end: `Subject:`, `[00:01] ANNA:`.

    p if there are none.
    """
    blanks = letters = 0
    for q in range(p, min(b, p + _LONGEST_LABEL)):
        if codes[q] == 58:
            if q + 1 >= b or kinds[q + 1] == SPACE:
                return q + 1 if letters > 0 else p
            if kinds[q + 1] != DIGIT:
                return p
        elif kinds[q] == SPACE:
            blanks += 1
            if blanks > 3:
                return p
        elif _letters[kinds[q]]:
            letters += 1
        elif kinds[q] != DIGIT and not _among(codes[q], _INSIDE_LABEL):
            return p
    return p


@kernel
def _is_title(kinds: NDArray[np.uint8], p: int, b: int) -> bool:
    """Whether every longer word begins with a capital or digit, or all letters are capitals."""
    if b - p > _LONGEST_TITLE:
        return False
    uppers = lowers = small = words = 0
    q = p
    while q < b:
        while q < b and not _wordlike[kinds[q]]:
            q += 1
        if q >= b:
            break
        first = kinds[q]
        start = q
        while q < b and kinds[q] != SPACE:
            if kinds[q] == UPPER or kinds[q] == TITLE:
                uppers += 1
            elif kinds[q] == LOWER:
                lowers += 1
            q += 1
        if first == LOWER and (words == 0 or q - start >= _BIG_WORD):
            small += 1
        words += 1
    return uppers > 0 and (small == 0 or lowers == 0)


@kernel
def _begin(
    kinds: NDArray[np.uint8], codes: NDArray[np.uint32], a: int, b: int, row: NDArray[np.int64]
) -> None:
    """Fill what the characters a..b-1 of a line, which are all of it, say of its beginning."""
    p = a
    tabs = 0
    quoted = False
    while p < b:
        if codes[p] == 9:
            tabs += 1
        # The mark of a quoted mail is a margin, and so are marks of direction.
        elif codes[p] == 62:
            if p + 1 < b and kinds[p + 1] != SPACE and codes[p + 1] != 62:
                break
            quoted = True
        elif kinds[p] != SPACE and kinds[p] != JOINER:
            break
        p += 1
    row[INDENT] = p - a + tabs * (_TAB - 1)
    row[BODY] = row[INDENT]
    if p == b:
        row[FLAGS] = IS_BLANK
        return
    flags = 0
    q = p
    while q < b and kinds[q] != SPACE:
        q += 1
    row[FIRST] = q - p
    if _is_rule(kinds, codes, p, b):
        row[FLAGS] = IS_RULE
        return
    text = _after_mark(kinds, codes, p, b)
    if text > p:
        flags |= IS_ITEM
        while text < b and kinds[text] == SPACE:
            text += 1
        row[BODY] += text - p
    # Two hyphens open a signature rather than an item.
    signed = codes[p] == 45 and p + 1 < b and codes[p + 1] == 45
    behind = p if signed else max(text, _after_number(kinds, codes, p, b))
    while behind < b and kinds[behind] == SPACE:
        behind += 1
    row[QUOTED] = p - a if quoted else 0
    row[MARK] = behind - a if behind > p else row[QUOTED]
    while p < b and not _wordlike[kinds[p]]:
        p += 1
    if p < b:
        if kinds[p] == LOWER:
            flags |= BEGINS_LOWER
        elif kinds[p] == UPPER or kinds[p] == TITLE:
            flags |= BEGINS_UPPER
    label = _after_label(kinds, codes, text, b)
    if label > text:
        flags |= IS_LABELLED
        row[LABEL] = _after_remark(kinds, codes, label, b) - a
    if _is_title(kinds, text, b):
        flags |= IS_TITLE
    row[FLAGS] = flags


@kernel
def _finish(
    line: int, end: int, code: int, before: int, inner: int, row: NDArray[np.int64]
) -> None:
    """Add what is known when a line is over: where its ink ends, and in what mark."""
    if end < 0:
        row[FLAGS] |= IS_BLANK  # a long line of blanks, too
        return
    row[WIDTH] = end - line
    if _among(code, _HYPHENS) and _letters[before]:
        row[FLAGS] |= ENDS_HYPHEN
    elif code == 58:
        row[FLAGS] |= ENDS_COLON
    elif code == 59 or inner in (COMMA, DASH):
        # A colon before a bracket is the eyes of a smile.
        if code != 41:
            row[FLAGS] |= ENDS_COMMA
    elif inner in (STOP, ASKING):
        row[FLAGS] |= ENDS_FINAL
    if row[FLAGS] & (ENDS_COMMA | ENDS_HYPHEN) or code == 46:
        row[FLAGS] &= ~IS_TITLE


@kernel
def scan(
    kinds: NDArray[np.uint8],
    codes: NDArray[np.uint32],
    base: int,
    at: int,
    state: NDArray[np.int64],
    rows: NDArray[np.int64],
    n: int,
) -> int:
    """Append the rows of the lines that end here, or are long already; returns how many there are.

    The characters begin at the offset `base` and hold what is open of the last line, or LONGEST of
    it; those from `at` on are new. Rows that are not used are zero.
    """
    line, written, end = state[_LINE], state[_WRITTEN], state[INK_END]
    ink, before, inner = state[_CODE], state[_BEFORE], state[_INNER]
    last, last_kind = state[_LAST], state[_KIND]
    for p in range(at, kinds.shape[0]):
        kind, code = np.int64(kinds[p]), np.int64(codes[p])
        if kind == NEWLINE:
            if code == 10 and last == 13:
                line = base + p + 1
                last = code
                continue
            if written == 0:
                rows[n, OFFSET] = line
                _begin(kinds, codes, line - base, p, rows[n])
                n += 1
            _finish(line, end, ink, before, inner, rows[n - 1])
            line, written, end, inner = base + p + 1, 0, -1, 0
        else:
            if kind != SPACE:
                end, ink, before = base + p + 1, code, last_kind
                if kind != QUOTE and kind != CLOSE and kind != APOSTROPHE:
                    inner = kind
            if base + p - line == LONGEST and written == 0:
                rows[n, OFFSET] = line
                rows[n, FLAGS] = IS_LONG
                written = 1
                n += 1
        last, last_kind = code, kind
    state[_LINE], state[_WRITTEN], state[INK_END] = line, written, end
    state[_CODE], state[_BEFORE], state[_INNER] = ink, before, inner
    state[_LAST], state[_KIND] = last, last_kind
    return n


@kernel
def open_line(state: NDArray[np.int64], rows: NDArray[np.int64], n: int) -> int:
    """Note where the open line begins, in a row after those that are known; returns the rows."""
    if state[_WRITTEN]:
        return n
    rows[n, OFFSET] = state[_LINE]
    return n + 1


@kernel
def end_of_text(
    kinds: NDArray[np.uint8],
    codes: NDArray[np.uint32],
    base: int,
    state: NDArray[np.int64],
    rows: NDArray[np.int64],
    n: int,
) -> int:
    """As `scan`, for the last line, which no newline ends."""
    if not state[_WRITTEN]:
        rows[n, OFFSET] = state[_LINE]
        _begin(kinds, codes, state[_LINE] - base, kinds.shape[0], rows[n])
        n += 1
    line, end, row = state[_LINE], state[INK_END], rows[n - 1]
    _finish(line, end, state[_CODE], state[_BEFORE], state[_INNER], row)
    return n
