"""Tests of significance: equal to scipy where it has them, and to counting where it has not."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from caesura.evaluate.score import Score
from caesura.evaluate.significance import bootstrap, compare_units, randomisation, wilcoxon


def by_counting(first: list[float], second: list[float]) -> float:
    """All assignments of signs to the ranks, ties sharing theirs."""
    difference = [b - a for a, b in zip(first, second, strict=True) if a != b]
    sizes = sorted(abs(d) for d in difference)
    rank = {s: np.mean([i + 1 for i, t in enumerate(sizes) if t == s]) for s in sizes}
    ranks = [rank[abs(d)] for d in difference]
    observed = sum(r for r, d in zip(ranks, difference, strict=True) if d > 0)
    sums = [
        sum(r for r, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product([0, 1], repeat=len(ranks))
    ]
    low = sum(s <= observed for s in sums) / len(sums)
    high = sum(s >= observed for s in sums) / len(sums)
    return min(1.0, 2 * min(low, high))


@pytest.mark.parametrize("seed", range(10))
def test_wilcoxon_is_exact_for_few_pairs_ties_included(seed: int) -> None:
    rng = random.Random(seed)
    first = [float(rng.randint(0, 6)) for _ in range(9)]
    second = [float(rng.randint(0, 6)) for _ in range(9)]
    assert wilcoxon(first, second) == pytest.approx(by_counting(first, second))


def test_wilcoxon_equals_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    few = rng.normal(size=(2, 20))
    assert wilcoxon(*few) == pytest.approx(stats.wilcoxon(*few, method="exact").pvalue)
    many = rng.integers(0, 30, size=(2, 80)).astype(float)
    expected = stats.wilcoxon(*many, zero_method="wilcox", method="approx", correction=False)
    assert wilcoxon(*many) == pytest.approx(expected.pvalue)


def test_the_same_system_twice_is_no_difference() -> None:
    scores = [Score(10, 10, n % 10) for n in range(30)]
    found = compare_units("LAS", scores, scores, samples=200)
    assert (found.difference, found.wilcoxon) == (0, 1)
    assert found.bootstrap == found.randomisation == 1
    assert found.low == found.high == 0


def test_a_clear_difference_is_found_and_the_interval_holds_it() -> None:
    rng = random.Random(1)
    worse = [Score(20, 20, rng.randint(8, 14)) for _ in range(60)]
    better = [Score(20, 20, s.correct + rng.randint(0, 4)) for s in worse]
    found = compare_units("LAS", worse, better, samples=2000)
    assert found.low < found.difference < found.high
    assert max(found.wilcoxon, found.bootstrap, found.randomisation) < 0.01


def test_randomisation_approaches_the_permutation_test() -> None:
    rng = random.Random(3)
    one = [Score(10, 10, rng.randint(3, 9)) for _ in range(8)]
    other = [Score(10, 10, rng.randint(3, 9)) for _ in range(8)]
    change = np.array([b.correct - a.correct for a, b in zip(one, other, strict=True)])
    sums = [abs(sum(change * signs)) for signs in itertools.product([1, -1], repeat=8)]
    exact = np.mean([s >= abs(change.sum()) for s in sums])
    assert randomisation(one, other, samples=20_000) == pytest.approx(exact, abs=0.02)


def test_the_same_seed_gives_the_same_figures() -> None:
    one = [Score(10, 10, n % 7) for n in range(20)]
    other = [Score(10, 10, n % 8) for n in range(20)]
    assert bootstrap(one, other, seed=4) == bootstrap(one, other, seed=4)
