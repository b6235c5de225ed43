"""Arc-standard with SWAP and SB (Björkelund et al. 2016, section 3): trees and boundaries.

A state lives in a graph-structured stack (`graph_stack.py`). `legal` and `apply` are the transition
system; `limit` narrows the legal transitions to those that respect what the caller fixed.
"""

from __future__ import annotations

from typing import Final

from caesura.jit import kernel
from caesura.parse.limits import MUST, NEVER, Limits
from caesura.parse.transitions.graph_stack import (
    ABSENT,
    ACTION,
    BELOW,
    DEPENDENT,
    DEPTH,
    GOLD,
    HEAD,
    HEIRS,
    KEPT,
    LAST,
    LEFT1,
    LEFT2,
    LEFT_LABELS,
    LEFT_SET,
    NEXT,
    NODE_WIDTH,
    PARENT,
    PREVIOUS,
    RIGHT1,
    RIGHT2,
    RIGHT_LABELS,
    RIGHT_SET,
    RIVALS,
    ROOT,
    STACK,
    SWAPPED,
    TOKEN,
    VALENCY,
    Arena,
    seal,
)
from caesura.parse.transitions.inventory import (
    FIRST_ARC,
    SB,
    SHIFT,
    SWAP,
    System,
)

# Bits of a set of transitions.
CAN_SHIFT: Final = 1
CAN_SWAP: Final = 2
CAN_SB: Final = 4
CAN_LEFT: Final = 8
CAN_RIGHT: Final = 16
CAN_ROOT: Final = 32


@kernel(forceinline=True, counted=False)
def is_terminal(arena: Arena, item: int, n: int) -> bool:
    """All words shifted and the stack reduced to the root."""
    state = arena.items[item]
    return state[NEXT] == n and state[SWAPPED] < 0 and arena.nodes[state[STACK], DEPTH] == 1


@kernel(forceinline=True, counted=False)
def legal(system: System, arena: Arena, item: int, n: int) -> int:
    """The transitions whose preconditions hold, as bits (section 3.1, and single_root)."""
    nodes = arena.nodes
    state = arena.items[item]
    top = state[STACK]
    depth = nodes[top, DEPTH]
    swapped = state[SWAPPED] >= 0
    last = state[LAST]
    b0 = nodes[state[SWAPPED], TOKEN] if swapped else state[NEXT]
    empty = not swapped and b0 >= n
    closed = empty or (b0 == last and not swapped)
    can = 0
    if not empty and (b0 != last or depth == 1 or swapped):
        can |= CAN_SHIFT
    if system.sb != 0 and not empty and not swapped and last < b0:
        can |= CAN_SB
    if depth >= 2:
        s0 = nodes[top, TOKEN]
        s1 = nodes[nodes[top, BELOW], TOKEN]
        if s1 == ROOT:
            if system.single_root == 0 or closed:
                can |= CAN_ROOT
        else:
            can |= CAN_LEFT | CAN_RIGHT
            if s1 < s0:
                can |= CAN_SWAP
    return can


@kernel(counted=False)
def limit(limits: Limits, can: int, arena: Arena, item: int, n: int) -> int:
    """Those of the legal transitions that respect the given boundaries and arcs."""
    nodes = arena.nodes
    state = arena.items[item]
    top = state[STACK]
    swapped = state[SWAPPED] >= 0
    b0 = state[NEXT]
    if limits.starts.size > 0 and not swapped and b0 < n and b0 > state[LAST]:
        if limits.starts[b0] == NEVER:
            can &= ~CAN_SB
        elif limits.starts[b0] == MUST or state[LAST] <= limits.after[b0]:
            if limits.patient == 0:
                return CAN_SB
            can &= ~CAN_SHIFT
    if limits.heads.size == 0 or nodes[top, DEPTH] < 2:
        return can
    s0 = nodes[top, TOKEN]
    below = nodes[top, BELOW]
    s1 = nodes[below, TOKEN]
    head0 = limits.heads[s0]
    done0 = nodes[top, KEPT] == limits.wanted[s0]
    fits0 = (head0 == ABSENT) | (head0 == s1)
    if not (done0 and fits0):
        can &= ~(CAN_RIGHT | CAN_ROOT)
    elif head0 == s1 and can & (CAN_RIGHT | CAN_ROOT) != 0:
        return can & (CAN_RIGHT | CAN_ROOT)
    if s1 == ROOT:
        return can
    head1 = limits.heads[s1]
    fits1 = (head1 == ABSENT) | (head1 == s0)
    if nodes[below, KEPT] != limits.wanted[s1] or not fits1:
        can &= ~CAN_LEFT
    elif head1 == s0:
        return CAN_LEFT
    if limits.rank[s1] <= limits.rank[s0]:
        can &= ~CAN_SWAP
    elif head0 != ABSENT and head1 != ABSENT and can & CAN_SWAP != 0:
        return CAN_SWAP
    return can


