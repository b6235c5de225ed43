"""The static oracle of Nivre, Kuhlmann & Hall (2009), lazy or eager, with SB early or late.

The order in which words must stand (`projective_rank`) and the components that need no SWAP are
computed once for a document; the derivation then follows from the first rule that fires.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.transitions.graph_stack import ROOT
from caesura.parse.transitions.inventory import SB, SHIFT, SWAP, System

__all__ = ["CYCLE", "INADMISSIBLE", "STUCK", "oracle", "projective_rank"]

#: Why a tree has no derivation: the first number of the returned array.
CYCLE: Final = -1
INADMISSIBLE: Final = -2
STUCK: Final = -3

Ints = NDArray[np.int32]


@kernel
def projective_rank(heads: Ints) -> Ints:
    """Rank of each word in the in-order traversal from the root; empty if the heads have a cycle.

    Words with an unknown head hang under the root.
    """
    n = heads.shape[0]
    first = np.zeros(n + 2, np.int32)
    for i in range(n):
        first[max(heads[i], ROOT) + 2] += 1
    for i in range(n + 1):
        first[i + 1] += first[i]
    children = np.zeros(n, np.int32)
    fill = first.copy()
    for i in range(n):
        h = max(heads[i], ROOT) + 1
        children[fill[h]] = i
        fill[h] += 1
    at = first.copy()
    rank = np.full(n, -1, np.int32)
    path = np.zeros(n + 1, np.int32)
    path[0] = ROOT
    length, count = 1, 0
    while length > 0:  # each round takes a child that is left, numbers a word, or goes up
        h = path[length - 1]
        more = at[h + 1] < first[h + 2]
        if more and (h == ROOT or rank[h] >= 0 or children[at[h + 1]] < h):
            path[length] = children[at[h + 1]]
            at[h + 1] += 1
            length += 1
        elif h != ROOT and rank[h] < 0:
            rank[h] = count
            count += 1
        else:
            length -= 1
    if count < n:
        return np.zeros(0, np.int32)
    return rank


@kernel
def _find(parents: Ints, i: int) -> int:
    # Trees are joined at their roots only, so that the way up ends at one.
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@kernel
def _components(heads: Ints) -> Ints:
    """Maximal projective components: words linked by arcs that arc-standard builds without SWAP."""
    n = heads.shape[0]
    missing = np.zeros(n, np.int32)
    for i in range(n):
        if heads[i] >= 0:
            missing[heads[i]] += 1
    parents = np.arange(n).astype(np.int32)
    stack = np.zeros(n + 1, np.int32)
    size, front = 0, 0
    while True:  # each round takes a word from the stack or the next one from the text
        if (
            size >= 2
            and heads[stack[size - 2]] == stack[size - 1]
            and missing[stack[size - 2]] == 0
        ):
            s0 = stack[size - 1]
            parents[_find(parents, stack[size - 2])] = _find(parents, s0)
            missing[s0] -= 1
            size -= 1
            stack[size - 1] = s0
        elif (
            size >= 2
            and heads[stack[size - 1]] == stack[size - 2]
            and missing[stack[size - 1]] == 0
        ):
            parents[_find(parents, stack[size - 1])] = _find(parents, stack[size - 2])
            missing[stack[size - 2]] -= 1
            size -= 1
        elif size == 1 and heads[stack[0]] == ROOT and missing[stack[0]] == 0:
            size = 0
        elif front < n:
            stack[size] = front
            size += 1
            front += 1
        else:
            break
    for i in range(n):
        parents[i] = _find(parents, i)
    return parents


@kernel
def _failed(why: int) -> Ints:
    return np.full(1, why, np.int32)


@kernel
def oracle(
    system: System, heads: Ints, labels: Ints, starts: NDArray[np.bool_], late: bool, eager: bool
) -> Ints:
    """The transitions that build a document's trees, or one negative number that says why none do.

    Every head must be known; `starts` marks the first word of each sentence. Without SB in the
    system the words are one sentence.
    """
    n = heads.shape[0]
    rank = projective_rank(heads)
    if rank.shape[0] < n:
        return _failed(CYCLE)
    part = _components(heads)
    missing = np.zeros(n, np.int32)
    for i in range(n):
        if heads[i] >= 0:
            missing[heads[i]] += 1
    stack = np.zeros(n + 1, np.int32)
    swapped = np.zeros(n + 1, np.int32)
    actions = np.zeros(4 * n + 8, np.int32)
    size, back, front, last, count = 0, 0, 0, 0, 0
    # Words are swapped into their projective order, two of them once at most; all other
    # transitions bring a word nearer to its head, or end in STUCK.
    while size > 0 or back > 0 or front < n:
        if count == actions.shape[0]:
            actions = np.concatenate((actions, np.zeros_like(actions)))
        s0 = stack[size - 1] if size >= 1 else ROOT
        s1 = stack[size - 2] if size >= 2 else ROOT
        b0 = swapped[back - 1] if back > 0 else front
        empty = back == 0 and front >= n
        action = SHIFT
        if (
            system.sb != 0
            and back == 0
            and front < n
            and starts[front]
            and front > last
            and (not late or size == 0)
        ):
            action = SB
            last = front
        elif size >= 2 and heads[s1] == s0 and missing[s1] == 0:
            action = system.left_of[labels[s1]]
            missing[s0] -= 1
            size -= 1
            stack[size - 1] = s0
        elif (
            size >= 1
            and heads[s0] == s1
            and missing[s0] == 0
            and (size >= 2 or system.single_root == 0 or empty or (back == 0 and front == last))
        ):
            action = system.right_of[labels[s0]] if size >= 2 else system.root_of[labels[s0]]
            if size >= 2:
                missing[s1] -= 1
            size -= 1
        elif (
            size >= 2
            and rank[s1] > rank[s0]
            and s1 < s0
            and (eager or empty or part[b0] != part[s0])
        ):
            action = SWAP
            swapped[back] = s1
            back += 1
            size -= 1
            stack[size - 1] = s0
        elif empty or (b0 == last and back == 0 and size > 0):
            return _failed(STUCK)
        else:
            stack[size] = b0
            size += 1
            if back > 0:
                back -= 1
            else:
                front += 1
        if action < 0:
            return _failed(INADMISSIBLE)
        actions[count] = action
        count += 1
    return actions[:count].copy()
