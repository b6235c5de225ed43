"""What grammars are compared with."""

from __future__ import annotations

from research.baselines import accuracy, filtered, punctuation_as_words, random_trees

from caesura.induce import supervised
from caesura.induce.corpus import corpus, gold_heads, word_classes
from caesura.induce.recipes import recipe
from tests.reference.grammars import made_up


def test_a_filtered_list_is_as_good_as_its_grammar() -> None:
    documents = made_up(60)
    words = corpus(documents, word_classes("upos"), marks="upos")
    gold, _ = gold_heads(documents, words)
    grammar = supervised(documents, words, "dmv", source="upos", marks="upos")
    heads = filtered(words.sentences, grammar.parameters, 5, "loose")
    drawn = random_trees(words.sentences)
    assert accuracy(words.sentences, drawn, gold) < accuracy(words.sentences, heads, gold)


def test_punctuation_as_words_can_be_scored() -> None:
    documents = made_up(60)
    stages = recipe("standard", model="dmv")
    for leaves in (True, False):
        words, ours, gold = punctuation_as_words(
            documents, documents, "upos", stages, leaves=leaves
        )
        assert 0 <= accuracy(words.sentences, ours, gold) <= 100
        assert len(ours) == len(gold)
