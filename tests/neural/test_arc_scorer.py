"""The arc scorer: scores that speak for one analysis make the search find that analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura._core import ArcDecoder
from caesura.stages.joint_parser import Inventory, SearchOptions, result_of, settings_of
from caesura.stages.parse_constraints import no_limits
from caesura.stages.tree_parser import Parse

testing: Any = pytest.importorskip("caesura._core")._testing
#: No arc costs more.
FLOOR = -12.0


def scores_for(heads: list[int], strength: float = 8.0) -> np.ndarray:
    """Arc scores in favour of these heads."""
    n = len(heads)
    arcs = np.zeros((n, n + 1), np.float32)
    arcs[np.arange(n), np.array(heads) + 1] = strength
    return arcs


def search(heads: list[int], evidence: np.ndarray) -> Parse:
    n = len(heads)
    inventory = Inventory(("left", "right", "root"), (0,), (1,), (2,))
    base, sizes = np.zeros(n, np.int32), np.full(n, n + 1, np.int32)
    settings = settings_of(SearchOptions(beam=16))
    decoder = ArcDecoder(
        scores_for(heads), base, sizes, evidence, 0.1, 0.5, inventory.transitions, settings
    )
    result = result_of(decoder.decode(no_limits()), no_limits())
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
    result = search(heads, evidence)
    assert np.flatnonzero(result.starts).tolist() == starts
    if projective(heads):
        assert result.heads.tolist() == heads
    else:
        assert np.mean(result.heads == np.array(heads)) >= 0.5


def test_a_crossing_tree_is_built_with_swaps() -> None:
    heads = [3, 4, -1, 2, 2]
    assert search(heads, np.full(len(heads), -9.0, np.float32)).heads.tolist() == heads


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_tables_equal_their_plain_twins(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arcs = rng.normal(size=(n, n + 1)).astype(np.float32)
    base, sizes = np.zeros(n, np.int32), np.full(n, n + 1, np.int32)
    start = np.zeros(n, np.float32)
    costs, heads, gaps, cross, first, children = testing.arc_table(arcs, base, sizes, start, 1.0)
    for d in range(n):
        allowed = [j for j in range(n + 1) if j != d + 1]
        best = max(allowed, key=lambda j: arcs[d, j])
        assert heads[d] == best - 1
        ranked = sorted((arcs[d, j] for j in allowed), reverse=True)
        gap = min(ranked[0] - ranked[1], -FLOOR) if len(ranked) > 1 else -FLOOR
        assert gaps[d] == pytest.approx(gap, abs=1e-5)
        expected = np.maximum(arcs[d] - ranked[0], FLOOR)
        assert np.array_equal(costs[d][allowed], expected[allowed])
        assert costs[d, d + 1] == FLOOR
    for word in range(n):
        wanted = [d for d in range(n) if heads[d] == word]
        assert children[first[word] : first[word + 1]].tolist() == wanted
        spanning = sum(
            gaps[d]
            for d in range(n)
            if heads[d] >= 0 and min(d, heads[d]) < word <= max(d, heads[d])
        )
        assert cross[word] == pytest.approx(spanning, abs=1e-3)
