"""Lists of trees equal the sorted list of all trees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from research.kbest import k_best

from caesura.induce.parameters import MODELS
from caesura.induce.sentences import Sentences
from tests.reference import induce as naive


@pytest.mark.parametrize("model", ["dmv", "evg", "dbm3"])
@pytest.mark.parametrize("constraint", ["none", "thread", "tear", "sprawl", "loose"])
@settings(max_examples=10, deadline=None)
@given(words=naive.sentence(), seed=st.integers(0, 1000))
def test_k_best_lists_the_best_trees_in_order(
    model: str, constraint: str, words: tuple[list[int], list[int], int], seed: int
) -> None:
    classes, marks, comp = words
    parameters = naive.random_parameters(MODELS[model], 3, seed)
    trees = [t for t in naive.projective_trees(len(classes)) if naive.allowed(t, marks, constraint)]
    weights = sorted(naive.probability(t, classes, marks, comp, parameters) for t in trees)[::-1]
    one = Sentences.of([classes], [marks], [comp])
    heads, scores = k_best(one, 0, parameters, 10, constraint)
    np.testing.assert_allclose(np.exp(scores), weights[:10], rtol=1e-9)
    for tree, score in zip(heads, scores, strict=True):
        again = naive.probability(tuple(tree.tolist()), classes, marks, comp, parameters)
        assert math.log(again) == pytest.approx(score)
    assert len({tuple(t) for t in heads}) == len(heads)
