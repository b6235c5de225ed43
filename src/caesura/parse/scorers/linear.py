"""Scorers: what the search asks for the scores of all transitions of one item.

The linear model sums one row of all labelled transitions for each hashed feature. Most of the time
goes into fetching rows, so all row numbers are computed first, and for decoding a row is 8-bit
integers with a power-of-two scale in its last byte. A scorer is a NamedTuple; `score_into` is
chosen by its type at compile time, so that the search knows nothing about the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.templates import ARITY, MULTIPLIERS, Templates
from caesura.parse.scorers.arcs import Graph, score_graph
from caesura.parse.scorers.features import (
    FIRST_STATE,
    N_COLUMNS,
    N_GROUPS,
    N_SLOTS,
    POSITIONS,
    compile_templates,
)
from caesura.parse.scorers.simd_sums import add_rows, add_up
from caesura.parse.transitions.graph_stack import (
    ABSENT,
    ACTION,
    BELOW,
    CHOICE,
    CONTENT,
    DEPTH,
    LAST,
    LEFT1,
    LEFT_LABELS,
    LEFT_SET,
    NEXT,
    PREVIOUS,
    RECENT,
    RIGHT_LABELS,
    RIGHT_SET,
    ROOT,
    STACK,
    SWAPPED,
    TOKEN,
    VALENCY,
    Arena,
)
from caesura.parse.word_table import FIRST_WORD, Words

__all__ = ["Linear8", "Linear32", "find_rows", "forget", "score_into"]

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_LAST_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
#: Sums of each group that are kept: so many bits of the key tell where.
_KEPT_BITS: Final = 6
#: The place of the sum of an item's own features, after those that are kept.
_OWN: Final = (N_GROUPS - 1) << _KEPT_BITS
_M0, _M1, _M2, _M3 = (np.uint64(m) for m in MULTIPLIERS)
assert ARITY == 4


class Scratch(NamedTuple):
    """Working memory of one thread: words that are looked at, slots, rows, sums.

    The sums of a group of templates are kept by the key of what the group looks at.
    """

    places: NDArray[np.int64]
    slots: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    sums: NDArray[Any]


class Choosing(NamedTuple):
    """Templates of the tags that SHIFT may choose, and room for their rows."""

    templates: Templates
    rows: NDArray[np.uint64]


def new_choosing(templates: Sequence[str] = ()) -> Choosing:
    compiled = compile_templates(templates, option=True)
    return Choosing(compiled, np.zeros(len(compiled.seeds), np.uint64))


_NO_CHOOSING: Final = new_choosing()


class Linear32(NamedTuple):
    """The linear model with 32-bit weights, for training."""

    table: NDArray[np.float32]
    templates: Templates
    scratch: Scratch
    choosing: Choosing = _NO_CHOOSING


class Linear8(NamedTuple):
    """The linear model with 8-bit weights; a row's last byte is the exponent of its scale."""

    table: NDArray[np.int8]
    unit: float
    templates: Templates
    scratch: Scratch
    choosing: Choosing = _NO_CHOOSING


def new_scratch(templates: Templates, width: int, kind: type = np.int32) -> Scratch:
    return Scratch(
        np.zeros(len(POSITIONS), np.int64),
        np.zeros(N_SLOTS, np.uint64),
        np.zeros(len(templates.seeds), np.uint64),
        np.zeros(_OWN, np.uint64),
        np.zeros((_OWN + 1, width), kind),
    )


@kernel(forceinline=True)
def _distance(d: int) -> int:
    """Buckets 1, 2, 3, 4, 5-10, more (as ZPar)."""
    if d < 0:
        d = -d
    if d <= 4:
        return d
    return 5 if d <= 10 else 6


@kernel(forceinline=True)
def _length(d: int) -> int:
    if d <= 4:
        return max(d, 0)
    if d <= 12:
        return 5 if d <= 7 else 6
    if d <= 40:
        return 7 if d <= 20 else 8
    return 9


@kernel(forceinline=True)
def _code(value: int) -> np.uint64:
    return np.uint64(value + 1) * _GOLDEN


@kernel(forceinline=True)
def _subtree(
    slots: NDArray[np.uint64], places: NDArray[np.int64], node: NDArray[np.int32], which: int
) -> None:
    """Children, valencies and label sets of s0 (which=0) or s1 (which=1)."""
    for k in range(4):
        places[12 + 4 * which + k] = node[LEFT1 + k]
    left, right = node[LEFT_LABELS], node[RIGHT_LABELS]
    state = FIRST_STATE + 1 + 4 * which
    slots[state] = _code(left & 0xFFFF)
    slots[state + 1] = _code(left >> 16)
    slots[state + 2] = _code(right & 0xFFFF)
    slots[state + 3] = _code(right >> 16)
    valency = node[VALENCY]
    state = FIRST_STATE + 9 + 2 * which
    slots[state] = _code(min(valency & 0xFFFF, 6))
    slots[state + 1] = _code(min(valency >> 16, 6))
    state = FIRST_STATE + 13 + 2 * which
    slots[state] = (np.uint64(node[LEFT_SET]) | (np.uint64(node[LEFT_SET + 1]) << _HALF)) + _ONE
    slots[state + 1] = (
        np.uint64(node[RIGHT_SET]) | (np.uint64(node[RIGHT_SET + 1]) << _HALF)
    ) + _ONE


