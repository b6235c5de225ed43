"""The printed formulas: charts sum and maximise over exactly the trees that they allow."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from research import literal

from caesura.errors import UsageError
from caesura.induce.parameters import MODELS, ones
from caesura.induce.sentences import Sentences
from tests.reference import induce as naive


def allowed(fragments: list[int], constraint: str) -> list[naive.Tree]:
    """The trees that a formula allows, one by one."""
    trees = naive.projective_trees(len(fragments))
    return [t for t in trees if naive.allowed(t, fragments, constraint, literal=True)]


def test_as_many_trees_as_counted_by_hand_made_enumeration_elsewhere() -> None:
    """Over all trees and fragmentations of up to six words."""
    counts = dict.fromkeys(literal.FORMULAS, 0.0)
    flat = ones(growth=1.0)
    for n in range(2, 7):
        for fragments in naive.fragmentations(n):
            if fragments[-1] == 0:
                continue
            one = Sentences.of([[0] * n], [fragments])
            for name in counts:
                counts[name] += float(np.exp(literal.likelihood(one, flat, name)[0]))
    assert {name: round(count) for name, count in counts.items()} == {
        "sprawl": 14541,
        "loose": 9208,
        "strict": 4639,
    }


@pytest.mark.parametrize("constraint", literal.FORMULAS)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_charts_count_exactly_the_trees_that_the_formulas_allow(constraint: str, n: int) -> None:
    flat = ones(growth=1.0)
    for fragments in naive.fragmentations(n):
        count = len(allowed(fragments, constraint))
        one = Sentences.of([[0] * n], [fragments])
        assert np.exp(literal.likelihood(one, flat, constraint)[0]) == pytest.approx(count)


@pytest.mark.parametrize("model", ["dmv", "evg", "dbm3"])
@pytest.mark.parametrize("constraint", literal.FORMULAS)
@settings(max_examples=12, deadline=None)
@given(words=naive.sentence(), seed=st.integers(0, 1000))
def test_literal_constraints_sum_and_maximise_over_their_trees(
    model: str, constraint: str, words: tuple[list[int], list[int], int], seed: int
) -> None:
    classes, marks, comp = words
    row = MODELS[model]
    parameters = naive.random_parameters(row, 3, seed)
    trees = allowed(marks, constraint)
    one = Sentences.of([classes], [marks], [comp])
    found = literal.best(one, parameters, constraint)
    expected = literal.expect(one, parameters, row, constraint)
    assert bool(found.lifted[0]) == bool(expected.lifted[0]) == (not trees)
    assert np.isfinite(literal.likelihood(one, parameters, constraint)[0]) == bool(trees)
    trees = trees or list(naive.projective_trees(len(classes)))
    top = max(naive.probability(t, classes, marks, comp, parameters) for t in trees)
    assert found.scores[0] == pytest.approx(math.log(top), abs=1e-9)
    assert tuple(found.heads) in trees
    counts, total = naive.expected_counts(trees, classes, marks, comp, parameters)
    assert expected.scores[0] == pytest.approx(math.log(total), abs=1e-9)
    for ours, theirs in zip(expected.counts[:4], counts[:4], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    for tree in (
        literal.draw(one, parameters, constraint),
        literal.least_risk(one, parameters, constraint),
    ):
        assert tuple(tree.tolist()) in trees


@pytest.mark.parametrize("constraint", literal.FORMULAS)
def test_literal_draws_are_uniform_and_long_sentences_do_not_underflow(constraint: str) -> None:
    fragments = [0, 0, 1, 2, 2]
    trees = allowed(fragments, constraint)
    draws = 200 * len(trees)
    words = Sentences.of([[0] * 5] * draws, [fragments] * draws)
    drawn = literal.draw(words, None, constraint, seed=5).reshape(draws, 5)
    observed = Counter(map(tuple, drawn.tolist()))
    assert set(observed) == set(trees)
    chi = sum((observed[t] - 200) ** 2 / 200 for t in trees)
    assert chi < len(trees) - 1 + 4.5 * math.sqrt(2 * (len(trees) - 1))
    parameters = naive.random_parameters(MODELS["dbm3"], 100, 1)
    long = Sentences.of([list(range(60))], [[i // 7 for i in range(60)]])
    found = literal.expect(long, parameters, MODELS["dbm3"], constraint)
    assert found.counts.root.sum() + found.counts.attach.sum() == pytest.approx(60)


def test_there_is_no_formula_for_tear() -> None:
    with pytest.raises(UsageError, match="no formula for 'tear'"):
        literal.likelihood(Sentences.of([[0, 0]]), ones(), "tear")
