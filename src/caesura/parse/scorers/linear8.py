"""The linear scorer for decoding: 8-bit rows, and no sum made twice.

Most of the time goes into fetching rows. What the templates of a group look at is the key of their
sum, and the sums of the last keys are kept, as are those of whole states, of which a beam has many
that differ only where no feature looks. All hashes are made first, and what they name is asked for
before it is added; sums of integers are exact in any order, so none of this shows in the scores.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.fetch import fetch
from caesura.learn.templates import ARITY, MULTIPLIERS, Templates
from caesura.parse.scorers.compact import EXPONENT, HELD, HIGHEST, VALUES, CompactRows
from caesura.parse.scorers.features import (
    BUFFER,
    FIRST_STATE,
    N_DECODING,
    N_SLOTS,
    PAIR,
    POSITIONS,
    SECOND,
    TREE,
    WHOLE,
    WORD,
)
from caesura.parse.scorers.simd_sums import add_low_rows, add_rows, join
from caesura.parse.scorers.slots import FLAGS, LENGTH, code, fill_places, fill_words
from caesura.parse.transitions.graph_stack import (
    ACTION,
    BELOW,
    CONTENT,
    DEPTH,
    PREVIOUS,
    STACK,
    Arena,
    mixed,
)
from caesura.parse.word_table import Words

__all__ = ["Linear8", "Scratch8", "forget_sums8", "new_scratch8", "score8"]

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_NUMBER: Final = np.uint64(0xFFFFFFFF)
_FOUR_BITS: Final = np.uint64(15)
_FULL_BIT: Final = np.uint64(60)
_SHORT_BIT: Final = np.uint64(61)
_HIGHEST_BITS: Final = np.uint64(0xFFFFFF)
#: Sums below this fit into 16 bits.
_LOW: Final = np.uint64(1 << 15)
_LAST_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
_BYTE: Final = np.uint64(8)
_COLUMN: Final = np.uint64(0xFF)
#: Sums of each group that are kept: so many bits of the key tell where.
_KEPT_BITS: Final = 6
#: The place of the sum of a state's own features, after those that are kept.
_OWN: Final = N_DECODING << _KEPT_BITS
_M0, _M1, _M2, _M3 = (np.uint64(m) for m in MULTIPLIERS)
assert ARITY == 4


class Scratch8(NamedTuple):
    """Working memory of one thread: words that are looked at, slots, rows, sums by their keys.

    `wanted` are the groups whose sums have to be made, `at` the places of all. `full` are the full
    rows of all wanted groups, of which each has its `last` one and how far from 0 the sum of its
    rows may be at most; `short` and `held` are the other rows, with the places of their sums.
    `counts` are the sums that were made, and of how many rows of each kind.
    """

    places: NDArray[np.int64]
    slots: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    sums: NDArray[np.int32]
    wanted: NDArray[np.int64]
    at: NDArray[np.int64]
    last: NDArray[np.int64]
    highest: NDArray[np.uint64]
    full: NDArray[np.uint64]
    short: NDArray[np.uint64]
    held: NDArray[np.uint64]
    to_short: NDArray[np.uint64]
    to_held: NDArray[np.uint64]
    counts: NDArray[np.int64]


class Linear8(NamedTuple):
    """The linear model with 8-bit weights; templates are compiled for decoding."""

    rows: CompactRows
    unit: float
    templates: Templates
    scratch: Scratch8


def new_scratch8(templates: Templates, width: int) -> Scratch8:
    n = len(templates.seeds)
    return Scratch8(
        np.zeros(len(POSITIONS), np.int64),
        np.zeros(N_SLOTS, np.uint64),
        np.zeros(n, np.uint64),
        np.zeros(_OWN, np.uint64),
        np.zeros((_OWN + 1, width), np.int32),
        np.zeros(N_DECODING, np.int64),
        np.zeros(N_DECODING, np.int64),
        np.zeros(N_DECODING, np.int64),
        np.zeros(N_DECODING, np.uint64),
        np.zeros(n + 1, np.uint64),
        np.zeros(n + 1, np.uint64),
        np.zeros(n + 1, np.uint64),
        np.zeros(n + 1, np.uint64),
        np.zeros(n + 1, np.uint64),
        np.zeros(4, np.int64),
    )


@kernel(forceinline=True, counted=False)
def _row(h: np.uint64, mask: np.uint64) -> Any:
    return ((h ^ (h >> _HALF)) * _LAST_MIX >> _HALF) & mask


@kernel(forceinline=True, counted=False)
def _first(ends: NDArray[np.int64], group: int) -> Any:
    """Where the templates of a group begin.

    Unsigned, as are all places here: Numba would look whether they count from the end.
    """
    return np.uint64(ends[np.uint64(group - 1)]) if group > 0 else _ZERO


@kernel(forceinline=True, counted=False)
def _find_group(scorer: Linear8, group: int) -> None:
    """The rows of a group's features; where they are is asked for."""
    templates, scratch, lookup = scorer.templates, scorer.scratch, scorer.rows.lookup
    slots, seeds, ends = templates.slots, templates.seeds, templates.ends
    rows, values = scratch.rows, scratch.slots
    mask = np.uint64(lookup.shape[0] - 1)
    for t in range(_first(ends, group), np.uint64(ends[np.uint64(group)])):
        h = seeds[t] + values[np.uint64(slots[t, 0])] * _M0
        h += values[np.uint64(slots[t, 1])] * _M1
        h += values[np.uint64(slots[t, 2])] * _M2
        row = _row(h + values[np.uint64(slots[t, 3])] * _M3, mask)
        rows[t] = row
        fetch(lookup, np.int64(row))