@kernel
def _to_rows(places: NDArray[np.int64], state: NDArray[np.int32], choices: int) -> None:
    """Turn words of the buffer and of the text into rows of the word table.

    A word that was shifted lately has its chosen tag, any other one the tagger's best.
    """
    for position in range(3, 12):
        word = places[position]
        if word >= 0:
            ago = state[NEXT] - 1 - word
            choice = (state[RECENT] >> (4 * ago)) & 15 if 0 <= ago < 7 else 0
            places[position] = word * choices + choice


@kernel
def fill_slots(scratch: Scratch, words: Words, arena: Arena, item: int) -> None:
    """Everything that templates may name, for one item."""
    slots, places = scratch.slots, scratch.places
    nodes = arena.nodes
    n = words.context.shape[0]
    state = arena.items[item]
    node0 = nodes[state[STACK]]
    s0 = node0[TOKEN]
    s1 = ABSENT
    depth = node0[DEPTH]
    choice1, choice2 = ABSENT, ABSENT
    node1 = nodes[0]
    if depth >= 2:
        node1 = nodes[node0[BELOW]]
        s1 = node1[TOKEN]
        choice1 = node1[CHOICE]
        if depth >= 3:
            node2 = nodes[node1[BELOW]]
            choice2 = node2[CHOICE]
    swapped = state[SWAPPED] >= 0
    following = state[NEXT]
    # The first three of the buffer: swapped-back words come before those never shifted.
    b0, b1, b2 = ABSENT, ABSENT, ABSENT
    back = state[SWAPPED]
    if back >= 0:
        b0 = nodes[back, TOKEN]
        back = nodes[back, BELOW]
    elif following < n:
        b0 = following
        following += 1
    if back >= 0:
        b1 = nodes[back, TOKEN]
        back = nodes[back, BELOW]
    elif following < n:
        b1 = following
        following += 1
    if back >= 0:
        b2 = nodes[back, TOKEN]
    elif following < n:
        b2 = following
    places[0] = node0[CHOICE]
    places[1] = choice1
    places[2] = choice2
    places[3] = b0
    places[4] = b1
    places[5] = b2
    places[6] = s0 - 1 if s0 >= 1 else ABSENT
    places[7] = s0 + 1 if s0 >= 0 and s0 + 1 < n else ABSENT
    places[8] = s1 - 1 if s1 >= 1 else ABSENT
    places[9] = s1 + 1 if s1 >= 0 and s1 + 1 < n else ABSENT
    places[10] = b0 - 1 if b0 >= 1 else ABSENT
    places[11] = b0 - 2 if b0 >= 2 else ABSENT
    if words.choices.shape[1] > 1:
        _to_rows(places, state, words.choices.shape[1])
    _subtree(slots, places, node0, 0)
    _subtree(slots, places, node1, 1)
    for position in range(places.shape[0]):
        row = places[position] + FIRST_WORD
        for k in range(N_COLUMNS):
            slots[position * N_COLUMNS + k] = words.table[row, k]
    last = state[LAST]
    base = FIRST_STATE
    slots[base] = _ZERO
    slots[base + 17] = _code(_distance(s0 - s1) if s1 >= 0 else (7 if s1 == ROOT else 8))
    slots[base + 18] = _code(_distance(b0 - s0) if s0 >= 0 and b0 >= 0 else 7)
    slots[base + 19] = _code(state[ACTION] + 1)
    slots[base + 20] = _code(state[PREVIOUS] + 1)
    slots[base + 21] = _code(_length(b0 - last) if b0 >= 0 else 10)
    flags = (1 if depth == 1 else (2 if depth == 2 else 0)) + (3 if swapped else 0)
    flags += 6 if b0 == last else (12 if b0 < 0 else (18 if b0 < last else 0))
    slots[base + 22] = _code(flags)
    if b0 >= 0:
        slots[base + 23] = _code(words.context[b0, 0])
        slots[base + 24] = _code(words.context[b0, 1])
        slots[base + 25] = _code(words.context[b0, 2])
    else:
        slots[base + 23] = _code(7)
        slots[base + 24] = _code(7)
        slots[base + 25] = _code(31)


