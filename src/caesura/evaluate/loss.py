"""Where the loss comes from.

Given outputs of one system that start from ever better input (raw text, gold sentences, gold
tokens), the difference between two of them is what the layer that was mended costs the layers
above. From a single output, every word that is not attached rightly is put down to the first layer
that failed it. The cross table of Dridan & Oepen (2013, table 3) shows all combinations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.document import ROOT, UNKNOWN, Document
from caesura.errors import InputError
from caesura.evaluate.conll import conll18
from caesura.evaluate.pairs import Pairs

__all__ = ["STAGES", "Losses", "attribute", "cross_table", "stage_losses"]

#: Inputs of a system from raw to perfect, and the layer that each step mends.
STAGES = {
    "raw": "sentences",
    "sentences": "tokens",
    "tokens": "tags",
    "tags": "parser",
}
#: What is shown of each output.
METRICS = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS")


@dataclass(frozen=True)
class Losses:
    """For each metric: what was reached from raw text and what each layer cost, in points."""

    stages: tuple[str, ...]
    #: F1 by metric and stage, in the order of `stages`.
    reached: dict[str, tuple[float, ...]]
    #: Points lost by metric and layer; the last layer is the system's own part.
    lost: dict[str, dict[str, float]]

    @property
    def layers(self) -> list[str]:
        """All layers, in order."""
        return list(dict.fromkeys(layer for lost in self.lost.values() for layer in lost))

    def as_dict(self) -> dict[str, Any]:
        return {
            "stages": list(self.stages),
            "reached": {name: list(values) for name, values in self.reached.items()},
            "lost": self.lost,
        }


def stage_losses(
    gold: Sequence[Document],
    outputs: Mapping[str, Sequence[Document]],
    metrics: Sequence[str] = METRICS,
) -> Losses:
    """What each layer costs the ones above it; `outputs` are named as in STAGES."""
    unknown = [name for name in outputs if name not in STAGES]
    if unknown or not outputs:
        raise InputError(
            f"no stage {unknown[0]!r}" if unknown else "no output of any stage",
            remedy=f"Stages are: {', '.join(STAGES)}.",
        )
    stages = tuple(name for name in STAGES if name in outputs)
    scores = {name: conll18(gold, outputs[name]) for name in stages}
    reached = {m: tuple(scores[name][m].f1 for name in stages) for m in metrics}
    names = list(STAGES)
    lost: dict[str, dict[str, float]] = {}
    for metric, values in reached.items():
        lost[metric] = {}
        for place, stage in enumerate(stages[:-1]):
            # The layers mended between two outputs, which may be several.
            between = names[names.index(stage) : names.index(stages[place + 1])]
            layer = " and ".join(STAGES[name] for name in between)
            lost[metric][layer] = values[place + 1] - values[place]
        rest = " and ".join(STAGES[name] for name in names[names.index(stages[-1]) :])
        lost[metric][rest] = 100 - values[-1]
    return Losses(stages, reached, lost)


def attribute(pairs: Pairs) -> dict[str, int]:
    """Gold words by the first layer that failed them; `right` are those attached rightly.

    tokens: the word or its head is no word of the system; sentences: word and head lie in different
    sentences of the system, or a root does not begin a tree of its own; heads: the head is another
    one; labels: only the label is wrong.
    """
    gold, system = pairs.gold, pairs.system
    known = gold.head != UNKNOWN
    partner = pairs.system_of
    head = gold.head.astype(np.int64)
    inside = head >= 0
    above = np.where(inside, partner[np.maximum(head, 0)], ROOT)
    there = (partner >= 0) & (~inside | (above >= 0))
    sentence = system.token_sentence[system.word_token] if system.n_words else np.zeros(0, np.int64)
    right_head = np.zeros(gold.n_words, dtype=bool)
    right_head[pairs.g] = pairs.same_head
    right = right_head.copy()
    right[pairs.g] &= pairs.same_relation
    apart = np.zeros(gold.n_words, dtype=bool)
    both = there & inside
    apart[both] = sentence[partner[both]] != sentence[above[both]]
    roots = there & ~inside & known & ~right_head
    if roots.any():
        # A root lost because its sentence was joined with another one.
        count = np.bincount(
            sentence[partner[(partner >= 0) & ~inside & known]], minlength=system.n_sentences
        )
        apart[roots] = count[sentence[partner[roots]]] > 1
    return {
        "right": int(np.count_nonzero(right & known)),
        "tokens": int(np.count_nonzero(known & ~there)),
        "sentences": int(np.count_nonzero(known & there & apart & ~right)),
        "heads": int(np.count_nonzero(known & there & ~apart & ~right_head)),
        "labels": int(np.count_nonzero(known & there & ~apart & right_head & ~right)),
    }


def cross_table(
    gold: Sequence[Document],
    outputs: Mapping[tuple[str, ...], Sequence[Document]],
    metric: str = "LAS",
) -> tuple[list[str], list[tuple[tuple[str, ...], list[float | None]]]]:
    """Segmenter x tokeniser x parser: columns are the last part of the names, rows the others."""
    columns = list(dict.fromkeys(name[-1] for name in outputs))
    rows = list(dict.fromkeys(name[:-1] for name in outputs))
    cells = {name: conll18(gold, docs)[metric].f1 for name, docs in outputs.items()}
    return columns, [(row, [cells.get((*row, column)) for column in columns]) for row in rows]