@kernel(forceinline=True, counted=False)
def _ask(scorer: Linear8, k: int, n: np.uint64, m: np.uint64, h: np.uint64) -> Any:
    """Look up where the rows of a wanted group are, note them by their kinds, and ask for them.

    Takes and returns the numbers of full rows, of short ones, and of those that entries hold.
    """
    rows, scratch, ends = scorer.rows, scorer.scratch, scorer.templates.ends
    full, short, held = scratch.full, scratch.short, scratch.held
    to_short, to_held = scratch.to_short, scratch.to_held
    group = scratch.wanted[k]
    highest, at = _ZERO, np.uint64(scratch.at[group])
    for t in range(_first(ends, group), np.uint64(ends[np.uint64(group)])):
        entry = rows.lookup[scratch.rows[t]]
        number = entry & _NUMBER
        is_full, is_short = (entry >> _FULL_BIT) & _ONE, (entry >> _SHORT_BIT) & _ONE
        # Where it is of another kind the first row is asked for: that costs less than to guess.
        fetch(rows.full, np.int64(number * is_full))
        fetch(rows.short, np.int64(number * is_short))
        full[n] = number
        highest += ((entry >> HIGHEST) & _HIGHEST_BITS) * is_full
        n += is_full
        short[m] = entry
        to_short[m] = at
        m += is_short
        held[h] = entry
        to_held[h] = at
        h += _ONE - is_full - is_short
    scratch.last[k] = np.int64(n)
    scratch.highest[k] = highest
    return n, m, h


@kernel(forceinline=True, counted=False)
def _add_held(
    sums: NDArray[np.int32],
    place: np.uint64,
    columns: np.uint64,
    values: np.uint64,
    count: int,
    shift: np.int32,
) -> None:
    """Add weights of which each has a byte of either number."""
    for _ in range(count):
        sums[place, columns & _COLUMN] += np.int32(np.int8(values & _COLUMN)) << shift
        columns, values = columns >> _BYTE, values >> _BYTE


@kernel(forceinline=True, counted=False)
def _sum_full(scorer: Linear8, k: int) -> None:
    """Write the sum of the full rows of a wanted group to its place."""
    rows, scratch = scorer.rows, scorer.scratch
    first, last = (scratch.last[k - 1] if k > 0 else 0), scratch.last[k]
    place = scratch.at[scratch.wanted[k]]
    if scratch.highest[k] < _LOW:
        add_low_rows(rows.full, scratch.full, first, last, scratch.sums, place)
    else:
        add_rows(rows.full, scratch.full, first, last, scratch.sums, place)


