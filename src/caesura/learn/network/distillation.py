"""Distillation: the answers of trained networks for a student (Hinton et al. 2015).

The analysis is that of the search. The answers are the most probable ones of each decision, with
their probabilities. Several networks, over any sub-words, answer with the mean of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.learn.network.examples import ANSWERS, Soft
from caesura.stages.network import NeuralParser
from caesura.stages.network_encoder import Scores
from caesura.stages.network_tagging import softmax
from caesura.stages.network_weights import TAGS

Floats = NDArray[np.float32]
#: Answers of each word, and their probabilities.
Answers = tuple[NDArray[np.int32], NDArray[np.float16]]
#: The smallest probability.
_LEAST: Final = 1e-9
#: Words of the documents that a GPU reads together: their scores need 15 KB each.
_TOGETHER: Final = 8192
#: Words whose probabilities are computed together.
_ROWS: Final = 256


def refuse_other_labels(parsers: Sequence[NeuralParser]) -> None:
    """Refuse networks with different tags or relations."""
    for other in parsers[1:]:
        for name in ("upos", "deprel"):
            apart = {*other.labels[name]} ^ {*parsers[0].labels[name]}
            if apart:
                raise ModelError(
                    f"the teachers have different labels: only one of them knows {min(apart)!r}",
                    remedy="Take teachers that were trained on the same labels.",
                )


def teach(parsers: Sequence[NeuralParser], docs: Sequence[Document]) -> list[Soft]:
    """Fill documents with tokens, including confidences; return the answers for each."""
    together = _TOGETHER if all(parser.encoder.by_torch for parser in parsers) else 1
    return [soft for group in _groups(docs, together) for soft in _taught(parsers, group)]


def _groups(docs: Sequence[Document], words: int) -> Iterator[list[Document]]:
    """Groups of documents that have so many words together."""
    group: list[Document] = []
    for doc in docs:
        group.append(doc)
        if sum(one.n_words for one in group) >= words:
            yield group
            group = []
    if group:
        yield group


def _taught(parsers: Sequence[NeuralParser], docs: Sequence[Document]) -> list[Soft]:
    first = parsers[0]
    each = [parser.encoder.scores_of(docs) for parser in parsers]
    means, results = [], []
    for doc, *own in zip(docs, *each, strict=True):
        scores = own[0] if len(own) == 1 else _mean(parsers, own)
        first.write_tags(doc, scores, True)
        means.append(scores)
        results.append(first.decide(doc, scores))
    heads = [np.asarray(result.heads, np.int32) for result in results]
    labels = _mean_labels(parsers, each, heads)
    found = []
    for doc, scores, result, own_heads, own_labels in zip(
        docs, means, results, heads, labels, strict=True
    ):
        first.write_tree(doc, result, own_labels.argmax(1))
        first.write_confidences(doc, scores, result)
        found.append(_soft(scores, own_heads, own_labels))
    return found


def _soft(scores: Scores, heads: NDArray[np.int32], labels: Floats) -> Soft:
    """The most probable answers, by scores, decided heads and probabilities of labels."""
    answers, chances = {}, {}
    for name in TAGS:
        answers[name], chances[name] = _by_rows(_likeliest_tags, scores.tags[name])
    if scores.rules is not None:
        answers["lemma"] = scores.rules[answers["lemma"]].astype(np.int32)
    if scores.values is not None:
        answers["feats"] = scores.values[answers["feats"]].astype(np.int32)
    answers["deprel"], chances["deprel"] = _likeliest(labels)
    answers["head"], chances["head"] = _by_rows(_likeliest_heads, scores.arcs, scores.base, heads)
    start = 1.0 / (1.0 + np.exp(-scores.start))
    start[:1] = 1.0
    return Soft(start.astype(np.float16), answers, chances)


def _spans(n: int) -> Iterator[slice]:
    """Groups of words whose scores fit the cache."""
    return (slice(at, at + _ROWS) for at in range(0, n, _ROWS))


def _by_rows(work: Callable[..., Answers], *arrays: NDArray[Any]) -> Answers:
    """Do work on some rows of arrays after the other."""
    made = [work(*(array[span] for array in arrays)) for span in _spans(len(arrays[0]))]
    if not made:
        return np.zeros((0, ANSWERS), np.int32), np.zeros((0, ANSWERS), np.float16)
    found, worth = zip(*made, strict=True)
    return np.concatenate(found), np.concatenate(worth)


def _likeliest_tags(points: Floats) -> Answers:
    return _likeliest(softmax(points))


def _likeliest(chances: Floats) -> Answers:
    """The most probable answers of each row, padded with answers without probability.

    `chances` is overwritten.
    """
    n, k = chances.shape
    rows = np.arange(n)
    found = np.zeros((n, ANSWERS), np.int32)
    worth = np.zeros((n, ANSWERS), np.float16)
    for place in range(min(k, ANSWERS)):
        best = chances.argmax(1)
        found[:, place], worth[:, place] = best, chances[rows, best]
        chances[rows, best] = -1.0
    return found, worth


def _likeliest_heads(arcs: Floats, base: NDArray[np.int32], heads: NDArray[np.int32]) -> Answers:
    """The decided head first, then the most probable others."""
    chances = softmax(arcs)
    rows = np.arange(len(heads))
    place = np.where(heads < 0, 0, heads - base + 1)
    inside = (place >= 0) & (place < arcs.shape[1])
    place = np.where(inside, place, 0)
    own = np.where(inside, chances[rows, place], 0)
    chances[rows[inside], place[inside]] = 0
    others, worth = _likeliest(chances)
    others = np.where(others == 0, -1, others - 1 + base[:, None]).astype(np.int32)
    found = np.concatenate([np.maximum(heads, -1)[:, None], others[:, :-1]], 1)
    return found.astype(np.int32), np.concatenate(
        [own[:, None].astype(np.float16), worth[:, :-1]], 1
    )


def _mean_labels(
    parsers: Sequence[NeuralParser],
    each: Sequence[Sequence[Scores]],
    heads: Sequence[NDArray[np.int32]],
) -> list[Floats]:
    """The mean probabilities of labels in each document, by the numbers of the first network."""
    width = len(parsers[0].labels["deprel"])
    found = [np.zeros((len(own), width), np.float32) for own in heads]
    for parser, scores in zip(parsers, each, strict=True):
        for mean, chances in zip(found, _label_chances(parser, scores, heads), strict=True):
            mean += _moved(chances, parser, parsers[0], "deprel") / len(parsers)
    return found


def _label_chances(
    parser: NeuralParser, scores: Sequence[Scores], heads: Sequence[NDArray[np.int32]]
) -> list[Floats]:
    """The probability of each label of each arc; a GPU computes all documents at once."""
    if not parser.encoder.by_torch or parser.languages is not None:
        return [parser.label_chances(one, own) for one, own in zip(scores, heads, strict=True)]
    vectors = [
        np.where((own < 0)[:, None], one.label_root, one.label_head[np.maximum(own, 0)])
        for one, own in zip(scores, heads, strict=True)
    ]
    points = parser.encoder.engine.label_points(
        parser.label_weights,
        np.concatenate([one.label_dep for one in scores]),
        np.concatenate(vectors),
    )
    # Root labels are for roots alone.
    roots = np.array([name.split(":")[0] == "root" for name in parser.labels["deprel"]])
    is_root = np.concatenate(heads)[:, None] < 0
    chances = softmax(np.where(is_root == roots, points, -np.inf))
    return np.split(chances, np.cumsum([len(own) for own in heads])[:-1])


def _moved(chances: Floats, parser: NeuralParser, first: NeuralParser, name: str) -> Floats:
    """Probabilities of labels in the order of another network."""
    if parser.labels[name] == first.labels[name]:
        return chances
    at = {label: n for n, label in enumerate(parser.labels[name])}
    known = np.array([at.get(label, -1) for label in first.labels[name]])
    return np.where(known[None, :] >= 0, chances[:, np.maximum(known, 0)], 0)


def _mean(parsers: Sequence[NeuralParser], each: Sequence[Scores]) -> Scores:
    """Scores whose probabilities are the means of several networks, in the windows of the first."""
    first, n = each[0], len(parsers)
    tags = {name: np.empty_like(first.tags[name]) for name in TAGS}
    arcs = np.empty_like(first.arcs)
    for span in _spans(len(first.start)):
        for name in TAGS:
            tags[name][span] = _logs(
                sum(
                    _moved(softmax(scores.tags[name][span]), parser, parsers[0], name)
                    for parser, scores in zip(parsers, each, strict=True)
                )
                / n
            )
        chances = sum(_arc_chances(scores, first, span) for scores in each)
        used = np.arange(arcs.shape[1])[None, :] < first.sizes[span, None]
        arcs[span] = np.where(used, _logs(chances / n), -np.inf)
    start = sum(1.0 / (1.0 + np.exp(-scores.start)) for scores in each) / n
    start = np.clip(start, _LEAST, 1.0 - 1e-7)
    return Scores(
        np.log(start / (1.0 - start)).astype(np.float32),
        tags,
        arcs,
        first.base,
        first.sizes,
        first.label_dep,
        first.label_head,
        first.label_root,
    )


def _arc_chances(scores: Scores, first: Scores, span: slice) -> Floats:
    """The probabilities of the heads of some words, in the windows of another network."""
    chances = softmax(scores.arcs[span])
    width = first.arcs.shape[1]
    base, sizes = scores.base[span], scores.sizes[span]
    alike = np.array_equal(base, first.base[span]) and np.array_equal(sizes, first.sizes[span])
    if alike and scores.arcs.shape[1] == width:
        return chances
    place = (first.base[span] - base)[:, None] + np.arange(width)[None, :]
    place[:, 0] = 0
    there = (place > 0) & (place < sizes[:, None])
    there[:, 0] = True
    found = np.where(there, np.take_along_axis(chances, np.where(there, place, 0), 1), 0)
    return found.astype(np.float32)


def _logs(chances: Any) -> Floats:
    found: Floats = np.log(np.maximum(chances, _LEAST)).astype(np.float32)
    return found
