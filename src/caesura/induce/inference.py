"""Inference over many sentences at once: expectations, best trees, draws, counts.

Sentences are handled in pieces of fixed size, each by one thread, and what the pieces found is
added in order: the result never depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from caesura import _core
from caesura.induce.parameters import Bytes, Floats, Ints, Model, Parameters, add, empty, logs, ones
from caesura.induce.punctuation_constraints import SPLIT, code
from caesura.induce.sentences import Sentences

PIECE = 256

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected counts, the log-probability of each sentence, and where a constraint was lifted."""

    counts: Parameters
    scores: Floats
    lifted: Bytes


@dataclass(frozen=True, slots=True)
class Best:
    """Heads (positions in the sentence, -1 the root), their scores, and lifted constraints."""

    heads: Ints
    scores: Floats
    lifted: Bytes


def _pieces(sentences: Sentences, work: Callable[[int, int], R], workers: int) -> list[R]:
    spans = [(low, min(low + PIECE, len(sentences))) for low in range(0, len(sentences), PIECE)]
    if workers <= 1 or len(spans) < 2:
        return [work(low, high) for low, high in spans]
    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(lambda span: work(*span), spans))
        except KeyboardInterrupt:
            _core.cancel_all()
            raise


def expect(
    sentences: Sentences,
    parameters: Parameters,
    model: Model,
    constraint: str | None = None,
    workers: int = 1,
) -> Expected:
    """The E-step of soft EM."""
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    classes = parameters.root.shape[-1]

    words, tables, number = sentences.core, parameters.core, code(constraint)

    def work(low: int, high: int) -> Parameters:
        counts = empty(model, classes)
        words.expect(tables, number, low, high, counts.core_counts, scores, lifted)
        return counts

    parts = _pieces(sentences, work, workers)
    return Expected(add(parts) if parts else empty(model, classes), scores, lifted)


def likelihood(
    sentences: Sentences, parameters: Parameters, constraint: str | None = None, workers: int = 1
) -> Floats:
    """The log-probability of each sentence, all its trees together."""
    scores = np.zeros(len(sentences))
    words, tables, number = sentences.core, parameters.core, code(constraint)
    _pieces(sentences, lambda low, high: words.weigh(tables, number, low, high, scores), workers)
    return scores


def best(
    sentences: Sentences,
    parameters: Parameters,
    constraint: str | None = None,
    *,
    seed: int | None = None,
    workers: int = 1,
) -> Best:
    """The best tree of each sentence; of equally good ones the leftmost, or with a seed any."""
    number = code(constraint)
    if (constraint or "").lower() == SPLIT:
        return _split_parse(sentences, parameters, workers=workers)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    ties = -1 if seed is None else seed
    words, table = sentences.core, logs(parameters).core

    def work(low: int, high: int) -> None:
        words.best(table, number, ties, low, high, heads, scores, lifted)

    _pieces(sentences, work, workers)
    return Best(heads, scores, lifted)


def _split_parse(sentences: Sentences, parameters: Parameters, workers: int = 1) -> Best:
    """Split-parsing: each fragment by itself, then the fragments' roots as a sentence of their own.

    The greedy stand-in for the loose constraint with which Spitkovsky et al. (2011) train.
    """
    n = sentences.n_words
    owner = sentences.owner
    new = np.ones(n, dtype=bool)
    if n:
        new[1:] = (owner[1:] != owner[:-1]) | (sentences.fragments[1:] != sentences.fragments[:-1])
    starts = np.concatenate((np.flatnonzero(new), [n])).astype(np.int64)
    inner = Sentences(
        sentences.classes,
        sentences.marks,
        sentences.fragments,
        sentences.comps[owner[starts[:-1]]],
        starts,
    )
    found = best(inner, parameters, workers=workers).heads
    base = np.repeat(starts[:-1], np.diff(starts))
    absolute = np.where(found >= 0, found + base, -1)

    roots = np.flatnonzero(found < 0)
    sizes = np.bincount(owner[roots], minlength=len(sentences))
    outer = Sentences(
        sentences.classes[roots],
        sentences.marks[roots],
        sentences.fragments[roots],
        sentences.comps,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
    )
    above = best(outer, parameters, workers=workers).heads
    first = np.repeat(outer.starts[:-1], outer.lengths)
    absolute[roots] = np.where(above >= 0, roots[np.where(above >= 0, above + first, 0)], -1)

    begin = np.repeat(sentences.starts[:-1], sentences.lengths)
    heads = np.where(absolute >= 0, absolute - begin, -1).astype(np.int32)
    return Best(
        heads, score(sentences, heads, parameters), np.zeros(len(sentences), dtype=np.uint8)
    )


def draw(
    sentences: Sentences,
    parameters: Parameters | None = None,
    constraint: str | None = None,
    *,
    seed: int = 0,
    workers: int = 1,
) -> Ints:
    """One tree for each sentence, drawn with its probability, or uniformly."""
    if parameters is None:
        parameters = ones()
        sentences = sentences.with_classes(np.zeros_like(sentences.classes))
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    words, tables, number = sentences.core, parameters.core, code(constraint)

    def work(low: int, high: int) -> None:
        words.draw(tables, number, seed, low, high, heads, lifted)

    _pieces(sentences, work, workers)
    return heads


def count(
    sentences: Sentences, heads: Ints, model: Model, classes: int, workers: int = 1
) -> Parameters:
    """How often each decision was taken in given trees."""
    trees, words = np.ascontiguousarray(heads, dtype=np.int32), sentences.core

    def work(low: int, high: int) -> Parameters:
        counts = empty(model, classes)
        words.count(trees, low, high, counts.core_counts)
        return counts

    parts = _pieces(sentences, work, workers)
    return add(parts) if parts else empty(model, classes)


def score(sentences: Sentences, heads: Ints, parameters: Parameters) -> Floats:
    """The log-probability of a given tree for each sentence."""
    scores = np.zeros(len(sentences))
    trees = np.ascontiguousarray(heads, dtype=np.int32)
    sentences.core.score(trees, logs(parameters).core, scores)
    return scores


def least_risk(sentences: Sentences, parameters: Parameters, constraint: str | None = None) -> Ints:
    """For each sentence the tree with the most arcs expected to be right."""
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    sentences.core.least_risk(parameters.core, code(constraint), heads)
    return heads
