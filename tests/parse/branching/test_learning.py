"""The learners: lazy AdaGrad against a dense twin, and what each of them fits."""

import numpy as np
import pytest

from caesura._core import BranchingExamples
from tests.reference.branching import dense_adagrad


def toy(states=80, features=12, labels=5, active=4):
    """States with a few features each, some labels illegal; transitions 0 to 4 are the labels."""
    rng = np.random.default_rng(7)
    rows = np.array([rng.choice(features, active, replace=False) for _ in range(states)], np.int32)
    legal = rng.integers(0, 1 << labels, states).astype(np.uint8)
    gold = (rows.min(axis=1) % labels).astype(np.int32)
    legal |= (1 << gold).astype(np.uint8)
    return rows, gold, legal


def examples_of(rows, gold, legal):
    sentence, row_of = np.arange(len(gold), dtype=np.int32), np.arange(16, dtype=np.uint32)
    return BranchingExamples(rows, gold, legal, sentence, row_of)


def run(columns, learner, passes=1, width=32, least=0.0):
    examples = examples_of(*columns)
    weights = np.zeros((16, width), np.float32)
    more = np.zeros_like(weights)
    kinds = np.arange(5, dtype=np.int32)
    order = np.arange(len(examples))
    for n in range(passes):
        tick = float(n * len(order))
        steps = (weights, more, 0.02, 0.1, least, tick)
        loss, wrong = examples.learn(order, kinds, learner, *steps)
    return weights, loss, wrong


def test_lazy_adagrad_equals_the_dense_one():
    rows, gold, legal = toy()
    dense = np.zeros((len(gold), 16))
    for x, own in enumerate(rows):
        dense[x, own] = 1
    allowed = np.array([[bool(can >> a & 1) for a in range(5)] for can in legal.tolist()])
    expected = dense_adagrad(dense, allowed, gold, 0.02, 0.1)
    weights, _, _ = run((rows, gold, legal), "logistic")
    assert np.abs(weights[:, :5] - expected).max() < 1e-6
    assert not weights[:, 5:].any()


@pytest.mark.parametrize("learner", ["logistic", "perceptron", "svm"])
def test_every_learner_fits_what_can_be_fitted(learner):
    examples = toy()
    _, first_loss, first_wrong = run(examples, learner)
    _, loss, wrong = run(examples, learner, passes=60)
    assert loss < first_loss
    assert wrong < first_wrong / 2


def test_labels_that_are_illegal_get_no_weight():
    rows, _, _ = toy()
    only = (rows, np.zeros(80, np.int32), np.full(80, 0b11, np.uint8))
    weights, _, _ = run(only, "logistic")
    assert weights[:, 0].any()
    assert weights[:, 1].any()
    assert not weights[:, 2:].any()


def test_small_slopes_can_be_left_alone():
    examples = toy()
    exact, _, _ = run(examples, "logistic")
    near, _, _ = run(examples, "logistic", least=0.001)
    far, _, _ = run(examples, "logistic", least=0.999)
    assert np.abs(exact - near).max() < 0.001
    assert not far.any()


def test_examples_that_do_not_fit_are_refused():
    rows, gold, legal = toy()
    with pytest.raises(ValueError, match="rows has the value"):
        examples_of(rows + 88, gold, legal)
    with pytest.raises(ValueError, match="same length"):
        examples_of(rows, gold[1:], legal)
    with pytest.raises(ValueError, match="gold has the value 5"):
        run((rows, np.full_like(gold, 5), legal), "logistic")
    with pytest.raises(ValueError, match="learner must be"):
        run((rows, gold, legal), "newton")
