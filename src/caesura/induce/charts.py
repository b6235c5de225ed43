"""Inference over many sentences at once: expectations, best trees, draws, counts, k-best lists.

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

from caesura.errors import UsageError
from caesura.induce.constraints import code
from caesura.induce.contexts import Contexts
from caesura.induce.sentences import Sentences
from caesura.induce.tables import Bytes, Floats, Ints, Tables, add, each, empty, logs, ones

__all__ = [
    "Best",
    "Expected",
    "arcs",
    "best",
    "count",
    "draw",
    "expect",
    "k_best",
    "least_risk",
    "likelihood",
    "score",
]

PIECE = 256
#: Constraints with charts of their own: the literal loose and strict, and split-parsing.
LITERAL, SPLIT, LOOSE = (7, 8), 9, 4

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected counts, the log-probability of each sentence, and where a constraint was lifted."""

    counts: Tables
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


def _local(constraint: str | None) -> int:
    """The constraint as the O(n^3) charts know it: split-parses are loose there."""
    number = code(constraint)
    return {9: 4}.get(number, number)


def expect(
    sentences: Sentences,
    tables: Tables,
    row: Contexts,
    constraint: str | None = None,
    workers: int = 1,
) -> Expected:
    """The E-step of soft EM."""
    if code(constraint) in LITERAL:
        return _literal_expect(sentences, tables, row, code(constraint) - 3)
    from caesura.induce._chart import expect as kernel

    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    classes = tables.root.shape[-1]

    def work(low: int, high: int) -> Tables:
        counts = empty(row, classes)
        longest = _longest(sentences, low, high)
        kernel(
            *sentences.arrays,
            low,
            high,
            longest,
            tables,
            _local(constraint),
            counts,
            scores,
            lifted,
        )
        return counts

    parts = _pieces(sentences, work, workers)
    return Expected(add(parts) if parts else empty(row, classes), scores, lifted)


def likelihood(
    sentences: Sentences, tables: Tables, constraint: str | None = None, workers: int = 1
) -> Floats:
    """The log-probability of each sentence, all its trees together."""
    if code(constraint) in LITERAL:
        from caesura.induce._literal import literal_total

        found = [
            literal_total(*_one(sentences, i), tables, code(constraint) - 3)
            for i in range(len(sentences))
        ]
        return np.array(found, dtype=np.float64)
    from caesura.induce._chart import evidence

    scores = np.zeros(len(sentences))

    def work(low: int, high: int) -> None:
        longest = _longest(sentences, low, high)
        evidence(*sentences.arrays, low, high, longest, tables, _local(constraint), scores)

    _pieces(sentences, work, workers)
    return scores


def best(
    sentences: Sentences,
    tables: Tables,
    constraint: str | None = None,
    *,
    seed: int | None = None,
    workers: int = 1,
) -> Best:
    """The best tree of each sentence; of equally good ones the leftmost, or with a seed any."""
    number = code(constraint)
    if number in LITERAL:
        return _literal(sentences, tables, number - 3)
    if number == SPLIT:
        from caesura.induce.split import split_parse

        return split_parse(sentences, tables, workers=workers)
    from caesura.induce._viterbi import best_trees

    heads = np.zeros(sentences.n_words, dtype=np.int32)
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    ties = -1 if seed is None else seed
    table = logs(tables)

    def work(low: int, high: int) -> None:
        longest = _longest(sentences, low, high)
        best_trees(
            *sentences.arrays, low, high, longest, table, number, ties, heads, scores, lifted
        )

    _pieces(sentences, work, workers)
    return Best(heads, scores, lifted)


def _literal(sentences: Sentences, tables: Tables, number: int) -> Best:
    from caesura.induce._literal_best import literal_tree

    table = logs(tables)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a == b:
            continue
        words = _one(sentences, index)
        scores[index] = literal_tree(*words, table, number, heads[a:b])
        if scores[index] == -np.inf:
            lifted[index] = 1
            scores[index] = literal_tree(*_freed(words), table, LOOSE, heads[a:b])
    return Best(heads, scores, lifted)


def _literal_expect(sentences: Sentences, tables: Tables, row: Contexts, number: int) -> Expected:
    from caesura.induce._literal import literal_expect

    counts = empty(row, tables.root.shape[-1])
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    for index, n in enumerate(sentences.lengths.tolist()):
        if not n:
            continue
        words = _one(sentences, index)
        found, roots = np.zeros((n, n)), np.zeros(n)
        scores[index] = literal_expect(*words, tables, number, counts, found, roots)
        if scores[index] == -np.inf:
            lifted[index] = 1
            scores[index] = literal_expect(*_freed(words), tables, LOOSE, counts, found, roots)
    return Expected(counts, scores, lifted)


def _freed(words: tuple[Ints, Ints, Ints, int]) -> tuple[Ints, Ints, Ints, int]:
    """A sentence as one fragment, which asks for nothing."""
    classes, marks, fragments, comp = words
    return classes, marks, np.zeros_like(fragments), comp


