"""The scores of the CoNLL 2018 shared task, to the last digit, and ELAS and EULAS of IWPT 2020.

Tokens, sentences and words are compared by their characters, everything else on aligned words
(Zeman et al. 2018, section 4). Where the characters differ, which the official scorer refuses, the
sides are aligned first, and what could not be aligned counts as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.document import Document, Strings
from caesura.evaluate.align import pair
from caesura.evaluate.flat_columns import Longs
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.score import Score
from caesura.evaluate.universal import CONTENT

__all__ = ["METRICS", "conll18", "score_pairs", "span_score"]

METRICS = (
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
)


def span_score(gold: tuple[Longs, Longs], system: tuple[Longs, Longs]) -> Score:
    """Spans that both sides have, as multisets: spans of lost tokens may coincide."""
    size = np.int64(max(gold[1].max(initial=0), system[1].max(initial=0)) + 1)
    values, counts = np.unique(gold[0] * size + gold[1], return_counts=True)
    others, other_counts = np.unique(system[0] * size + system[1], return_counts=True)
    _, g, s = np.intersect1d(values, others, assume_unique=True, return_indices=True)
    shared = int(np.minimum(counts[g], other_counts[s]).sum())
    return Score(len(gold[0]), len(system[0]), shared)


def score_pairs(pairs: Pairs) -> dict[str, Score]:
    """The thirteen scores of two sides whose words are aligned."""
    gold, system = pairs.gold, pairs.system
    tokens = Score(gold.n_tokens, system.n_tokens, int(np.count_nonzero(pairs.same_tokens)))
    content = pairs.members(CONTENT)
    tags = pairs.same("upos") & pairs.same_feats
    labelled = pairs.same_head & pairs.same_relation
    return {
        "Tokens": tokens,
        "Sentences": span_score(gold.sent_spans, system.sent_spans),
        "Words": pairs.score(),
        "UPOS": pairs.score(pairs.same("upos")),
        "XPOS": pairs.score(pairs.same("xpos")),
        "UFeats": pairs.score(pairs.same_feats),
        "AllTags": pairs.score(tags & pairs.same("xpos")),
        "Lemmas": pairs.score(pairs.same_lemma),
        "UAS": pairs.score(pairs.same_head),
        "LAS": pairs.score(labelled),
        "CLAS": pairs.score(labelled, content),
        "MLAS": pairs.score(labelled & tags & pairs.same_function_words, content),
        "BLEX": pairs.score(labelled & pairs.same_lemma, content),
    }


def conll18(
    gold: Sequence[Document], system: Sequence[Document], *, text: str | None = None
) -> dict[str, Score]:
    """The scores of the CoNLL 2018 shared task for two lists of documents."""
    return score_pairs(pair(gold, system, text=text, strings=Strings()).pairs)
