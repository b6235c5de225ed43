"""Times of tokens: those of a recogniser's words, carried over to other tokens, and interpolated.

Between known times, which are those of words and of the ends of cues, times rise with the letters
and digits. A token has the times of the words that it covers; if it begins or ends inside a word or
in a cue without words, its times are interpolated and marked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, token_turn

__all__ = ["set_times"]


def set_times(doc: Document, source: Document) -> None:
    """Give a tokenised document the times of the document with the same text that it came from."""
    words = source.token_time
    timed = np.zeros(0, np.int64) if words is None else np.flatnonzero(np.isfinite(words).all(1))
    known = len(doc.turn_time) and bool(np.isfinite(doc.turn_time).all(1).any())
    if not doc.n_tokens or not (known or len(timed)):
        return
    letters = np.fromiter(map(str.isalnum, doc.text), np.bool_, len(doc.text))
    weight = np.concatenate([[0], np.cumsum(letters)]).astype(np.float64)
    order = np.argsort(doc.turn_start, kind="stable")
    starts, ends, times = doc.turn_start[order], doc.turn_end[order], doc.turn_time[order]
    # Units of one interval, such as two speakers in a cue, share it.
    group = np.zeros(len(starts), np.int64)
    if len(starts):
        group[1:] = np.cumsum((times[1:] != times[:-1]).any(1))

    def group_at(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        if not len(starts):
            return np.zeros(len(offsets), np.int64)
        return group[np.maximum(np.searchsorted(starts, offsets, side="right") - 1, 0)]

    def place(offsets: NDArray[np.int64], within: NDArray[np.int64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = weight[offsets] + 2.0 * within
        return found

    first = np.flatnonzero(np.diff(group, prepend=-1)) if len(starts) else np.zeros(0, np.int64)
    last = np.flatnonzero(np.diff(group, append=-1)) if len(starts) else first
    own_starts, own_ends = source.token_start[timed], source.token_end[timed]
    own_group = group_at(own_starts)
    own = np.zeros((0, 2)) if words is None else words[timed]
    # Knots in their order: beginnings of groups, words from and to, ends of groups.
    knots = [
        (place(starts[first], group[first]), times[first, 0], group[first], 0),
        (place(own_starts, own_group), own[:, 0], own_group, 1),
        (place(own_ends, own_group), own[:, 1], own_group, 1),
        (place(ends[last], group[last]), times[last, 1], group[last], 3),
    ]
    at = np.concatenate([knot[0] for knot in knots])
    time = np.concatenate([knot[1] for knot in knots])
    of_group = np.concatenate([knot[2] for knot in knots])
    rank = np.repeat([knot[3] for knot in knots], [len(knot[0]) for knot in knots])
    offset = np.concatenate([starts[first], own_starts, own_ends, ends[last]])
    known_times = np.isfinite(time)
    order = np.lexsort((time, offset, rank, at))
    order = order[known_times[order]]
    at, time, of_group = at[order], time[order], of_group[order]
    if not len(at):
        return
    token_group = group_at(doc.token_start)
    begin = _at(at, time, of_group, place(doc.token_start, token_group), token_group, "right")
    end = _at(at, time, of_group, place(doc.token_end, token_group), token_group, "left")
    begin = np.where(begin > end, end, begin)
    inside = token_turn(doc) >= 0 if len(starts) else np.ones(doc.n_tokens, np.bool_)
    begin[~inside] = end[~inside] = np.nan
    if not np.isfinite(begin + end).any():
        return
    doc.token_time = np.stack([begin, end], 1).round(3)
    doc.token_time_guessed, doc.token_time_conf = _sources(doc, source, timed, weight)


def _at(
    at: Any, time: Any, of_group: Any, wanted: Any, group: Any, side: str
) -> NDArray[np.float64]:
    """Times at places: that of the last (`right`) or first knot there, or between two knots."""
    n = len(at)
    after = np.searchsorted(at, wanted, side="right" if side == "right" else "left")
    exact = after - 1 if side == "right" else after
    exact_in = np.clip(exact, 0, n - 1)
    hit = (exact >= 0) & (exact < n) & (at[exact_in] == wanted) & (of_group[exact_in] == group)
    low, high = np.clip(after - 1, 0, n - 1), np.clip(after, 0, n - 1)
    both = (after > 0) & (after < n) & (of_group[low] == group) & (of_group[high] == group)
    span = np.where(both, at[high] - at[low], 1.0)
    share = np.where(span > 0, (wanted - at[low]) / np.where(span > 0, span, 1.0), 0.0)
    between = time[low] + share * np.maximum(time[high] - time[low], 0.0)
    found: NDArray[np.float64] = np.where(hit, time[exact_in], np.where(both, between, np.nan))
    return found


def _sources(
    doc: Document, source: Document, timed: NDArray[np.int64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whether the times of each token are interpolated, and the confidence of its words."""
    guessed = np.ones(doc.n_tokens, np.int8)
    sure = np.full(doc.n_tokens, np.nan, np.float32)
    if not len(timed):
        return guessed, sure
    starts, ends = source.token_start[timed], source.token_end[timed]
    low = np.searchsorted(ends, doc.token_start, side="right")
    high = np.searchsorted(starts, doc.token_end, side="left") - 1
    covered = (low < len(timed)) & (high >= low)
    low, high = np.minimum(low, len(timed) - 1), np.clip(high, 0, len(timed) - 1)
    size = weight[doc.token_end] - weight[doc.token_start]
    whole = (weight[starts[low]] == weight[doc.token_start]) & (
        weight[ends[high]] == weight[doc.token_end]
    )
    made = source.token_time_guessed
    real = np.ones(len(timed), np.bool_) if made is None else made[timed] == 0
    guessed[covered & whole & (size > 0) & real[low] & real[high]] = 0
    if source.token_time_conf is not None:
        own = source.token_time_conf[timed]
        sure = np.where(covered, np.minimum(own[low], own[high]), np.nan).astype(np.float32)
    return guessed, sure
