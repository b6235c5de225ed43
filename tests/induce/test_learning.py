"""EM regimes, recipes, transforms, reducible stops, reparsing, and grammars as files."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from research.baselines import accuracy, attach_left, attach_right

from caesura.document import Document
from caesura.errors import InputError, ModelError, UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, em, induce, inference, supervised
from caesura.induce.arc_model import (
    arc_posteriors,
    arc_trees,
    frequent_words,
    learn_arc_model,
    tree_arcs,
)
from caesura.induce.corpus import corpus, gold_heads, word_classes
from caesura.induce.inference import best, count, draw
from caesura.induce.initialise import (
    INITIALISERS,
    fringe_stops,
    from_distances,
    harmonic,
    initialise,
    rerooted,
    transformed,
)
from caesura.induce.parameters import MODELS, find_model, normalise
from caesura.induce.priors import (
    LONGEST,
    RUN,
    prior_counts,
    reduce_documents,
    reduce_text,
    stop_estimates,
)
from caesura.induce.recipes import RECIPES, Regime, TrainingStage, recipe
from caesura.induce.reparse import sampled
from caesura.induce.selection import bits_per_word
from caesura.induce.sentences import Sentences
from caesura.induce.training import Learnt, View, learn
from caesura.induce.word_classes import lexicalise
from caesura.models import load, save
from tests.reference.grammars import made_up

# ----------------------------------------------------------------------------------------- learning


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


# --------------------------------------------------------------------------------------- transforms


def arcs(tree: list[int]) -> set[frozenset[int]]:
    return {frozenset((i, h)) for i, h in enumerate(tree) if h >= 0}


def test_rerooted_trees_have_the_same_arcs_and_one_root() -> None:
    words = toy(3)
    heads = draw(words, seed=1)
    found = rerooted(words, heads, 2)
    for a, b in zip(words.starts[:-1].tolist(), words.starts[1:].tolist(), strict=True):
        assert arcs(found[a:b].tolist()) == arcs(heads[a:b].tolist())
        assert (found[a:b] == -1).sum() == 1


def test_every_word_may_become_the_root() -> None:
    words = Sentences.of([[1, 1, 1]] * 300)
    heads = np.tile(np.array([1, -1, 1], dtype=np.int32), 300)
    roots = Counter((rerooted(words, heads, 0).reshape(-1, 3) == -1).argmax(axis=1).tolist())
    assert min(roots.values()) > 70


def test_a_join_adds_the_counts_of_all_its_grammars() -> None:
    words, model = toy(4), find_model("dbm1")
    one = harmonic(words, model, 4)
    two = transformed("symmetric", words, [one], model, 4, seed=5)
    joined = transformed("join", words, [one, two], model, 4)
    counts = [count(words, best(words, p).heads, model, 4) for p in (one, two)]
    total = counts[0].attach + counts[1].attach
    by_hand = normalise(
        counts[0]._replace(
            attach=total,
            root=counts[0].root + counts[1].root,
            stop=counts[0].stop + counts[1].stop,
            go=counts[0].go + counts[1].go,
        ),
        model,
        0.1,
    )
    np.testing.assert_allclose(joined.attach, by_hand.attach)
    np.testing.assert_allclose(joined.stop, by_hand.stop)


def test_simple_counts_complete_sentences_without_marks_inside() -> None:
    words, model = toy(5), find_model("dbm1")
    start = harmonic(words, model, 4)
    whole = ~words.inner & (words.comps > 0)
    part = words.select(whole)
    expected = normalise(count(part, best(part, start).heads, model, 4), model, 0.1)
    found = transformed("simple", words, [start], model, 4)
    np.testing.assert_allclose(found.attach, expected.attach)
    none = Sentences.of([[1, 2], [2, 1]], comps=[0, 0])
    assert np.isfinite(transformed("simple", none, [start], model, 4).attach).all()


def test_the_best_of_the_long_stages_is_handed_on() -> None:
    words = toy(6, 120)
    names = ("?", "a", "b", "c")
    kept = em.finish(learn(View(words, names), recipe("recombine", model="dbm1")))
    plain = em.finish(learn(View(words, names), recipe("short-first", model="dbm1")))
    assert bits_per_word(words, kept.parameters) <= bits_per_word(words, plain.parameters) + 1e-9


@pytest.fixture(scope="module")
def few() -> list[Document]:
    return made_up(60)


def test_gb_does_not_recombine(few: list[Document]) -> None:
    with pytest.raises(UsageError, match="gb"):
        Inducer(few, InduceOptions(recipe="recombine", model="gb")).run()


def test_the_recipe_follows_from_the_classes(few: list[Document]) -> None:
    chosen = {
        InduceOptions(classes="upos"): "short-first",
        InduceOptions(classes="upos", rules="none"): "recombine",
        InduceOptions(classes="xpos"): "recombine",
        InduceOptions(): "short-first",
        InduceOptions(classes="30"): "recombine",
        InduceOptions(model="gb"): "short-first",
        InduceOptions(recipe="basic"): "basic",
    }
    for options, name in chosen.items():
        assert options.chosen_recipe == name
    assert Inducer(few, InduceOptions(classes="8")).run().history["recipe"] == "recombine"


def test_a_lexical_fork_counts_trees_of_words_over_plain_classes() -> None:
    words = toy(8, 150)
    forms = (words.classes * 2 + np.arange(words.n_words) % 2).astype(np.int32)
    spelling = tuple(f"w{i}" for i in range(int(forms.max()) + 1))
    names = tuple("?abcdef"[: int(words.classes.max()) + 1])
    short = TrainingStage("short", "dbm1", "pieces", 15, "harmonic", Regime("soft", "fixed", 3))
    lexical = replace(short, name="lexical", start="parse", lexical=5)
    # no iteration: the stage hands on what it starts from
    still = Regime("soft", "fixed", 0, smoothing=0.1)
    back = replace(short, name="plain", start="parse", of=("lexical",), regime=still)

    def run(*stages: TrainingStage) -> Learnt:
        return em.finish(learn(View(words, names), stages, forms=forms, spelling=spelling))

    worded, plain = run(short, lexical), run(short, lexical, back)
    assert len(worded.names) > len(names) == len(plain.names)
    assert worded.lexicon
    assert not plain.lexicon
    new, _, _ = lexicalise(words.classes, forms, names, spelling, 5)
    seen = words.with_classes(new)
    both, pieces = (one.followed_by(one.select(one.inner).cut()) for one in (seen, words))
    short_ones = both.up_to(15)
    heads = best(both.select(short_ones), worded.parameters, "none").heads
    model = find_model("dbm1")
    counts = count(pieces.select(short_ones), heads, model, len(names))
    expected = normalise(counts, model, 0.1)
    np.testing.assert_allclose(plain.parameters.attach, expected.attach)
    np.testing.assert_allclose(plain.parameters.stop, expected.stop)


def test_tags_are_recombined_over_words_at_last_and_clusters_are_not() -> None:
    tagged = InduceOptions(classes="xpos", lexical=50).stages()
    assert [stage.lexical for stage in tagged] == [0] * 7 + [50]
    assert not any(stage.lexical for stage in InduceOptions(classes="30").stages())
    assert not any(stage.lexical for stage in InduceOptions(classes="xpos", lexical=0).stages())


def test_a_word_with_a_class_of_its_own_is_not_rare_however_long_the_text() -> None:
    often = np.repeat(np.arange(3, dtype=np.int32), [1997, 2, 1])
    classes = np.ones(2000, dtype=np.int32)
    _, names, _ = lexicalise(classes, often, ("?", "x"), ("a", "b", "c"), 1)
    assert names == ("?", "x", "x_a", "x_b")


# -------------------------------------------------------------------------- reducible runs of words


def naive(
    sentences: list[list[str]], kinds: list[list[int]], number: int
) -> tuple[int, list[list[float]]]:
    edges = np.zeros((2, number))
    runs = 0
    short = [s for s in sentences if 0 < len(s) <= LONGEST]
    for sentence, kind in zip(sentences, kinds, strict=True):
        if not 0 < len(sentence) <= LONGEST:
            continue
        for first in range(len(sentence)):
            for size in range(1, RUN + 1):
                if first + size > len(sentence) or size == len(sentence):
                    continue
                if sentence[:first] + sentence[first + size :] in short:
                    runs += 1
                    edges[0, kind[first]] += 1
                    edges[1, kind[first + size - 1]] += 1
    return runs, edges.tolist()


def test_what_can_be_left_out_is_counted() -> None:
    rng = np.random.default_rng(1)
    kinds = [rng.integers(1, 4, rng.integers(1, 7)).tolist() for _ in range(80)]
    kinds.append([1] * (LONGEST + 1))
    sentences = [["_abc"[k] for k in kind] for kind in kinds]
    found = reduce_text(sentences, kinds, 4)
    runs, edges = naive(sentences, kinds, 4)
    assert found.runs == runs > 0
    assert found.edges.tolist() == edges
    assert found.seen.sum() == sum(len(k) for k in kinds[:-1])


def test_the_boat_leaves_without_its_old_captain() -> None:
    kinds = {"the": 1, "boat": 2, "leaves": 3, "old": 4}
    sentences = [s.split() for s in ("the boat leaves", "the old boat leaves", "the old boat")]
    found = reduce_text(sentences, [[kinds[w] for w in s] for s in sentences], 5)
    # `old` from the second, `leaves` from the second; nothing else leaves a sentence
    assert found.runs == 2
    assert found.edges.tolist() == [[0, 0, 0, 1, 1]] * 2


def test_estimates_follow_the_order_and_keep_their_mean() -> None:
    kinds = [[1, 2], [1], [3, 1, 2], [1, 2]]
    found = reduce_text([["_abc"[k] for k in s] for s in kinds], kinds, 5)
    estimates = stop_estimates(found)
    share = found.edges / np.maximum(found.seen, 1)
    for side in (0, 1):
        used = [1, 2, 3]
        assert np.argsort(share[side, used]).tolist() == np.argsort(estimates[side, used]).tolist()
    assert estimates[0, 4] == pytest.approx(2 / 3)
    assert ((estimates > 0) & (estimates < 1)).all()
    counts = prior_counts(estimates, find_model("dbm2"), 5.0)
    np.testing.assert_allclose(counts.stop[:, :, 1] + counts.go[:, :, 1], 5.0)
    assert not counts.stop[:, :, 0].any()


def test_a_grammar_may_begin_with_such_stops() -> None:
    documents = made_up(80)
    words = corpus(documents, word_classes("upos"), marks="upos")
    assert reduce_documents(documents, words, word_classes("upos")).runs > 0
    options = InduceOptions(classes="upos", rules="none", recipe="fixed")
    plain = Inducer(documents, options).run()
    strong = InduceOptions(classes="upos", rules="none", recipe="fixed", reducible=5.0)
    moved = Inducer(documents, strong).run()
    assert not np.allclose(plain.parameters.stop, moved.parameters.stop)
    with pytest.raises(UsageError, match="reducible"):
        InduceOptions(reducible=-1.0)


# ---------------------------------------------------------------------------------------- reparsing


@pytest.fixture(scope="module")
def grammar(few: list[Document]) -> Grammar:
    return Inducer(few, InduceOptions(classes="upos", reparse=2)).run()


def test_an_arc_model_learns_the_trees_that_it_is_shown(few: list[Document]) -> None:
    words = corpus(few, word_classes("upos"), marks="upos")
    heads, _ = gold_heads(few, words)
    aims = np.zeros(int((words.sentences.lengths**2).sum()))
    aims[tree_arcs(words.sentences, heads)] = 1.0
    forms = [words.forms[form] for form in words.words.tolist()]
    model = learn_arc_model(words.sentences, forms, aims)
    chances = model.chances(words.sentences, model.numbers(forms))
    found = arc_trees(words.sentences, np.log(np.maximum(chances, 1e-12)))
    assert (found == heads).mean() > 0.8
    again = learn_arc_model(words.sentences, forms, aims)
    np.testing.assert_array_equal(model.weights, again.weights)


def test_chances_of_the_heads_of_a_word_sum_to_one(few: list[Document], grammar: Grammar) -> None:
    assert grammar.arcs is not None
    words = grammar.prepare(few, lexical=False)
    forms = [words.forms[form] for form in words.words.tolist()]
    chances = grammar.arcs.chances(words.sentences, grammar.arcs.numbers(forms))
    assert chances.sum() == pytest.approx(words.sentences.n_words)
    posteriors = arc_posteriors(words.sentences, grammar.parameters)
    assert posteriors.sum() == pytest.approx(words.sentences.n_words)


def test_it_is_the_default_with_tags_only() -> None:
    assert InduceOptions(classes="upos").rounds == 9
    assert InduceOptions(classes="xpos").rounds == 9
    assert InduceOptions(classes="xpos", recipe="basic").rounds == 0
    assert InduceOptions(classes="xpos", reparse=0).rounds == 0
    assert InduceOptions(classes="12").rounds == 0
    assert InduceOptions(classes="12", reparse=2).rounds == 2


def test_rounds_are_told_and_heads_come_from_the_arc_model(
    few: list[Document],
) -> None:
    inducer = Inducer(few, InduceOptions(classes="upos", reparse=3))
    events = [event for event in inducer if event.kind == "round"]
    assert [event.restart for event in events] == [1, 2, 3]
    assert all(0.0 <= event.stats["changed"] <= 1.0 for event in events)
    assert inducer.grammar is not None
    one, risk = (inducer.grammar.trees(few, decoder=d)[1] for d in ("best", "least-risk"))
    assert one.shape == risk.shape


def test_a_grammar_with_an_arc_model_is_written_and_read(
    few: list[Document], grammar: Grammar, tmp_path: Path
) -> None:
    part = grammar.to_part()
    again = Grammar.from_part(part)
    np.testing.assert_array_equal(grammar.trees(few)[1], again.trees(few)[1])
    part.arrays["arc places"] = part.arrays["arc places"] + (1 << 20)
    with pytest.raises(ModelError, match="outside their table"):
        Grammar.from_part(part)


def test_words_seen_once_are_told_by_their_classes() -> None:
    assert frequent_words(["A", "a", "a", "b"]) == {"a": 0}


def test_long_sentences_are_left_out_and_large_texts_are_sampled(
    few: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = corpus(few, word_classes("upos"), marks="upos").sentences
    assert not sampled(words, 3)[words.lengths > 3].any()
    monkeypatch.setattr("caesura.induce.reparse.SAMPLE", 50)
    assert words.lengths[sampled(words, 45)].sum() < words.n_words / 2
