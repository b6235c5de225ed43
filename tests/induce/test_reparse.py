"""An arc model and a grammar that teach each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError
from caesura.induce import Grammar, InduceOptions, Inducer
from caesura.induce.arc_model import (
    arc_posteriors,
    arc_trees,
    frequent_words,
    learn_arc_model,
    tree_arcs,
)
from caesura.induce.corpus import corpus, gold_heads, word_classes
from caesura.induce.reparse import sampled
from tests.reference.grammars import made_up


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(60)


@pytest.fixture(scope="module")
def grammar(documents: list[Document]) -> Grammar:
    return Inducer(documents, InduceOptions(classes="upos", reparse=2)).run()


def test_an_arc_model_learns_the_trees_that_it_is_shown(documents: list[Document]) -> None:
    words = corpus(documents, word_classes("upos"), marks="upos")
    heads, _ = gold_heads(documents, words)
    aims = np.zeros(int((words.sentences.lengths**2).sum()))
    aims[tree_arcs(words.sentences, heads)] = 1.0
    forms = [words.forms[form] for form in words.words.tolist()]
    model = learn_arc_model(words.sentences, forms, aims)
    chances = model.chances(words.sentences, model.numbers(forms))
    found = arc_trees(words.sentences, np.log(np.maximum(chances, 1e-12)))
    assert (found == heads).mean() > 0.8
    again = learn_arc_model(words.sentences, forms, aims)
    np.testing.assert_array_equal(model.weights, again.weights)


def test_chances_of_the_heads_of_a_word_sum_to_one(
    documents: list[Document], grammar: Grammar
) -> None:
    assert grammar.arcs is not None
    words = grammar.prepare(documents, lexical=False)
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


def test_rounds_are_told_and_heads_come_from_the_arc_model(documents: list[Document]) -> None:
    inducer = Inducer(documents, InduceOptions(classes="upos", reparse=3))
    events = [event for event in inducer if event.kind == "round"]
    assert [event.restart for event in events] == [1, 2, 3]
    assert all(0.0 <= event.stats["changed"] <= 1.0 for event in events)
    assert inducer.grammar is not None
    one, risk = (inducer.grammar.trees(documents, decoder=d)[1] for d in ("best", "least-risk"))
    assert one.shape == risk.shape


def test_a_grammar_with_an_arc_model_is_written_and_read(
    documents: list[Document], grammar: Grammar, tmp_path: Path
) -> None:
    part = grammar.to_part()
    again = Grammar.from_part(part)
    np.testing.assert_array_equal(grammar.trees(documents)[1], again.trees(documents)[1])
    part.arrays["arc places"] = part.arrays["arc places"] + (1 << 20)
    with pytest.raises(ModelError, match="outside their table"):
        Grammar.from_part(part)


def test_words_seen_once_are_told_by_their_classes() -> None:
    assert frequent_words(["A", "a", "a", "b"]) == {"a": 0}


def test_long_sentences_are_left_out_and_large_texts_are_sampled(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = corpus(documents, word_classes("upos"), marks="upos").sentences
    assert not sampled(words, 3)[words.lengths > 3].any()
    monkeypatch.setattr("caesura.induce.reparse.SAMPLE", 50)
    assert words.lengths[sampled(words, 45)].sum() < words.n_words / 2
