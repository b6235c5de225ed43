"""Count transforms: undirected arcs, simple sentences, joins, and the best of what they found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce import InduceOptions, Inducer
from caesura.induce.em import finish
from caesura.induce.inference import best, count, draw
from caesura.induce.initialise import harmonic, rerooted, transformed
from caesura.induce.parameters import find_model, normalise
from caesura.induce.recipes import Regime, TrainingStage, recipe
from caesura.induce.selection import bits_per_word
from caesura.induce.sentences import Sentences
from caesura.induce.training import Learnt, View, learn
from caesura.induce.word_classes import lexicalise
from tests.induce.test_learning import toy
from tests.reference.grammars import made_up


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
    kept = finish(learn(View(words, names), recipe("recombine", model="dbm1")))
    plain = finish(learn(View(words, names), recipe("short-first", model="dbm1")))
    assert bits_per_word(words, kept.parameters) <= bits_per_word(words, plain.parameters) + 1e-9


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(60)


def test_gb_does_not_recombine(documents: list[Document]) -> None:
    with pytest.raises(UsageError, match="gb"):
        Inducer(documents, InduceOptions(recipe="recombine", model="gb")).run()


def test_the_recipe_follows_from_the_classes(documents: list[Document]) -> None:
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
    assert Inducer(documents, InduceOptions(classes="8")).run().history["recipe"] == "recombine"


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
        return finish(learn(View(words, names), stages, forms=forms, spelling=spelling))

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
