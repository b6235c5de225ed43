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
from caesura.learn.templates import ARITY, MULTIPLIERS, Templates
from caesura.parse.scorers.compact import EXPONENT, LONGER, NUMBER, CompactRows
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
from caesura.parse.scorers.linear import NO_CHOOSING, Choosing
from caesura.parse.scorers.simd_sums import add_rows, fetch, join
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
_NEXT: Final = np.uint32(1)
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

    `wanted` are the groups whose sums have to be made, `at` the places of all; `full` and `short`
    the rows of a group of either kind.
    """

    places: NDArray[np.int64]
    slots: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    sums: NDArray[np.int32]
    wanted: NDArray[np.int64]
    at: NDArray[np.int64]
    entries: NDArray[np.uint32]
    full: NDArray[np.uint64]
    short: NDArray[np.uint32]


class Linear8(NamedTuple):
    """The linear model with 8-bit weights; templates are compiled for decoding."""

    rows: CompactRows
    unit: float
    templates: Templates
    scratch: Scratch8
    choosing: Choosing = NO_CHOOSING


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
        np.zeros(n, np.uint32),
        np.zeros(n + 1, np.uint64),
        np.zeros(2 * n + 2, np.uint32),
    )


@kernel(forceinline=True, counted=False)
def _row(h: np.uint64, mask: np.uint64) -> Any:
    return ((h ^ (h >> _HALF)) * _LAST_MIX >> _HALF) & mask


@kernel(forceinline=True, counted=False)
def _find_group(scorer: Linear8, group: int) -> None:
    """The rows of a group's features, those of one atom first; what the index says is asked for."""
    templates, scratch, index = scorer.templates, scorer.scratch, scorer.rows.lookup
    slots, seeds, ends = templates.slots, templates.seeds, templates.ends
    rows, values = scratch.rows, scratch.slots
    mask = np.uint64(index.shape[0] - 1)
    first = ends[group * ARITY - 1] if group > 0 else 0
    one, two = ends[group * ARITY], ends[group * ARITY + 1]
    three, four = ends[group * ARITY + 2], ends[group * ARITY + 3]
    for t in range(first, one):
        rows[t] = _row(seeds[t] + values[np.uint64(slots[t, 0])] * _M0, mask)
        fetch(index, np.int64(rows[t]))
    for t in range(one, two):
        h = seeds[t] + values[np.uint64(slots[t, 0])] * _M0
        rows[t] = _row(h + values[np.uint64(slots[t, 1])] * _M1, mask)
        fetch(index, np.int64(rows[t]))
    for t in range(two, three):
        h = seeds[t] + values[np.uint64(slots[t, 0])] * _M0
        h += values[np.uint64(slots[t, 1])] * _M1
        rows[t] = _row(h + values[np.uint64(slots[t, 2])] * _M2, mask)
        fetch(index, np.int64(rows[t]))
    for t in range(three, four):
        h = seeds[t] + values[np.uint64(slots[t, 0])] * _M0
        h += values[np.uint64(slots[t, 1])] * _M1
        h += values[np.uint64(slots[t, 2])] * _M2
        rows[t] = _row(h + values[np.uint64(slots[t, 3])] * _M3, mask)
        fetch(index, np.int64(rows[t]))


@kernel(forceinline=True, counted=False)
def _ask(scorer: Linear8, group: int) -> None:
    """Look up where a group's rows are, and ask for them."""
    rows, scratch, ends = scorer.rows, scorer.scratch, scorer.templates.ends
    n_full = np.int64(rows.full.shape[0])
    first = ends[group * ARITY - 1] if group > 0 else 0
    for t in range(first, ends[group * ARITY + ARITY - 1]):
        entry = rows.lookup[scratch.rows[t]]
        scratch.entries[t] = entry
        number = np.int64(entry & NUMBER)
        # One of the two is asked for in vain, which costs less than to guess which.
        fetch(rows.full, min(number, n_full))
        fetch(rows.short, max(number - n_full, 0))


