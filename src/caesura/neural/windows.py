"""Windows: stretches of words that the network reads at once, as padded arrays.

In training a document is cut at a random place every epoch; in decoding windows overlap, and each
word takes its scores from the window in whose middle it lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "Window", "batch", "overlapping", "random_cuts"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Window:
    """Words first..last-1 are read; the scores of keep_first..keep_last-1 are used."""

    first: int
    last: int
    keep_first: int
    keep_last: int


@dataclass(frozen=True, slots=True)
class Batch:
    """The inputs of the network for several windows, padded."""

    ids: Longs
    mask: Longs
    word: Longs
    first: Longs
    last: Longs
    features: Longs
    #: Number of words in each window.
    sizes: Longs

    def inputs(self) -> dict[str, Longs]:
        names = ("ids", "mask", "word", "first", "last", "features")
        return {name: getattr(self, name) for name in names}


def random_cuts(
    piece_ptr: Longs,
    doc_ptr: Longs,
    limit: int,
    random: np.random.Generator,
    documents: Longs | None = None,
) -> list[Window]:
    """All words in windows of at most `limit` sub-words, the first cut of a document at random.

    Of some documents alone, where they are named; one that is named twice is cut twice.
    """
    windows: list[Window] = []
    if documents is None:
        documents = np.arange(len(doc_ptr) - 1)
    for document in documents.tolist():
        begin, end = int(doc_ptr[document]), int(doc_ptr[document + 1])
        at = begin
        total = int(piece_ptr[end] - piece_ptr[begin])
        room = int(random.integers(limit // 8, limit + 1)) if total > limit else limit
        while at < end:
            to = int(np.searchsorted(piece_ptr, piece_ptr[at] + room, side="right")) - 1
            to = min(max(to, at + 1), end)
            windows.append(Window(at, to, at, to))
            at, room = to, limit
    return windows


def overlapping(
    piece_ptr: Longs,
    begin: int,
    end: int,
    limit: int,
    overlap: int,
    breaks: Longs | None = None,
) -> list[Window]:
    """Words begin..end-1 in windows of at most `limit` sub-words that share about `overlap`.

    A window of half the limit or more ends at the last of the `breaks` (words before which a
    paragraph starts) in it, if there is one, and shares nothing with the next.
    """
    windows: list[Window] = []
    at = keep = begin
    while keep < end:
        to = int(np.searchsorted(piece_ptr, piece_ptr[at] + limit, side="right")) - 1
        if to <= keep:  # what is shared leaves no room for a long word
            at = keep
            to = int(np.searchsorted(piece_ptr, piece_ptr[at] + limit, side="right")) - 1
        to = min(max(to, keep + 1), end)
        if to == end:
            windows.append(Window(at, to, keep, end))
            break
        cut = _last_break(breaks, to)
        if cut > keep and piece_ptr[cut] - piece_ptr[at] >= limit // 2:
            windows.append(Window(at, cut, keep, cut))
            at = keep = cut
            continue
        # The next window starts `overlap` sub-words before this one's end, and takes over in the
        # middle of what they share.
        back = int(np.searchsorted(piece_ptr, piece_ptr[to] - overlap))
        back = min(max(back, at + 1), to)
        turn = max((back + to) // 2, keep + 1)
        windows.append(Window(at, to, keep, turn))
        at, keep = min(back, turn), turn
    return windows


def _last_break(breaks: Longs | None, to: int) -> int:
    """The last of rising numbers that is not beyond another; -1: there is none."""
    if breaks is None:
        return -1
    found = int(np.searchsorted(breaks, to, side="right")) - 1
    return int(breaks[found]) if found >= 0 else -1


def batch(
    pieces: NDArray[np.int32],
    piece_ptr: Longs,
    features: Longs,
    windows: Sequence[Window],
    *,
    begin_id: int,
    end_id: int,
    pad_id: int,
    limit: int,
) -> Batch:
    """The inputs of the network; a word of more than `limit` sub-words is cut short."""
    n_words = max(window.last - window.first for window in windows)
    lengths = [min(int(piece_ptr[w.last] - piece_ptr[w.first]), limit) + 2 for w in windows]
    shape = (len(windows), max(lengths))
    ids = np.full(shape, pad_id, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    word = np.zeros(shape, dtype=np.int64)
    first = np.ones((len(windows), n_words), dtype=np.int64)
    last = np.ones((len(windows), n_words), dtype=np.int64)
    wide = np.zeros((len(windows), n_words, features.shape[1]), dtype=np.int64)
    sizes = np.zeros(len(windows), dtype=np.int64)
    for row, (window, length) in enumerate(zip(windows, lengths, strict=True)):
        lo, hi = int(piece_ptr[window.first]), int(piece_ptr[window.last])
        inner = length - 2
        ids[row, 0] = begin_id
        ids[row, 1 : 1 + inner] = pieces[lo : min(hi, lo + inner)]
        ids[row, 1 + inner] = end_id
        mask[row, :length] = 1
        n = window.last - window.first
        starts = piece_ptr[window.first : window.last + 1] - lo
        first[row, :n] = np.minimum(starts[:-1], inner - 1) + 1
        last[row, :n] = np.clip(starts[1:] - 1, first[row, :n] - 1, inner - 1) + 1
        counts = np.diff(np.minimum(starts, inner))
        word[row, 1 : 1 + inner] = np.repeat(np.arange(1, n + 1), counts)
        wide[row, :n] = features[window.first : window.last]
        sizes[row] = n
    return Batch(ids, mask, word, first, last, wide, sizes)
