"""The best tree of each sentence whose bounds are known, by the scores of all arcs.

A search from left to right gives heads away before it has seen everything. Once it has found the
sentences, the tree with the best sum of arcs and one root can be found exactly: the best head of
each word where these make a tree, which is mostly so, else the arborescence of Chu & Liu (1965) and
Edmonds (1967), cycle by cycle as in Tarjan (1977), section 3, for dense graphs.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.jit_plain import Tiers
from caesura.parse.scorers.arcs import FLOOR, ArcScorer

__all__ = ["best_trees"]

Ints = NDArray[np.int32]

#: A longer sentence keeps the tree that it has: time and memory go with the square.
MOST: Final = 400
#: What speaks for an arc that the tree has already, so that ties change nothing.
_KEPT: Final = np.float32(0.01)
#: Two roots are worse than all else, but not as bad as an arc that may not be.
_TWO_ROOTS: Final = 1e5
_NEVER: Final = -1e9
#: Arcs that Python compares as quickly as compiled code is loaded from the disk.
_LITTLE: Final = 20_000


def best_trees(graph: ArcScorer, starts: NDArray[np.int8], heads: Ints, given: Ints) -> Ints:
    """The heads of all words, each sentence by itself; -1 is the root.

    `starts` is 1 where a sentence begins; `heads` is a tree of each sentence, which must have the
    heads that are `given` (-2 where none is).
    """
    n = len(heads)
    if len(starts) != n or len(given) != n or len(graph.base) != n:
        raise ValueError("scores, starts and heads are not of the same words")
    bounds = np.flatnonzero(np.concatenate([[1], starts[1:] == 1, [1]])) if n else np.zeros(1)
    found = heads.astype(np.int32)
    way = _trees(int((np.diff(bounds) ** 2).sum()))
    way(graph.arcs, graph.base, bounds.astype(np.int64), given.astype(np.int32), found)
    return found


@kernel
def _best_trees(
    arcs: NDArray[np.float32], base: Ints, bounds: NDArray[np.int64], given: Ints, heads: Ints
) -> None:
    for k in range(bounds.shape[0] - 1):
        a, b = bounds[k], bounds[k + 1]
        n = b - a
        if n < 2 or n > MOST:
            continue
        best = np.zeros(n + 1, np.int64)
        for word in range(1, n + 1):
            best[word] = _best_head(arcs, base, a, n, word, heads, given)
        if _is_tree(best):
            heads[a:b] = best[1:] - 1
        else:
            _tree(_sentence(arcs, base, a, n, heads, given), best)
            heads[a:b] = best[1:] - 1
        for word in range(a, b):
            if heads[word] >= 0:
                heads[word] += a


_trees = Tiers(_best_trees, _LITTLE)


@kernel
def _score(
    arcs: NDArray[np.float32], base: Ints, a: int, word: int, head: int, heads: Ints, given: Ints
) -> float:
    """The score of an arc; words of the sentence count from 1, and 0 is the root."""
    dependent = a + word - 1
    other = -1 if head == 0 else a + head - 1
    if given[dependent] >= -1 and given[dependent] != other:
        return _NEVER
    place = 0 if head == 0 else other - base[dependent] + 1
    score = FLOOR
    if (place == 0 and head == 0) or 0 < place < arcs.shape[1]:
        score = arcs[dependent, place]
    if heads[dependent] == other:
        score += _KEPT
    return float(score)


@kernel
def _best_head(
    arcs: NDArray[np.float32], base: Ints, a: int, n: int, word: int, heads: Ints, given: Ints
) -> int:
    best, most = -1, 0.0
    for head in range(n + 1):
        if head != word:
            score = _score(arcs, base, a, word, head, heads, given)
            if best < 0 or score > most:
                best, most = head, score
    return best


@kernel
def _is_tree(best: NDArray[np.int64]) -> bool:
    """Whether heads (0: the root) have one root and no cycle."""
    n = best.shape[0]
    if np.count_nonzero(best[1:] == 0) != 1:
        return False
    seen = np.zeros(n, np.int64)
    for start in range(1, n):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = best[word]
        if word and seen[word] == start:
            return False
    return True


@kernel
def _sentence(
    arcs: NDArray[np.float32], base: Ints, a: int, n: int, heads: Ints, given: Ints
) -> NDArray[np.float64]:
    """The scores of a sentence, [head, dependent]."""
    scores = np.full((n + 1, n + 1), 2 * _NEVER)
    for word in range(1, n + 1):
        for head in range(n + 1):
            if head != word:
                scores[head, word] = _score(arcs, base, a, word, head, heads, given)
                if head == 0:
                    scores[head, word] -= _TWO_ROOTS
    return scores


@kernel
def _tree(scores: NDArray[np.float64], best_heads: NDArray[np.int64]) -> None:
    """The heads of the best tree.

    From each word a path goes to the best head, and on from there, until it ends at the root or at
    a path from before. Where it meets itself, the words of the cycle become one, which is worth as
    a dependent what each of them would gain or lose. At the end each such cycle is opened where the
    arc into it arrives.
    """
    n = scores.shape[0]
    size = 2 * n
    weight = np.full((size, size), 3 * _NEVER)
    # The arc between two words that one between what they became stands for.
    tail, tip = np.zeros((size, size), np.int32), np.zeros((size, size), np.int32)
    weight[:n, :n] = scores
    for head in range(n):
        tail[head, :n] = head
        tip[head, :n] = np.arange(n)
    part_of = np.full(size, -1, np.int64)
    best = np.full(size, -1, np.int64)
    enters, arrives = np.zeros(size, np.int64), np.zeros(size, np.int64)
    path = np.zeros(size, np.int64)
    count = n
    for start in range(1, n):
        node = start
        while part_of[node] >= 0:
            node = part_of[node]
        while node and (best[node] < 0 or path[node] == start):
            if best[node] >= 0:
                _contract(node, count, weight, tail, tip, part_of, best)
                node = count
                count += 1
            path[node] = start
            top = -1
            for head in range(count):
                free = part_of[head] < 0 and head != node
                if free and (top < 0 or weight[head, node] > weight[top, node]):
                    top = head
            best[node] = top
            enters[node], arrives[node] = tail[top, node], tip[top, node]
            node = top
    for node in range(count - 1, n - 1, -1):
        member = arrives[node]
        while part_of[member] != node:
            member = part_of[member]
        enters[member], arrives[member] = enters[node], arrives[node]
    best_heads[1:] = enters[1:n]


@kernel
def _contract(
    first: int,
    whole: int,
    weight: NDArray[np.float64],
    tail: Ints,
    tip: Ints,
    part_of: NDArray[np.int64],
    best: NDArray[np.int64],
) -> None:
    """Let the cycle through `first` become the node `whole`."""
    member = first
    while part_of[member] < 0:
        part_of[member] = whole
        member = best[member]
    for other in range(whole):
        if part_of[other] >= 0:
            continue
        while True:
            gain = weight[other, member] - weight[best[member], member]
            if gain > weight[other, whole]:
                weight[other, whole] = gain
                tail[other, whole], tip[other, whole] = tail[other, member], tip[other, member]
            if weight[member, other] > weight[whole, other]:
                weight[whole, other] = weight[member, other]
                tail[whole, other], tip[whole, other] = tail[member, other], tip[member, other]
            member = best[member]
            if member == first:
                break
        if best[other] >= 0 and part_of[best[other]] == whole:
            best[other] = whole
