"""A grammar as a stage of a pipeline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce import Grammar, supervised
from caesura.induce.corpus import corpus, word_classes
from caesura.stage import stage_of
from caesura.tokenize import RuleTokenizer
from tests.reference.grammars import made_up


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(40)


@pytest.fixture(scope="module")
def grammar(documents: list[Document]) -> Grammar:
    words = corpus(documents, word_classes("upos"), marks="upos")
    return supervised(documents, words, source="upos", marks="upos")


def test_documents_are_annotated_in_place(documents: list[Document], grammar: Grammar) -> None:
    docs = made_up(40)
    for doc in docs:
        doc.head[:] = -2
    grammar.annotate(docs)
    for doc, gold in zip(docs, documents, strict=True):
        doc.check()
        words = np.array(doc.column("upos")) != "PUNCT"
        assert (doc.head == gold.head)[words].mean() > 0.9


def test_a_grammar_says_what_it_needs(grammar: Grammar) -> None:
    assert grammar.needs == {"tokens", "sentences", "upos"}
    assert replace(grammar, source="words", marks="unicode").needs == {"tokens", "sentences"}
    assert grammar.adds == {"head", "deprel"}
    part = grammar.to_part()
    again = stage_of(part)
    assert isinstance(again, Grammar)
    assert again.names == grammar.names
    assert (grammar.kind, grammar.tokens_by) == (part.kind, "rules")


def test_options_change_a_copy(documents: list[Document], grammar: Grammar) -> None:
    chains = grammar.with_options(longest=2)
    doc = made_up(10)[0]
    doc.head[:] = -2
    chains.annotate([doc])
    words = np.flatnonzero(np.array(doc.column("upos")) != "PUNCT")
    assert doc.head[words[1]] == words[0]
    assert grammar.decoding.longest == 400
    assert grammar.with_options(decoder="least-risk").parse(made_up(10)[0]).n_words > 0


def test_options_that_are_not_there_are_told(grammar: Grammar) -> None:
    with pytest.raises(UsageError, match="a grammar has no beam") as error:
        grammar.with_options(beam=8)
    assert "constraint, decoder, longest, workers" in str(error.value.remedy)


def test_lists_of_trees_are_refused(documents: list[Document], grammar: Grammar) -> None:
    with pytest.raises(UsageError, match="one best"):
        grammar.k_best(documents[0], 3)


def test_a_grammar_over_tags_says_how_to_keep_them(grammar: Grammar) -> None:
    with pytest.raises(UsageError, match="--keep-tags"):
        grammar.parse(RuleTokenizer().tokenize("The boat leaves."))
