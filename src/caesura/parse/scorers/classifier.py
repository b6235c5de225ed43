"""What the classifier says of a state: feature rows, their sums, and chances of the best labels.

A label of the classifier is a transition together with the label of its arc. Its chance is the
softmax over the labels that are legal in the state, so that margins can be compared between states.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.templates import MULTIPLIERS, Templates
from caesura.parse.scorers.features import N_COLUMNS
from caesura.parse.scorers.hybrid_features import FIRST_STATE, N_SLOTS, POSITIONS
from caesura.parse.transitions.hybrid import (
    DEQUE,
    LEFT1,
    LEFT2,
    LEFT_COUNT,
    LEFT_REDUCE,
    NEXT,
    NO_PASS,
    NO_REDUCE,
    NO_SHIFT,
    RIGHT1,
    RIGHT2,
    RIGHT_COUNT,
    RIGHT_SHIFT,
    SIZE,
    STACK,
    ArcLimits,
    State,
    is_arc,
)

__all__ = [
    "Classifier",
    "Scratch",
    "chances_of",
    "choose",
    "evaluate",
    "fill",
    "find_rows",
    "new_scratch",
    "signature",
    "split_action",
]

ABSENT: Final = -1
#: Actions from here on were forced by what the caller gave, and no classifier was asked.
FORCED: Final = 1 << 20
_STRIDE: Final = 1 << 12
_ZERO: Final = np.uint64(0)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
_M0, _M1, _M2, _M3 = (np.uint64(m) for m in MULTIPLIERS)


class Classifier(NamedTuple):
    """Weights in 8 bits (a row's last byte is its exponent), templates, and its labels."""

    table: NDArray[np.int8]
    unit: float
    templates: Templates
    kinds: NDArray[np.int32]
    labels: NDArray[np.int32]


class Scratch(NamedTuple):
    """Working memory of one thread."""

    places: NDArray[np.int64]
    slots: NDArray[np.uint64]
    rows: NDArray[np.int64]
    sums: NDArray[np.int32]
    tops: NDArray[np.int64]
    chances: NDArray[np.float64]


def new_scratch(templates: int, width: int, k: int) -> Scratch:
    return Scratch(
        np.zeros(len(POSITIONS), np.int64),
        np.zeros(N_SLOTS, np.uint64),
        np.zeros(templates, np.int64),
        np.zeros(width, np.int32),
        np.zeros(k + 1, np.int64),
        np.zeros(k + 1, np.float64),
    )


@kernel
def _code(value: int) -> Any:
    return np.uint64(value + 2) * _GOLDEN


@kernel
def fill(scratch: Scratch, table: NDArray[np.uint64], state: State) -> None:
    """All that templates may name, for the state as it stands."""
    at, stack = state.at, state.stack
    top = at[STACK] - 1
    scratch.places[12] = stack[top - 1] if top >= 1 else ABSENT
    scratch.places[13] = stack[top - 2] if top >= 2 else ABSENT
    scratch.places[14] = state.deque[at[DEQUE] - 1] if at[DEQUE] > 0 else ABSENT
    fill_pair(scratch, table, state, stack[top], at[NEXT])


@kernel
def fill_pair(scratch: Scratch, table: NDArray[np.uint64], state: State, i: int, j: int) -> None:
    """All that templates may name about a pair; words 12 to 14 are there already."""
    places, slots = scratch.places, scratch.slots
    heads, labels, kids = state.heads, state.labels, state.kids
    n = state.at[SIZE]
    head = heads[i]
    grand = heads[head] if head > 0 else ABSENT
    places[0], places[1] = i, j
    places[2] = j + 1 if j + 1 <= n else ABSENT
    places[3] = j + 2 if j + 2 <= n else ABSENT
    places[4], places[5] = head, grand
    places[6], places[7] = kids[i, LEFT1], kids[i, LEFT2]
    places[8], places[9] = kids[i, RIGHT1], kids[i, RIGHT2]
    places[10], places[11] = kids[j, LEFT1], kids[j, LEFT2]
    places[15] = j - 1 if j > 1 else ABSENT
    places[16] = i - 1 if i > 1 else ABSENT
    places[17] = i + 1 if i < n else ABSENT
    places[18] = heads[j]
    for p in range(places.shape[0]):
        row = places[p] + 1
        for c in range(N_COLUMNS):
            slots[p * N_COLUMNS + c] = table[row, c]
    base = FIRST_STATE
    slots[base] = _ZERO
    slots[base + 1] = _code(labels[i])
    slots[base + 2] = _code(labels[head] if head > 0 else -1)
    for k in range(4):
        child = kids[i, k]
        slots[base + 3 + k] = _code(labels[child] if child > 0 else -1)
    slots[base + 7] = _code(labels[j])
    for k in range(2):
        child = kids[j, k]
        slots[base + 8 + k] = _code(labels[child] if child > 0 else -1)
    slots[base + 10] = _code(min(kids[i, LEFT_COUNT], 6))
    slots[base + 11] = _code(min(kids[i, RIGHT_COUNT], 6))
    slots[base + 12] = _code(min(kids[j, LEFT_COUNT], 6))
    slots[base + 13] = state.sets[i, 0] * _GOLDEN
    slots[base + 14] = state.sets[i, 1] * _GOLDEN
    slots[base + 15] = state.sets[j, 0] * _GOLDEN
    apart = j - i if j > i else i - j
    slots[base + 16] = _code(apart if apart <= 4 else (5 if apart <= 10 else 6))
    flags = (1 if head >= 0 else 0) + (2 if heads[j] >= 0 else 0)
    flags += (4 if places[14] >= 0 else 0) + (8 if i == 0 else (16 if places[12] == 0 else 0))
    flags += 32 if j == n else 0
    slots[base + 17] = _code(flags)


@kernel
def signature(scratch: Scratch, can: int) -> Any:
    """A number that tells apart all states that the classifier could tell apart."""
    h = np.uint64(can) * _MIX
    for p in range(scratch.places.shape[0]):
        h = (h ^ np.uint64(scratch.places[p] + 1)) * _GOLDEN
        h ^= h >> _HALF
    for s in range(FIRST_STATE + 1, N_SLOTS):
        h = (h ^ scratch.slots[s]) * _GOLDEN
        h ^= h >> _HALF
    return h


@kernel
def find_rows(scratch: Scratch, templates: Templates, size: int) -> None:
    """The row of each template's feature in a table of `size` rows (a power of two)."""
    mask = np.uint64(size - 1)
    index, slots = templates.slots, scratch.slots
    for t in range(templates.seeds.shape[0]):
        h = (
            templates.seeds[t]
            + slots[index[t, 0]] * _M0
            + slots[index[t, 1]] * _M1
            + slots[index[t, 2]] * _M2
            + slots[index[t, 3]] * _M3
        )
        h = (h ^ (h >> _HALF)) * _MIX
        scratch.rows[t] = np.int64((h >> _HALF) & mask)


@kernel
def evaluate(classifier: Classifier, scratch: Scratch) -> None:
    """Sum up the rows of the features in the slots."""
    table, sums = classifier.table, scratch.sums
    find_rows(scratch, classifier.templates, table.shape[0])
    width = sums.shape[0]
    for a in range(width):
        sums[a] = 0
    for t in range(scratch.rows.shape[0]):
        r = scratch.rows[t]
        scale = np.int32(1 << np.int32(table[r, width - 1]))
        for a in range(width):
            sums[a] += np.int32(np.int32(table[r, a]) * scale)


@kernel
def split_action(classifier: Classifier, action: int) -> tuple[Any, Any]:
    """The transition and the label of its arc, -1 without one."""
    if action >= FORCED:
        forced = np.int64(action - FORCED)
        return forced // _STRIDE, forced % _STRIDE - 1
    return np.int64(classifier.kinds[action]), np.int64(classifier.labels[action])


@kernel
def _may(classifier: Classifier, action: int, can: int, left: int, right: int) -> bool:
    """Whether a label is legal: its transition, and the label that the caller may have given."""
    kind = classifier.kinds[action]
    if can & (1 << kind) == 0:
        return False
    if left >= 0 and (kind == 0 or kind == 4):
        return bool(classifier.labels[action] == left)
    if right >= 0 and (kind == 1 or kind == 5):
        return bool(classifier.labels[action] == right)
    return True


@kernel
def chances_of(
    classifier: Classifier, scratch: Scratch, can: int, left: int, right: int, k: int
) -> int:
    """The k best legal labels and their chances, from the sums; returns how many there are."""
    tops, chances, sums = scratch.tops, scratch.chances, scratch.sums
    unit = classifier.unit
    found = 0
    for a in range(classifier.kinds.shape[0]):
        if not _may(classifier, a, can, left, right):
            continue
        at = found
        while at > 0 and sums[tops[at - 1]] < sums[a]:
            at -= 1
        if at >= k:
            continue
        found = min(found + 1, k)
        for p in range(found - 1, at, -1):
            tops[p] = tops[p - 1]
        tops[at] = a
    if found == 0:
        return 0
    best = sums[tops[0]]
    total = 0.0
    for a in range(classifier.kinds.shape[0]):
        if _may(classifier, a, can, left, right):
            total += np.exp((sums[a] - best) * unit)
    for p in range(found):
        chances[p] = np.exp((sums[tops[p]] - best) * unit) / total
    return found


@kernel
def given_labels(limits: ArcLimits, state: State) -> tuple[Any, Any]:
    """The labels that the caller gave for a left arc and for a right arc, -1 if free."""
    if limits.labels.shape[0] == 0:
        return -1, -1
    i, j = state.stack[state.at[STACK] - 1], state.at[NEXT]
    return np.int64(limits.labels[i]) if i > 0 else -1, np.int64(limits.labels[j])


@kernel
def choose(
    classifier: Classifier, scratch: Scratch, state: State, limits: ArcLimits, can: int, k: int
) -> int:
    """Evaluate the state in the slots: the k best labels and their chances; returns how many."""
    evaluate(classifier, scratch)
    left, right = given_labels(limits, state)
    found = chances_of(classifier, scratch, can, left, right, k)
    if found == 0:
        # No label of the classifier fits what was given: the first that can be made is forced.
        for kind in (NO_SHIFT, LEFT_REDUCE, RIGHT_SHIFT, 4, 5, NO_REDUCE, NO_PASS):
            if can & (1 << kind) != 0:
                label = -1
                if is_arc(kind):
                    label = left if kind == LEFT_REDUCE or kind == 4 else right
                    label = max(label, 0)
                scratch.tops[0] = FORCED + kind * _STRIDE + label + 1
                scratch.chances[0] = 1.0
                return 1
    return found
