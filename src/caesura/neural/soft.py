"""What the networks of model files say of a text, for a student: an analysis, and likely answers.

The analysis is that of the search; answers are the few likeliest of each decision, with their
chances (Hinton et al. 2015). Several networks, over whatever sub-words, speak by the mean of their
chances. `label` does the same for networks in training, without a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.neural.examples import ANSWERS, Soft
from caesura.neural.onnx import TAGS, Scores
from caesura.neural.parser import NeuralParser
from caesura.neural.tagging import softmax

__all__ = ["refuse_other_labels", "teach"]

Floats = NDArray[np.float32]
#: No chance is smaller.
_LEAST: Final = 1e-9


def refuse_other_labels(parsers: Sequence[NeuralParser]) -> None:
    """Networks speak together if they know the same tags and labels."""
    for other in parsers[1:]:
        for name in ("upos", "deprel"):
            apart = {*other.labels[name]} ^ {*parsers[0].labels[name]}
            if apart:
                raise ModelError(
                    f"the teachers have different labels: only one of them knows {min(apart)!r}",
                    remedy="Take teachers that were trained on the same labels.",
                )


def teach(parsers: Sequence[NeuralParser], doc: Document) -> Soft:
    """Fill a document that has tokens, confidences included; what the networks think of it."""
    first = parsers[0]
    each = [parser.encoder.scores(doc) for parser in parsers]
    scores = each[0] if len(each) == 1 else _mean(parsers, each)
    first.write_tags(doc, scores, True)
    result = first.decide(doc, scores)
    heads = np.asarray(result.heads, np.int32)
    labels = _mean_labels(parsers, each, heads)
    first.write_tree(doc, result, labels.argmax(1))
    first.write_confidences(doc, scores, result)
    answers, chances = {}, {}
    for name in TAGS:
        answers[name], chances[name] = _likeliest(softmax(scores.tags[name]))
    if scores.rules is not None:
        answers["lemma"] = scores.rules[answers["lemma"]].astype(np.int32)
    if scores.values is not None:
        answers["feats"] = scores.values[answers["feats"]].astype(np.int32)
    answers["deprel"], chances["deprel"] = _likeliest(labels)
    answers["head"], chances["head"] = _likeliest_heads(scores, heads)
    start = 1.0 / (1.0 + np.exp(-scores.start))
    start[:1] = 1.0
    return Soft(start.astype(np.float16), answers, chances)


def _likeliest(chances: Floats) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """The few likeliest of each row; rows of fewer are filled up with what has no chance."""
    n, k = chances.shape
    rows, left = np.arange(n), chances.copy()
    found = np.zeros((n, ANSWERS), np.int32)
    worth = np.zeros((n, ANSWERS), np.float16)
    for place in range(min(k, ANSWERS)):
        best = left.argmax(1)
        found[:, place], worth[:, place] = best, chances[rows, best]
        left[rows, best] = -1.0
    return found, worth


def _likeliest_heads(
    scores: Scores, heads: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
    """The head that was decided on first, then others; labels are those of the first."""
    chances = softmax(scores.arcs)
    rows = np.arange(len(heads))
    place = np.where(heads < 0, 0, heads - scores.base + 1)
    inside = (place >= 0) & (place < scores.arcs.shape[1])
    place = np.where(inside, place, 0)
    own = np.where(inside, chances[rows, place], 0)
    chances[rows[inside], place[inside]] = 0
    others, worth = _likeliest(chances)
    base = scores.base[:, None]
    others = np.where(others == 0, -1, others - 1 + base).astype(np.int32)
    found = np.concatenate([np.maximum(heads, -1)[:, None], others[:, :-1]], 1)
    return found.astype(np.int32), np.concatenate(
        [own[:, None].astype(np.float16), worth[:, :-1]], 1
    )


def _mean_labels(
    parsers: Sequence[NeuralParser], each: Sequence[Scores], heads: NDArray[np.int32]
) -> Floats:
    """The mean chances of labels, by the numbers of the first network."""
    found = np.zeros((len(heads), len(parsers[0].labels["deprel"])), np.float32)
    for parser, scores in zip(parsers, each, strict=True):
        chances = parser.label_chances(scores, heads)
        found += _moved(chances, parser, parsers[0], "deprel") / len(parsers)
    return found


def _moved(chances: Floats, parser: NeuralParser, first: NeuralParser, name: str) -> Floats:
    """Chances of labels in the order of another network's."""
    if parser.labels[name] == first.labels[name]:
        return chances
    at = {label: n for n, label in enumerate(parser.labels[name])}
    known = np.array([at.get(label, -1) for label in first.labels[name]])
    return np.where(known[None, :] >= 0, chances[:, np.maximum(known, 0)], 0)


def _mean(parsers: Sequence[NeuralParser], each: Sequence[Scores]) -> Scores:
    """Scores whose chances are the means of several, in the windows of the first."""
    first, n = each[0], len(parsers)
    tags = {
        name: _logs(
            sum(
                _moved(softmax(scores.tags[name]), parser, parsers[0], name)
                for parser, scores in zip(parsers, each, strict=True)
            )
            / n
        )
        for name in TAGS
    }
    start = sum(1.0 / (1.0 + np.exp(-scores.start)) for scores in each) / n
    start = np.clip(start, _LEAST, 1.0 - 1e-7)
    width = first.arcs.shape[1]
    arcs = np.zeros_like(first.arcs)
    for scores in each:
        place = (first.base - scores.base)[:, None] + np.arange(width)[None, :]
        place[:, 0] = 0
        there = (place > 0) & (place < scores.sizes[:, None])
        there[:, 0] = True
        chances = softmax(scores.arcs)
        arcs += np.where(
            there, np.take_along_axis(chances, np.where(there, place, 0), 1), 0
        ).astype(np.float32)
    used = np.arange(width)[None, :] < first.sizes[:, None]
    return Scores(
        np.log(start / (1.0 - start)).astype(np.float32),
        tags,
        np.where(used, _logs(arcs / n), -np.inf).astype(np.float32),
        first.base,
        first.sizes,
        first.label_dep,
        first.label_head,
        first.label_root,
    )


def _logs(chances: Any) -> Floats:
    found: Floats = np.log(np.maximum(chances, _LEAST)).astype(np.float32)
    return found
