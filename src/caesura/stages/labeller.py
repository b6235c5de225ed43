"""The boundary labeller: labels that say part of speech and whether the word starts a sentence.

Boundaries are read off the marginals with a threshold, which can be tuned on held-out documents
(the MARMOT baseline of Björkelund et al. 2016, section 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import obeyed_starts
from caesura.document import NO, YES, Document
from caesura.stages.tagger_options import START

if TYPE_CHECKING:
    from caesura.stages.tagger import Tagger

__all__ = ["best_threshold", "mark_starts", "start_probabilities", "write_starts"]


def start_probabilities(tagger: Tagger, docs: Sequence[Document]) -> NDArray[np.float32]:
    """The probability that each word of whole documents starts a sentence."""
    values, number = tagger.label_values(START)
    found = tagger.posteriors(docs, "document")
    starts = np.array([value == "B" for value in values])[number]
    there = (found.labels >= 0) & starts[np.maximum(found.labels, 0)]
    probabilities: NDArray[np.float32] = np.where(there, found.masses, 0).sum(axis=1)
    return probabilities


def write_starts(doc: Document, starts: NDArray[Any]) -> None:
    """Set the sentence starts of a document from those of its words; fixed ones stay."""
    if not doc.n_words:
        return
    first = np.ones(doc.n_words, bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    marks = np.where(starts[first], YES, NO).astype(np.int8)
    marks = obeyed_starts(doc, marks)
    marks[0] = YES
    doc.sent_start = marks


def mark_starts(tagger: Tagger, docs: Sequence[Document], threshold: float = 0.5) -> None:
    """Split documents into sentences where the probability of a start reaches the threshold."""
    probabilities = start_probabilities(tagger, docs)
    at = 0
    for doc in docs:
        own = probabilities[at : at + doc.n_words]
        write_starts(doc, own >= threshold)
        at += doc.n_words


def best_threshold(
    probabilities: NDArray[np.float32], gold: NDArray[np.bool_], counted: NDArray[np.bool_]
) -> tuple[float, float]:
    """The threshold with the highest F1 over the counted words, and that F1 in per cent.

    Words that start a document say nothing and should not be counted.
    """
    p, g = probabilities[counted], gold[counted]
    order = np.argsort(-p, kind="stable")
    hits = np.cumsum(g[order])
    f1 = 200.0 * hits / (np.arange(1, len(p) + 1) + max(1, int(g.sum())))
    # Words of equal probability come together or not at all.
    last = np.append(p[order][1:] != p[order][:-1], True) if len(p) else np.zeros(0, bool)
    if not last.any():
        return 0.5, 0.0
    best = int(np.flatnonzero(last)[np.argmax(f1[last])])
    return float(p[order][best]), float(f1[best])
