"""A scorer for the joint search that knows arcs and boundaries instead of features.

Each word has a score for every head, and a score for starting a sentence. A transition is charged
what it loses against the best that its words could have had: the arc that it makes, and the arcs
that it makes impossible (the idea of Goldberg & Nivre's 2012 dynamic oracles, with the network's
arcs in place of gold ones). Without the second part a search from left to right would learn too
late that it gave away a head.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.transitions.graph_stack import (
    BELOW,
    DEPTH,
    LAST,
    NEXT,
    STACK,
    SWAPPED,
    TOKEN,
    Arena,
)
from caesura.parse.transitions.inventory import FIRST_ARC, SB, SHIFT, SWAP
from caesura.parse.word_table import Words

__all__ = ["ArcScorer", "arc_scorer"]

#: What an arc costs at most: beyond this one wrong arc is as bad as another.
FLOOR: Final = np.float32(-12.0)
#: A small preference for the first of several orders that build the same tree.
_LATE: Final = np.float32(-0.02)
#: Stack entries that are looked at for dependents of a word that leaves the stack.
_DEEP: Final = 16


class ArcScorer(NamedTuple):
    """Arcs and starts of one document.

    `arcs[d, j]`: what head `base[d] + j - 1` costs word d (0 for the best; j = 0 is the root);
    `best`: the best head (-1: root); `gap`: what the second best costs; `start`: evidence for a
    start; `cross`: what a boundary before a word costs the best arcs that span it; `children` of
    word h: those whose best head it is, from `first[h]` to `first[h + 1]`.
    """

    arcs: NDArray[np.float32]
    base: NDArray[np.int32]
    best: NDArray[np.int32]
    gap: NDArray[np.float32]
    start: NDArray[np.float32]
    cross: NDArray[np.float32]
    first: NDArray[np.int32]
    children: NDArray[np.int32]
    swap: np.float32


def arc_scorer(
    arcs: NDArray[np.float32],
    base: NDArray[np.int32],
    sizes: NDArray[np.int32],
    start: NDArray[np.float32],
    *,
    swap: float = 1.0,
    crossing: float = 0.5,
) -> ArcScorer:
    """The scorer of a document, from the network's scores (see `neural.scores.Scores`)."""
    n, width = arcs.shape
    place = np.arange(width)
    seen = place[None, :] < sizes[:, None]
    itself = place[None, :] == (np.arange(n) - base + 1)[:, None]
    masked = np.where(seen & ~itself, arcs, -np.inf).astype(np.float32, copy=False)
    rows = np.arange(n)
    at = masked.argmax(1) if n else np.zeros(0, np.int64)
    # In place: of a long document it is large.
    masked -= masked[rows, at][:, None]
    np.maximum(masked, FLOOR, out=masked)
    best_costs = masked[rows, at]
    masked[rows, at] = FLOOR
    gap = (-masked.max(1) if n else np.zeros(0)).astype(np.float32)
    masked[rows, at] = best_costs
    best = np.where(at == 0, -1, base + at - 1).astype(np.int32)
    spans = np.zeros(n + 1, np.float64)
    inner = best >= 0
    np.add.at(spans, np.minimum(rows, best)[inner] + 1, gap[inner])
    np.add.at(spans, np.maximum(rows, best)[inner] + 1, -gap[inner])
    order = np.argsort(best, kind="stable").astype(np.int32)
    order = order[best[order] >= 0]
    first = np.searchsorted(best[order], np.arange(n + 1)).astype(np.int32)
    return ArcScorer(
        np.ascontiguousarray(masked),
        base.astype(np.int32),
        best,
        gap,
        start.astype(np.float32),
        (crossing * np.cumsum(spans)[:n]).astype(np.float32),
        first,
        order,
        np.float32(swap),
    )


@kernel
def _arc(graph: ArcScorer, dependent: int, head: int) -> np.float32:
    """What this head costs the dependent."""
    if head < 0:
        return np.float32(graph.arcs[dependent, 0])
    place = head - graph.base[dependent] + 1
    if place < 1 or place >= graph.arcs.shape[1]:
        return FLOOR
    return np.float32(graph.arcs[dependent, place])


@kernel
def _lost(
    graph: ArcScorer, arena: Arena, word: int, under: int, following: int, closed: bool
) -> np.float32:
    """What the words that want this one as their head lose when it leaves the stack."""
    loss = np.float32(0.0)
    if not closed:
        at = graph.first[word + 1] - 1
        while at >= graph.first[word] and graph.children[at] >= following:
            loss -= graph.gap[graph.children[at]]
            at -= 1
    node = under
    for _ in range(_DEEP):
        if arena.nodes[node, DEPTH] <= 1:
            break
        token = arena.nodes[node, TOKEN]
        if graph.best[token] == word:
            loss -= graph.gap[token]
        node = arena.nodes[node, BELOW]
    return loss


@kernel
def score_arcs(
    graph: ArcScorer, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    """The scores of all transitions; arcs have one label each: left, right, root."""
    n = words.context.shape[0]
    state = arena.items[item]
    stack, following = state[STACK], state[NEXT]
    depth = arena.nodes[stack, DEPTH]
    swapped = state[SWAPPED] >= 0
    open_ = not swapped and following < n and state[LAST] < following
    closed = following >= n or (not swapped and state[LAST] == following)
    out[:] = 0.0
    out[SWAP] = -graph.swap
    begin = np.float32(0.0)
    if open_:
        begin = graph.start[following] - graph.cross[following]
        if begin < 0:
            out[SB] = begin
        else:
            out[SHIFT] = -begin
    if depth < 2:
        return
    under = arena.nodes[stack, BELOW]
    s0, s1 = arena.nodes[stack, TOKEN], arena.nodes[under, TOKEN]
    below = arena.nodes[under, BELOW] if depth > 2 else 0
    right = _arc(graph, s0, s1)
    right += _lost(graph, arena, s0, below, following, closed)
    if s1 >= 0 and graph.best[s1] == s0:
        right -= graph.gap[s1]
    out[FIRST_ARC + 1] = right
    out[FIRST_ARC + 2] = right
    left = FLOOR
    if s1 >= 0:
        left = _arc(graph, s1, s0)
        left += _lost(graph, arena, s1, below, following, closed)
        if graph.best[s0] == s1:
            left -= graph.gap[s0]
        out[FIRST_ARC] = left
    # Of several orders that build the same tree prefer one: boundaries first, then arcs.
    if open_ and begin > 0:
        out[FIRST_ARC] += _LATE
        out[FIRST_ARC + 1] += _LATE
        out[FIRST_ARC + 2] += _LATE
        out[SHIFT] += _LATE
    elif left >= 0 or right >= 0:
        out[SHIFT] += _LATE
        out[SB] += _LATE
