"""Stops from runs of words that can be left out."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import UsageError
from caesura.induce import InduceOptions, Inducer
from caesura.induce.corpus import corpus, word_classes
from caesura.induce.parameters import find_model
from caesura.induce.priors import (
    LONGEST,
    RUN,
    prior_counts,
    reduce_documents,
    reduce_text,
    stop_estimates,
)
from tests.reference.grammars import made_up


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
