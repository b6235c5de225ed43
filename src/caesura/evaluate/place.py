"""Tokens as spans of a reference text that is not quite theirs.

Letters are matched several ways, from strict to loose, and where two ways differ the one that
finds more letters is taken, of equals the stricter: whole tokens first, then letter by letter,
at last without regard to case. A token lies where most of its letters are; if they are nowhere it
is lost, and has no width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.evaluate.atoms import Atoms, atoms
from caesura.evaluate.edit_script import match
from caesura.evaluate.reference import Looseness, Reference

__all__ = ["Placed", "place"]

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: A changed run of at most this many letters is laid over a run of the same length.
CHANGED_RUN = 16
#: Tokens of fewer letters turn up anywhere and do not tell whether two texts are the same.
TELLING = 4


@dataclass(frozen=True)
class Placed:
    """Spans in a reference; `whole` ones are found unchanged, `telling` ones are long."""

    start: Longs
    end: Longs
    lost: Flags
    whole: Flags
    telling: Flags
    loose: Looseness
    #: The share of the letters of the reference that whole tokens cover.
    covered: float


def place(
    chars: NDArray[np.uint32],
    start: Longs,
    end: Longs,
    reference: Reference,
    sentences: Longs | None = None,
) -> Placed:
    """Spans of characters as spans of a reference; `sentences` are tokens that start one."""
    ours = atoms(chars, start)
    theirs = atoms(reference.chars, reference.start)
    first, last = (np.searchsorted(ours.start, edge) for edge in (start, end))
    tokens = None
    if reference.start is not None and reference.end is not None:
        tokens = _token_pairs(chars, start, end, reference, sentences)
    at, folded = _match(theirs, ours, tokens, first)
    begins = np.zeros(len(ours.value) + 1, dtype=bool)
    begins[first] = True
    letters = (ours.folded, theirs.folded) if folded else (ours.value, theirs.value)
    _core.slide_gaps(at, *letters, begins[:-1])
    _tighten(at, *letters, begins)
    matched = at >= 0
    _pair_changed(at, len(theirs.value))
    size = last - first
    found = np.concatenate(([0], np.cumsum(matched)))
    count = found[last] - found[first]
    lost = 2 * count <= size
    spans = _spans(theirs, at, first, last, lost)
    whole = (count == size) & ~lost
    whole[whole] = at[last[whole] - 1] - at[first[whole]] == size[whole] - 1
    covered = int(size[whole].sum()) / max(len(theirs.value), 1)
    loose = _looseness(theirs, ours, np.where(matched, at, -1))
    return Placed(*spans, lost, whole, size >= TELLING, loose, covered)


# ----------------------------------------------------------- ways to match


def _match(
    theirs: Atoms, ours: Atoms, tokens: tuple[Longs, Longs, Longs] | None, first: Longs
) -> tuple[Longs, bool]:
    """For each of our letters its equal among theirs, or -1; and whether case was passed over."""
    least = min(len(ours.value), len(theirs.value))
    best = np.full(len(ours.value), -1, dtype=np.int64)
    if tokens is not None:
        place_of, size, there = tokens
        _core.expand_tokens(
            best, ours.value, theirs.value, first[place_of], size, theirs.start, there
        )
        _fill_gaps(best, ours.value, theirs.value)
    if np.count_nonzero(best >= 0) < least:
        _core.prefer_alignment(best, _reverse(match(theirs.value, ours.value), len(best)))
    if np.count_nonzero(best >= 0) == least or not (ours.cased or theirs.cased):
        return best, False
    strict = best.copy()
    _fill_gaps(best, ours.folded, theirs.folded)
    if np.array_equal(strict, best):
        return strict, False
    _core.prefer_alignment(best, _reverse(match(theirs.folded, ours.folded), len(best)))
    return best, True


def _reverse(partner: Longs, size: int) -> Longs:
    at = np.full(size, -1, dtype=np.int64)
    found = np.flatnonzero(partner >= 0)
    at[partner[found]] = found
    return at


def _token_pairs(
    chars: NDArray[np.uint32],
    start: Longs,
    end: Longs,
    reference: Reference,
    sentences: Longs | None,
) -> tuple[Longs, Longs, Longs]:
    """Tokens of the same characters: which of ours, its number of characters, and where it is."""
    assert reference.start is not None
    assert reference.end is not None
    before = np.concatenate(([0], np.maximum.accumulate(reference.end)[:-1]))
    kept = (reference.end > reference.start) & (reference.start >= before)
    there, there_end = reference.start[kept], reference.end[kept]
    theirs = _core.hash_spans(reference.chars, there, there_end)
    ours = _core.hash_spans(chars, start, end)
    at = _reverse(match(theirs, ours), len(ours))
    # Of two full stops the one at the end of its sentence is taken.
    begins = np.zeros(len(ours), dtype=bool)
    if sentences is not None:
        begins[sentences] = True
        _core.slide_gaps(at, ours, theirs, begins)
    found = np.flatnonzero(at >= 0)
    return found, end[found] - start[found], there[at[found]]


def _fill_gaps(at: Longs, ours: Longs, theirs: Longs) -> None:
    """Match what lies between two letters that are matched."""
    known = np.flatnonzero(at >= 0)
    mine = np.concatenate(([-1], known, [len(ours)]))
    other = np.concatenate(([-1], at[known], [len(theirs)]))
    gaps = np.stack([mine[:-1] + 1, mine[1:], other[:-1] + 1, other[1:]], axis=1)
    gaps = np.ascontiguousarray(gaps[(gaps[:, 1] > gaps[:, 0]) & (gaps[:, 3] > gaps[:, 2])])
    if len(gaps):
        _core.fill_gaps(ours, theirs, gaps, at)


def _looseness(theirs: Atoms, ours: Atoms, at: Longs) -> Looseness:
    mine = np.flatnonzero(at >= 0)
    there = at[mine]
    case = ours.value[mine] != theirs.value[there]
    marks = ours.marks[mine] != theirs.marks[there]
    spelling = ~case & ~marks & (ours.written[mine] != theirs.written[there])
    return Looseness(*(int(np.count_nonzero(kind)) for kind in (marks, case, spelling)))


# ------------------------------------------------------ from letters to spans


def _spans(theirs: Atoms, at: Longs, first: Longs, last: Longs, lost: Flags) -> tuple[Longs, Longs]:
    placed = np.flatnonzero(at >= 0)
    kept = ~lost
    start = np.zeros(len(lost), dtype=np.int64)
    end = np.zeros(len(lost), dtype=np.int64)
    start[kept] = theirs.start[at[placed[np.searchsorted(placed, first[kept])]]]
    end[kept] = theirs.end[at[placed[np.searchsorted(placed, last[kept]) - 1]]]
    end = np.maximum.accumulate(end) if len(end) else end
    start[lost] = end[lost]
    # Letters that one character spells may lie on both sides of a lost token.
    start = np.maximum.accumulate(start) if len(start) else start
    return start, np.maximum(start, end)


def _tighten(at: Longs, ours: NDArray[Any], theirs: NDArray[Any], begins: Flags) -> None:
    """Put together a token that lies on both sides of a gap, where it also lies on one of them."""
    first = np.flatnonzero(begins[:-1])
    if not len(first):
        return
    last = np.append(first[1:], len(at)) - 1
    found = (at[first] >= 0) & (at[last] >= 0)
    torn = found & (at[last] - at[first] > last - first)
    for a, b in zip(first[torn].tolist(), last[torn].tolist(), strict=True):
        size = b - a + 1
        for begin in (int(at[b]) - size + 1, int(at[a])):
            if np.array_equal(theirs[begin : begin + size], ours[a : b + 1]):
                at[a : b + 1] = np.arange(begin, begin + size)
                break


def _pair_changed(at: Longs, size: int) -> None:
    """Lay a short changed run over one of the same length between the same neighbours.

    A token with a changed first or last character thus keeps its width; a token none of whose
    characters is found stays lost.
    """
    loose = at < 0
    if not loose.any():
        return
    edges = np.diff(np.concatenate(([0], loose.astype(np.int8), [0])))
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    before = np.where(first > 0, at[np.maximum(first, 1) - 1], -1)
    after = np.where(last < len(at), at[np.minimum(last, len(at) - 1)], size)
    length = last - first
    fits = (after - before - 1 == length) & (length <= CHANGED_RUN)
    length = length[fits]
    within = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
    at[np.repeat(first[fits], length) + within] = np.repeat(before[fits] + 1, length) + within
