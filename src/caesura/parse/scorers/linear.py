"""The linear scorer: one row of all labelled transitions is summed for each hashed feature.

Most of the time goes into fetching rows, so all row numbers are computed first. This one has 32-bit
weights, for training; that for decoding is in the core.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.templates import ARITY, MULTIPLIERS, Templates
from caesura.parse.scorers.features import (
    N_GROUPS,
    N_SLOTS,
    POSITIONS,
)
from caesura.parse.scorers.simd_sums import add_rows, add_up
from caesura.parse.scorers.slots import Scratch, code, fill_slots
from caesura.parse.transitions.graph_stack import BELOW, CONTENT, DEPTH, STACK, Arena
from caesura.parse.word_table import Words

__all__ = [
    "Linear32",
    "find_rows",
    "forget_sums",
    "new_scratch",
    "score32",
]

_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_LAST_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
#: Sums of each group that are kept: so many bits of the key tell where.
_KEPT_BITS: Final = 6
#: The place of the sum of an item's own features, after those that are kept.
_OWN: Final = (N_GROUPS - 1) << _KEPT_BITS
_M0, _M1, _M2, _M3 = (np.uint64(m) for m in MULTIPLIERS)
assert ARITY == 4


class Linear32(NamedTuple):
    """The linear model with 32-bit weights, for training."""

    table: NDArray[np.float32]
    templates: Templates
    scratch: Scratch


def new_scratch(templates: Templates, width: int, kind: type = np.int32) -> Scratch:
    return Scratch(
        np.zeros(len(POSITIONS), np.int64),
        np.zeros(N_SLOTS, np.uint64),
        np.zeros(len(templates.seeds), np.uint64),
        np.zeros(_OWN, np.uint64),
        np.zeros((_OWN + 1, width), kind),
    )


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
    front = (code(places[3]) * _M1 + code(places[4])) * _M2 + code(places[5])
    second = _ONE
    if arena.nodes[top, DEPTH] >= 2:
        second = keys[arena.nodes[top, BELOW], CONTENT]
    both = keys[top, CONTENT]
    both = (both ^ (front >> _HALF)) * _M3 + front
    a, b, c = _known(scorer, 0, front), _known(scorer, 1, second), _known(scorer, 2, both)
    add_up(scratch.sums, _OWN, a, b, c, unit, out)


@kernel(forceinline=True)
def score32(
    scorer: Linear32, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    _score(scorer, words, arena, item, np.float32(1.0), out)


@kernel
def forget_sums(scorer: Any) -> None:
    scorer.scratch.keys[:] = _ZERO
