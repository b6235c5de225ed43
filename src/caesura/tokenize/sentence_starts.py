"""Kernels: the probability that a sentence starts at each token, decided left to right.

A binary logistic model over hashed features of the tokens around a gap: forms, shapes, endings,
the gap itself (nothing, space, newline, blank line), how long the sentence and the line already
are, open quotes and brackets, what is known of the types beside it, and how much punctuation and
upper case came before, which tells written text from transcripts; where a line begins, also what
the layout says about the gap. It sees three tokens back and AHEAD tokens on.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import ASKING, CLOSE, COMMA, OPEN, QUOTE, STOP, UPPER
from caesura.jit import kernel
from caesura.layout.codes import SAME
from caesura.tokenize.logistic import Codes, Table, decide, probability_of, step, tally
from caesura.tokenize.marks import (
    AHEAD,
    BEHIND,
    Marks,
    is_behind_note,
    is_note,
    without_note,
)
from caesura.tokenize.prepared_text import to_slots
from caesura.tokenize.word_types import ABBREVIATION, ADDRESS, CASE

__all__ = ["PASS", "START_FEATURES", "STATE", "start_epoch", "starts"]

#: Features of one gap at most, of which the layout adds some where the gap is no ordinary one.
START_FEATURES = 76
LAYOUT_FEATURES = 11
#: A truth with this bit is known but not learned.
PASS = 2
#: Numbers that the decision at a token takes from those before it.
STATE = 10
#: A gap with a blank line in it.
_BLANK = 4

_NONE, _ALL, _SAME = cast(list[int], np.array([0, 44, SAME]))
_ONE = np.uint32(1)
#: How a probability is kept in the state.
_WHOLE = 1 << 40
_EDITED, _BARE = cast(list[int], np.array([100, 200]))
# What the state holds.
_SINCE, _FIRST, _QUOTES, _BRACKETS, _STOPS, _CAPITALS, _COUNT, _LINE, _SIGNS, _NOTE = range(STATE)


_signs = np.zeros(64, dtype=np.bool_)
_signs[[STOP, COMMA, ASKING, QUOTE, OPEN, CLOSE, UPPER]] = True


@kernel(inline="always")
def _is_sign(shape: np.uint64) -> bool:
    """Whether a token begins with punctuation or a capital, which transcripts lack."""
    return bool(_signs[np.int64(shape >> np.uint64(12))])


@kernel(inline="always")
def _bucket(n: int) -> np.uint64:
    if n < 5:
        return np.uint64(n)
    if n < 8:
        return np.uint64(5)
    if n < 13:
        return np.uint64(6)
    if n < 21:
        return np.uint64(7)
    if n < 41:
        return np.uint64(8)
    return np.uint64(9)


@kernel(counted=False)
def _ones(x: int) -> np.uint64:
    n = np.uint64(0)
    y = np.uint64(x)
    while y != np.uint64(0):
        y &= y - np.uint64(1)
        n += np.uint64(1)
    return n


@kernel(counted=False)
def _pair(x: np.uint64, y: np.uint64) -> np.uint64:
    return (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15) + y


@kernel(counted=False)
def _features(
    marks: Marks,
    i: int,
    layout: int,
    state: NDArray[np.int64],
    bits: int,
    out: NDArray[np.uint64],
) -> int:
    """The features of the gap before row i, of which the layout says so much; how many there are.

    Inside a line the layout says nothing that is not said already.
    """
    w, s, e = marks.form, marks.shape, marks.ending
    g = np.uint64(marks.gap[i])
    since = _bucket(state[_SINCE])
    stops = min(_ones(state[_STOPS]), np.uint64(3))
    capitals = min(_ones(state[_CAPITALS]), np.uint64(3))
    full = np.uint64(state[_COUNT] >= 12)
    mode = (stops * np.uint64(4) + capitals) * np.uint64(2) + full
    first = np.uint64(state[_FIRST])
    quotes = np.uint64(state[_QUOTES] & 1)
    brackets = np.uint64(min(max(state[_BRACKETS], 0), 2))
    line = _bucket(state[_LINE])
    ahead = np.uint64(0)
    signs = state[_SIGNS] != 0 or _is_sign(s[i])
    beyond = False
    for j in range(1, AHEAD):
        last = (s[i + j] >> np.uint64(7)) & np.uint64(31)
        beyond = beyond or marks.gap[i + j] >= _BLANK
        signs = signs or (not beyond and _is_sign(s[i + j]))
        stop = last == np.uint64(STOP) or last == np.uint64(ASKING)
        if ahead == np.uint64(0) and (marks.gap[i + j] > 1 or stop):
            ahead = np.uint64(j)
    # Text without any punctuation or capital far and wide, or in a paragraph of some length, is a
    # transcript, which has weights of its own: what is learned from one kind of text leaves the
    # other alone.
    base = _EDITED if signs else _BARE
    shapes = _pair(s[i - 1], s[i]) * np.uint64(8) + g
    forms = _pair(w[i - 1], w[i])
    left = _pair(w[i - 1], g)
    right = _pair(w[i], g)
    out[0] = g
    out[1] = shapes
    out[2] = left
    out[3] = right
    out[4] = forms * np.uint64(8) + g
    out[5] = _pair(w[i - 2], left)
    out[6] = _pair(w[i + 1], right)
    out[7] = _pair(s[i], left)
    out[8] = _pair(s[i - 1], right)
    out[9] = _pair(s[i - 2], shapes)
    out[10] = _pair(s[i + 1], shapes)
    out[11] = _pair(s[i - 2], _pair(s[i + 1], shapes))
    out[12] = _pair(w[i - 2], shapes)
    out[13] = _pair(w[i - 2], _pair(s[i], left))
    out[14] = _pair(e[i - 1], s[i]) * np.uint64(8) + g
    out[15] = _pair(s[i - 1], e[i]) * np.uint64(8) + g
    out[16] = _pair(since, s[i - 1]) * np.uint64(8) + g
    out[17] = _pair(since, shapes)
    out[18] = since * np.uint64(64) + mode
    out[19] = _pair(mode, left)
    out[20] = _pair(mode, right)
    out[21] = _pair(mode, shapes)
    out[22] = _pair(mode, forms)
    out[23] = _pair(first, shapes)
    out[24] = _pair(quotes + np.uint64(2) * brackets, shapes)
    out[25] = _pair(quotes, left)
    out[26] = _pair(w[i - 2], forms)
    out[27] = _pair(w[i + 1], forms)
    out[28] = _pair(w[i + 1], shapes)
    width = np.uint64(marks.width[i]) * np.uint64(8) + g
    out[29] = _pair(width, s[i])
    gaps = (np.uint64(marks.gap[i + 1]) * np.uint64(8) + np.uint64(marks.gap[i + 2])) * np.uint64(8)
    out[30] = _pair(gaps + g, s[i])
    gaps = np.uint64(marks.gap[i - 1]) * np.uint64(8) + g
    out[31] = _pair(gaps, _pair(s[i - 1], s[i]))
    out[32] = _pair(line * np.uint64(8) + g, shapes)
    out[33] = _pair(ahead, shapes)
    out[34] = _pair(ahead * np.uint64(16) + since, s[i]) * np.uint64(8) + g
    out[35] = _pair(s[i + 2], _pair(s[i + 1], shapes))
    out[36] = _pair(since, right)
    out[37] = _pair(w[i - 3], _pair(w[i - 2], left))
    out[38] = _pair(since * np.uint64(64) + mode, forms)
    out[39] = _pair(e[i - 2], _pair(e[i - 1], s[i]))
    out[40] = _pair(e[i - 1], e[i]) * np.uint64(64) + mode
    out[41] = _pair(mode * np.uint64(16) + since, e[i - 1])
    out[42] = _pair(w[i - 2], right) * np.uint64(64) + mode
    out[43] = _pair(e[i], e[i + 1]) * np.uint64(64) + mode
    to_slots(out, _NONE, _ALL, base, bits)
    n = _ALL
    case = np.uint64(marks.known[i] & CASE)
    if case != np.uint64(0):
        out[n] = _pair(case, shapes)
        out[n + 1] = _pair(case, _pair(s[i + 1], shapes))
        out[n + 2] = _pair(case, _pair(since, shapes))
        out[n + 3] = _pair(case, left) * np.uint64(64) + mode
        to_slots(out, n, n + 4, base + _ALL, bits)
        n += 4
    addresses = (marks.known[i - 1] & ADDRESS) | ((marks.known[i] & ADDRESS) >> _ONE)
    if addresses != np.uint32(0):
        value = np.uint64(addresses) * np.uint64(8) + g
        out[n] = value
        out[n + 1] = _pair(value, _pair(s[i - 1], s[i]))
        out[n + 2] = _pair(value, _pair(first, since))
        out[n + 3] = _pair(value, line)
        to_slots(out, n, n + 4, base + _ALL + 14, bits)
        n += 4
    kinds = np.uint64(marks.known[i - 1] & ABBREVIATION)
    if kinds != np.uint64(0):
        next_kinds = np.uint64(marks.known[i] & ABBREVIATION)
        kinds = kinds * np.uint64(8) + g
        out[n] = kinds
        out[n + 1] = _pair(kinds, s[i])
        out[n + 2] = _pair(kinds, w[i])
        out[n + 3] = _pair(kinds, _pair(s[i], case))
        out[n + 4] = _pair(kinds, _pair(s[i - 1], _pair(s[i], case)))
        out[n + 5] = _pair(kinds, _pair(s[i], s[i + 1]))
        out[n + 6] = _pair(kinds, _pair(s[i - 2], s[i]))
        out[n + 7] = _pair(kinds, _pair(s[i], next_kinds))
        out[n + 8] = _pair(kinds, _pair(s[i], case * np.uint64(16) + since))
        out[n + 9] = _pair(kinds, _pair(w[i - 1], case))
        to_slots(out, n, n + 10, base + _ALL + 4, bits)
        n += 10
    if layout != _SAME:
        b = np.uint64(layout)
        out[n] = b
        out[n + 1] = _pair(b, s[i - 1])
        out[n + 2] = _pair(b, s[i])
        out[n + 3] = _pair(b, _pair(s[i - 1], s[i]))
        out[n + 4] = _pair(b, w[i - 1])
        out[n + 5] = _pair(b, w[i])
        out[n + 6] = _pair(b * np.uint64(16) + since, s[i - 1])
        out[n + 7] = b * np.uint64(64) + mode
        out[n + 8] = _pair(b, _pair(e[i - 1], s[i]))
        out[n + 9] = _pair(b * np.uint64(16) + ahead, s[i])
        out[n + 10] = _pair(b, _pair(s[i], s[i + 1]))
        to_slots(out, n, n + LAYOUT_FEATURES, base + _ALL + 20, bits)
        n += LAYOUT_FEATURES
    return n


@kernel(counted=False)
def _is_bare(marks: Marks, i: int) -> bool:
    """Whether a paragraph begins with words that have neither punctuation nor capitals."""
    for j in range(AHEAD):
        if _is_sign(marks.shape[i + j]) or (j > 0 and marks.gap[i + j] >= _BLANK):
            return False
    return bool(marks.shape[i + AHEAD - 1] != 0)


@kernel(counted=False)
def _advance(marks: Marks, i: int, start: bool, state: NDArray[np.int64]) -> None:
    """Take token i, which starts a sentence or does not, into the state."""
    if marks.gap[i] >= _BLANK and _is_bare(marks, i):
        state[_STOPS] = state[_SIGNS] = state[_CAPITALS] = state[_COUNT] = 0
    if start:
        state[_SINCE] = 0
        state[_FIRST] = np.int64(marks.form[i] >> np.uint64(2))
        state[_BRACKETS] = 0
        if marks.gap[i] >= _BLANK:
            state[_QUOTES] = 0
    if marks.gap[i] > 1:
        state[_LINE] = 0
    state[_SINCE] += 1
    state[_LINE] += 1
    state[_COUNT] += 1
    head = marks.shape[i] >> np.uint64(12)
    last = (marks.shape[i] >> np.uint64(7)) & np.uint64(31)
    if head == np.uint64(QUOTE):
        state[_QUOTES] += 1
    elif head == np.uint64(OPEN):
        state[_BRACKETS] += 1
    elif head == np.uint64(CLOSE):
        state[_BRACKETS] -= 1
    stop = last == np.uint64(STOP) or last == np.uint64(ASKING)
    keep = (1 << 40) - 1
    state[_STOPS] = ((state[_STOPS] << 1) | (1 if stop else 0)) & keep
    sign = _is_sign(marks.shape[i])
    state[_SIGNS] = ((state[_SIGNS] << 1) | (1 if sign else 0)) & keep
    capital = head == np.uint64(UPPER)
    state[_CAPITALS] = ((state[_CAPITALS] << 1) | (1 if capital else 0)) & keep


@kernel
def starts(
    marks: Marks,
    breaks: NDArray[np.uint8],
    given: NDArray[np.int8],
    state: NDArray[np.int64],
    table: Codes,
    threshold: float,
    evidence: NDArray[np.float32],
) -> None:
    """Write the probability for each of the tokens; what is given (1 yes, 0 no) is obeyed.

    A model that did not learn from the layout gets no `breaks`.
    """
    features = np.empty(START_FEATURES, np.uint64)
    room = Marks(
        np.zeros(BEHIND + AHEAD, np.uint64),
        np.zeros(BEHIND + AHEAD, np.uint64),
        np.zeros(BEHIND + AHEAD, np.uint64),
        np.zeros(BEHIND + AHEAD, np.uint8),
        np.zeros(BEHIND + AHEAD, np.uint8),
        np.zeros(BEHIND + AHEAD, np.uint32),
    )
    _starts(marks, breaks, given, state, table, threshold, evidence, features, room)


@kernel(counted=False)
def _starts(
    marks: Marks,
    breaks: NDArray[np.uint8],
    given: NDArray[np.int8],
    state: NDArray[np.int64],
    table: Codes,
    threshold: float,
    evidence: NDArray[np.float32],
    features: NDArray[np.uint64],
    room: Marks,
) -> None:
    """The same with room for features, and for rows without a note."""
    shown = breaks.shape[0] > 0
    for n in range(evidence.shape[0]):
        i = n + BEHIND
        if state[_COUNT] == 0:
            probability = 1.0
        else:
            layout = breaks[n] if shown else _SAME
            count = _features(marks, i, layout, state, table.bits, features)
            probability = probability_of(decide(features, count, table))
        note = is_note(marks, i)
        carried = 0.0
        if state[_NOTE] > 0 and is_behind_note(marks, i):
            # What speaks for a start if the note is passed over speaks for one behind it.
            carried = state[_NOTE] / _WHOLE
            probability = max(probability, carried)
            state[_NOTE] = 0
        if given[n] >= 0:
            probability = float(given[n])
        elif note:
            without_note(marks, i, room)
            count = _features(room, BEHIND, _SAME, state, table.bits, features)
            behind = probability_of(decide(features, count, table))
            state[_NOTE] = np.int64(max(behind, carried) * _WHOLE)
            probability = 0.0
        evidence[n] = probability
        _advance(marks, i, probability > threshold, state)


@kernel
def start_epoch(
    marks: Marks,
    breaks: NDArray[np.uint8],
    truth: NDArray[np.int8],
    table: Table,
    bits: int,
    rate: float,
    own: bool,
    statistics: NDArray[np.float64],
) -> None:
    """One pass of AdaGrad over a document; a negative rate counts its features instead."""
    features = np.empty(START_FEATURES, np.uint64)
    shown = breaks.shape[0] > 0
    state = np.zeros(STATE, np.int64)
    for n in range(truth.shape[0]):
        i = n + BEHIND
        start = (truth[n] & 1) == 1
        if n > 0 and truth[n] < PASS:
            layout = breaks[n] if shown else _SAME
            count = _features(marks, i, layout, state, bits, features)
            if rate < 0.0:
                tally(features, count, table.seen)
            else:
                thought = step(features, count, start, table, rate, statistics)
                if own:
                    start = thought
        _advance(marks, i, start, state)