@kernel(forceinline=True, counted=False)
def _add_short(sums: NDArray[np.int32], place: int, held: np.uint64, exponent: np.uint32) -> None:
    """Add the four weights that a number of a short row holds."""
    shift = np.int32(exponent)
    low, high = held, held >> _HALF
    for _ in range(4):
        value = np.int32(np.int8(high & _COLUMN)) << shift
        sums[np.uint64(place), low & _COLUMN] += value
        low, high = low >> _BYTE, high >> _BYTE


@kernel(forceinline=True, counted=False)
def _sum_group(scorer: Linear8, group: int, place: int) -> None:
    """Write the sum of a group's rows to its place."""
    rows, scratch, ends = scorer.rows, scorer.scratch, scorer.templates.ends
    n_full = np.uint32(rows.full.shape[0])
    first = ends[group * ARITY - 1] if group > 0 else 0
    n, m = 0, 0
    for t in range(first, ends[group * ARITY + ARITY - 1]):
        entry = scratch.entries[t]
        number = entry & NUMBER
        scratch.full[n] = np.uint64(number)
        is_full = number < n_full
        n += is_full
        scratch.short[m] = entry
        m += not is_full
        scratch.short[m] = np.uint32(entry + _NEXT)
        m += (entry & LONGER) != 0
    add_rows(rows.full, scratch.full, 0, n, scratch.sums, place)
    for k in range(m):
        entry = scratch.short[k]
        held = rows.short[np.uint64((entry & NUMBER) - n_full)]
        _add_short(scratch.sums, place, held, entry >> EXPONENT)


@kernel(forceinline=True, counted=False)
def _is_new(scratch: Scratch8, group: int, key: np.uint64) -> Any:
    """Note where the sum of a group is kept; whether it has still to be made."""
    spread = (key ^ (key >> _HALF)) * _LAST_MIX
    place = (group << _KEPT_BITS) + np.int64(spread >> np.uint64(64 - _KEPT_BITS))
    scratch.at[group] = place
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
    choosing = words.choices.shape[1] > 1
    fill_places(scratch, words, arena, item)
    top = state[STACK]
    front = (code(places[3]) * _M1 + code(places[4])) * _M2 + code(places[5])
    below = _ONE
    if arena.nodes[top, DEPTH] >= 2:
        below = arena.keys[arena.nodes[top, BELOW], CONTENT]
    tree = arena.keys[top, CONTENT]
    word, second = code(places[0]), code(places[1])
    if choosing:
        # The words beside these have tags of their own.
        front += (code(places[10]) * _M0 + code(places[11])) * _M3
        beside = (code(places[8]) * _M0 + code(places[9])) * _M1
        below, second = below + beside, second + beside
        beside = (code(places[6]) * _M0 + code(places[7])) * _M1
        tree, word = tree + beside, word + beside
        fill_words(scratch, words, arena, item)
    tree = mixed(tree, front)
    whole = mixed(mixed(tree, below), code(places[2]))
    whole = mixed(whole, (np.int64(state[ACTION]) << 32) + state[PREVIOUS])
    whole = mixed(
        mixed(whole, scratch.slots[FIRST_STATE + LENGTH]), scratch.slots[FIRST_STATE + FLAGS]
    )
    if not _is_new(scratch, WHOLE, whole):
        join(scratch.sums, scratch.at[WHOLE:], 1, unit, scratch.at[WHOLE], out)
        return
    if not choosing:
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
    for k in range(wanted + 1):
        _ask(scorer, scratch.wanted[k])
    kept = scratch.at[WHOLE]
    scratch.at[WHOLE] = _OWN
    for k in range(wanted + 1):
        _sum_group(scorer, scratch.wanted[k], scratch.at[scratch.wanted[k]])
    join(scratch.sums, scratch.at, N_DECODING, unit, kept, out)


@kernel(counted=False)
def forget_sums8(scorer: Linear8) -> None:
    scorer.scratch.keys[:] = _ZERO
