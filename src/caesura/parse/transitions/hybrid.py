"""The hybrid of arc-eager and list-based parsing (Choi & McCallum 2013, section 2): seven steps.

A state has a stack, a deque of words that were passed and come back with the next shift, and the
next word of the buffer. A shift or a reduce treats the words as arc-eager does; a pass looks
deeper into the stack, so that crossing arcs can be made. Words count from 1 and 0 is the root.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = [
    "KINDS",
    "LEFT_PASS",
    "LEFT_REDUCE",
    "NO_HEAD",
    "NO_PASS",
    "NO_REDUCE",
    "NO_SHIFT",
    "RIGHT_PASS",
    "RIGHT_SHIFT",
    "ArcLimits",
    "State",
    "also_right",
    "apply",
    "is_arc",
    "legal",
    "new_state",
    "no_arc_limits",
    "oracle",
    "reset",
]

LEFT_REDUCE: Final = 0
RIGHT_SHIFT: Final = 1
NO_SHIFT: Final = 2
NO_REDUCE: Final = 3
LEFT_PASS: Final = 4
RIGHT_PASS: Final = 5
NO_PASS: Final = 6
KINDS: Final = (
    "LEFT-REDUCE",
    "RIGHT-SHIFT",
    "NO-SHIFT",
    "NO-REDUCE",
    "LEFT-PASS",
    "RIGHT-PASS",
    "NO-PASS",
)

NO_HEAD: Final = -1
#: Places in `State.at`: size of the stack, size of the deque, next word, number of words.
STACK, DEQUE, NEXT, SIZE = 0, 1, 2, 3
#: Columns of `State.kids`: the leftmost two and the rightmost two children, and how many there are.
LEFT1, LEFT2, RIGHT1, RIGHT2, LEFT_COUNT, RIGHT_COUNT = 0, 1, 2, 3, 4, 5
_ONE: Final = np.uint64(1)
_LOW: Final = np.uint64(63)


class State(NamedTuple):
    """One configuration, for sentences up to a length; the front of the deque is its last item."""

    at: NDArray[np.int64]
    stack: NDArray[np.int32]
    deque: NDArray[np.int32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    kids: NDArray[np.int32]
    sets: NDArray[np.uint64]


class ArcLimits(NamedTuple):
    """Heads and labels that the caller fixed, by word, -1 where free; empty: nothing is fixed.

    Made from `Constraints` by `parse.constraints.arc_limits_of`.
    """

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]

    def part(self, first: int, last: int) -> ArcLimits:
        return ArcLimits(self.heads[first:last], self.labels[first:last])


def no_arc_limits() -> ArcLimits:
    none = np.zeros(0, np.int32)
    return ArcLimits(none, none)


def new_state(words: int) -> State:
    """Room for a sentence of so many words."""
    return State(
        np.zeros(4, np.int64),
        np.zeros(words + 2, np.int32),
        np.zeros(words + 2, np.int32),
        np.zeros(words + 1, np.int32),
        np.zeros(words + 1, np.int32),
        np.zeros((words + 1, 6), np.int32),
        np.zeros((words + 1, 2), np.uint64),
    )


@kernel
def reset(state: State, words: int) -> None:
    """The initial state of a sentence: the root on the stack, all words in the buffer."""
    state.at[STACK], state.at[DEQUE], state.at[NEXT], state.at[SIZE] = 1, 0, 1, words
    state.stack[0] = 0
    for w in range(words + 1):
        state.heads[w] = NO_HEAD
        state.labels[w] = -1
        state.sets[w, 0] = np.uint64(0)
        state.sets[w, 1] = np.uint64(0)
        for k in range(6):
            state.kids[w, k] = -1 if k < 4 else 0


@kernel
def is_arc(kind: int) -> bool:
    return kind in (LEFT_REDUCE, RIGHT_SHIFT, LEFT_PASS, RIGHT_PASS)


@kernel
def _is_above(state: State, limits: ArcLimits, high: int, low: int) -> bool:
    """Whether `high` is an ancestor of `low`, by arcs that are made or given."""
    word = low
    for _ in range(state.at[SIZE] + 1):
        if word <= 0:
            break
        head = state.heads[word]
        if head == NO_HEAD and limits.heads.shape[0] > 0:
            head = limits.heads[word]
        if head == high:
            return True
        word = head
    return False


@kernel
def legal(state: State, limits: ArcLimits, single_root: bool) -> int:
    """A bit for each transition that may be made here (1 << LEFT_REDUCE …); never none."""
    i, j = state.stack[state.at[STACK] - 1], state.at[NEXT]
    fixed = limits.heads.shape[0] > 0
    left = i != 0 and state.heads[i] == NO_HEAD
    right = state.heads[j] == NO_HEAD
    if left and fixed and limits.heads[i] != NO_HEAD:
        left = limits.heads[i] == j
    elif left:
        left = not _is_above(state, limits, i, j)
    if right and fixed and limits.heads[j] != NO_HEAD:
        right = limits.heads[j] == i
    elif right and i == 0:
        right = not single_root or (state.kids[0, RIGHT_COUNT] == 0 and not _root_given(limits))
    elif right:
        right = not _is_above(state, limits, j, i)
    if i == 0:
        can = 1 << NO_SHIFT
        if right:
            can |= 1 << RIGHT_SHIFT
            if fixed and limits.heads[j] == 0:
                can = 1 << RIGHT_SHIFT
        return can
    can = (1 << NO_SHIFT) | (1 << NO_PASS)
    if left:
        can |= (1 << LEFT_REDUCE) | (1 << LEFT_PASS)
    if right:
        can |= (1 << RIGHT_SHIFT) | (1 << RIGHT_PASS)
    if state.heads[i] != NO_HEAD:
        can |= 1 << NO_REDUCE
    if fixed:
        can &= _allowed(state, limits, i, j)
    return can


@kernel
def _root_given(limits: ArcLimits) -> bool:
    found = False
    for w in range(1, limits.heads.shape[0]):
        found |= limits.heads[w] == 0
    return found


@kernel
def _allowed(state: State, limits: ArcLimits, i: int, j: int) -> int:
    """Transitions after which all given arcs can still be made; the stack's top is no root."""
    can = (1 << 7) - 1
    if limits.heads[i] == j and state.heads[i] == NO_HEAD:
        can &= (1 << LEFT_REDUCE) | (1 << LEFT_PASS)
    if limits.heads[j] == i and state.heads[j] == NO_HEAD:
        can &= (1 << RIGHT_SHIFT) | (1 << RIGHT_PASS)
    # What lies deeper in the stack can be reached before j is shifted, and not after.
    for k in range(state.at[STACK] - 1):
        below = state.stack[k]
        if (limits.heads[j] == below and state.heads[j] == NO_HEAD) or (
            below != 0 and limits.heads[below] == j and state.heads[below] == NO_HEAD
        ):
            can &= ~((1 << RIGHT_SHIFT) | (1 << NO_SHIFT))
            break
    # A word that is still to get a child stays.
    for m in range(j + 1, state.at[SIZE] + 1):
        if limits.heads[m] == i:
            can &= ~((1 << LEFT_REDUCE) | (1 << NO_REDUCE))
            break
    return can