def draw(
    sentences: Sentences,
    tables: Tables | None = None,
    constraint: str | None = None,
    *,
    seed: int = 0,
    workers: int = 1,
) -> Ints:
    """One tree for each sentence, drawn with its probability; uniformly if there are no tables."""
    from caesura.induce._sample import draw_trees

    if tables is None:
        tables = ones()
        sentences = sentences.with_classes(np.zeros_like(sentences.classes))
    chosen = tables
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    if code(constraint) in LITERAL:
        from caesura.induce._literal import literal_draw

        for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
            words, number = _one(sentences, index), code(constraint) - 3
            if a < b and literal_draw(*words, chosen, number, seed, index, heads[a:b]) == -np.inf:
                literal_draw(*_freed(words), chosen, LOOSE, seed, index, heads[a:b])
        return heads

    def work(low: int, high: int) -> None:
        longest = _longest(sentences, low, high)
        draw_trees(
            *sentences.arrays, low, high, longest, chosen, _local(constraint), seed, heads, lifted
        )

    _pieces(sentences, work, workers)
    return heads


def count(
    sentences: Sentences, heads: Ints, row: Contexts, classes: int, workers: int = 1
) -> Tables:
    """How often each decision was taken in given trees."""
    from caesura.induce._events import tree_events

    scores = np.zeros(len(sentences))
    trees = np.ascontiguousarray(heads, dtype=np.int32)

    def work(low: int, high: int) -> Tables:
        counts = empty(row, classes)
        longest = _longest(sentences, low, high)
        tree_events(*sentences.arrays, low, high, longest, trees, True, counts, scores)
        return counts

    parts = _pieces(sentences, work, workers)
    return add(parts) if parts else empty(row, classes)


def score(sentences: Sentences, heads: Ints, tables: Tables) -> Floats:
    """The log-probability of a given tree for each sentence."""
    from caesura.induce._events import tree_events

    scores = np.zeros(len(sentences))
    table = logs(tables)
    trees = np.ascontiguousarray(heads, dtype=np.int32)
    longest = max(1, sentences.longest)
    tree_events(*sentences.arrays, 0, len(sentences), longest, trees, False, table, scores)
    return scores


def _one(sentences: Sentences, index: int) -> tuple[Ints, Ints, Ints, int]:
    a, b = sentences.starts[index], sentences.starts[index + 1]
    comp = int(sentences.comps[index])
    return sentences.classes[a:b], sentences.marks[a:b], sentences.fragments[a:b], comp


def arcs(
    sentences: Sentences, index: int, tables: Tables, constraint: str | None = None
) -> tuple[Floats, Floats, float]:
    """Posterior of each arc [head, dependent] and root of one sentence, and its log-probability."""
    from caesura.induce._chart import posteriors

    words = _one(sentences, index)
    n = len(words[0])
    found, roots = np.zeros((n, n)), np.zeros(n)
    if code(constraint) in LITERAL:
        from caesura.induce._literal import literal_expect

        counts = each(np.zeros_like, tables)
        number = code(constraint) - 3
        total = literal_expect(*words, tables, number, counts, found, roots)
        return found, roots, float(total)
    total = posteriors(*words, tables, _local(constraint), found, roots)
    return found, roots, float(total)


def least_risk(sentences: Sentences, tables: Tables, constraint: str | None = None) -> Ints:
    """For each sentence the tree with the most arcs expected to be right."""
    from caesura.induce._literal_best import literal_arcs
    from caesura.induce._viterbi import best_arcs

    number = _local(constraint)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a == b:
            continue
        fragments = sentences.fragments[a:b]
        found, roots, total = arcs(sentences, index, tables, constraint)
        if total == -np.inf:
            found, roots, _ = arcs(sentences, index, tables)
            best_arcs(found, roots, fragments, 0, heads[a:b])
        elif number in LITERAL:
            literal_arcs(found, roots, fragments, number - 3, heads[a:b])
        else:
            best_arcs(found, roots, fragments, number, heads[a:b])
    return heads


def k_best(
    sentences: Sentences, index: int, tables: Tables, k: int, constraint: str | None = None
) -> tuple[Ints, Floats]:
    """Heads [rank, word] and scores of the k best trees of one sentence, or fewer if there are."""
    from caesura.induce._kbest import k_best as kernel

    if code(constraint) in LITERAL:
        raise UsageError(
            f"lists of trees cannot be made under {constraint}",
            remedy="Use its prose form, or filter an unconstrained list.",
        )
    words = _one(sentences, index)
    heads = np.zeros((k, len(words[0])), dtype=np.int32)
    scores = np.zeros(k)
    kernel(*words, logs(tables), _local(constraint), heads, scores)
    found = int(np.isfinite(scores).sum())
    return heads[:found], scores[:found]
