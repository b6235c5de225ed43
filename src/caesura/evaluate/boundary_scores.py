"""How well sentences and tokens are found: spans, end points, starts, and exact sentences.

Three ways to count a boundary live side by side in the literature: spans (Dridan & Oepen 2013),
end points (Read et al. 2012) and sentence starts (Björkelund et al. 2016, section 5). A span is
spoilt by one wrong boundary at either end, so span F1 is the lowest of them.
"""

from __future__ import annotations

import numpy as np

from caesura.document import UNKNOWN
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


def _points(gold: Longs, system: Longs) -> Score:
    return Score(len(gold), len(system), len(np.intersect1d(gold, system)))


def segment_scores(pairs: Pairs) -> dict[str, Score]:
    """Sentence spans, end points, and starts with and without those that open a document."""
    gold, system = pairs.gold, pairs.system
    (gold_start, gold_end), (system_start, system_end) = gold.sent_spans, system.sent_spans
    gold_start, system_start = np.unique(gold_start), np.unique(system_start)
    opening = document_starts(gold)
    return {
        "SentenceSpans": span_score(gold.sent_spans, system.sent_spans),
        "BoundaryPoints": _points(np.unique(gold_end), np.unique(system_end)),
        "StartsAll": _points(gold_start, system_start),
        "Starts": _points(np.setdiff1d(gold_start, opening), np.setdiff1d(system_start, opening)),
    }


def attachment(pairs: Pairs) -> dict[str, Score]:
    """Attachment over aligned words: with subtypes of labels, and without punctuation."""
    labelled = pairs.same_head & pairs.same("deprel")
    mark = pairs.gold.strings.add("PUNCT")
    relation = pairs.gold.strings.add("punct")
    words = tuple(
        (side.upos != mark) & (relations != relation) & (side.head != UNKNOWN)
        for side, relations in zip((pairs.gold, pairs.system), pairs.relations, strict=True)
    )
    only = (words[0], words[1])
    return {
        "LASFull": pairs.score(labelled),
        "UASNoPunct": pairs.score(pairs.same_head, only),
        "LASNoPunct": pairs.score(pairs.same_head & pairs.same_relation, only),
    }
