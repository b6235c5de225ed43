"""Which word of the system is which word of gold.

Words that are tokens of their own are the same if their spans are. Where either side has a
multi-word token the region is grown until both sides end together, and the words in it are aligned
by a longest common subsequence of their lower-cased forms: the word alignment of the CoNLL 2018
shared task (Zeman et al. 2018, section 4). Words of no width, which that task does not know, are
set aside first: two of them are the same if they stand at the same place and have the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.evaluate.interruptible import DONE, MORE, STUCK, WORK, in_slices
from caesura.evaluate.myers import match
from caesura.jit import kernel

__all__ = ["Words", "align"]

Longs = NDArray[np.int64]

#: Regions with more cells than this are aligned in linear space.
TABLE_CELLS = 4_000_000
#: Where the walk stands (gold, system), and the large region that it has met, if any.
G, S, FIRST_G, FIRST_S = 0, 1, 2, 3


class Words(NamedTuple):
    """The words of one side: spans, whether in a multi-word token, ids of lower-cased forms."""

    start: Longs
    end: Longs
    multi: NDArray[np.bool_]
    form: Longs

    def some(self, chosen: NDArray[np.bool_]) -> Words:
        """Some of the words."""
        return Words(self.start[chosen], self.end[chosen], self.multi[chosen], self.form[chosen])


def align(gold: Words, system: Words) -> tuple[Longs, Longs]:
    """The words of gold and of the system that are aligned, pair by pair, by the word of gold."""
    partner = np.full(len(gold.start), -1, dtype=np.int64)
    bare_gold, bare_system = gold.start == gold.end, system.start == system.end
    if bare_gold.any() or bare_system.any():
        for kind, walk in ((False, _align_wide), (True, _align_bare)):
            of_gold = np.flatnonzero(bare_gold == kind)
            of_system = np.flatnonzero(bare_system == kind)
            found = np.full(len(of_gold), -1, dtype=np.int64)
            walk(gold.some(bare_gold == kind), system.some(bare_system == kind), found)
            hit = found >= 0
            partner[of_gold[hit]] = of_system[found[hit]]
    else:
        _align_wide(gold, system, partner)
    aligned = np.flatnonzero(partner >= 0).astype(np.int64)
    return aligned, partner[aligned]


def _align_wide(gold: Words, system: Words, partner: Longs) -> None:
    _in_slices(_walk, gold, system, partner)


def _align_bare(gold: Words, system: Words, partner: Longs) -> None:
    _in_slices(_walk_bare, gold, system, partner)


def _in_slices(
    walk_on: Callable[..., int], gold: Words, system: Words, partner: Longs, work: int = WORK
) -> None:
    at = np.array([0, 0, -1, -1], dtype=np.int64)

    def walk() -> int:
        answer = walk_on(gold, system, partner, at, work)
        if at[FIRST_G] >= 0:
            _large_region(gold.form, system.form, at, partner)
        return answer

    # Every slice takes a word at least.
    in_slices(walk, len(gold.start) + len(system.start) + 1, "the alignment of words")


def _large_region(gold: Longs, system: Longs, at: Longs, partner: Longs) -> None:
    g1, s1, g0, s0 = at.tolist()
    found = match(gold[g0:g1], system[s0:s1])
    hit = np.flatnonzero(found >= 0)
    partner[g0 + hit] = s0 + found[hit]
    at[FIRST_G] = at[FIRST_S] = -1


@kernel
def _walk(gold: Words, system: Words, partner: Longs, at: Longs, work: int) -> int:
    """Walk on from `at` until the work is done, a large region is met, or both sides are over."""
    n, m = len(gold.start), len(system.start)
    g, s = at[G], at[S]
    spent = 0
    answer = DONE
    while g < n and s < m:
        if spent >= work:
            answer = MORE
            break
        before = g + s
        if gold.multi[g] or system.multi[s]:
            # The region starts with the multi-word token itself: a plain word of the other side
            # that began earlier cannot be part of it.
            if gold.multi[g]:
                end = gold.end[g]
                if not system.multi[s] and system.start[s] < gold.start[g]:
                    s += 1
            else:
                end = system.end[s]
                if gold.start[g] < system.start[s]:
                    g += 1
            first_g, first_s = g, s
            g, s = _region_end(gold, system, g, s, end)
            spent += (g - first_g) * (s - first_s)
            if (g - first_g) * (s - first_s) > TABLE_CELLS:
                at[FIRST_G], at[FIRST_S] = first_g, first_s
                answer = MORE
                break
            if g > first_g and s > first_s:
                _align_region(gold.form, system.form, first_g, g, first_s, s, partner)
        elif gold.start[g] == system.start[s] and gold.end[g] == system.end[s]:
            partner[g] = s
            g += 1
            s += 1
        elif gold.start[g] > system.start[s] or (
            # Spans of one side coincide where several tokens are spelled with one character.
            gold.start[g] == system.start[s]
            and gold.end[g] > system.end[s]
            and s + 1 < m
            and system.start[s + 1] == gold.start[g]
        ):
            s += 1
        else:
            g += 1
        if g + s == before:
            answer = STUCK
            break
        spent += g + s - before
    at[G], at[S] = g, s
    return answer


@kernel
def _walk_bare(gold: Words, system: Words, partner: Longs, at: Longs, work: int) -> int:
    """The same for words that have no width: place by place, by their forms."""
    n, m = len(gold.start), len(system.start)
    g, s = at[G], at[S]
    spent = 0
    answer = DONE
    while g < n and s < m:
        if spent >= work:
            answer = MORE
            break
        first_g, first_s = g, s
        place = min(gold.start[g], system.start[s])
        while g < n and gold.start[g] == place:
            g += 1
        while s < m and system.start[s] == place:
            s += 1
        cells = (g - first_g) * (s - first_s)
        if cells > TABLE_CELLS:
            at[FIRST_G], at[FIRST_S] = first_g, first_s
            answer = MORE
            break
        if cells:
            _align_region(gold.form, system.form, first_g, g, first_s, s, partner)
        spent += cells + g + s - first_g - first_s
    at[G], at[S] = g, s
    return answer


@kernel
def _outside(words: Words, i: int, end: int) -> bool:
    """Whether word i lies behind the region that ends at `end` (multi-word tokens stretch it)."""
    if i >= len(words.start):
        return True
    return bool(words.start[i] >= end if words.multi[i] else words.end[i] > end)


@kernel
def _region_end(gold: Words, system: Words, g: int, s: int, end: int) -> tuple[int, int]:
    """The words behind the region, which every multi-word token in it stretches."""
    n, m = len(gold.start), len(system.start)
    while not (_outside(gold, g, end) and _outside(system, s, end)):
        if g < n and (s >= m or gold.start[g] <= system.start[s]):
            if gold.multi[g]:
                end = max(end, gold.end[g])
            g += 1
        else:
            if system.multi[s]:
                end = max(end, system.end[s])
            s += 1
    return g, s


@kernel
def _align_region(
    gold: Longs, system: Longs, g0: int, g1: int, s0: int, s1: int, partner: Longs
) -> None:
    """Longest common subsequence of the forms; the earliest equal pair is taken."""
    rows, columns = g1 - g0, s1 - s0
    longest = np.zeros((rows + 1, columns + 1), dtype=np.int32)
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best = max(longest[i + 1, j], longest[i, j + 1])
            if gold[g0 + i] == system[s0 + j]:
                best = max(best, longest[i + 1, j + 1] + 1)
            longest[i, j] = best
    i = j = 0
    while i < rows and j < columns:
        if gold[g0 + i] == system[s0 + j]:
            partner[g0 + i] = s0 + j
            i += 1
            j += 1
        elif longest[i, j] == longest[i + 1, j]:
            i += 1
        else:
            j += 1
