"""Accuracies of a tagger on documents whose words are given, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.stages.tag_corpus import column_values
from caesura.stages.tagger import Regime, Tagger
from caesura.stages.tagger_options import START

__all__ = ["accuracies"]


def accuracies(
    tagger: Tagger, gold: Sequence[Document], regime: Regime = "auto"
) -> dict[str, float]:
    """Per cent of right values by column (F1 for inner sentence starts), and the mean."""
    tagged = [replace(doc) for doc in gold]
    for doc in tagged:
        doc.fixed = frozenset()
    tagger.tag(tagged, regime=regime)
    scores: dict[str, float] = {}
    for column in tagger.columns:
        numbers: dict[str, int] = {}
        right = column_values(gold, column, numbers)
        said = column_values(tagged, column, numbers)
        if column == START:
            inner = np.concatenate([np.arange(doc.n_words) > 0 for doc in gold])
            yes = numbers.get("B", -1)
            a, b = (said == yes) & inner, (right == yes) & inner
            scores[column] = 200.0 * float((a & b).sum()) / max(1, int(a.sum() + b.sum()))
        else:
            scores[column] = 100.0 * float(np.mean(said == right)) if len(right) else 0.0
    scores["mean"] = float(np.mean(list(scores.values())))
    return scores
