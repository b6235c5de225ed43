"""The learners: lazy AdaGrad against a dense twin, and what each of them fits."""

import numpy as np
import pytest

from caesura.parse.learning.branching_examples import Examples
from caesura.parse.learning.branching_updates import HINGE, LOGISTIC, PERCEPTRON, learn
from tests.reference.branching import dense_adagrad


def toy(states=80, features=12, labels=5, active=4):
    """States with a few features each, some labels illegal; transitions 0 to 4 are the labels."""
    rng = np.random.default_rng(7)
    rows = np.array([rng.choice(features, active, replace=False) for _ in range(states)], np.int32)
    legal = rng.integers(0, 1 << labels, states).astype(np.uint8)
    gold = (rows.min(axis=1) % labels).astype(np.int32)
    legal |= (1 << gold).astype(np.uint8)
    return Examples(rows, gold, legal, np.arange(states, dtype=np.int32))


def run(examples, learner, passes=1, width=32, least=0.0):
    weights = np.zeros((16, width), np.float32)
    more = np.zeros_like(weights)
    kinds = np.arange(5, dtype=np.int32)
    order = np.arange(len(examples.gold), dtype=np.int64)
    for n in range(passes):
        tick = float(n * len(order))
        loss, wrong = learn(examples, order, kinds, learner, weights, more, 0.02, 0.1, least, tick)
    return weights, loss, wrong


def test_lazy_adagrad_equals_the_dense_one():
    examples = toy()
    dense = np.zeros((len(examples.gold), 16))
    for x, rows in enumerate(examples.rows):
        dense[x, rows] = 1
    legal = np.array([[bool(can >> a & 1) for a in range(5)] for can in examples.legal.tolist()])
    expected = dense_adagrad(dense, legal, examples.gold, 0.02, 0.1)
    weights, _, _ = run(examples, LOGISTIC)
    assert np.abs(weights[:, :5] - expected).max() < 1e-6
    assert not weights[:, 5:].any()


@pytest.mark.parametrize("learner", [LOGISTIC, PERCEPTRON, HINGE])
def test_every_learner_fits_what_can_be_fitted(learner):
    examples = toy()
    _, first_loss, first_wrong = run(examples, learner)
    _, loss, wrong = run(examples, learner, passes=60)
    assert loss < first_loss
    assert wrong < first_wrong / 2


def test_labels_that_are_illegal_get_no_weight():
    examples = toy()
    only = examples._replace(gold=np.zeros(80, np.int32), legal=np.full(80, 0b11, np.uint8))
    weights, _, _ = run(only, LOGISTIC)
    assert weights[:, 0].any()
    assert weights[:, 1].any()
    assert not weights[:, 2:].any()


def test_small_slopes_can_be_left_alone():
    examples = toy()
    exact, _, _ = run(examples, LOGISTIC)
    near, _, _ = run(examples, LOGISTIC, least=0.001)
    far, _, _ = run(examples, LOGISTIC, least=0.999)
    assert np.abs(exact - near).max() < 0.001
    assert not far.any()