@kernel(forceinline=True, counted=False)
def _push(arena: Arena, source: int, below: int) -> int:
    """A copy of a node on top of another one."""
    nodes = arena.nodes
    new = arena.used[0]
    arena.used[0] += 1
    for k in range(NODE_WIDTH):
        nodes[new, k] = nodes[source, k]
    nodes[new, BELOW] = below
    nodes[new, DEPTH] = nodes[below, DEPTH] + 1 if below >= 0 else 1
    return new


@kernel(forceinline=True, counted=False)
def _adopt(arena: Arena, head: int, token: int, label: int, given: int) -> None:
    """Note a new child in the attributes of its head's node."""
    node = arena.nodes[head]
    mask = 0xFFFF
    if token < node[TOKEN]:
        labels = node[LEFT_LABELS]
        if node[LEFT1] == ABSENT or token < node[LEFT1]:
            node[LEFT2] = node[LEFT1]
            node[LEFT1] = token
            node[LEFT_LABELS] = ((labels & mask) << 16) | (label + 1)
        elif node[LEFT2] == ABSENT or token < node[LEFT2]:
            node[LEFT2] = token
            node[LEFT_LABELS] = (labels & mask) | ((label + 1) << 16)
        if node[VALENCY] & mask < 0x7FFF:
            node[VALENCY] += 1
        node[LEFT_SET + (label % 62) // 31] |= 1 << (label % 31)
    else:
        labels = node[RIGHT_LABELS]
        if node[RIGHT1] == ABSENT or token > node[RIGHT1]:
            node[RIGHT2] = node[RIGHT1]
            node[RIGHT1] = token
            node[RIGHT_LABELS] = ((labels & mask) << 16) | (label + 1)
        elif node[RIGHT2] == ABSENT or token > node[RIGHT2]:
            node[RIGHT2] = token
            node[RIGHT_LABELS] = (labels & mask) | ((label + 1) << 16)
        if node[VALENCY] >> 16 < 0x7FFF:
            node[VALENCY] += 1 << 16
        node[RIGHT_SET + (label % 62) // 31] |= 1 << (label % 31)
    node[KEPT] += given


@kernel(counted=False)
def apply(system: System, limits: Limits, arena: Arena, item: int, action: int) -> int:
    """The item that a transition leads to (at most one new item and two new nodes)."""
    nodes = arena.nodes
    old = arena.items[item]
    new = arena.used[1]
    arena.used[1] += 1
    state = arena.items[new]
    state[PARENT] = item
    state[ACTION] = action
    state[PREVIOUS] = old[ACTION]
    state[STACK] = old[STACK]
    state[NEXT] = old[NEXT]
    state[SWAPPED] = old[SWAPPED]
    state[LAST] = old[LAST]
    state[DEPENDENT] = ABSENT
    state[HEAD] = ABSENT
    state[GOLD] = 0
    state[HEIRS] = 0
    state[RIVALS] = 0
    top = old[STACK]
    if action == SHIFT:
        if old[SWAPPED] >= 0:
            state[STACK] = _push(arena, old[SWAPPED], top)
            seal(arena, state[STACK])
            state[SWAPPED] = nodes[old[SWAPPED], BELOW]
        else:
            node = _push(arena, 0, top)
            nodes[node, TOKEN] = old[NEXT]
            seal(arena, node)
            state[STACK] = node
            state[NEXT] = old[NEXT] + 1
    elif action == SWAP:
        below = nodes[top, BELOW]
        state[SWAPPED] = _push(arena, below, old[SWAPPED])
        state[STACK] = _push(arena, top, nodes[below, BELOW])
        seal(arena, state[SWAPPED])
        seal(arena, state[STACK])
    elif action == SB:
        state[LAST] = old[NEXT]
        state[DEPENDENT] = old[NEXT]
    else:
        below = nodes[top, BELOW]
        label = system.labels[action]
        if action < FIRST_ARC + system.left:
            dependent = nodes[below, TOKEN]
            node = _push(arena, top, nodes[below, BELOW])
        elif action < FIRST_ARC + system.left + system.right:
            dependent = nodes[top, TOKEN]
            node = _push(arena, below, nodes[below, BELOW])
        else:
            # The root keeps no attributes: they would tell of sentences that are over.
            dependent = nodes[top, TOKEN]
            node = below
        given = 1 if limits.heads.size > 0 and limits.heads[dependent] != ABSENT else 0
        if node != below:
            _adopt(arena, node, dependent, label, given)
            seal(arena, node)
        state[STACK] = node
        state[DEPENDENT] = dependent
        state[HEAD] = nodes[node, TOKEN]
    return new
