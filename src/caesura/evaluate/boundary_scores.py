"""How well sentences and tokens are found: spans, end points, starts, and exact sentences.

Three ways to count a boundary live side by side in the literature: spans (Dridan & Oepen 2013),
end points (Read et al. 2012) and sentence starts (Björkelund et al. 2016, section 5). A span is
spoilt by one wrong boundary at either end, so span F1 is the lowest of them.
"""

from __future__ import annotations

import numpy as np

from caesura.document import UNKNOWN
from caesura.document.punctuation import Marks
from caesura.evaluate.conll import span_score
from caesura.evaluate.flat_columns import Longs, Side
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.score import Score

__all__ = ["attachment", "document_starts", "segment_scores"]


def document_starts(side: Side) -> Longs:
    """The coordinates at which documents of this side begin."""
    first = side.doc_first_token[:-1]
    begins = np.array([not doc.continues for doc in side.docs], dtype=bool)
    first = first[begins & (np.diff(side.doc_first_token) > 0)]
    return side.token_start[first]


def _keys(side: Side) -> tuple[Longs, Longs]:
    """Start and end of each sentence as numbers that differ for sentences without width.

    A sentence of inserted tokens has no width. Its boundaries are at the same coordinates as those
    of a neighbour and must not be taken for them.
    """
    start, end = side.sent_spans
    return 2 * start + (end > start), 2 * end + (end > start)


def _points(gold: Longs, system: Longs) -> Score:
    """Boundaries that both sides have; one that occurs twice counts twice."""
    of_gold, gold_counts = np.unique(gold, return_counts=True)
    of_system, system_counts = np.unique(system, return_counts=True)
    _, g, s = np.intersect1d(of_gold, of_system, assume_unique=True, return_indices=True)
    return Score(len(gold), len(system), int(np.minimum(gold_counts[g], system_counts[s]).sum()))


def _inner(keys: Longs, opening: Longs) -> Longs:
    """The starts without one per document that opens it, with width if there is one."""
    keys = np.sort(keys)
    wide = 2 * opening + 1
    openers = np.where(np.isin(wide, keys), wide, wide - 1)
    return np.delete(keys, np.searchsorted(keys, openers[np.isin(openers, keys)]))


def segment_scores(pairs: Pairs) -> dict[str, Score]:
    """Sentence spans, end points, and starts with and without those that open a document."""
    gold, system = pairs.gold, pairs.system
    (gold_start, gold_end), (system_start, system_end) = _keys(gold), _keys(system)
    opening = document_starts(gold)
    return {
        "SentenceSpans": span_score(gold.sent_spans, system.sent_spans),
        "BoundaryPoints": _points(gold_end, system_end),
        "StartsAll": _points(gold_start, system_start),
        "Starts": _points(_inner(gold_start, opening), _inner(system_start, opening)),
    }


def attachment(pairs: Pairs, marks: Marks) -> dict[str, Score]:
    """Attachment over aligned words: with subtypes of labels, and without punctuation.

    A word of the system that is aligned to a word of gold is punctuation if that word is.
    """
    labelled = pairs.same_head & pairs.same("deprel")
    definition = marks.resolve(pairs.gold)
    of_gold, of_system = definition.mask(pairs.gold), definition.mask(pairs.system)
    of_system[pairs.s] = of_gold[pairs.g]
    only = (
        ~of_gold & (pairs.gold.head != UNKNOWN),
        ~of_system & (pairs.system.head != UNKNOWN),
    )
    return {
        "LASFull": pairs.score(labelled),
        "UASNoPunct": pairs.score(pairs.same_head, only),
        "LASNoPunct": pairs.score(pairs.same_head & pairs.same_relation, only),
    }
