"""Shortest edit scripts: Myers' O(ND) algorithm in its linear-space form (Myers 1986, section 4b).

The middle of a shortest script is found by a forward and a backward search that meet; both halves
are solved in turn. Texts that differ much would cost quadratic time, so long ones are first cut at
anchors, runs that occur once on either side, in the same order on both; and a search that has used
up its budget settles for the furthest point it has reached. Time and memory stay linear.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.evaluate.interruptible import DONE, MORE, STUCK, WORK, in_slices
from caesura.jit import kernel

__all__ = ["fill", "match"]

Longs = NDArray[np.int64]

#: Sequences up to this many elements together are aligned without anchors or budget.
EXACT = 16_384
#: Differences that a search may find before it settles for the best point so far.
BUDGET = 512
#: Lengths of anchors: long ones first, shorter ones inside large gaps.
ANCHORS = (48, 24, 12)
#: A gap with more elements than this on both sides is searched for shorter anchors.
LARGE_GAP = 1_024
#: Halves that may wait at a time, and the parts of the state of a search.
DEPTH = 256
DEEP, NEXT, PIECES = 0, 1, 2


def match(a: Longs, b: Longs) -> Longs:
    """For each element of a the index of its equal in b, or -1, in rising order."""
    partner = np.full(len(a), -1, dtype=np.int64)
    if len(a) == len(b) and np.array_equal(a, b):
        partner[:] = np.arange(len(a))
    else:
        fill(a, b, np.array([[0, len(a), 0, len(b)]], dtype=np.int64), partner)
    return partner


def fill(a: Longs, b: Longs, gaps: Longs, partner: Longs) -> None:
    """Match what lies in gaps, rows of a from, a to, b from, b to; long ones with anchors."""
    sizes = gaps[:, 1] - gaps[:, 0] + gaps[:, 3] - gaps[:, 2]
    short = sizes <= EXACT
    _fill(a, b, gaps[short], partner, EXACT)
    if not short.all():
        parts = [gaps[~short]]
        for length in ANCHORS:
            parts = [part for gap in parts for part in _cut(a, b, gap, length, partner)]
        _fill(a, b, np.concatenate(parts), partner, BUDGET)


def _fill(a: Longs, b: Longs, gaps: Longs, partner: Longs, budget: int, work: int = WORK) -> None:
    """Match what lies in the gaps, slice by slice."""
    if not len(gaps):
        return
    sizes = gaps[:, 1] - gaps[:, 0] + gaps[:, 3] - gaps[:, 2]
    reach = np.empty((2, int(sizes.max(initial=0)) + 4), dtype=np.int64)
    stack = np.empty((DEPTH, 4), dtype=np.int64)
    state = np.zeros(3, dtype=np.int64)

    def walk() -> int:
        return _fill_on(a, b, gaps, partner, reach, stack, state, budget, work)

    # Every slice solves a gap or halves a piece, of which there are fewer than elements.
    most = 2 * (len(a) + len(b) + len(gaps)) + 2
    in_slices(walk, most, "the search for a shortest edit script")


def _cut(a: Longs, b: Longs, gaps: Longs, length: int, partner: Longs) -> list[Longs]:
    """Cut the large ones among the gaps at anchors; small ones stay as they are."""
    large = np.minimum(gaps[:, 1] - gaps[:, 0], gaps[:, 3] - gaps[:, 2]) > LARGE_GAP
    found = [gaps[~large]]
    for a0, a1, b0, b1 in gaps[large].tolist():
        anchors = _anchors(a[a0:a1], b[b0:b1], length)
        anchors += np.array([[a0, b0]])
        found.append(_chain(a, b, np.array([a0, a1, b0, b1]), anchors, length, partner))
    return found


def _anchors(a: Longs, b: Longs, length: int) -> Longs:
    """Pairs of places at which the same run stands, once in each, rising in both."""
    # One run in four is enough of them in a long text; which ones depends on their contents.
    mask = 3 if min(len(a), len(b)) > 50_000 else 0
    hash_a, at_a = _once(*_runs(a, length, mask))
    hash_b, at_b = _once(*_runs(b, length, mask))
    _, in_a, in_b = np.intersect1d(hash_a, hash_b, assume_unique=True, return_indices=True)
    pairs = np.stack([at_a[in_a], at_b[in_b]], axis=1)
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return np.ascontiguousarray(pairs[_rising(np.ascontiguousarray(pairs[:, 1]))])


def _once(hashes: NDArray[np.uint64], places: Longs) -> tuple[NDArray[np.uint64], Longs]:
    values, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    return values[counts == 1], places[first[counts == 1]]


@kernel
def _runs(sequence: Longs, length: int, mask: int) -> tuple[NDArray[np.uint64], Longs]:
    """Rolling hashes of the runs of a length, those whose hash is zero under the mask."""
    n = max(len(sequence) - length + 1, 0)
    hashes = np.empty(n, dtype=np.uint64)
    places = np.empty(n, dtype=np.int64)
    base = np.uint64(0x9E3779B97F4A7C15)
    value, top = np.uint64(0), np.uint64(1)
    for _ in range(length - 1):
        top *= base
    count = 0
    for i in range(len(sequence)):
        if i >= length:
            value -= top * (np.uint64(sequence[i - length]) + np.uint64(1))
        value = value * base + np.uint64(sequence[i]) + np.uint64(1)
        if i >= length - 1 and ((value >> np.uint64(40)) & np.uint64(mask)) == np.uint64(0):
            hashes[count] = value
            places[count] = i - length + 1
            count += 1
    return hashes[:count].copy(), places[:count].copy()


@kernel
def _rising(values: Longs) -> Longs:
    """Indices of a longest rising subsequence."""
    n = len(values)
    tails = np.empty(n, dtype=np.int64)
    before = np.empty(n, dtype=np.int64)
    size = 0
    for i in range(n):
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            if values[tails[middle]] < values[i]:
                low = middle + 1
            else:
                high = middle
        before[i] = tails[low - 1] if low else -1
        tails[low] = i
        size = max(size, low + 1)
    chosen = np.empty(size, dtype=np.int64)
    i = tails[size - 1] if size else -1
    for place in range(size - 1, -1, -1):
        chosen[place] = i
        i = before[i]
    return chosen


@kernel
def _chain(a: Longs, b: Longs, bounds: Longs, anchors: Longs, length: int, partner: Longs) -> Longs:
    """Match the anchors and what equals around them; what lies between them is returned."""
    gaps = np.empty((len(anchors) + 1, 4), dtype=np.int64)
    count = 0
    i, j = bounds[0], bounds[2]
    for row in range(len(anchors)):
        x, y = anchors[row, 0], anchors[row, 1]
        if x < i or y < j:
            continue
        same = True
        for k in range(length):
            if a[x + k] != b[y + k]:
                same = False
                break
        if not same:
            continue
        while x > i and y > j and a[x - 1] == b[y - 1]:
            x -= 1
            y -= 1
        if x > i or y > j:
            gaps[count, 0], gaps[count, 1], gaps[count, 2], gaps[count, 3] = i, x, j, y
            count += 1
        i, j = x, y
        while i < bounds[1] and j < bounds[3] and a[i] == b[j]:
            partner[i] = j
            i += 1
            j += 1
    gaps[count, 0], gaps[count, 1], gaps[count, 2], gaps[count, 3] = i, bounds[1], j, bounds[3]
    return gaps[: count + 1].copy()


@kernel
def _fill_on(
    a: Longs,
    b: Longs,
    gaps: Longs,
    partner: Longs,
    reach: Longs,
    stack: Longs,
    state: Longs,
    budget: int,
    work: int,
) -> int:
    """Go on where the last slice ended.

    Halves of a gap wait on a stack, whose depth is the logarithm of the number of differences; the
    state is that depth, the next gap, and the pieces that the present gap has had.
    """
    spent = 0
    while state[DEEP] or state[NEXT] < len(gaps):
        if spent >= work:
            return MORE
        if not state[DEEP]:
            stack[0] = gaps[state[NEXT]]
            state[DEEP], state[PIECES] = 1, 0
            state[NEXT] += 1
        gap = state[NEXT] - 1
        size = gaps[gap, 1] - gaps[gap, 0] + gaps[gap, 3] - gaps[gap, 2]
        state[PIECES] += 1
        if state[PIECES] > 2 * size + 2 or state[DEEP] >= len(stack):
            return STUCK
        state[DEEP] -= 1
        depth = state[DEEP]
        a0, a1, b0, b1 = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        spent += a1 - a0 + b1 - b0 + 1
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            partner[a0] = b0
            a0 += 1
            b0 += 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1 -= 1
            b1 -= 1
            partner[a1] = b1
        if a0 == a1 or b0 == b1:
            continue
        x, y, d = _middle(a[a0:a1], b[b0:b1], reach[0], reach[1], budget)
        spent += d * d
        stack[depth, 0], stack[depth, 1] = a0 + x, a1
        stack[depth, 2], stack[depth, 3] = b0 + y, b1
        stack[depth + 1, 0], stack[depth + 1, 1] = a0, a0 + x
        stack[depth + 1, 2], stack[depth + 1, 3] = b0, b0 + y
        state[DEEP] += 2
    return DONE


@kernel
def _middle(
    a: Longs, b: Longs, forward: Longs, backward: Longs, budget: int
) -> tuple[int, int, int]:
    """A point on a shortest script, about half way; neither the first nor the last elements match.

    `forward[zero + k]` is the furthest place in a that a script of d differences reaches on
    diagonal k (place in a minus place in b); `backward` the same from the other end. The third
    value is the number of differences that were looked for.
    """
    n, m = len(a), len(b)
    zero = m + 1
    delta = n - m
    odd = (delta & 1) == 1
    far = n + m + 2
    forward[zero] = 0
    backward[zero + delta] = n
    low_f = high_f = 0
    low_b = high_b = delta
    most = max(min(budget, n + m), 1)
    for d in range(1, most + 1):
        if low_f > -m:
            low_f -= 1
            forward[zero + low_f - 1] = -1
        else:
            low_f += 1
        if high_f < n:
            high_f += 1
            forward[zero + high_f + 1] = -1
        else:
            high_f -= 1
        for k in range(high_f, low_f - 1, -2):
            below, above = forward[zero + k - 1], forward[zero + k + 1]
            x = below + 1 if below >= above else above
            y = x - k
            while x < n and y < m and a[x] == b[y]:
                x += 1
                y += 1
            forward[zero + k] = x
            if odd and low_b <= k <= high_b and backward[zero + k] <= x:
                return x, y, d
        if low_b > -m:
            low_b -= 1
            backward[zero + low_b - 1] = far
        else:
            low_b += 1
        if high_b < n:
            high_b += 1
            backward[zero + high_b + 1] = far
        else:
            high_b -= 1
        for k in range(high_b, low_b - 1, -2):
            below, above = backward[zero + k - 1], backward[zero + k + 1]
            x = below if below < above else above - 1
            y = x - k
            while x > 0 and y > 0 and a[x - 1] == b[y - 1]:
                x -= 1
                y -= 1
            backward[zero + k] = x
            if not odd and low_f <= k <= high_f and x <= forward[zero + k]:
                return x, y, d
    best_x = best_y = 0
    for k in range(high_f, low_f - 1, -2):
        x = min(forward[zero + k], n, m + k)
        if 2 * x - k > best_x + best_y:
            best_x, best_y = x, x - k
    return best_x, best_y, most
