"""What a tree is made of, and trees drawn at random."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from caesura.induce import inference
from caesura.induce.parameters import MODELS, Parameters, empty, normalise, ones
from caesura.induce.punctuation_constraints import fragments_of, holds
from caesura.induce.sentences import Sentences
from tests.reference import induce as naive

DT, NN, VBZ, IN = range(4)
LEFT, RIGHT = 0, 1
FAR, NEAR = 0, 1


def test_the_check_is_in_the_mail() -> None:
    """The worked factorisation of DBM-1."""
    words = Sentences.of([[DT, NN, VBZ, IN, DT, NN]])
    heads = np.array([1, 2, -1, 2, 5, 3], dtype=np.int32)
    counts = inference.count(words, heads, MODELS["dbm1"], 4)

    expected = empty(MODELS["dbm1"], 4)
    expected.root[0, VBZ] = 1
    for side, adjacent, head, dependent, times in (
        (LEFT, NEAR, VBZ, NN, 1),
        (RIGHT, NEAR, VBZ, IN, 1),
        (LEFT, NEAR, NN, DT, 2),
        (RIGHT, NEAR, IN, NN, 1),
    ):
        expected.go[0, side, adjacent, head] += times
        expected.attach[side, 0, 0, head, dependent] += times
    for side, adjacent, edge, times in (
        (LEFT, FAR, DT, 3),
        (RIGHT, FAR, NN, 2),
        (RIGHT, NEAR, NN, 2),
        (LEFT, NEAR, IN, 1),
        (LEFT, NEAR, DT, 2),
        (RIGHT, NEAR, DT, 2),
    ):
        expected.stop[0, side, adjacent, edge] += times
    for ours, theirs in zip(counts[:4], expected[:4], strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_numbers_of_trees() -> None:
    sizes = [len(naive.projective_trees(n)) for n in range(1, 7)]
    assert sizes == [1, 2, 7, 30, 143, 728]
    words = Sentences.of([[0] * n for n in range(1, 8)])
    totals = np.exp(inference.likelihood(words, ones(growth=1.0)))
    np.testing.assert_allclose(totals, [1, 2, 7, 30, 143, 728, 3876])


def chi_square(observed: Counter[tuple[int, ...]], trees: list[tuple[int, ...]]) -> float:
    each = sum(observed.values()) / len(trees)
    return sum((observed[t] - each) ** 2 / each for t in trees)


@pytest.mark.parametrize(
    ("n", "limit"), [(4, 29 + 4.5 * np.sqrt(58)), (5, 142 + 4.5 * np.sqrt(284))]
)
def test_uniform_trees(n: int, limit: float) -> None:
    """Within four and a half standard deviations of the expected chi-square."""
    draws = 200 * len(naive.projective_trees(n))
    heads = inference.draw(Sentences.of([[0] * n] * draws), seed=11).reshape(draws, n)
    observed = Counter(map(tuple, heads.tolist()))
    assert set(observed) == set(naive.projective_trees(n))
    assert chi_square(observed, list(naive.projective_trees(n))) < limit


def test_uniform_trees_under_a_constraint() -> None:
    fragments = [0, 0, 1, 1, 1]
    trees = [
        t
        for t in naive.projective_trees(5)
        if all(holds(t, x, y, "loose") for x, y in fragments_of(fragments))
    ]
    draws = 200 * len(trees)
    words = Sentences.of([[0] * 5] * draws, [fragments] * draws)
    heads = inference.draw(words, None, "loose", seed=5).reshape(draws, 5)
    observed = Counter(map(tuple, heads.tolist()))
    assert set(observed) == set(trees)
    freedom = len(trees) - 1
    assert chi_square(observed, trees) < freedom + 4.5 * np.sqrt(2 * freedom)


def test_trees_of_three_hundred_words_can_be_drawn() -> None:
    heads = inference.draw(Sentences.of([[0] * 300]), seed=1)
    assert (heads == -1).sum() == 1


def test_draws_follow_the_grammar() -> None:
    row = MODELS["dbm2"]
    rng = np.random.default_rng(0)
    shape = empty(row, 2)
    parameters = normalise(
        Parameters(*(rng.random(t.shape) for t in shape[:4]), shape.fringe), row, 0.1
    )
    n, draws = 4, 40000
    heads = inference.draw(Sentences.of([[0, 1, 1, 0]] * draws), parameters, seed=3).reshape(
        draws, n
    )
    observed = Counter(map(tuple, heads.tolist()))
    weights = {
        t: naive.probability(t, [0, 1, 1, 0], [0] * 4, 1, parameters)
        for t in naive.projective_trees(n)
    }
    total = sum(weights.values())
    for tree, weight in weights.items():
        p = weight / total
        assert abs(observed[tree] / draws - p) < 5 * np.sqrt(p * (1 - p) / draws) + 1e-9
