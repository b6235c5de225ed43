"""The k best analyses of a document: the beam is run to its end and read off item by item."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import Document
from caesura.stages.joint_decode import analyses_of
from caesura.stages.parse_analysis import Parse
from caesura.stages.parse_constraints import WordConstraints, limits_of
from caesura.stages.parse_documents import sentence_bounds
from caesura.stages.parse_limits import no_limits
from caesura.stages.word_table import Words, cut

if TYPE_CHECKING:
    from caesura.stages.joint_parser import Parser

__all__ = ["analyses"]


def analyses(parser: Parser, doc: Document, k: int) -> list[Parse]:
    """The k best analyses of a document; of a parser without SB, sentence by sentence."""
    given = WordConstraints.of(doc, parser.inventory.labels)
    single = parser.inventory.single_root or not parser.inventory.sb
    # States that are merged would take their trees with them.
    decoder = parser.with_search(margin=math.inf).decoder

    def best(words: Words, told: WordConstraints) -> list[Parse]:
        limits = limits_of(told, single_root=single) if told.anything else no_limits()
        return analyses_of(decoder.k_best(*words, limits, k), limits)

    words = parser.words(doc)
    if parser.inventory.sb or not doc.n_words:
        return best(words, given)
    found: list[tuple[float, tuple[Parse, ...]]] = [(0.0, ())]
    bounds = sentence_bounds(doc)
    for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        trees = best(cut(words, np.array([a, b], np.int64)), given.sentence(a, b, doc))
        joined = [(x + tree.score, (*t, tree.moved(a))) for x, t in found for tree in trees]
        found = sorted(joined, key=lambda pair: -pair[0])[:k]
    return [replace(Parse.join(trees), score=score) for score, trees in found]
