"""Brown clustering (Brown et al. 1992, section 3), with the window of Liang (2005, section 4.4).

The most frequent words get a class each; every further word becomes one class too many, and the two
classes whose merger loses the least mutual information are merged. The loss of every pair is kept
and corrected by what changed, so a step costs K * K. In the end the classes are merged to one, and
the path from the top of that tree names a class: a prefix of it is a coarser class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from caesura.cluster.counts import BOUNDARY, RARE, Bigrams
from caesura.jit import kernel

__all__ = ["brown"]

_STRIDE = 256  # words between two reports
_FIRST = RARE + 1  # slots before it are contexts that are never merged


def brown(
    bigrams: Bigrams,
    classes: int,
    report: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[np.int32], list[str]]:
    """The class of each word (0 and 1 for the boundary and the rare words), and the paths."""
    size = len(bigrams.words)
    classes = min(classes, max(1, size - _FIRST))
    slots = classes + 1 + _FIRST
    arrays = bigrams[1:]
    pairs = np.zeros((slots, slots), dtype=np.int64)
    sums = np.zeros(slots, dtype=np.int64)
    loss = np.zeros((slots, slots), dtype=np.float64)
    weight = np.zeros((slots, slots), dtype=np.float64)
    used = np.zeros(slots, dtype=np.bool_)
    slot_of = np.full(size, -1, dtype=np.int32)
    total = float(bigrams.next_count.sum())
    at = _start(*arrays, total, classes, slot_of, pairs, sums, used, weight, loss)
    while at < size:
        until = min(size, at + _STRIDE)
        _add_words(*arrays, total, at, until, slot_of, pairs, sums, used, weight, loss)
        at = until
        if report is not None:
            report(at - _FIRST, size - _FIRST)
    tree = _tree(total, pairs, sums, used, weight, loss)
    names = _paths(tree, slots)
    order = [slot for slot in range(_FIRST, slots) if slot in names]
    number = np.zeros(slots, dtype=np.int32)
    number[BOUNDARY], number[RARE] = BOUNDARY, RARE
    for position, slot in enumerate(order):
        number[slot] = position + _FIRST
    return number[slot_of].astype(np.int32), [names[slot] for slot in order]


def _paths(merges: NDArray[np.int32], slots: int) -> dict[int, str]:
    """Bit strings of the slots from the mergers (kept, dropped), the last of which is the top."""
    if not len(merges):
        return {_FIRST: "0"}
    prefix = {int(merges[-1][0]): ""}
    for kept, dropped in merges[::-1].tolist():
        path = prefix[kept]
        prefix[kept], prefix[dropped] = path + "0", path + "1"
    return prefix


@kernel(inline="always")
def _q(n: int, left: int, right: int, total: float) -> float:
    """What a pair of classes adds to the mutual information."""
    if n == 0:
        return 0.0
    return n / total * np.log(n * total / (float(left) * float(right)))


@kernel(inline="always")
def _both(a: int, b: int, pairs: NDArray[np.int64], sums: NDArray[np.int64], total: float) -> float:
    """The same for both orders of two classes, or for one with itself."""
    value = _q(pairs[a, b], sums[a], sums[b], total)
    if a != b:
        value += _q(pairs[b, a], sums[b], sums[a], total)
    return value


@kernel(inline="always")
def _share(
    i: int,
    j: int,
    x: int,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    weight: NDArray[np.float64],
    total: float,
) -> float:
    """What a third class x adds to the loss of merging i and j."""
    both = sums[i] + sums[j]
    value = weight[i, x] + weight[j, x]
    value -= _q(pairs[i, x] + pairs[j, x], both, sums[x], total)
    return value - _q(pairs[x, i] + pairs[x, j], sums[x], both, total)


@kernel
def _whole(
    i: int,
    j: int,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    total: float,
) -> float:
    """The loss of merging i and j, from scratch."""
    value = weight[i, i] + weight[j, j] + weight[i, j]
    own = pairs[i, i] + pairs[j, j] + pairs[i, j] + pairs[j, i]
    both = sums[i] + sums[j]
    value -= _q(own, both, both, total)
    for x in range(sums.shape[0]):
        if used[x] and x != i and x != j:
            value += _share(i, j, x, pairs, sums, weight, total)
    return value


@kernel
def _weigh(
    a: int,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    total: float,
) -> None:
    for x in range(sums.shape[0]):
        if used[x]:
            weight[a, x] = weight[x, a] = _both(a, x, pairs, sums, total)
        else:
            weight[a, x] = weight[x, a] = 0.0


@kernel
def _place(
    counts: NDArray[np.int64],
    next_at: NDArray[np.int64],
    next_word: NDArray[np.int32],
    next_count: NDArray[np.int64],
    last_at: NDArray[np.int64],
    last_word: NDArray[np.int32],
    last_count: NDArray[np.int64],
    w: int,
    slot: int,
    slot_of: NDArray[np.int32],
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
) -> None:
    """Make word w the only member of a free slot."""
    slot_of[w] = slot
    used[slot] = True
    sums[slot] = counts[w]
    for i in range(next_at[w], next_at[w + 1]):
        other = slot_of[next_word[i]]
        if other >= 0:
            pairs[slot, other] += next_count[i]
    for i in range(last_at[w], last_at[w + 1]):
        other = slot_of[last_word[i]]
        if other >= 0 and last_word[i] != w:
            pairs[other, slot] += last_count[i]


@kernel
def _start(
    counts: NDArray[np.int64],
    next_at: NDArray[np.int64],
    next_word: NDArray[np.int32],
    next_count: NDArray[np.int64],
    last_at: NDArray[np.int64],
    last_word: NDArray[np.int32],
    last_count: NDArray[np.int64],
    total: float,
    classes: int,
    slot_of: NDArray[np.int32],
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    loss: NDArray[np.float64],
) -> int:
    """The contexts and the most frequent words, one to a slot; returns the next word."""
    n = min(classes + _FIRST, counts.shape[0])
    for w in range(n):
        _place(
            counts, next_at, next_word, next_count, last_at, last_word, last_count,
            w, w, slot_of, pairs, sums, used,
        )  # fmt: skip
        if counts[w] == 0:
            used[w] = False
    for a in range(n):
        if used[a]:
            _weigh(a, pairs, sums, used, weight, total)
    for i in range(_FIRST, n):
        for j in range(i + 1, n):
            loss[i, j] = _whole(i, j, pairs, sums, used, weight, total)
    return n


@kernel
def _best(used: NDArray[np.bool_], loss: NDArray[np.float64]) -> tuple[int, int]:
    best_i, best_j, least = -1, -1, np.inf
    for i in range(_FIRST, used.shape[0]):
        if used[i]:
            for j in range(i + 1, used.shape[0]):
                if used[j] and loss[i, j] < least:
                    best_i, best_j, least = i, j, loss[i, j]
    return best_i, best_j


@kernel
def _correct(
    x: int,
    sign: float,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    loss: NDArray[np.float64],
    total: float,
    skip: int,
) -> None:
    """Add the share of class x to the loss of every pair without it, or take it away."""
    for i in range(_FIRST, used.shape[0]):
        if used[i] and i != x and i != skip:
            for j in range(i + 1, used.shape[0]):
                if used[j] and j != x and j != skip:
                    loss[i, j] += sign * _share(i, j, x, pairs, sums, weight, total)


@kernel
def _merge(
    a: int,
    b: int,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    loss: NDArray[np.float64],
    total: float,
) -> None:
    """Merge class b into class a and free b's slot."""
    n = used.shape[0]
    _correct(a, -1.0, pairs, sums, used, weight, loss, total, b)
    _correct(b, -1.0, pairs, sums, used, weight, loss, total, a)
    for x in range(n):
        pairs[a, x] += pairs[b, x]
        pairs[b, x] = 0
    for x in range(n):
        pairs[x, a] += pairs[x, b]
        pairs[x, b] = 0
    sums[a] += sums[b]
    sums[b] = 0
    used[b] = False
    for x in range(n):
        weight[b, x] = weight[x, b] = 0.0
    _weigh(a, pairs, sums, used, weight, total)
    _correct(a, 1.0, pairs, sums, used, weight, loss, total, a)
    _renew(a, pairs, sums, used, weight, loss, total)


