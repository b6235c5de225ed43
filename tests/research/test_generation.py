"""Sentences drawn from a grammar."""

from __future__ import annotations

import numpy as np
from research.generation import draw_sentence

from caesura.induce import inference
from caesura.induce.parameters import MODELS, Parameters, empty, normalise
from caesura.induce.sentences import Sentences


def test_sentences_drawn_from_a_grammar_follow_it() -> None:
    """Counts of drawn trees give the grammar back."""
    row = MODELS["dbm1"]
    rng = np.random.default_rng(4)
    shape = empty(row, 2)
    random = Parameters(*(rng.random(t.shape) + 0.3 for t in shape[:4]), shape.fringe)
    parameters = normalise(random._replace(stop=random.stop + 1.5), row, 0.0)
    lists, trees, drawing = [], [], np.random.default_rng(7)
    for _ in range(4000):
        drawn_sentence = draw_sentence(parameters, 1, drawing, 200)
        assert drawn_sentence is not None
        lists.append(drawn_sentence[0])
        trees += drawn_sentence[1]
    drawn = normalise(
        inference.count(Sentences.of(lists), np.array(trees, dtype=np.int32), row, 2), row, 0.0
    )
    np.testing.assert_allclose(drawn.root, parameters.root, atol=0.03)
    np.testing.assert_allclose(drawn.stop, parameters.stop, atol=0.06)
    np.testing.assert_allclose(drawn.attach, parameters.attach, atol=0.06)
    assert draw_sentence(parameters, 1, drawing, 0) is None
