"""Search states that share structure (Goldberg, Zhao & Huang 2013).

A state is an *item*: a back-pointer, the transition that made it, and pointers to the top *node* of
its stack and to the first of the nodes that were swapped back to the buffer. A node is one stack
entry with what features need of its subtree; it points to the node below and is never changed, so
states share stacks and a transition costs the same in a short and in an endless document.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel

__all__ = ["ABSENT", "Arena", "mixed", "new_arena", "seal"]

#: Token numbers that are no word (as in `Document.head`).
ROOT: Final = -1
ABSENT: Final = -2

# Columns of a node: token, node below, depth, the outermost two children on each side, their labels
# + 1 (outermost in the low half), valencies (left in the low half), label sets as 62 bits, the
# number of given dependents attached so far.
TOKEN: Final = 0
BELOW: Final = 1
DEPTH: Final = 2
LEFT1: Final = 3
LEFT2: Final = 4
RIGHT1: Final = 5
RIGHT2: Final = 6
LEFT_LABELS: Final = 7
RIGHT_LABELS: Final = 8
VALENCY: Final = 9
LEFT_SET: Final = 10
RIGHT_SET: Final = 12
KEPT: Final = 14
NODE_WIDTH: Final = 15

# Columns of an item: parent, its transition and the one before, top of the stack, first word never
# shifted, first swapped-back node (-1: none), last announced sentence start, the arc made (or the
# start announced, in DEPENDENT), whether it is a prefix of a gold derivation, of the beam
# AGREEMENT steps later the number of items that descend from it and of all items.
PARENT: Final = 0
ACTION: Final = 1
PREVIOUS: Final = 2
STACK: Final = 3
NEXT: Final = 4
SWAPPED: Final = 5
LAST: Final = 6
DEPENDENT: Final = 7
HEAD: Final = 8
GOLD: Final = 9
HEIRS: Final = 10
RIVALS: Final = 11
ITEM_WIDTH: Final = 12

# Columns of a node's keys: of what features see of the node, and of the stack from the node down.
CONTENT: Final = 0
CHAIN: Final = 1
_MIX: Final = np.array(
    [
        0x9E3779B97F4A7C15,
        0,
        0,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
        0x1D8E4E27C47D124F,
        0xEB44ACCAB455D165,
        0x9FB21C651E98DF25,
        0x8CB92BA72F3D8DD7,
        0x94D049BB133111EB,
    ],
    np.uint64,
)
_HALF: Final = np.uint64(32)
_ROOT_KEY: Final = np.uint64(3)
_CHAIN_MIX: Final = np.uint64(0xA24BAED4963EE407)


class Arena(NamedTuple):
    """Where nodes and items live; `used` counts the nodes and the items.

    Nodes of equal contents have equal keys, and so have equal stacks.
    """

    nodes: NDArray[np.int32]
    keys: NDArray[np.uint64]
    items: NDArray[np.int32]
    scores: NDArray[np.float64]
    margins: NDArray[np.float32]
    used: NDArray[np.int64]


def new_arena(items: int, nodes: int) -> Arena:
    """An arena that holds only the artificial root and the initial state."""
    arena = Arena(
        np.zeros((nodes, NODE_WIDTH), np.int32),
        np.zeros((nodes, 2), np.uint64),
        np.zeros((items, ITEM_WIDTH), np.int32),
        np.zeros(items, np.float64),
        np.zeros(items, np.float32),
        np.zeros(2, np.int64),
    )
    reset(arena)
    return arena


def reset(arena: Arena) -> None:
    """Forget everything but the artificial root (node 0) and the initial state (item 0)."""
    root, start = arena.nodes[0], arena.items[0]
    root[:] = 0
    root[[TOKEN, BELOW]] = ROOT
    root[DEPTH] = 1
    arena.keys[0] = _ROOT_KEY
    root[[LEFT1, LEFT2, RIGHT1, RIGHT2]] = ABSENT
    start[:] = 0
    start[[PARENT, ACTION, PREVIOUS, SWAPPED]] = -1
    start[[DEPENDENT, HEAD]] = ABSENT
    start[GOLD] = 1
    arena.scores[0] = 0.0
    arena.margins[0] = 0.0
    arena.used[:] = 1


@kernel(forceinline=True, counted=False)
def mixed(key: Any, value: Any) -> Any:
    """A key with one more number."""
    return (key ^ (key >> _HALF)) * _CHAIN_MIX + np.uint64(value)


@kernel(forceinline=True, counted=False)
def seal(arena: Arena, node: int) -> None:
    """Compute the keys of a node whose columns are complete."""
    entry = arena.nodes[node]
    content = np.uint64(0)
    for k in range(NODE_WIDTH):
        content += np.uint64(np.int64(entry[k]) + 2) * _MIX[k]
    below = np.uint64(0)
    if entry[BELOW] >= 0:
        below = arena.keys[entry[BELOW], CHAIN]
    arena.keys[node, CONTENT] = content
    arena.keys[node, CHAIN] = (below ^ (below >> _HALF)) * _CHAIN_MIX + content


def grown(arena: Arena) -> Arena:
    """The same contents with twice the room."""
    return Arena(
        np.concatenate([arena.nodes, np.zeros_like(arena.nodes)]),
        np.concatenate([arena.keys, np.zeros_like(arena.keys)]),
        np.concatenate([arena.items, np.zeros_like(arena.items)]),
        np.concatenate([arena.scores, np.zeros_like(arena.scores)]),
        np.concatenate([arena.margins, np.zeros_like(arena.margins)]),
        arena.used,
    )
