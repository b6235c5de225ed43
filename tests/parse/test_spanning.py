"""The best trees of sentences whose bounds are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura._core import ArcDecoder
from caesura.stages.joint_parser import Inventory, SearchOptions, settings_of
from tests.reference.parse import best_tree

testing: Any = pytest.importorskip("caesura._core")._testing

UNKNOWN = -2
#: No arc costs more.
FLOOR = -12.0
#: Longer sentences keep their tree.
MOST = 400


@dataclass
class Graph:
    """Arcs as the core keeps them."""

    decoder: ArcDecoder
    arcs: np.ndarray


def best_trees(
    graph: Graph, starts: np.ndarray, heads: np.ndarray, given: np.ndarray
) -> np.ndarray:
    return graph.decoder.best_trees(starts, given.astype(np.int32), heads)


def scorer(arcs: np.ndarray, base: np.ndarray | None = None) -> Graph:
    n = len(arcs)
    base = np.zeros(n, np.int32) if base is None else base
    sizes = np.minimum(arcs.shape[1], n + 1 - base).astype(np.int32)
    start = np.zeros(n, np.float32)
    system = Inventory(("left", "right", "root"), (0,), (1,), (2,)).transitions
    settings = settings_of(SearchOptions())
    return Graph(
        ArcDecoder(arcs, base, sizes, start, 1.0, 0.5, system, settings),
        testing.arc_table(arcs, base, sizes, start, 0.5)[0],
    )


def chain(sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Starts and heads of sentences in which each word hangs on the one before."""
    starts, heads = [], []
    for size in sizes:
        at = len(heads)
        starts += [1, *[0] * (size - 1)]
        heads += [-1, *range(at, at + size - 1)]
    return np.array(starts, np.int8), np.array(heads, np.int32)


def total(graph: Graph, heads: list[int]) -> float:
    return sum(float(graph.arcs[d, h + 1]) for d, h in enumerate(heads))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.integers(0, 10**6))
def test_no_tree_is_better(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts, heads = chain(sizes)
    n = len(heads)
    graph = scorer(rng.normal(scale=3, size=(n, n + 1)).astype(np.float32))
    found = best_trees(graph, starts, heads, np.full(n, UNKNOWN, np.int32))
    at = 0
    for size in sizes:
        own = [-1 if h < 0 else int(h) - at for h in found[at : at + size]]

        def score(head: int, word: int, at: int = at) -> float:
            return float(graph.arcs[at + word, 0 if head < 0 else at + head + 1])

        best, _ = best_tree(score, size)
        assert own.count(-1) == 1
        assert all(-1 <= head < size for head in own)
        # A tree that was there before may be a little worse than the best.
        assert sum(score(head, word) for word, head in enumerate(own)) >= best - 0.01 * size - 1e-4
        at += size


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_given_heads_are_kept(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts, heads = chain([n])
    given_heads = np.where(rng.random(n) < 0.5, heads, UNKNOWN).astype(np.int32)
    graph = scorer(rng.normal(scale=3, size=(n, n + 1)).astype(np.float32))
    found = best_trees(graph, starts, heads, given_heads)

    def score(head: int, word: int) -> float:
        known = given_heads[word] in (UNKNOWN, head)
        return float(graph.arcs[word, head + 1]) if known else -1e6

    best, _ = best_tree(score, n)
    assert sum(score(int(h), word) for word, h in enumerate(found)) >= best - 0.01 * n - 1e-3


def test_a_tie_changes_nothing() -> None:
    starts, heads = chain([6])
    graph = scorer(np.zeros((6, 7), np.float32))
    assert best_trees(graph, starts, heads, np.full(6, UNKNOWN)).tolist() == heads.tolist()


def test_heads_that_were_not_seen_are_as_bad_as_any() -> None:
    """Word 2 was read in a window that begins with it, so that it knows no head before it."""
    arcs = np.full((3, 4), -20, np.float32)
    arcs[0, 0] = arcs[1, 1] = arcs[2, 0] = 5
    graph = scorer(arcs, np.array([0, 0, 2], np.int32))
    starts, heads = chain([3])
    found = best_trees(graph, starts, heads, np.full(3, UNKNOWN, np.int32))
    assert found.tolist() == [-1, 0, 1]
    assert total(scorer(arcs), [-1, 0, 1]) <= FLOOR


def test_a_sentence_that_is_too_long_keeps_its_tree() -> None:
    n = MOST + 1
    starts, heads = chain([n])
    arcs = np.full((n, 3), -5, np.float32)
    arcs[:, 0] = 5  # all want to be the root
    graph = scorer(arcs)
    assert best_trees(graph, starts, heads, np.full(n, UNKNOWN)).tolist() == heads.tolist()


def test_other_sizes_are_refused() -> None:
    starts, heads = chain([3])
    with pytest.raises(ValueError, match="same words"):
        best_trees(scorer(np.zeros((2, 3), np.float32)), starts, heads, heads)


def test_no_words_have_no_heads() -> None:
    none = np.zeros(0, np.int32)
    assert not len(
        best_trees(scorer(np.zeros((0, 1), np.float32)), none.astype(np.int8), none, none)
    )
