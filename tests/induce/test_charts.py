"""Charts equal the sum, the maximum and the list over all trees (spec 7, items 9-12)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import UsageError
from caesura.induce import inference
from caesura.induce.models import MODELS, Model
from caesura.induce.parameters import Parameters, empty, normalise, ones
from caesura.induce.punctuation_constraints import fragments_of, holds
from caesura.induce.sentences import Sentences
from tests.reference import induce as naive

CONSTRAINTS = ("none", "thread", "tear", "sprawl", "loose", "strict")
LITERAL = ("sprawl-literal", "loose-literal", "strict-literal")


def random_parameters(row: Model, classes: int, seed: int) -> Parameters:
    rng = np.random.default_rng(seed)
    shape = empty(row, classes)
    counts = Parameters(*(rng.random(t.shape) ** 2 for t in shape[:4]), shape.fringe)
    return normalise(counts, row, 0.01)


def allowed(tree: naive.Tree, fragments: list[int], name: str) -> bool:
    plain, _, literal = name.partition("-")
    return all(holds(tree, x, y, plain, literal=bool(literal)) for x, y in fragments_of(fragments))


@st.composite
def sentence(draw: st.DrawFn, most: int = 5) -> tuple[list[int], list[int], int]:
    n = draw(st.integers(1, most))
    classes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    cuts = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    return classes, np.cumsum(cuts).tolist(), draw(st.integers(0, 1))


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("constraint", CONSTRAINTS)
@settings(max_examples=12, deadline=None)
@given(words=sentence(), seed=st.integers(0, 1000))
def test_inside_outside_and_best_tree_equal_brute_force(
    model: str, constraint: str, words: tuple[list[int], list[int], int], seed: int
) -> None:
    classes, marks, comp = words
    row = MODELS[model]
    parameters = random_parameters(row, 3, seed)
    trees = [t for t in naive.projective_trees(len(classes)) if allowed(t, marks, constraint)]
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


@pytest.mark.parametrize("constraint", CONSTRAINTS + LITERAL)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_charts_count_exactly_the_trees_that_the_definitions_allow(constraint: str, n: int) -> None:
    parameters = ones(growth=1.0)
    for fragments in naive.fragmentations(n):
        count = sum(allowed(t, fragments, constraint) for t in naive.projective_trees(n))
        one = Sentences.of([[0] * n], [fragments])
        assert _total(one, parameters, constraint) == pytest.approx(count)


def _total(one: Sentences, parameters: Parameters, constraint: str) -> float:
    return float(np.exp(inference.likelihood(one, parameters, constraint)[0]))


def test_constraints_over_all_trees_and_fragmentations_to_six_words() -> None:
    """Nested, and as many satisfied as counted by hand-made enumeration elsewhere."""
    names = ("strict", "loose", "sprawl", "tear", "thread")
    counts = dict.fromkeys((*names, *LITERAL), 0.0)
    cases = 0
    parameters = ones(growth=1.0)
    for n in range(2, 7):
        for fragments in naive.fragmentations(n):
            if fragments[-1] == 0:
                continue
            cases += len(naive.projective_trees(n))
            one = Sentences.of([[0] * n], [fragments])
            totals = [_total(one, parameters, name) for name in counts]
            assert totals[:5] == sorted(totals[:5])
            for name, total in zip(counts, totals, strict=True):
                counts[name] += total
    assert cases == 24946
    assert round(counts["strict"]) == 3044
    assert round(counts["strict-literal"]) == 4639
    assert round(counts["loose"]) == 6817
    assert round(counts["loose-literal"]) == 9208
    assert round(counts["sprawl"]) == 10262
    assert round(counts["sprawl-literal"]) == 14541


@pytest.mark.parametrize("model", ["dmv", "evg", "dbm3"])
@pytest.mark.parametrize("constraint", LITERAL)
@settings(max_examples=12, deadline=None)
@given(words=sentence(), seed=st.integers(0, 1000))
def test_literal_constraints_sum_and_maximise_over_their_trees(
    model: str, constraint: str, words: tuple[list[int], list[int], int], seed: int
) -> None:
    classes, marks, comp = words
    row = MODELS[model]
    parameters = random_parameters(row, 3, seed)
    trees = [t for t in naive.projective_trees(len(classes)) if allowed(t, marks, constraint)]
    one = Sentences.of([classes], [marks], [comp])
    found = inference.best(one, parameters, constraint)
    expected = inference.expect(one, parameters, row, constraint)
    assert bool(found.lifted[0]) == bool(expected.lifted[0]) == (not trees)
    assert np.isfinite(inference.likelihood(one, parameters, constraint)[0]) == bool(trees)
    trees = trees or list(naive.projective_trees(len(classes)))
    top = max(naive.probability(t, classes, marks, comp, parameters) for t in trees)
    assert found.scores[0] == pytest.approx(math.log(top), abs=1e-9)
    assert tuple(found.heads) in trees
    counts, total = naive.expected_counts(trees, classes, marks, comp, parameters)
    assert expected.scores[0] == pytest.approx(math.log(total), abs=1e-9)
    for ours, theirs in zip(expected.counts[:4], counts[:4], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    for tree in (
        inference.draw(one, parameters, constraint),
        inference.least_risk(one, parameters, constraint),
    ):
        assert tuple(tree.tolist()) in trees


@pytest.mark.parametrize("constraint", ["loose-literal", "strict-literal"])
def test_literal_draws_are_uniform_and_long_sentences_do_not_underflow(constraint: str) -> None:
    fragments = [0, 0, 1, 2, 2]
    trees = [t for t in naive.projective_trees(5) if allowed(t, fragments, constraint)]
    draws = 200 * len(trees)
    words = Sentences.of([[0] * 5] * draws, [fragments] * draws)
    drawn = inference.draw(words, None, constraint, seed=5).reshape(draws, 5)
    observed = Counter(map(tuple, drawn.tolist()))
    assert set(observed) == set(trees)
    chi = sum((observed[t] - 200) ** 2 / 200 for t in trees)
    assert chi < len(trees) - 1 + 4.5 * math.sqrt(2 * (len(trees) - 1))
    parameters = random_parameters(MODELS["dbm3"], 100, 1)
    long = Sentences.of([list(range(60))], [[i // 7 for i in range(60)]])
    found = inference.expect(long, parameters, MODELS["dbm3"], constraint)
    assert found.counts.root.sum() + found.counts.attach.sum() == pytest.approx(60)


def test_lists_under_a_literal_constraint_are_refused() -> None:
    one = Sentences.of([[0, 1]])
    with pytest.raises(UsageError, match="loose-literal"):
        inference.k_best(one, 0, random_parameters(MODELS["dmv"], 2, 0), 3, "loose-literal")


@pytest.mark.parametrize("model", ["dmv", "evg", "dbm3"])
@pytest.mark.parametrize("constraint", [*CONSTRAINTS[:5], "sprawl-literal"])
@settings(max_examples=10, deadline=None)
@given(words=sentence(), seed=st.integers(0, 1000))
def test_k_best_lists_the_best_trees_in_order(
    model: str, constraint: str, words: tuple[list[int], list[int], int], seed: int
) -> None:
    classes, marks, comp = words
    parameters = random_parameters(MODELS[model], 3, seed)
    trees = [t for t in naive.projective_trees(len(classes)) if allowed(t, marks, constraint)]
    weights = sorted(naive.probability(t, classes, marks, comp, parameters) for t in trees)[::-1]
    one = Sentences.of([classes], [marks], [comp])
    heads, scores = inference.k_best(one, 0, parameters, 10, constraint)
    np.testing.assert_allclose(np.exp(scores), weights[:10], rtol=1e-9)
    for tree, score in zip(heads, scores, strict=True):
        again = naive.probability(tuple(tree.tolist()), classes, marks, comp, parameters)
        assert math.log(again) == pytest.approx(score)
    assert len({tuple(t) for t in heads}) == len(heads)


@settings(max_examples=25, deadline=None)
@given(words=sentence(), seed=st.integers(0, 1000))
def test_posteriors_and_minimum_risk(words: tuple[list[int], list[int], int], seed: int) -> None:
    classes, marks, comp = words
    n = len(classes)
    parameters = random_parameters(MODELS["dbm2"], 3, seed)
    one = Sentences.of([classes], [marks], [comp])
    arcs, roots, _ = inference.arcs(one, 0, parameters)
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
    parameters = random_parameters(row, 3, 7)
    words = np.random.default_rng(2).integers(0, 3, 40).tolist()
    both = Sentences.of([words[:30], words[:31], words])
    from caesura.induce import factors, inside_outside

    for index, n in enumerate((30, 31, 40)):
        found, chart = factors.new_factors(n), inside_outside.new_charts(n)
        factors.look_up(found, parameters, *inference._one(both, index))
        plain = inside_outside.inside(found, chart, n, 0, 0, 0)
        assert inference.likelihood(both, parameters)[index] == pytest.approx(math.log(plain))


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    rng = np.random.default_rng(3)
    lists = [rng.integers(0, 5, rng.integers(1, 9)).tolist() for _ in range(900)]
    sentences = Sentences.of(lists)
    row = MODELS["dbm1"]
    parameters = random_parameters(row, 5, 4)
    one, three = (inference.expect(sentences, parameters, row, workers=w) for w in (1, 3))
    for a, b in zip(one.counts, three.counts, strict=True):
        np.testing.assert_array_equal(a, b)
    for seed in (None, 5):
        a, b = (inference.best(sentences, parameters, seed=seed, workers=w).heads for w in (1, 3))
        np.testing.assert_array_equal(a, b)
    a, b = (inference.draw(sentences, seed=9, workers=w) for w in (1, 3))
    np.testing.assert_array_equal(a, b)
