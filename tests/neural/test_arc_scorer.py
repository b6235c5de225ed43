"""The arc scorer: scores that speak for one analysis make the search find that analysis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.parse.constraints import no_limits
from caesura.parse.options import SearchOptions
from caesura.parse.scorers.arcs import FLOOR, ArcScorer, arc_scorer
from caesura.parse.scorers.features import N_COLUMNS
from caesura.parse.search.commit_prefix import Result
from caesura.parse.search.decode import Decoder
from caesura.parse.transitions.inventory import Inventory
from caesura.parse.word_table import FIRST_WORD, Words


def scores_for(heads: list[int], strength: float = 8.0) -> np.ndarray:
    """Arc scores in favour of these heads."""
    n = len(heads)
    arcs = np.zeros((n, n + 1), np.float32)
    arcs[np.arange(n), np.array(heads) + 1] = strength
    return arcs


def search(graph: ArcScorer, n: int, beam: int = 8) -> Result:
    inventory = Inventory(("left", "right", "root"), (0,), (1,), (2,))
    decoder = Decoder(graph, inventory.system(), inventory.size, SearchOptions(beam=beam))
    words = Words(np.zeros((n + FIRST_WORD, N_COLUMNS), np.uint64), np.zeros((n, 3), np.int32))
    result = decoder.decode(words, np.array([0, n]), no_limits())
    assert result is not None
    return result


def random_tree(rng: np.random.Generator, size: int, offset: int) -> list[int]:
    """Any tree with one root: each word hangs on one that was placed before it."""
    order = rng.permutation(size)
    heads = [0] * size
    for place, word in enumerate(order):
        heads[word] = -1 if place == 0 else offset + int(order[rng.integers(place)])
    return heads


def projective(heads: list[int]) -> bool:
    arcs = [(min(d, h), max(d, h)) for d, h in enumerate(heads) if h >= 0]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs) and not any(
        a < d < b for a, b in arcs for d, h in enumerate(heads) if h == -1
    )


@given(st.lists(st.integers(1, 7), min_size=1, max_size=5), st.integers(0, 10**6))
def test_clear_scores_are_followed(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    heads: list[int] = []
    starts = []
    for size in sizes:
        starts.append(len(heads))
        heads += random_tree(rng, size, len(heads))
    n = len(heads)
    evidence = np.full(n, -9.0, np.float32)
    evidence[starts] = 9.0
    graph = arc_scorer(
        scores_for(heads), np.zeros(n, np.int32), np.full(n, n + 1, np.int32), evidence, swap=0.1
    )
    result = search(graph, n, beam=16)
    assert np.flatnonzero(result.starts).tolist() == starts
    if projective(heads):
        assert result.heads.tolist() == heads
    else:
        assert np.mean(result.heads == np.array(heads)) >= 0.5


def test_a_crossing_tree_is_built_with_swaps() -> None:
    heads = [3, 4, -1, 2, 2]
    n = len(heads)
    graph = arc_scorer(
        scores_for(heads),
        np.zeros(n, np.int32),
        np.full(n, n + 1, np.int32),
        np.full(n, -9.0, np.float32),
        swap=0.1,
    )
    assert search(graph, n, beam=16).heads.tolist() == heads


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_tables_equal_their_plain_twins(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arcs = rng.normal(size=(n, n + 1)).astype(np.float32)
    graph = arc_scorer(
        arcs, np.zeros(n, np.int32), np.full(n, n + 1, np.int32), np.zeros(n), crossing=1.0
    )
    for d in range(n):
        allowed = [j for j in range(n + 1) if j != d + 1]
        best = max(allowed, key=lambda j: arcs[d, j])
        assert graph.best[d] == best - 1
        ranked = sorted((arcs[d, j] for j in allowed), reverse=True)
        gap = min(ranked[0] - ranked[1], -FLOOR) if len(ranked) > 1 else -FLOOR
        assert graph.gap[d] == pytest.approx(gap, abs=1e-5)
    for word in range(n):
        wanted = [d for d in range(n) if graph.best[d] == word]
        assert graph.children[graph.first[word] : graph.first[word + 1]].tolist() == wanted
        spanning = sum(
            graph.gap[d]
            for d in range(n)
            if graph.best[d] >= 0 and min(d, graph.best[d]) < word <= max(d, graph.best[d])
        )
        assert graph.cross[word] == pytest.approx(spanning, abs=1e-3)