@kernel(forceinline=True, counted=False)
def _add_others(scorer: Linear8, m: np.uint64, h: np.uint64) -> None:
    """Add the rows that are not full to their sums; short ones have come in the meantime."""
    rows, scratch = scorer.rows, scorer.scratch
    scratch.counts[2] += np.int64(m)
    scratch.counts[3] += np.int64(h)
    for k in range(h):
        entry = scratch.held[k]
        shift = np.int32(entry >> EXPONENT)
        _add_held(scratch.sums, scratch.to_held[k], entry, entry >> VALUES, HELD, shift)
    for k in range(m):
        entry = scratch.short[k]
        number = entry & _NUMBER
        shift = np.int32((entry >> EXPONENT) & _FOUR_BITS)
        columns, values = rows.short[number, 0], rows.short[number, 1]
        _add_held(scratch.sums, scratch.to_short[k], columns, values, 8, shift)


@kernel(forceinline=True, counted=False)
def _is_new(scratch: Scratch8, group: int, key: np.uint64) -> Any:
    """Note where the sum of a group is kept; whether it has still to be made."""
    spread = (key ^ (key >> _HALF)) * _LAST_MIX
    place = np.uint64(group << _KEPT_BITS) + (spread >> np.uint64(64 - _KEPT_BITS))
    scratch.at[group] = np.int64(place)
    new = scratch.keys[place] != key
    scratch.keys[place] = key
    return new


@kernel(forceinline=True, counted=False)
def score8(
    scorer: Linear8, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    """The scores of all transitions of an item."""
    scratch, unit = scorer.scratch, np.float32(scorer.unit)
    places, state = scratch.places, arena.items[item]
    fill_places(scratch, words, arena, item)
    top = state[STACK]
    front = (code(places[3]) * _M1 + code(places[4])) * _M2 + code(places[5])
    below = _ONE
    if arena.nodes[top, DEPTH] >= 2:
        below = arena.keys[arena.nodes[top, BELOW], CONTENT]
    tree = arena.keys[top, CONTENT]
    word, second = code(places[0]), code(places[1])
    tree = mixed(tree, front)
    whole = mixed(mixed(tree, below), code(places[2]))
    whole = mixed(whole, (np.int64(state[ACTION]) << 32) + state[PREVIOUS])
    whole = mixed(
        mixed(whole, scratch.slots[FIRST_STATE + LENGTH]), scratch.slots[FIRST_STATE + FLAGS]
    )
    if not _is_new(scratch, WHOLE, whole):
        join(scratch.sums, scratch.at[WHOLE:], 1, unit, scratch.at[WHOLE], out)
        return
    fill_words(scratch, words, arena, item)
    wanted = 0
    scratch.wanted[wanted] = BUFFER
    wanted += _is_new(scratch, BUFFER, front)
    scratch.wanted[wanted] = SECOND
    wanted += _is_new(scratch, SECOND, below)
    scratch.wanted[wanted] = WORD
    wanted += _is_new(scratch, WORD, mixed(word, front))
    scratch.wanted[wanted] = TREE
    wanted += _is_new(scratch, TREE, tree)
    scratch.wanted[wanted] = PAIR
    wanted += _is_new(scratch, PAIR, mixed(word, second))
    scratch.wanted[wanted] = WHOLE
    for k in range(wanted + 1):
        _find_group(scorer, scratch.wanted[k])
    kept = scratch.at[WHOLE]
    scratch.at[WHOLE] = _OWN
    n, m, h = _ZERO, _ZERO, _ZERO
    for k in range(wanted + 1):
        n, m, h = _ask(scorer, k, n, m, h)
    scratch.counts[0] += wanted + 1
    scratch.counts[1] += np.int64(n)
    for k in range(wanted + 1):
        _sum_full(scorer, k)
    _add_others(scorer, m, h)
    join(scratch.sums, scratch.at, N_DECODING, unit, kept, out)


@kernel(counted=False)
def forget_sums8(scorer: Linear8) -> None:
    scorer.scratch.keys[:] = _ZERO
