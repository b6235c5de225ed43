"""What is learned around the network of many languages."""

from __future__ import annotations

import numpy as np
from benchmarks.multi_study.cutting import CutOptions, Lessons, learn

from caesura.neural.cutting import NEAR


def test_odds_are_learned_from_vectors_around_a_place() -> None:
    random = np.random.default_rng(3)
    vectors = random.standard_normal((3000, 6)).astype(np.float16)
    places = np.arange(NEAR, len(vectors) - NEAR)
    # A word begins where a number of the vector before is larger than one of that behind.
    begins = vectors[places - 1, 0] > vectors[places, 1]
    options = CutOptions(hidden=12, epochs=12, rate=1e-2, dropout=0.0, share=0.5)
    first, bias, second = learn(Lessons(vectors, places, begins), options)
    near = np.concatenate([vectors[places + step] for step in range(-NEAR, NEAR)], 1)
    points = np.maximum(near @ first + bias, 0) @ second[:-1] + second[-1]
    assert ((points > 0) == begins).mean() > 0.9
    doubled = learn(Lessons(vectors, places, begins), CutOptions(**vars(options) | {"share": 1.0}))
    assert np.allclose(doubled[2], 2 * second)
