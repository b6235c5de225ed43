"""Brown clustering (Brown et al. 1992, section 3), with the window of Liang (2005, section 4.4).

The most frequent words get a class each; every further word becomes one class too many, and the two
classes whose merger loses the least mutual information are merged. The loss of every pair is kept
and corrected by what changed, so a step costs K * K. In the end the classes are merged to one, and
the path from the top of that tree names a class: a prefix of it is a coarser class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.cluster.counts import BOUNDARY, RARE, Bigrams
from caesura.jit import kernel

__all__ = ["brown"]

_STRIDE = 256  # words between two reports
_FIRST = RARE + 1  # slots before it are contexts that are never merged


class _Table(NamedTuple):
    """What is known of the classes, one to a slot."""

    #: How often one class follows another, and how often each is seen.
    pairs: NDArray[np.int64]
    sums: NDArray[np.int64]
    used: NDArray[np.bool_]
    #: What two classes add to the mutual information, and what merging them loses.
    weight: NDArray[np.float64]
    loss: NDArray[np.float64]
    #: The number of pairs of words.
    total: float


def brown(
    bigrams: Bigrams,
    classes: int,
    report: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[np.int32], list[str]]:
    """The class of each word (0 and 1 for the boundary and the rare words), and the paths."""
    size = len(bigrams.counts)
    classes = min(classes, max(1, size - _FIRST))
    slots = classes + 1 + _FIRST
    table = _Table(
        np.zeros((slots, slots), dtype=np.int64),
        np.zeros(slots, dtype=np.int64),
        np.zeros(slots, dtype=np.bool_),
        np.zeros((slots, slots), dtype=np.float64),
        np.zeros((slots, slots), dtype=np.float64),
        float(bigrams.next_count.sum()),
    )
    slot_of = np.full(size, -1, dtype=np.int32)
    at = _start(bigrams, classes, slot_of, table)
    while at < size:
        until = min(size, at + _STRIDE)
        _add_words(bigrams, at, until, slot_of, table)
        at = until
        if report is not None:
            report(at - _FIRST, size - _FIRST)
    tree = _tree(table)
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
def _both(a: int, b: int, t: _Table) -> float:
    """The same for both orders of two classes, or for one with itself."""
    value = _q(t.pairs[a, b], t.sums[a], t.sums[b], t.total)
    if a != b:
        value += _q(t.pairs[b, a], t.sums[b], t.sums[a], t.total)
    return value


@kernel(inline="always")
def _share(i: int, j: int, x: int, t: _Table) -> float:
    """What a third class x adds to the loss of merging i and j."""
    pairs, sums = t.pairs, t.sums
    both = sums[i] + sums[j]
    value = t.weight[i, x] + t.weight[j, x]
    value -= _q(pairs[i, x] + pairs[j, x], both, sums[x], t.total)
    return value - _q(pairs[x, i] + pairs[x, j], sums[x], both, t.total)


@kernel
def _whole(i: int, j: int, t: _Table) -> float:
    """The loss of merging i and j, from scratch."""
    pairs, sums, weight = t.pairs, t.sums, t.weight
    value = weight[i, i] + weight[j, j] + weight[i, j]
    own = pairs[i, i] + pairs[j, j] + pairs[i, j] + pairs[j, i]
    both = sums[i] + sums[j]
    value -= _q(own, both, both, t.total)
    for x in range(sums.shape[0]):
        if t.used[x] and x != i and x != j:
            value += _share(i, j, x, t)
    return value


@kernel
def _weigh(a: int, t: _Table) -> None:
    for x in range(t.sums.shape[0]):
        t.weight[a, x] = t.weight[x, a] = _both(a, x, t) if t.used[x] else 0.0


@kernel
def _place(bigrams: Bigrams, w: int, slot: int, slot_of: NDArray[np.int32], t: _Table) -> None:
    """Make word w the only member of a free slot."""
    slot_of[w] = slot
    t.used[slot] = True
    t.sums[slot] = bigrams.counts[w]
    for i in range(bigrams.next_at[w], bigrams.next_at[w + 1]):
        other = slot_of[bigrams.next_word[i]]
        if other >= 0:
            t.pairs[slot, other] += bigrams.next_count[i]
    for i in range(bigrams.last_at[w], bigrams.last_at[w + 1]):
        other = slot_of[bigrams.last_word[i]]
        if other >= 0 and bigrams.last_word[i] != w:
            t.pairs[other, slot] += bigrams.last_count[i]


@kernel
def _start(bigrams: Bigrams, classes: int, slot_of: NDArray[np.int32], t: _Table) -> int:
    """The contexts and the most frequent words, one to a slot; returns the next word."""
    n = min(classes + _FIRST, bigrams.counts.shape[0])
    for w in range(n):
        _place(bigrams, w, w, slot_of, t)
        if bigrams.counts[w] == 0:
            t.used[w] = False
    for a in range(n):
        if t.used[a]:
            _weigh(a, t)
    for i in range(_FIRST, n):
        for j in range(i + 1, n):
            t.loss[i, j] = _whole(i, j, t)
    return n


@kernel
def _best(t: _Table) -> tuple[int, int]:
    """The two classes whose merger loses the least."""
    used, loss = t.used, t.loss
    best_i, best_j, least = -1, -1, np.inf
    for i in range(_FIRST, used.shape[0]):
        if used[i]:
            for j in range(i + 1, used.shape[0]):
                if used[j] and loss[i, j] < least:
                    best_i, best_j, least = i, j, loss[i, j]
    return best_i, best_j


@kernel
def _correct(x: int, sign: float, skip: int, t: _Table) -> None:
    """Add the share of class x to the loss of every pair without it, or take it away."""
    used, loss = t.used, t.loss
    for i in range(_FIRST, used.shape[0]):
        if used[i] and i != x and i != skip:
            for j in range(i + 1, used.shape[0]):
                if used[j] and j != x and j != skip:
                    loss[i, j] += sign * _share(i, j, x, t)


@kernel
def _renew(a: int, t: _Table) -> None:
    """What class a changes: its weights, its share in every loss, the losses of its own pairs."""
    _weigh(a, t)
    _correct(a, 1.0, a, t)
    for j in range(_FIRST, t.used.shape[0]):
        if t.used[j] and j != a:
            t.loss[min(a, j), max(a, j)] = _whole(min(a, j), max(a, j), t)


@kernel
def _merge(t: _Table) -> tuple[int, int]:
    """Merge the best pair into the first of the two and free the slot of the other."""
    a, b = _best(t)
    pairs, sums, used, weight = t.pairs, t.sums, t.used, t.weight
    n = used.shape[0]
    _correct(a, -1.0, b, t)
    _correct(b, -1.0, a, t)
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
    _renew(a, t)
    return a, b


@kernel
def _add_words(
    bigrams: Bigrams, first: int, until: int, slot_of: NDArray[np.int32], t: _Table
) -> None:
    """Take words first..until-1 in, one by one, each followed by the best merger."""
    for w in range(first, until):
        slot = _FIRST
        while t.used[slot]:  # there is one slot more than classes
            slot += 1
        _place(bigrams, w, slot, slot_of, t)
        _renew(slot, t)
        a, b = _merge(t)
        for v in range(w + 1):
            if slot_of[v] == b:
                slot_of[v] = a


@kernel
def _tree(t: _Table) -> NDArray[np.int32]:
    """Merge the classes to one; returns the pairs (kept, dropped) in the order of merging."""
    left = 0
    for x in range(_FIRST, t.used.shape[0]):
        left += t.used[x]
    merges = np.zeros((max(0, left - 1), 2), np.int32)
    for step in range(merges.shape[0]):
        merges[step, 0], merges[step, 1] = _merge(t)
    return merges
