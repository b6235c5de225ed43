"""What a bias is worth to a network, measured on held-out documents (see `caesura.stages.bias`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import Document
from caesura.learn.tuning import Count, boundaries, measured, sample
from caesura.stages.bias import BiasScale
from caesura.stages.word_table import is_edited

if TYPE_CHECKING:
    from caesura.neural.parser import NeuralParser

__all__ = ["measure_scale"]


def measure_scale(parser: NeuralParser, docs: Sequence[Document]) -> BiasScale:
    """The scale of the parser with what could be measured; documents have tokens."""
    kinds: dict[str, list[Document]] = {"edited": [], "unedited": []}
    for doc in docs:
        if doc.n_words:
            kinds["edited" if is_edited(doc) else "unedited"].append(doc)
    return measured(
        parser.scale,
        {kind: _counting(parser, sample(found)) for kind, found in kinds.items() if found},
    )


def _counting(parser: NeuralParser, docs: Sequence[Document]) -> Count:
    """How many boundaries the documents have, by bonus; the network reads them once."""
    plain = [replace(doc, fixed=frozenset()) for doc in docs]
    read = [(doc, parser.encoder.scores(doc)) for doc in plain]
    own = parser.settings.bonus

    def count(bonus: float) -> int:
        other = parser.with_search(bonus=own + bonus, bias=0.0)
        found = [other.decide(doc, scores).starts for doc, scores in read]
        return boundaries(int(np.count_nonzero(starts == 1)) for starts in found)

    return count
