"""Charts and trees: equal to all trees one by one, drawn at random, and within brackets."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import formats
from caesura.document import Document
from caesura.errors import InputError
from caesura.induce import InduceOptions, induce, inference
from caesura.induce.arc_model import arc_posteriors
from caesura.induce.corpus import bracketed, corpus, nested, word_classes
from caesura.induce.initialise import draw_within, initialise
from caesura.induce.parameters import MODELS, Parameters, empty, normalise, ones
from caesura.induce.punctuation_constraints import fragments_of, holds
from caesura.induce.sentences import Sentences
from caesura.tokenize import RuleTokenizer
from tests.reference import induce as naive

# ---------------------------------------------------------------------------------- sums and maxima

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


# --------------------------------------------------------------------------------- counts and draws

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


# ----------------------------------------------------------------------------------------- brackets

PAGE = """<p>The <a href="x">old harbour <b>master</b></a> left <i>very early</i>.</p>
<p><b>Boats leave.</b> The tide <em>turns at</em> noon.</p>"""
TREES = "( (S (NP (DT The) (NN tide)) (VP (VBZ turns) (PP (IN at) (NP (NN noon)))) (. .)))\n"


def known(words: Sentences) -> list[tuple[int, int]]:
    """The brackets of one sentence, read back from where they open and close."""
    assert words.opening is not None
    assert words.closing is not None
    found, stack = [], []
    for i in range(words.n_words):
        stack += [i] * int(words.opening[i])
        found += [(stack.pop(), i) for _ in range(int(words.closing[i]))]
    assert not stack
    return sorted(found)


def test_brackets_that_say_nothing_or_cross_are_left_out() -> None:
    assert nested([(0, 4), (1, 1), (1, 3), (2, 4), (2, 3), (1, 3)], 5) == [(1, 3), (2, 3)]


@settings(max_examples=20, deadline=None)
@given(
    n=st.integers(1, 6),
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4),
    seed=st.integers(0, 99),
)
def test_drawn_trees_respect_their_brackets(
    n: int, pairs: list[tuple[int, int]], seed: int
) -> None:
    words = bracketed(Sentences.of([[0] * n] * 3), [pairs, [], pairs])
    heads = draw_within(words, seed).reshape(3, n)
    for tree in heads:
        assert tuple(tree.tolist()) in naive.projective_trees(n)
    for tree in heads[[0, 2]]:
        assert all(holds(tree, x, y, "loose") for x, y in nested(pairs, n))


def test_draws_are_uniform_among_the_trees_that_respect_nested_brackets() -> None:
    brackets = [(1, 4), (2, 3)]
    trees = [
        t for t in naive.projective_trees(6) if all(holds(t, x, y, "loose") for x, y in brackets)
    ]
    draws = 100 * len(trees)
    words = bracketed(Sentences.of([[0] * 6] * draws), [brackets] * draws)
    observed = Counter(map(tuple, draw_within(words, 3).reshape(draws, 6).tolist()))
    assert set(observed) == set(trees)
    chi = sum((observed[t] - 100) ** 2 / 100 for t in trees)
    assert chi < len(trees) - 1 + 4.5 * np.sqrt(2 * (len(trees) - 1))


def pages(tmp_path: Path, name: str, text: str) -> list[Document]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    rules = RuleTokenizer()
    return [doc if doc.n_tokens else rules.tokenize(doc) for doc in formats.read(path)]


def test_links_and_emphases_are_brackets(tmp_path: Path) -> None:
    words = corpus(pages(tmp_path, "a.html", PAGE), word_classes("form"), brackets=True).sentences
    assert words.lengths.tolist() == [7, 2, 5]
    one, two, three = (words.select(np.arange(3) == i) for i in range(3))
    assert known(one) == [(1, 3), (5, 6)]
    assert known(two) == []  # the whole sentence is bold, which says nothing
    assert known(three) == [(2, 3)]


def test_phrases_are_brackets_with_marks_left_out(tmp_path: Path) -> None:
    docs = pages(tmp_path, "a.mrg", TREES)
    words = corpus(docs, word_classes("xpos"), marks="xpos", brackets=True).sentences
    assert known(words) == [(0, 1), (2, 4), (3, 4)]


def test_brackets_survive_selection_and_joining() -> None:
    words = bracketed(Sentences.of([[0, 1, 2], [1, 1, 1, 1]]), [[(0, 1)], [(1, 3)]])
    last = words.select(np.array([False, True]))
    assert known(last) == [(1, 3)]
    both = Sentences.of([[0, 0]]).followed_by(last)
    assert known(both) == [(3, 5)]
    assert both.cut().opening is None


def test_a_grammar_can_start_from_brackets(tmp_path: Path) -> None:
    words = bracketed(Sentences.of([[0, 1, 2, 3]] * 300), [[(0, 1)]] * 300)
    within, free = (initialise(n, words, MODELS["dmv"], 4) for n in ("brackets", "random"))
    # the two words hang from the third one at a time, so its left side stops after one
    assert within.stop[0, 0, 0, 2] > 0.95
    assert free.stop[0, 0, 0, 2] < 0.9
    docs = pages(tmp_path, "b.mrg", TREES * 10)
    grammar = induce(docs, InduceOptions(classes="xpos", initialiser="brackets"))
    assert grammar.parse(docs[0]).n_words == 60
    plain = pages(tmp_path, "c.txt", "Boats leave. The tide turns at noon.")
    with pytest.raises(InputError, match="no brackets"):
        induce(plain, InduceOptions(classes="form", initialiser="brackets"))
