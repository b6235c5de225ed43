"""What the tagger takes from documents and writes back: chain bounds, columns, k best values.

Neighbouring documents that share a table of strings are worked on together, so that strings are
touched once for each distinct value.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import YES, Document
from caesura.document.slicing import runs
from caesura.stages.labeller import write_starts
from caesura.stages.tag_corpus import distinct

__all__ = [
    "Posteriors",
    "Regime",
    "chain_bounds",
    "collapse",
    "runs",
    "write_all_starts",
    "write_column",
]

Regime = Literal["auto", "sentences", "document"]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class Posteriors(NamedTuple):
    """The labels of each word with their probabilities, the likeliest first; -1 is none."""

    labels: Ints
    masses: NDArray[np.float32]


def collapse(
    found: Posteriors, number: Ints, size: int, k: int
) -> tuple[Ints, NDArray[np.float32]]:
    """Sum the probabilities of labels that share a value; the k likeliest values of each word."""
    n, width = found.labels.shape
    k = min(k, size)
    values = np.where(found.labels >= 0, number[np.maximum(found.labels, 0)], -1)
    masses = found.masses.copy()
    for b in range(1, width):
        for a in range(b):
            same = (values[:, b] == values[:, a]) & (values[:, b] >= 0)
            masses[same, a] += masses[same, b]
            values[same, b] = -1
            masses[same, b] = 0.0
    order = np.argsort(-masses, axis=1, kind="stable")[:, :k]
    labels = np.full((n, k), -1, np.int32)
    labels[:, : order.shape[1]] = np.take_along_axis(values, order, axis=1)
    best = np.zeros((n, k), np.float32)
    best[:, : order.shape[1]] = np.take_along_axis(masses, order, axis=1)
    return labels, best


def chain_bounds(docs: Sequence[Document], regime: Regime) -> tuple[Longs, list[int]]:
    """Where chains begin, and where documents do."""
    offsets = [0, *accumulate(doc.n_words for doc in docs)]
    if regime == "document":
        return np.unique(offsets).astype(np.int64), offsets
    begins = [np.zeros(1, np.int64)]
    for doc, first, end in zip(docs, offsets, offsets[1:], strict=False):
        n = end - first
        if n and (regime != "auto" or doc.has_sentences):
            # Without multi-word tokens the starts of words are those of tokens.
            marks = doc.sent_start if n == doc.n_tokens else doc.word_sent_start
            starts = np.flatnonzero(marks[1:] == YES) + 1
            begins.append(np.append(starts, n) + first)
        elif n:
            begins.append(np.array([end], np.int64))
    return np.concatenate(begins), offsets


def write_column(
    docs: Sequence[Document],
    offsets: list[int],
    column: str,
    values: list[str],
    chosen: Ints,
) -> None:
    """Set a column to the chosen values (-1: the empty one); known values that are fixed stay."""
    done = 0
    for run in runs(docs):
        first = done
        done += len(run)
        low = offsets[first]
        kinds, where = distinct(chosen[low : offsets[done]] + np.int32(1))
        ids = run[0].strings.ids([values[n - 1] if n else "" for n in kinds.tolist()])
        found = ids[where] if len(ids) else ids
        for doc, begin, end in zip(run, offsets[first:], offsets[first + 1 :], strict=False):
            own = found[begin - low : end - low]
            setattr(doc, column, Constraints.of(doc).obeyed(column, own) if doc.fixed else own)


def write_all_starts(docs: Sequence[Document], offsets: list[int], starts: NDArray[Any]) -> None:
    for doc, low, high in zip(docs, offsets, offsets[1:], strict=False):
        write_starts(doc, starts[low:high])
