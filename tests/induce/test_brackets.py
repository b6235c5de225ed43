"""Trees drawn within brackets that are known, and where brackets come from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import formats
from caesura.document import Document
from caesura.errors import InputError
from caesura.induce import InduceOptions, induce
from caesura.induce.corpus import bracketed, corpus, nested, word_classes
from caesura.induce.initialise import draw_within, initialise
from caesura.induce.parameters import MODELS
from caesura.induce.punctuation_constraints import holds
from caesura.induce.sentences import Sentences
from caesura.tokenize import RuleTokenizer
from tests.reference import induce as naive

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
