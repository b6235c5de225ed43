"""What all items of the beam agree on is final: it is written out, and its memory is used again.

The search keeps back-pointers only as far as its items differ. To settle changes nothing that the
search will do, so it may be done at any time: when the arena is full, or when words are asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.search.frontier import Frontier
from caesura.parse.transitions.graph_stack import (
    ACTION,
    BELOW,
    CHAIN,
    CONTENT,
    DEPENDENT,
    HEAD,
    HEIRS,
    ITEM_WIDTH,
    LAST,
    NEXT,
    NODE_WIDTH,
    PARENT,
    RIVALS,
    STACK,
    SWAPPED,
    Arena,
)
from caesura.parse.transitions.inventory import SB, SHIFT, System

__all__ = ["Result", "new_result", "settle", "write_path"]


class Result(NamedTuple):
    """Trees and boundaries so far, with the margins and the shares of what decided them.

    A margin is the distance to the next best transition of the same state (negative for a word that
    starts no sentence); a share is how many items of the beam descend from the decision shortly
    after it.
    """

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    starts: NDArray[np.int8]
    arc_margins: NDArray[np.float32]
    start_margins: NDArray[np.float32]
    arc_shares: NDArray[np.float32]
    start_shares: NDArray[np.float32]


def new_result(n: int) -> Result:
    result = Result(
        np.full(n, -2, np.int32),
        np.full(n, -1, np.int32),
        np.zeros(n, np.int8),
        np.zeros(n, np.float32),
        np.zeros(n, np.float32),
        np.ones(n, np.float32),
        np.ones(n, np.float32),
    )
    result.starts[:1] = 1
    return result


@kernel
def write_path(system: System, arena: Arena, item: int, result: Result) -> None:
    """Write the arcs and boundaries of the transitions that led from item 0 to this one."""
    while item > 0:  # parents lie before their children
        state = arena.items[item]
        action = state[ACTION]
        share = np.float32(1.0)
        if state[RIVALS] > 0:
            share = np.float32(state[HEIRS]) / np.float32(state[RIVALS])
        if action == SB:
            result.starts[state[DEPENDENT]] = 1
            result.start_margins[state[DEPENDENT]] = arena.margins[item]
            result.start_shares[state[DEPENDENT]] = share
        elif action == SHIFT:
            # A word that was shifted without SB before it; one shifted again keeps its margin.
            parent = arena.items[state[PARENT]]
            if parent[SWAPPED] < 0 and parent[LAST] != parent[NEXT]:
                result.start_margins[parent[NEXT]] = -arena.margins[item]
                result.start_shares[parent[NEXT]] = share
        elif action > SB:
            result.heads[state[DEPENDENT]] = state[HEAD]
            result.labels[state[DEPENDENT]] = system.labels[action]
            result.arc_margins[state[DEPENDENT]] = arena.margins[item]
            result.arc_shares[state[DEPENDENT]] = share
        item = state[PARENT]


@kernel
def _common(arena: Arena, frontier: Frontier, marks: NDArray[np.int32]) -> int:
    """The last item that all items of the beam descend from; marks what lies between."""
    marks[: arena.used[1]] = 0
    heads = 0
    for rank in range(frontier.counts[0]):
        if marks[frontier.beam[rank]] == 0:
            marks[frontier.beam[rank]] = 1
            heads += 1
    item = arena.used[1] - 1
    while item > 0:
        if marks[item] != 0:
            if heads == 1:
                return item
            parent = arena.items[item, PARENT]
            if marks[parent] != 0:
                heads -= 1
            marks[parent] = 1
        item -= 1
    return 0


@kernel
def settle(
    system: System,
    arena: Arena,
    frontier: Frontier,
    result: Result,
    marks: NDArray[np.int32],
) -> int:
    """Write out what is final and compact the arena; returns the number of words that are final.

    Words are final up to the last start that a SHIFT has passed, since then the stack was empty.
    """
    items, nodes = arena.items, arena.nodes
    common = _common(arena, frontier, marks)
    write_path(system, arena, common, result)
    final = items[common, LAST]
    if items[common, NEXT] <= final:
        # Announced but not passed yet: only what lies before the start before it is complete.
        final -= 1
        while final > 0 and result.starts[final] == 0:
            final -= 1
    # Items, parents before children; `marks` becomes the new place of each.
    used = 0
    for item in range(common, arena.used[1]):
        if item == common or marks[item] != 0:
            marks[item] = used
            for k in range(ITEM_WIDTH):
                items[used, k] = items[item, k]
            items[used, PARENT] = marks[items[item, PARENT]] if item > common else -1
            arena.scores[used] = arena.scores[item]
            arena.margins[used] = arena.margins[item]
            used += 1
    arena.used[1] = used
    for rank in range(frontier.counts[0]):
        frontier.beam[rank] = marks[frontier.beam[rank]]
    # Nodes, of which only the beam's stacks are still needed.
    marks[: arena.used[0]] = 0
    for rank in range(frontier.counts[0]):
        state = items[frontier.beam[rank]]
        marks[state[STACK]] = 1
        if state[SWAPPED] >= 0:
            marks[state[SWAPPED]] = 1
    for node in range(arena.used[0] - 1, 0, -1):
        if marks[node] != 0 and nodes[node, BELOW] >= 0:
            marks[nodes[node, BELOW]] = 1
    used = 1
    marks[0] = 0
    for node in range(1, arena.used[0]):
        if marks[node] != 0:
            marks[node] = used
            for k in range(NODE_WIDTH):
                nodes[used, k] = nodes[node, k]
            arena.keys[used, CONTENT] = arena.keys[node, CONTENT]
            arena.keys[used, CHAIN] = arena.keys[node, CHAIN]
            if nodes[used, BELOW] >= 0:
                nodes[used, BELOW] = marks[nodes[used, BELOW]]
            used += 1
    arena.used[0] = used
    for rank in range(frontier.counts[0]):
        state = items[frontier.beam[rank]]
        state[STACK] = marks[state[STACK]]
        if state[SWAPPED] >= 0:
            state[SWAPPED] = marks[state[SWAPPED]]
    return final
