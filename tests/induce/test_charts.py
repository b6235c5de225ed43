"""Charts equal the sum, the maximum and the list over all trees (spec 7, items 9-12)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.induce import inference
from caesura.induce.arc_model import arc_posteriors
from caesura.induce.parameters import MODELS, Parameters, empty, normalise, ones
from caesura.induce.sentences import Sentences
from tests.reference import induce as naive

CONSTRAINTS = ("none", "thread", "tear", "sprawl", "loose", "strict")


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@settings(max_examples=12, deadline=None)
@given(words=naive.sentence(), seed=st.integers(0, 1000))
def test_inside_outside_and_best_tree_equal_brute_force(
    model: str, constraint: str, words: tuple[list[int], list[int], int], seed: int
) -> None:
    classes, marks, comp = words
    row = MODELS[model]
    parameters = naive.random_parameters(row, 3, seed)
    trees = [t for t in naive.projective_trees(len(classes)) if naive.allowed(t, marks, constraint)]
    one = Sentences.of([classes], [marks], [comp])
    result = inference.expect(one, parameters, row, constraint)
    if not trees:
        assert result.lifted[0] == 1
        trees = list(naive.projective_trees(len(classes)))
    counts, total = naive.expected_counts(trees, classes, marks, comp, parameters)
    assert result.scores[0] == pytest.approx(math.log(total), abs=1e-9)
    for ours, theirs in zip(result.counts[:4], counts[:4], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    top = max(naive.probability(t, classes, marks, comp, parameters) for t in trees)
    found = inference.best(one, parameters, constraint)
    assert found.scores[0] == pytest.approx(math.log(top), abs=1e-9)
    assert tuple(found.heads) in trees
    assert inference.score(one, found.heads, parameters)[0] == pytest.approx(
        math.log(top), abs=1e-9
    )


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_charts_count_exactly_the_trees_that_the_definitions_allow(constraint: str, n: int) -> None:
    parameters = ones(growth=1.0)
    for fragments in naive.fragmentations(n):
        count = sum(naive.allowed(t, fragments, constraint) for t in naive.projective_trees(n))
        one = Sentences.of([[0] * n], [fragments])
        assert _total(one, parameters, constraint) == pytest.approx(count)


def _total(one: Sentences, parameters: Parameters, constraint: str) -> float:
    return float(np.exp(inference.likelihood(one, parameters, constraint)[0]))


def test_constraints_over_all_trees_and_fragmentations_to_six_words() -> None:
    """Nested, and as many satisfied as counted by hand-made enumeration elsewhere."""
    names = ("strict", "loose", "sprawl", "tear", "thread")
    counts = dict.fromkeys(names, 0.0)
    cases = 0
    parameters = ones(growth=1.0)
    for n in range(2, 7):
        for fragments in naive.fragmentations(n):
            if fragments[-1] == 0:
                continue
            cases += len(naive.projective_trees(n))
            one = Sentences.of([[0] * n], [fragments])
            totals = [_total(one, parameters, name) for name in counts]
            assert totals == sorted(totals)
            for name, total in zip(counts, totals, strict=True):
                counts[name] += total
    assert cases == 24946
    assert round(counts["strict"]) == 3044
    assert round(counts["loose"]) == 6817
    assert round(counts["sprawl"]) == 10262


@settings(max_examples=25, deadline=None)
@given(words=naive.sentence(), seed=st.integers(0, 1000))
def test_posteriors_and_minimum_risk(words: tuple[list[int], list[int], int], seed: int) -> None:
    classes, marks, comp = words
    n = len(classes)
    parameters = naive.random_parameters(MODELS["dbm2"], 3, seed)
    one = Sentences.of([classes], [marks], [comp])
    arcs = arc_posteriors(one, parameters).reshape(n, n)
    roots = arcs.diagonal().copy()
    np.fill_diagonal(arcs, 0.0)
    np.testing.assert_allclose(arcs.sum(axis=0) + roots, np.ones(n))

    def gain(tree: naive.Tree) -> float:
        return sum(roots[d] if h < 0 else arcs[h, d] for d, h in enumerate(tree))

    best = max(map(gain, naive.projective_trees(n)))
    heads = tuple(inference.least_risk(one, parameters).tolist())
    assert gain(heads) == pytest.approx(best)


@pytest.mark.parametrize("model", ["dmv", "dbm3"])
def test_two_hundred_words_do_not_underflow(model: str) -> None:
    rng = np.random.default_rng(1)
    row = MODELS[model]
    for classes, power in ((2, 1), (200, 12)):
        shape = empty(row, classes)
        counts = Parameters(*(rng.random(t.shape) ** power for t in shape[:4]), shape.fringe)
        parameters = normalise(counts, row, 1e-6)
        long = Sentences.of([rng.integers(0, classes, 200).tolist()])
        result = inference.expect(long, parameters, row)
        assert np.isfinite(result.scores[0])
        assert result.counts.root.sum() + result.counts.attach.sum() == pytest.approx(200)
        assert result.counts.stop.sum() == pytest.approx(400)
        best = inference.best(long, parameters)
        assert best.scores[0] < result.scores[0] < 0.0


def test_the_scaled_chart_of_a_middling_sentence_equals_the_plain_one() -> None:
    """Thirty-one words are scaled, thirty are not: an extra word of probability one joins them."""
    row = MODELS["dmv"]
    parameters = naive.random_parameters(row, 3, 7)
    words = np.random.default_rng(2).integers(0, 3, 40).tolist()
    both = Sentences.of([words[:30], words[:31], words])
    for index, n in enumerate((30, 31, 40)):
        plain = math.log(naive.total_weight(words[:n], parameters))
        assert inference.likelihood(both, parameters)[index] == pytest.approx(plain)


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    rng = np.random.default_rng(3)
    lists = [rng.integers(0, 5, rng.integers(1, 9)).tolist() for _ in range(900)]
    sentences = Sentences.of(lists)
    row = MODELS["dbm1"]
    parameters = naive.random_parameters(row, 5, 4)
    one, three = (inference.expect(sentences, parameters, row, workers=w) for w in (1, 3))
    for a, b in zip(one.counts, three.counts, strict=True):
        np.testing.assert_array_equal(a, b)
    for seed in (None, 5):
        a, b = (inference.best(sentences, parameters, seed=seed, workers=w).heads for w in (1, 3))
        np.testing.assert_array_equal(a, b)
    a, b = (inference.draw(sentences, seed=9, workers=w) for w in (1, 3))
    np.testing.assert_array_equal(a, b)
