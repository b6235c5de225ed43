"""A code for the gap before each token of a text, which may come in blocks.

What the gap before a line is `gaps` decides; here it is read off for tokens, and the gaps inside of
lines get their codes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, Longs
from caesura.document.characters import MARGIN, NEWLINE, classes_of, classify, code_points
from caesura.jit import kernel
from caesura.jit_plain import Tiers
from caesura.layout.codes import (
    BLANK,
    DOUBLE,
    INSIDE,
    LINE,
    OPENED,
    SAME,
    START,
    WIDE,
    WRAP,
)
from caesura.layout.gaps import BACK, decide, goes_on_alone, is_opened, is_ready
from caesura.layout.lines import (
    COLUMNS,
    INK_END,
    OFFSET,
    SCANNER,
    end_of_text,
    open_line,
    scan,
)

__all__ = ["LayoutReader", "layout_in", "layout_of", "read_off"]

Codes = NDArray[np.uint8]

#: Blanks on one line that make a gap wide.
_GAP = 3
#: What is carried from one call of `read_off` to the next.
CARRIED = 5
_TAB = 9
#: Characters that Python reads as quickly as compiled code is loaded from the disk.
_LITTLE = 8000


@kernel
def read_off(
    rows: NDArray[np.int64],
    known: int,
    all_known: bool,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    carried: NDArray[np.int64],
    codes: NDArray[np.uint8],
) -> int:
    """Fill the codes of tokens as far as they are known; returns how many are.

    Of the rows, the first so many are known and the last may be that of the open line. `carried`
    holds the row of the line that the token before ends on, whether there was one, its end, the
    code of that line, and whether that line stands for itself.
    """
    n = rows.shape[0]
    line, opened, end = carried[0], carried[1] != 0, carried[2]
    kind, alone = carried[3], carried[4] != 0
    done = begins.shape[0]
    for t in range(begins.shape[0]):
        at = line
        while at + 1 < n and rows[at + 1, OFFSET] <= begins[t]:
            at += 1
        if opened and at == line:
            codes[t] = WIDE if begins[t] - end >= _GAP else SAME
            if is_opened(rows, known, line, kind, begins[t]):
                codes[t] = OPENED
            elif codes[t] == SAME and alone:
                codes[t] = INSIDE
        elif all_known or is_ready(rows, known, at):
            codes[t] = kind = decide(rows, known, at, opened)
            alone = kind == LINE or goes_on_alone(rows, known, at)
        else:
            done = t
            break
        opened = True
        line = at
        end = ends[t]
        while line + 1 < n and rows[line + 1, OFFSET] < end:
            line += 1
            kind, alone = WRAP, False  # a token over two lines: what goes on is not opened
    carried[0], carried[1], carried[2] = line, opened, end
    carried[3], carried[4] = kind, alone
    return int(done)


@kernel
def read_whole(
    kinds: NDArray[np.uint8],
    codes: NDArray[np.uint32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    found: NDArray[np.uint8],
) -> None:
    """Fill the codes of all tokens of a text that is there as a whole."""
    lines = 1
    for kind in kinds:
        if kind == NEWLINE:
            lines += 1
    rows = np.zeros((lines, COLUMNS), np.int64)
    state = np.zeros(SCANNER, np.int64)
    state[INK_END] = -1
    n = scan(kinds, codes, 0, 0, state, rows, 0)
    n = end_of_text(kinds, codes, 0, state, rows, n)
    read_off(rows[:n], n, True, begins, ends, np.zeros(CARRIED, np.int64), found)
    for t in range(1, begins.shape[0]):
        if found[t] in (SAME, INSIDE):
            for p in range(ends[t - 1], begins[t]):
                if codes[p] == _TAB:
                    found[t] = WIDE


_whole = Tiers(read_whole, _LITTLE)


def layout_of(
    kinds: NDArray[np.uint8],
    codes: NDArray[np.uint32],
    begins: Longs,
    ends: Longs,
    paragraphs: Longs,
) -> Codes:
    """The codes of the tokens of a whole text, from its characters by class and number."""
    found = np.zeros(len(begins), np.uint8)
    if len(begins):
        _whole(len(kinds))(kinds, codes, begins, ends, found)
        if len(paragraphs):
            _mark_paragraphs(found, begins, np.concatenate((begins[:1], ends[:-1])), paragraphs)
    return found


def _mark_paragraphs(codes: Codes, begins: Longs, since: Longs, paragraphs: Longs) -> None:
    """Where a document says that paragraphs start; `since` has where the gaps before tokens begin.

    Not inside a chunk, nor where blank lines say nothing.
    """
    at = begins.searchsorted(paragraphs)
    at = at[at < len(begins)]
    at = at[(begins[at] > since[at]) & (codes[at] != DOUBLE) & (codes[at] != START)]
    codes[at] = BLANK


class LayoutReader:
    """The codes of a text that comes in blocks: characters in, then the codes of its tokens."""

    def __init__(self, paragraphs: Longs | None = None) -> None:
        """Offsets at which `paragraphs` start, if somebody said so."""
        self._paragraphs = np.zeros(0, np.int64) if paragraphs is None else paragraphs
        self._rows = np.zeros((1, COLUMNS), np.int64)
        self._known = 0
        self._state = np.zeros(SCANNER, np.int64)
        self._state[INK_END] = -1
        self._base = 0  # the offset of the first character that is kept
        self._kept = np.zeros(0, np.uint32)
        self._carried = np.zeros(CARRIED, np.int64)
        self._tabs = np.zeros(0, np.int64)
        self._ended = False

    def feed(self, codes: NDArray[np.uint32], *, last: bool = False) -> None:
        """Take the next characters, as code points."""
        kept = len(self._kept)
        text = np.concatenate((self._kept, codes))
        kinds = classes_of(text)
        tabs = np.flatnonzero(codes == _TAB) + (self._base + kept)
        self._tabs = np.concatenate((self._tabs, tabs)) if len(tabs) else self._tabs
        room = int(np.count_nonzero(kinds[kept:] == NEWLINE)) + 2
        rows = np.zeros((self._known + room, COLUMNS), np.int64)
        rows[: self._known] = self._rows[: self._known]
        n = scan(kinds, text, self._base, kept, self._state, rows, self._known)
        if last:
            n = end_of_text(kinds, text, self._base, self._state, rows, n)
            self._ended = True
            used = n
        else:
            used = open_line(self._state, rows, n)
        self._rows, self._known = rows[:used], n
        # What is kept is the open line, unless it is long.
        begin = int(self._rows[-1, OFFSET]) if used > n else self._base + len(text)
        self._kept = text[begin - self._base :].copy()
        self._base = begin

    def take(self, begins: Longs, ends: Longs) -> Codes:
        """The codes of the next tokens, as far as enough of the text is known.

        Tokens that got none are to be given again with the next call.
        """
        codes = np.zeros(len(begins), np.uint8)
        if not len(begins):
            return codes
        before = self._carried[2:3].copy()
        done = read_off(self._rows, self._known, self._ended, begins, ends, self._carried, codes)
        codes, begins = codes[:done], begins[:done]
        since = np.concatenate((before, ends[: max(done - 1, 0)]))[:done]
        if len(self._tabs) and done:
            tabbed = self._tabs.searchsorted(begins) > self._tabs.searchsorted(since)
            codes[tabbed & ((codes == SAME) | (codes == INSIDE))] = WIDE
            self._tabs = self._tabs[self._tabs >= self._carried[2]]
        if len(self._paragraphs) and done:
            _mark_paragraphs(codes, begins, since, self._paragraphs)
            passed = self._paragraphs.searchsorted(begins[-1], side="right")
            self._paragraphs = self._paragraphs[passed:]
        surplus = int(self._carried[0]) - BACK
        if surplus > 0:
            self._rows = self._rows[surplus:]
            self._known -= surplus
            self._carried[0] -= surplus
        return codes


def layout_in(doc: Document) -> Codes:
    """The codes of the tokens of a document, from its text and its paragraphs."""
    kinds, codes = classify(code_points(doc.text))
    inner = slice(MARGIN, MARGIN + len(doc.text))
    return layout_of(
        kinds[inner], codes[inner], doc.token_start, doc.token_end, doc.paragraph_start
    )