@kernel
def _attach(state: State, head: int, word: int, label: int) -> None:
    state.heads[word], state.labels[word] = head, label
    kids = state.kids[head]
    bit = _ONE << (np.uint64(max(label, 0)) & _LOW)
    if word < head:
        kids[LEFT_COUNT] += 1
        state.sets[head, 0] |= bit
        if kids[LEFT1] < 0 or word < kids[LEFT1]:
            kids[LEFT2] = kids[LEFT1]
            kids[LEFT1] = word
        elif kids[LEFT2] < 0 or word < kids[LEFT2]:
            kids[LEFT2] = word
    else:
        kids[RIGHT_COUNT] += 1
        state.sets[head, 1] |= bit
        if word > kids[RIGHT1]:
            kids[RIGHT2] = kids[RIGHT1]
            kids[RIGHT1] = word
        elif word > kids[RIGHT2]:
            kids[RIGHT2] = word


@kernel
def apply(state: State, kind: int, label: int) -> None:
    """Make one transition, which must be legal."""
    at, stack, deque = state.at, state.stack, state.deque
    top = at[STACK] - 1
    i, j = stack[top], at[NEXT]
    if kind in (LEFT_REDUCE, LEFT_PASS):
        _attach(state, j, i, label)
    elif kind in (RIGHT_SHIFT, RIGHT_PASS):
        _attach(state, i, j, label)
    if kind in (RIGHT_SHIFT, NO_SHIFT):
        size = at[STACK]
        for k in range(at[DEQUE] - 1, -1, -1):
            stack[size] = deque[k]
            size += 1
        stack[size] = j
        at[STACK] = size + 1
        at[DEQUE] = 0
        at[NEXT] = j + 1
        return
    if kind != LEFT_REDUCE and kind != NO_REDUCE:
        deque[at[DEQUE]] = i
        at[DEQUE] += 1
    at[STACK] = top


