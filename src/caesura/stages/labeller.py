"""The boundary labeller: labels that say part of speech and whether the word starts a sentence.

Boundaries are read off the marginals with a threshold, which can be tuned on held-out documents
(the MARMOT baseline of Björkelund et al. 2016, section 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import with_fixed_starts
from caesura.document import NO, YES, Document

#: The column that says whether a word starts a sentence (B) or not (I).
START: Final = "start"


if TYPE_CHECKING:
    from caesura.stages.tagger import Tagger


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
    marks = with_fixed_starts(doc, marks)
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