@kernel
def _renew(
    a: int,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    loss: NDArray[np.float64],
    total: float,
) -> None:
    """The loss of all pairs with class a, from scratch."""
    for j in range(_FIRST, used.shape[0]):
        if used[j] and j != a:
            loss[min(a, j), max(a, j)] = _whole(
                min(a, j), max(a, j), pairs, sums, used, weight, total
            )


@kernel
def _add_words(
    counts: NDArray[np.int64],
    next_at: NDArray[np.int64],
    next_word: NDArray[np.int32],
    next_count: NDArray[np.int64],
    last_at: NDArray[np.int64],
    last_word: NDArray[np.int32],
    last_count: NDArray[np.int64],
    total: float,
    first: int,
    until: int,
    slot_of: NDArray[np.int32],
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    loss: NDArray[np.float64],
) -> None:
    """Take words first..until-1 in, one by one, each followed by the best merger."""
    for w in range(first, until):
        slot = _FIRST
        while used[slot]:
            slot += 1
        _place(
            counts, next_at, next_word, next_count, last_at, last_word, last_count,
            w, slot, slot_of, pairs, sums, used,
        )  # fmt: skip
        _weigh(slot, pairs, sums, used, weight, total)
        _correct(slot, 1.0, pairs, sums, used, weight, loss, total, slot)
        _renew(slot, pairs, sums, used, weight, loss, total)
        a, b = _best(used, loss)
        _merge(a, b, pairs, sums, used, weight, loss, total)
        for v in range(w + 1):
            if slot_of[v] == b:
                slot_of[v] = a


@kernel
def _tree(
    total: float,
    pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
    used: NDArray[np.bool_],
    weight: NDArray[np.float64],
    loss: NDArray[np.float64],
) -> NDArray[np.int32]:
    """Merge the classes to one; returns the pairs (kept, dropped) in the order of merging."""
    left = 0
    for x in range(_FIRST, used.shape[0]):
        left += used[x]
    merges = np.zeros((max(0, left - 1), 2), np.int32)
    for step in range(merges.shape[0]):
        a, b = _best(used, loss)
        merges[step, 0], merges[step, 1] = a, b
        _merge(a, b, pairs, sums, used, weight, loss, total)
    return merges