@kernel
def _wants(gold: NDArray[np.int32], state: State, head: int, word: int) -> bool:
    """Whether gold has this arc and it can still be made."""
    return bool(gold[word] == head and state.heads[word] == NO_HEAD)


@kernel
def oracle(state: State, gold: NDArray[np.int32], limits: ArcLimits, single_root: bool) -> int:
    """The transition to make in any state, right or wrong (Choi & McCallum 2013, algorithm 1).

    `gold` has the head of each word from place 1 on, -1 where it is not known. A gold arc that
    cannot be made any more, since its word has another head or a cycle would arise, is dropped.
    """
    can = legal(state, limits, single_root)
    i, j = state.stack[state.at[STACK] - 1], state.at[NEXT]
    shiftable = True
    for k in range(state.at[STACK] - 1):
        below = state.stack[k]
        if _wants(gold, state, below, j) or (below != 0 and _wants(gold, state, j, below)):
            shiftable = False
            break
    to_left = i != 0 and gold[i] == j and can & ((1 << LEFT_REDUCE) | (1 << LEFT_PASS)) != 0
    to_right = not to_left and gold[j] == i and can & ((1 << RIGHT_SHIFT) | (1 << RIGHT_PASS)) != 0
    reducible = i != 0 and (state.heads[i] != NO_HEAD or to_left)
    if reducible:
        for m in range(j + 1, state.at[SIZE] + 1):
            if gold[m] == i:
                reducible = False
                break
    if to_left:
        wanted = LEFT_REDUCE if reducible else LEFT_PASS
    elif to_right:
        wanted = RIGHT_SHIFT if shiftable or i == 0 else RIGHT_PASS
    elif shiftable or i == 0:
        wanted = NO_SHIFT
    elif reducible:
        wanted = NO_REDUCE
    else:
        wanted = NO_PASS
    return wanted


@kernel
def _would_cycle(state: State, gold: NDArray[np.int32], head: int, word: int) -> bool:
    """Whether an arc to `word` would close a cycle once all else has its gold head."""
    above = head
    for _ in range(state.at[SIZE]):
        if above == word:
            return True
        if above <= 0:
            return False
        above = state.heads[above] if state.heads[above] != NO_HEAD else gold[above]
    return False


@kernel
def also_right(
    state: State, gold: NDArray[np.int32], limits: ArcLimits, single_root: bool, wanted: int
) -> int:
    """The oracle's transition and those that are as right as it: a bit for each.

    A word whose gold head cannot be reached any more is wrong with any head and with none, so that
    an arc to it costs nothing. To teach that it must stay without one would only confuse.
    """
    right = 1 << wanted
    if is_arc(wanted):
        return right
    can = legal(state, limits, single_root)
    i, j = state.stack[state.at[STACK] - 1], state.at[NEXT]
    rooted = single_root and state.kids[0, RIGHT_COUNT] > 0
    left = can & ((1 << LEFT_REDUCE) | (1 << LEFT_PASS)) != 0
    left = left and (0 < gold[i] < j or (gold[i] == 0 and rooted))
    if left and not _would_cycle(state, gold, j, i):
        kind = LEFT_REDUCE
        for m in range(j + 1, state.at[SIZE] + 1):
            if gold[m] == i:
                kind = LEFT_PASS
                break
        right |= 1 << kind
    if i != 0 and can & ((1 << RIGHT_SHIFT) | (1 << RIGHT_PASS)) != 0 and 0 <= gold[j] < j:
        lost, kind = gold[j] != 0 or rooted, RIGHT_SHIFT
        for k in range(state.at[STACK] - 1):
            below = state.stack[k]
            if below != 0 and gold[j] == below:
                lost = False
            elif below != 0 and _wants(gold, state, j, below):
                kind = RIGHT_PASS
        if lost and not _would_cycle(state, gold, i, j):
            right |= 1 << kind
    return right
