"""The likeliest labels of words with all that goes with them: order, given tags, jackknifing."""

from __future__ import annotations

from copy import copy

import numpy as np

from caesura.document import Document, KBestTags
from caesura.learn.tagger import jackknife
from caesura.stages.tagger import Posteriors, alternatives, together, with_right
from caesura.tag import Tagger, TaggerOptions
from tests.tag import toy
from tests.tag.test_tagger import bare, columns

COLUMNS = ("upos", "xpos", "feats", "lemma")


def test_the_label_that_a_word_got_comes_first() -> None:
    found = Posteriors(
        np.array([[4, 7, 2], [5, -1, -1], [1, 3, 6]], np.int32),
        np.array([[0.6, 0.3, 0.1], [1.0, 0.0, 0.0], [0.5, 0.3, 0.2]], np.float32),
    )
    options = alternatives(found, np.array([7, 5, 9], np.int32), 2)
    # Of the last word the label was not even a candidate.
    assert options.labels.tolist() == [[7, 4], [5, -1], [9, 1]]
    np.testing.assert_allclose(options.masses, [[0.3, 0.6], [1, 0], [0, 0.5]])


def test_options_carry_what_goes_with_the_tag(tagger: Tagger) -> None:
    docs = [bare(doc) for doc in toy.documents(3, seed=8)]
    plain = [copy(doc) for doc in docs]
    tagger.tag(plain)
    tagger.tag(docs, k=3, whole=True)
    assert [columns(doc) for doc in docs] == [columns(doc) for doc in plain]
    for doc in docs:
        options = doc.tag_options
        assert options is not None
        assert set(options.columns) == set(COLUMNS)
        for name in COLUMNS:
            assert np.array_equal(options.columns[name][:, 0], getattr(doc, name))
        assert np.all(options.probabilities.sum(axis=1) <= 1 + 1e-5)
        assert np.all(np.diff(options.probabilities[:, 1:], axis=1) <= 0)
        for xpos, feats in zip(
            *(options.columns[c].ravel() for c in ("xpos", "feats")), strict=True
        ):
            if doc.strings[xpos] in ("NN", "NNS"):
                assert doc.strings[feats].startswith("Number=")


def test_options_obey_given_tags(tagger: Tagger) -> None:
    doc = bare(toy.documents(1)[0])
    doc.set_column("upos", ["VERB" if i % 3 == 1 else "" for i in range(doc.n_words)])
    doc.set_column("xpos", ["ODD" if i == 2 else "" for i in range(doc.n_words)])
    doc.set_column("lemma", ["mine" if i % 2 else "" for i in range(doc.n_words)])
    doc.fixed = frozenset({"tags", "lemmas"})
    tagger.tag(doc, k=4, whole=True)
    options = doc.tag_options
    assert options is not None
    likely = options.probabilities > 0
    for word in range(doc.n_words):
        for choice in np.flatnonzero(likely[word]).tolist():
            said = {name: doc.strings[ids[word, choice]] for name, ids in options.columns.items()}
            assert said["upos"] == "VERB" or word % 3 != 1
            assert said["lemma"] == "mine" or word % 2 == 0
    assert not likely[2, 1:].any()


def test_jackknifed_options_know_the_right_tag() -> None:
    docs = toy.documents(8, seed=2)
    found = jackknife(docs, TaggerOptions(epochs=2), 2, choices=3)
    hits = 0
    for doc, gold in zip(found, docs, strict=True):
        options = doc.tag_options
        assert options is not None
        assert options.right is not None
        words = np.flatnonzero(options.right >= 0)
        hits += len(words)
        right = options.right[words]
        for name in ("upos", "xpos"):
            own = options.columns[name][words, right]
            assert doc.strings.take(own) == gold.strings.take(getattr(gold, name)[words])
    assert hits > 0.9 * sum(doc.n_words for doc in docs)


def test_a_gold_tag_that_is_no_option_is_unknown() -> None:
    gold = Document.from_spans("a b", [0, 2], [1, 3])
    gold.set_column("upos", ["NOUN", "ADV"])
    ids = gold.strings.ids(["VERB", "NOUN", "ADJ", "ADV"]).reshape(2, 2)
    options = KBestTags("upos", ids, np.array([[0.5, 0.5], [1.0, 0.0]], np.float32))
    assert with_right(options, gold).right.tolist() == [1, -1]
    assert together([options, options]).ids.shape == (4, 2)