@kernel(forceinline=True)
def find_rows(
    rows: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    templates: Templates,
    size: int,
    first: int,
    last: int,
) -> None:
    """The rows of the features of some templates in a table of `size` rows (a power of two)."""
    mask = np.uint64(size - 1)
    index = templates.slots
    for t in range(first, last):
        h = (
            templates.seeds[t]
            + slots[np.uint64(index[t, 0])] * _M0
            + slots[np.uint64(index[t, 1])] * _M1
            + slots[np.uint64(index[t, 2])] * _M2
            + slots[np.uint64(index[t, 3])] * _M3
        )
        h = (h ^ (h >> _HALF)) * _LAST_MIX
        rows[t] = (h >> _HALF) & mask


@kernel(forceinline=True)
def _sum_group(scorer: Any, group: int, place: Any) -> None:
    """Write the sum of the rows of a group's features to its place."""
    templates, scratch = scorer.templates, scorer.scratch
    first = templates.ends[group - 1] if group > 0 else 0
    last = templates.ends[group]
    find_rows(scratch.rows, scratch.slots, templates, scorer.table.shape[0], first, last)
    add_rows(scorer.table, scratch.rows, first, last, scratch.sums, place)


@kernel(forceinline=True)
def _known(scorer: Any, group: int, key: np.uint64) -> Any:
    """Where the sum of a group is kept; it is made if the key is a new one."""
    mixed = (key ^ (key >> _HALF)) * _LAST_MIX
    place = (group << _KEPT_BITS) + np.int64(mixed >> np.uint64(64 - _KEPT_BITS))
    keys = scorer.scratch.keys
    if keys[place] != key:
        keys[place] = key
        _sum_group(scorer, group, place)
    return place


@kernel(forceinline=True)
def _score(
    scorer: Any, words: Words, arena: Arena, item: int, unit: Any, out: NDArray[np.float32]
) -> None:
    scratch, keys = scorer.scratch, arena.keys
    fill_slots(scratch, words, arena, item)
    _sum_group(scorer, N_GROUPS - 1, _OWN)
    places = scratch.places
    top = arena.items[item, STACK]
    front = (_code(places[3]) * _M1 + _code(places[4])) * _M2 + _code(places[5])
    second = _ONE
    if arena.nodes[top, DEPTH] >= 2:
        second = keys[arena.nodes[top, BELOW], CONTENT]
    both = keys[top, CONTENT]
    if words.choices.shape[1] > 1:
        # The words beside these have tags of their own.
        front += (_code(places[10]) * _M0 + _code(places[11])) * _M3
        second += (_code(places[8]) * _M0 + _code(places[9])) * _M1
        both += (_code(places[6]) * _M0 + _code(places[7])) * _M1
    both = (both ^ (front >> _HALF)) * _M3 + front
    a, b, c = _known(scorer, 0, front), _known(scorer, 1, second), _known(scorer, 2, both)
    add_up(scratch.sums, _OWN, a, b, c, unit, out)


@kernel(forceinline=True)
def _score32(
    scorer: Linear32, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    _score(scorer, words, arena, item, np.float32(1.0), out)


@kernel(forceinline=True)
def _score8(
    scorer: Linear8, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    _score(scorer, words, arena, item, np.float32(scorer.unit), out)


@kernel
def _forget_sums(scorer: Any) -> None:
    scorer.scratch.keys[:] = _ZERO


@kernel
def _forget_nothing(scorer: Any) -> None:
    pass


#: The kernels of each kind of scorer: scores of an item, and forgetting of other documents.
SCORERS: Final[dict[type, tuple[Any, Any]]] = {
    Linear8: (_score8, _forget_sums),
    Linear32: (_score32, _forget_sums),
    Graph: (score_graph, _forget_nothing),
}


def score_into(
    scorer: Any, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    """Write the scores of all transitions of an item."""
    SCORERS[type(scorer)][0](scorer, words, arena, item, out)


@overload(score_into, jit_options={"forceinline": True})
def _choose(scorer: Any, words: Any, arena: Any, item: Any, out: Any) -> Any:
    assert isinstance(scorer, types.BaseNamedTuple)
    chosen = SCORERS[getattr(scorer, "instance_class")][0]  # noqa: B009

    def score(scorer: Any, words: Any, arena: Any, item: Any, out: Any) -> None:
        chosen(scorer, words, arena, item, out)

    return score


def forget(scorer: Any) -> None:
    """Forget what was kept of other words, or of other weights."""
    SCORERS[type(scorer)][1](scorer)


@overload(forget)
def _choose_forget(scorer: Any) -> Any:
    assert isinstance(scorer, types.BaseNamedTuple)
    chosen = SCORERS[getattr(scorer, "instance_class")][1]  # noqa: B009

    def forget_it(scorer: Any) -> None:
        chosen(scorer)

    return forget_it
