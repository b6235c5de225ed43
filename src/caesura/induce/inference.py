"""Inference over many sentences at once: expectations, best trees, draws, counts.

Sentences are handled in pieces of fixed size, each by one thread, and what the pieces found is
added in order: the result never depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from caesura.induce.events import tree_events
from caesura.induce.inside_outside import evidence, posteriors
from caesura.induce.inside_outside import expect as expect_counts
from caesura.induce.models import Model
from caesura.induce.parameters import Bytes, Floats, Ints, Parameters, add, empty, logs, ones
from caesura.induce.punctuation_constraints import SPLIT, code
from caesura.induce.sampling import draw_trees
from caesura.induce.sentences import Sentences
from caesura.induce.viterbi import best_arcs, best_trees

__all__ = [
    "Best",
    "Expected",
    "arcs",
    "best",
    "count",
    "draw",
    "expect",
    "least_risk",
    "likelihood",
    "score",
]

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
        return list(pool.map(lambda span: work(*span), spans))


def _longest(sentences: Sentences, low: int, high: int) -> int:
    return max(1, int(sentences.lengths[low:high].max()))


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

    def work(low: int, high: int) -> Parameters:
        counts = empty(model, classes)
        longest = _longest(sentences, low, high)
        expect_counts(
            *sentences.arrays,
            low,
            high,
            longest,
            parameters,
            code(constraint),
            counts,
            scores,
            lifted,
        )
        return counts

    parts = _pieces(sentences, work, workers)
    return Expected(add(parts) if parts else empty(model, classes), scores, lifted)


def likelihood(
    sentences: Sentences, parameters: Parameters, constraint: str | None = None, workers: int = 1
) -> Floats:
    """The log-probability of each sentence, all its trees together."""
    scores = np.zeros(len(sentences))

    def work(low: int, high: int) -> None:
        longest = _longest(sentences, low, high)
        evidence(*sentences.arrays, low, high, longest, parameters, code(constraint), scores)

    _pieces(sentences, work, workers)
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
    table = logs(parameters)

    def work(low: int, high: int) -> None:
        longest = _longest(sentences, low, high)
        best_trees(
            *sentences.arrays, low, high, longest, table, number, ties, heads, scores, lifted
        )

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
    chosen = parameters
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    lifted = np.zeros(len(sentences), dtype=np.uint8)

    def work(low: int, high: int) -> None:
        longest = _longest(sentences, low, high)
        draw_trees(
            *sentences.arrays, low, high, longest, chosen, code(constraint), seed, heads, lifted
        )

    _pieces(sentences, work, workers)
    return heads


def count(
    sentences: Sentences, heads: Ints, model: Model, classes: int, workers: int = 1
) -> Parameters:
    """How often each decision was taken in given trees."""
    scores = np.zeros(len(sentences))
    trees = np.ascontiguousarray(heads, dtype=np.int32)

    def work(low: int, high: int) -> Parameters:
        counts = empty(model, classes)
        longest = _longest(sentences, low, high)
        tree_events(*sentences.arrays, low, high, longest, trees, True, counts, scores)
        return counts

    parts = _pieces(sentences, work, workers)
    return add(parts) if parts else empty(model, classes)


def score(sentences: Sentences, heads: Ints, parameters: Parameters) -> Floats:
    """The log-probability of a given tree for each sentence."""
    scores = np.zeros(len(sentences))
    table = logs(parameters)
    trees = np.ascontiguousarray(heads, dtype=np.int32)
    longest = max(1, sentences.longest)
    tree_events(*sentences.arrays, 0, len(sentences), longest, trees, False, table, scores)
    return scores


def arcs(
    sentences: Sentences, index: int, parameters: Parameters, constraint: str | None = None
) -> tuple[Floats, Floats, float]:
    """Posterior of each arc [head, dependent] and root of one sentence, and its log-probability."""
    words = sentences.one(index)
    n = len(words[0])
    found, roots = np.zeros((n, n)), np.zeros(n)
    total = posteriors(*words, parameters, code(constraint), found, roots)
    return found, roots, float(total)


def least_risk(sentences: Sentences, parameters: Parameters, constraint: str | None = None) -> Ints:
    """For each sentence the tree with the most arcs expected to be right."""
    number = code(constraint)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a == b:
            continue
        fragments = sentences.fragments[a:b]
        found, roots, total = arcs(sentences, index, parameters, constraint)
        if total == -np.inf:
            found, roots, _ = arcs(sentences, index, parameters)
            best_arcs(found, roots, fragments, 0, heads[a:b])
        else:
            best_arcs(found, roots, fragments, number, heads[a:b])
    return heads
