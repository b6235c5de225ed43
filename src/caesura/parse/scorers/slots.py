"""What templates of the joint system may name of an item: words, labels, distances, last steps.

Everything is put into slots as hash codes once, before the templates pick from them.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.scorers.features import FIRST_STATE, N_COLUMNS, STATE
from caesura.parse.transitions.graph_stack import (
    ABSENT,
    ACTION,
    BELOW,
    DEPTH,
    LAST,
    LEFT1,
    LEFT_LABELS,
    LEFT_SET,
    NEXT,
    PREVIOUS,
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

__all__ = ["FLAGS", "LENGTH", "Scratch", "code", "fill_places", "fill_slots", "fill_words"]

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_HALF: Final = np.uint64(32)
#: Places of slots among those of the state.
LENGTH: Final = STATE.index("length")
FLAGS: Final = STATE.index("flags")


class Scratch(NamedTuple):
    """Working memory of one thread: words that are looked at, slots, rows, sums.

    The sums of a group of templates are kept by the key of what the group looks at.
    """

    places: NDArray[np.int64]
    slots: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    sums: NDArray[Any]


@kernel(forceinline=True, counted=False)
def _distance(d: int) -> int:
    """Buckets 1, 2, 3, 4, 5-10, more (as ZPar)."""
    if d < 0:
        d = -d
    if d <= 4:
        return d
    return 5 if d <= 10 else 6


@kernel(forceinline=True, counted=False)
def _length(d: int) -> int:
    if d <= 4:
        return max(d, 0)
    if d <= 12:
        return 5 if d <= 7 else 6
    if d <= 40:
        return 7 if d <= 20 else 8
    return 9


@kernel(forceinline=True, counted=False)
def code(value: int) -> np.uint64:
    return np.uint64(value + 1) * _GOLDEN


@kernel(forceinline=True, counted=False)
def _subtree(
    slots: NDArray[np.uint64], places: NDArray[np.int64], node: NDArray[np.int32], which: int
) -> None:
    """Children, valencies and label sets of s0 (which=0) or s1 (which=1)."""
    for k in range(4):
        places[12 + 4 * which + k] = node[LEFT1 + k]
    left, right = node[LEFT_LABELS], node[RIGHT_LABELS]
    state = FIRST_STATE + 1 + 4 * which
    slots[state] = code(left & 0xFFFF)
    slots[state + 1] = code(left >> 16)
    slots[state + 2] = code(right & 0xFFFF)
    slots[state + 3] = code(right >> 16)
    valency = node[VALENCY]
    state = FIRST_STATE + 9 + 2 * which
    slots[state] = code(min(valency & 0xFFFF, 6))
    slots[state + 1] = code(min(valency >> 16, 6))
    state = FIRST_STATE + 13 + 2 * which
    slots[state] = (np.uint64(node[LEFT_SET]) | (np.uint64(node[LEFT_SET + 1]) << _HALF)) + _ONE
    slots[state + 1] = (
        np.uint64(node[RIGHT_SET]) | (np.uint64(node[RIGHT_SET + 1]) << _HALF)
    ) + _ONE


@kernel(forceinline=True, counted=False)
def fill_places(scratch: Any, words: Words, arena: Arena, item: int) -> None:
    """The words of stack and buffer that templates may name, and what is known of the state.

    This and the keys of the two nodes tell apart all that templates can.
    """
    slots, places = scratch.slots, scratch.places
    nodes = arena.nodes
    n = words.context.shape[0]
    state = arena.items[item]
    node0 = nodes[state[STACK]]
    s0 = node0[TOKEN]
    s1 = ABSENT
    depth = node0[DEPTH]
    s2 = ABSENT
    if depth >= 2:
        node1 = nodes[node0[BELOW]]
        s1 = node1[TOKEN]
        if depth >= 3:
            s2 = nodes[node1[BELOW], TOKEN]
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
    places[0] = s0
    places[1] = s1
    places[2] = s2
    places[3] = b0
    places[4] = b1
    places[5] = b2
    places[6] = s0 - 1 if s0 >= 1 else ABSENT
    places[7] = s0 + 1 if s0 >= 0 and s0 + 1 < n else ABSENT
    places[8] = s1 - 1 if s1 >= 1 else ABSENT
    places[9] = s1 + 1 if s1 >= 0 and s1 + 1 < n else ABSENT
    places[10] = b0 - 1 if b0 >= 1 else ABSENT
    places[11] = b0 - 2 if b0 >= 2 else ABSENT
    last = state[LAST]
    base = FIRST_STATE
    slots[base] = _ZERO
    slots[base + 17] = code(_distance(s0 - s1) if s1 >= 0 else (7 if s1 == ROOT else 8))
    slots[base + 18] = code(_distance(b0 - s0) if s0 >= 0 and b0 >= 0 else 7)
    slots[base + 19] = code(state[ACTION] + 1)
    slots[base + 20] = code(state[PREVIOUS] + 1)
    slots[base + LENGTH] = code(_length(b0 - last) if b0 >= 0 else 10)
    flags = (1 if depth == 1 else (2 if depth == 2 else 0)) + (3 if swapped else 0)
    flags += 6 if b0 == last else (12 if b0 < 0 else (18 if b0 < last else 0))
    slots[base + FLAGS] = code(flags)
    if b0 >= 0:
        slots[base + 23] = code(words.context[b0, 0])
        slots[base + 24] = code(words.context[b0, 1])
        slots[base + 25] = code(words.context[b0, 2])
        slots[base + 26] = code(words.context[b0, 3])
    else:
        slots[base + 23] = code(7)
        slots[base + 24] = code(7)
        slots[base + 25] = code(31)
        slots[base + 26] = code(31)


@kernel(forceinline=True, counted=False)
def fill_words(scratch: Any, words: Words, arena: Arena, item: int) -> None:
    """The subtrees of the two words under decision, and all columns of all words."""
    slots, places = scratch.slots, scratch.places
    node0 = arena.nodes[arena.items[item, STACK]]
    node1 = arena.nodes[node0[BELOW] if node0[DEPTH] >= 2 else 0]
    _subtree(slots, places, node0, 0)
    _subtree(slots, places, node1, 1)
    for position in range(places.shape[0]):
        row = np.uint64(places[position] + FIRST_WORD)
        for k in range(N_COLUMNS):
            slots[position * N_COLUMNS + k] = words.table[row, k]


@kernel(counted=False)
def fill_slots(scratch: Any, words: Words, arena: Arena, item: int) -> None:
    """Everything that templates may name, for one item."""
    fill_places(scratch, words, arena, item)
    fill_words(scratch, words, arena, item)
