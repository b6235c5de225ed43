"""EM regimes, recipes, grammars as files, and the way from documents and back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from research.baselines import accuracy, attach_left, attach_right

from caesura.document import Document
from caesura.errors import InputError, ModelError, UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, em, induce, inference, supervised
from caesura.induce.corpus import corpus, gold_heads, word_classes
from caesura.induce.initialise import (
    INITIALISERS,
    fringe_stops,
    from_distances,
    harmonic,
    initialise,
)
from caesura.induce.parameters import MODELS, find_model
from caesura.induce.recipes import RECIPES, Regime, recipe
from caesura.induce.sentences import Sentences
from caesura.models import load, save
from tests.reference.grammars import made_up


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(200)


def toy(seed: int = 0, sentences: int = 60) -> Sentences:
    rng = np.random.default_rng(seed)
    lists = [rng.integers(1, 4, rng.integers(1, 9)).tolist() for _ in range(sentences)]
    marks = [np.cumsum(rng.random(len(s)) < 0.2).tolist() for s in lists]
    return Sentences.of(lists, marks, rng.integers(0, 2, sentences).tolist())


@pytest.mark.parametrize("model", ["dmv", "evg", "dbm1", "dbm2", "dbm3"])
def test_soft_em_without_smoothing_never_lowers_the_likelihood(model: str) -> None:
    words, row = toy(), find_model(model)
    start = initialise("random", words, row, 4, seed=3)
    regime = Regime("soft", "fixed", 12, smoothing=0.0)
    bits = [step.bits for step in em.run(em.Task(words, row, regime), start)]
    assert all(b <= a + 1e-9 for a, b in pairwise(bits))


@pytest.mark.parametrize("stop", ["fixed", "converged", "lateen", "alternate", "patience"])
@pytest.mark.parametrize("objective", ["soft", "hard"])
def test_every_way_to_stop_ends_in_a_grammar(stop: str, objective: str) -> None:
    words, row = toy(), find_model("dbm3")
    start = initialise("random", words, row, 4)
    regime = Regime(objective, stop, 15, constraint="loose")  # type: ignore[arg-type]
    parameters = em.finish(em.run(em.Task(words, row, regime), start))
    np.testing.assert_allclose(parameters.attach.sum(axis=-1), 1.0)
    np.testing.assert_allclose(parameters.stop + parameters.go, 1.0)


def test_lateen_stops_before_the_watcher_gets_worse() -> None:
    words, row = toy(1), find_model("dmv")
    start = initialise("random", words, row, 4)
    steps = list(em.run(em.Task(words, row, Regime("hard", "lateen", 50)), start))
    watched = [s.watched for s in steps if s.watched is not None]
    assert all(b <= a + em.CONVERGED for a, b in pairwise(watched[:-1]))


def test_patience_returns_the_best_model() -> None:
    words, row = toy(2), find_model("dmv")
    start = initialise("distance", words, row, 4)
    runner = em.run(em.Task(words, row, Regime("hard", "patience", 60, patience=3)), start)
    steps = []
    while True:
        try:
            steps.append(next(runner))
        except StopIteration as end:
            parameters = end.value
            break
    score = -inference.best(words, parameters).scores.sum() / (np.log(2) * words.n_words)
    assert score == pytest.approx(min(s.bits for s in steps))


@pytest.mark.parametrize("name", INITIALISERS)
@pytest.mark.parametrize("model", ["dmv", "dbm3"])
def test_initialisers_give_distributions(name: str, model: str) -> None:
    parameters = initialise(name, toy(), find_model(model), 4)
    np.testing.assert_allclose(parameters.root.sum(axis=-1), 1.0)
    np.testing.assert_allclose(parameters.attach.sum(axis=-1), 1.0)


def test_harmonic_weights() -> None:
    """Two words: each is the root half of the time, and hangs from the other otherwise."""
    parameters = harmonic(Sentences.of([[0, 1]]), MODELS["dmv"], 2, smoothing=0.0)
    np.testing.assert_allclose(parameters.root[0], [0.5, 0.5])
    np.testing.assert_allclose(parameters.stop[0, 1, 1, 0], 0.5)
    np.testing.assert_allclose(parameters.stop[0, 0, 1, 0], 1.0)


def test_split_parses_join_fragments_by_their_roots() -> None:
    words = Sentences.of([[1, 2, 3, 1, 2]], [[0, 0, 1, 1, 1]])
    parameters = initialise("random", toy(), find_model("dmv"), 4)
    found = inference.best(words, parameters, "loose-split")
    inner = [i for i in range(5) if found.heads[i] >= 0]
    assert len(inner) == 4
    for x, y in ((0, 1), (2, 4)):
        outside = [i for i in range(x, y + 1) if not x <= found.heads[i] <= y]
        assert len(outside) == 1
    assert found.scores[0] <= inference.best(words, parameters, "loose").scores[0] + 1e-9


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_learns_and_is_the_same_again(documents: list[Document], name: str) -> None:
    options = InduceOptions(recipe=name, classes="upos", lexical=40)
    one = induce(documents, options)
    two = induce(documents, InduceOptions(recipe=name, classes="upos", lexical=40, workers=2))
    for a, b in zip(one.parameters, two.parameters, strict=True):
        np.testing.assert_array_equal(a, b)
    if name == "lexicalised":
        assert "DET_the" in one.names
    words = one.prepare(documents)
    assert one.heads(words.sentences).shape == (words.sentences.n_words,)


def test_heads_are_never_looked_at(documents: list[Document]) -> None:
    blind = made_up(200)
    for doc in blind:
        doc.head = np.full(doc.n_words, -2, dtype=np.int32)
    options = InduceOptions(classes="upos")
    for a, b in zip(
        induce(documents, options).parameters, induce(blind, options).parameters, strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_restarts_are_told_and_the_one_with_fewest_bits_is_kept(documents: list[Document]) -> None:
    options = InduceOptions(recipe="standard", model="dmv", classes="upos", restarts=3, workers=2)
    inducer = Inducer(documents, options)
    kinds = [event.kind for event in inducer]
    assert kinds[0] == "start"
    assert kinds[-1] == "done"
    assert kinds.count("restart") == 3
    assert inducer.grammar is not None
    best = min(inducer.restarts, key=lambda r: r["bits"])
    assert inducer.grammar.history["seed"] == best["seed"]


def test_a_supervised_grammar_of_a_regular_language_parses_it(documents: list[Document]) -> None:
    words = corpus(documents, word_classes("upos"), marks="upos")
    grammar = supervised(documents, words, "dmv", source="upos", marks="upos")
    gold, _ = gold_heads(documents, words)
    assert accuracy(words.sentences, grammar.heads(words.sentences), gold) > 90.0
    baseline = max(
        accuracy(words.sentences, rule(words.sentences), gold)
        for rule in (attach_left, attach_right)
    )
    assert baseline < 80.0


def test_parsing_fills_a_document_and_leaves_trees(documents: list[Document]) -> None:
    grammar = induce(documents, InduceOptions(classes="upos"))
    doc = made_up(20, seed=5)[0]
    gold = doc.head.copy()
    doc.head = np.full(doc.n_words, -2, dtype=np.int32)
    grammar.parse(doc)
    doc.check()
    roots = np.bincount(doc.word_sentence[doc.head == -1])
    assert roots.tolist() == [1] * doc.n_sentences
    for word in range(doc.n_words):
        h, steps = int(doc.head[word]), 0
        while h >= 0:
            assert doc.word_sentence[h] == doc.word_sentence[word]
            h, steps = int(doc.head[h]), steps + 1
            assert steps <= doc.n_words
    doc.head[3] = gold[3]
    doc.fixed = frozenset({"heads"})
    assert grammar.parse(doc).head[3] == gold[3]


def test_a_grammar_survives_its_file(tmp_path: Path, documents: list[Document]) -> None:
    path = tmp_path / "small.grammar"
    for options in (
        InduceOptions(classes="6"),
        InduceOptions(recipe="lexicalised", classes="upos", lexical=40),
    ):
        grammar = induce(documents, options)
        save(path, {"grammar": grammar.to_part()})
        again = Grammar.from_part(load(path).part("grammar"))
        assert again.names == grammar.names
        one, two = grammar.prepare(documents), again.prepare(documents)
        np.testing.assert_array_equal(grammar.heads(one.sentences), again.heads(two.sentences))


def test_a_grammar_of_another_version_is_refused(documents: list[Document]) -> None:
    part = induce(documents, InduceOptions(classes="upos", recipe="standard")).to_part()
    part.config["version"] = 99
    with pytest.raises(ModelError, match="version 99"):
        Grammar.from_part(part)
    part.config["version"] = 1
    part.arrays["stop"] = part.arrays["stop"] * 3
    with pytest.raises(ModelError, match="no probability"):
        Grammar.from_part(part)


def test_words_without_a_class_get_the_unknown_one(documents: list[Document]) -> None:
    grammar = induce(documents, InduceOptions(classes="upos"))
    doc = made_up(10, seed=9)[0]
    doc.set_column("upos", ["KLINGON" if t == "NOUN" else t for t in doc.column("upos")])
    assert 0 in grammar.prepare([doc]).sentences.classes
    grammar.parse(doc)
    assert np.all(doc.head != -2)
    empty_doc = Document()
    assert grammar.parse(empty_doc).n_words == 0
    untagged = made_up(10, seed=9)[0]
    untagged.set_column("upos", [""] * untagged.n_words)
    with pytest.raises(UsageError, match="UPOS"):
        grammar.parse(untagged)


def test_bad_input_gets_one_sentence(documents: list[Document]) -> None:
    with pytest.raises(InputError, match="no words"):
        induce([Document()])
    with pytest.raises(InputError, match="no XPOS tags"):
        induce(documents, InduceOptions(classes="xpos"))
    with pytest.raises(InputError, match="no sentence is left"):
        induce(documents, InduceOptions(classes="upos", limit=1, longest=1, recipe="standard"))
    for wrong in ({"recipe": "soup"}, {"model": "hmm"}, {"heads": "two"}, {"constraint": "iron"}):
        with pytest.raises(UsageError):
            induce(documents, InduceOptions(classes="upos", **wrong))  # type: ignore[arg-type]


def test_one_class_is_enough(documents: list[Document]) -> None:
    grammar = induce(documents, InduceOptions(classes="1"))
    assert grammar.parse(made_up(10)[0]).n_words > 0


def test_a_head_with_a_dependent_may_take_another_from_the_start() -> None:
    """The harmonic start once left one chance in three hundred thousand."""
    words = toy(4)
    start = harmonic(words, find_model("dmv"), 4)
    assert start.go[:, :, 0, 1:].min() > 0.01


def test_fringe_stops_begin_with_the_edges_of_fragments() -> None:
    words = toy(5)
    stop = fringe_stops(words, 4)
    counts = np.zeros((2, 4, 2))
    for number in range(len(words)):
        classes, _, fragments, _ = words.one(number)
        for at, c in enumerate(classes.tolist()):
            first = at == 0 or fragments[at - 1] != fragments[at]
            last = at == len(classes) - 1 or fragments[at + 1] != fragments[at]
            counts[0, c] += (1, first)
            counts[1, c] += (1, last)
    for side in (0, 1):
        seen, ends = counts[side].T
        often = (ends + 1) / (seen + 2)
        odds = 49 * often / (ends.sum() / seen.sum())
        np.testing.assert_allclose(stop[side], odds / (1 + odds))
    start = harmonic(words, find_model("dbm2"), 4)
    for complete in (0, 1):
        np.testing.assert_array_equal(start.stop[complete, :, 0], stop)
    np.testing.assert_array_equal(start.go, 1.0 - start.stop)


@pytest.mark.parametrize("share", ["none", "side", "pairs"])
def test_weights_by_distance_are_what_the_loop_says(share: str) -> None:
    words = toy(6)
    attach = np.zeros((2, 4, 4))
    for number in range(len(words)):
        classes = words.one(number)[0].tolist()
        pairs = [(h, d) for h in range(len(classes)) for d in range(len(classes)) if h != d]
        weight = {(h, d): 1 + 1 / np.log2(1 + abs(h - d)) for h, d in pairs}
        for h, d in pairs:
            among = [1.0]
            if share == "pairs":
                among = list(weight.values())
            elif share == "side":
                among = [weight[h, e] for e in range(len(classes)) if (e - h) * (d - h) > 0]
            attach[int(d > h), classes[h], classes[d]] += weight[h, d] / sum(among)
    found = from_distances(words, find_model("dmv"), 4, share=share)
    expected = attach[:, 1:] / attach[:, 1:].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(found.attach[:, 0, 0, 1:], expected, atol=1e-5)
    assert np.all(found.stop == 0.5)


def test_marks_that_are_left_in_count_in_no_length_and_no_distance() -> None:
    words = Sentences.of([[1, 3, 2], [1, 2]])
    dotted = replace(words, counted=np.array([True, False, True, True, True]))
    assert dotted.up_to(2).tolist() == [True, True]
    assert words.up_to(2).tolist() == [False, True]
    near = from_distances(dotted, find_model("dmv"), 4)
    # From 1 the 2 is one word away in both sentences, and so is the mark, once.
    np.testing.assert_allclose(near.attach[1, 0, 0, 1], [0, 0, 2 / 3, 1 / 3], atol=1e-5)
    both = dotted.followed_by(words)
    assert both.counted is not None
    assert both.counted.tolist() == [True, False, True] + 7 * [True]
    assert both.select(both.up_to(2)).n_words == 7


def test_the_basic_recipe_obeys_the_constraint_at_every_iteration_unless_told() -> None:
    assert [s.regime.constraint for s in recipe("basic")] == ["loose", "loose"]
    free = recipe("basic", constrained="long")
    assert [s.regime.constraint for s in free] == ["none", "loose"]
    with pytest.raises(UsageError, match="all or long"):
        InduceOptions(constrained="short")
