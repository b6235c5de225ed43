"""The core's learners climb the gradient of the likelihood, and refuse data that do not fit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura._core import ChainLearner, ConditionalLearner, cancel_all, chain_keys, conditional_keys
from caesura.stages.tagger_features import ATTRIBUTES, parse_templates
from caesura.stages.tagger_tables import Transitions, transition_sizes
from tests.reference import tag as naive
from tests.tag.test_inference import trigrams

CLASSES = 4
#: The attributes of types, as the twin has them; the third has no second attribute.
WORDS = [naive.EDGE, (3, 5), (4, 5), (6, 0), (7, 8)]
#: Two sentences, by type, and the labels of their words.
TYPES = [[1, 2, 3, 1], [2, 4, 2]]
GOLD = [[0, 1, 3, 2], [1, 0, 1]]
NAMES = ("form[0]", "lower[0]", "form[1]", "form[-1]+form[0]", "form[0]+lower[1]")
ATOMS = [[(0, 0)], [(1, 0)], [(0, 1)], [(0, -1), (0, 0)], [(0, 0), (1, 1)]]

ATTRIBUTE_ROWS = np.zeros((len(WORDS), len(ATTRIBUTES)), np.uint64)
ATTRIBUTE_ROWS[:, :2] = WORDS
FLAT = np.concatenate([np.array(row, np.int32) for row in TYPES])
LABELS = np.concatenate([np.array(row, np.int32) for row in GOLD])
BEGINS = np.array([0, 4, 7], np.int64)
DATA = (ATTRIBUTE_ROWS, FLAT, BEGINS)
#: The first sentence in two parts, of which the second starts after an unknown word.
CHAINS = np.array([[0, 4, 0, 3], [0, 4, 3, 4], [4, 7, 4, 7]], np.int64)
TEMPLATES = parse_templates(NAMES)
TWIN = naive.feature_keys([[WORDS[t] for t in row] for row in TYPES], ATOMS)


@pytest.mark.parametrize("cutoff", [1, 2, 3])
def test_features_are_those_that_are_frequent(cutoff: int) -> None:
    found = chain_keys(*DATA, *TEMPLATES.of_chain, cutoff)
    assert found.tolist() == naive.frequent(TWIN, cutoff)
    assert len(found) >= 2


class Problem:
    """A learner of the sentences above with random weights, or with those of another one."""

    def __init__(self, order: int, margin: float = 100.0, **changes: Any) -> None:
        rng = np.random.default_rng(order)
        self.keys = chain_keys(*DATA, *TEMPLATES.of_chain, 1)
        sizes = ((len(self.keys), CLASSES), *transition_sizes(CLASSES, order))
        shapes = [size if isinstance(size, tuple) else (size,) for size in sizes]
        self.tables = [np.zeros((3, *shape), np.float32) for shape in shapes]
        for table in self.tables:
            table[0] = rng.normal(size=table[0].shape)
        self.margin = margin
        names = ("keys", "chains", "gold", "weights", "pairs", "triples", "width")
        values = (self.keys, CHAINS, LABELS, *self.tables, CLASSES)
        arguments = dict(zip(names, values, strict=True)) | changes
        self.learner = ChainLearner(*DATA, *TEMPLATES.of_chain, **arguments)

    def crf(self, rate: float, offset: float, order: list[int], tick: int = 1) -> float:
        learner, steps = self.learner, np.array(order, np.int64)
        return learner.crf(steps, rate, offset, 0.0, self.margin, tick)

    def loss(self, tables: list[NDArray[np.float32]] | None = None) -> float:
        """The loss of all chains, by the twin."""
        weights, pairs, triples = (table[0] for table in tables or self.tables)
        moves = Transitions(pairs, triples)
        rows = {key: row for row, key in enumerate(self.keys.tolist())}
        total = 0.0
        flat = [row for sentence in TWIN for row in sentence]
        for window_begin, _, begin, end in CHAINS.tolist():
            features = [
                [rows[key] for key in flat[i] if key is not None] for i in range(begin, end)
            ]
            emissions = [weights[own].astype(float).sum(axis=0).tolist() for own in features]
            gold = LABELS[begin:end].tolist()
            allowed = [
                naive.candidates(row, self.margin, CLASSES, must)
                for row, must in zip(emissions, gold, strict=True)
            ]
            if begin > window_begin:  # one word: nothing is known of its past
                scores = {(y,): emissions[0][y] for y in allowed[0]}
            else:
                weighted = moves.pairs.tolist(), trigrams(moves)
                scores = naive.all_scores(emissions, *weighted, CLASSES, allowed)
            total += naive.log_sum(scores) - scores[tuple(gold)]
        return total


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("margin", [100.0, 1.5])
def test_the_loss_is_that_of_enumeration(order: int, margin: float) -> None:
    problem = Problem(order, margin)
    assert problem.crf(0.0, 1.0, [0, 1, 2]) == pytest.approx(problem.loss(), abs=1e-4)


@pytest.mark.parametrize("order", [1, 2])
def test_the_step_is_the_finite_difference_gradient(order: int) -> None:
    before = Problem(order).tables
    made = [np.zeros_like(table[0]) for table in before]
    for chain in range(len(CHAINS)):
        problem = Problem(order)
        # With such an offset AdaGrad's step is the plain gradient.
        problem.crf(1e6, 1e6, [chain])
        for step, after, start in zip(made, problem.tables, before, strict=True):
            step += after[0] - start[0]
    eps = 0.02
    for number, step in enumerate(made):
        if not step.size:
            continue
        places = np.argsort(-np.abs(step), axis=None)[:12]
        for at in [*places.tolist(), 0]:
            losses = []
            for sign in (1, -1):
                probe = [table.copy() for table in before]
                probe[number][0].reshape(-1)[at] += sign * eps
                losses.append(Problem(order).loss(probe))
            slope = -(losses[0] - losses[1]) / (2 * eps)
            assert step.flat[at] == pytest.approx(slope, abs=3e-3), (number, at)


def test_training_lowers_the_loss_and_the_perceptron_stops_erring() -> None:
    problem = Problem(2)
    first = problem.loss()
    for epoch in range(30):
        problem.crf(0.5, 0.1, [0, 1, 2], 1 + 3 * epoch)
    assert problem.loss() < 0.2 * first
    problem = Problem(2)
    order = np.array([2, 0], np.int64)
    wrong = [problem.learner.perceptron(order, 100.0, 1 + 2 * epoch) for epoch in range(30)]
    assert wrong[0] > 0
    assert wrong[-1] == 0


def test_hashed_trigrams_are_learned() -> None:
    """A table that is too small for all trigrams, whose size is a power of two."""
    triples = np.zeros((3, 64), np.float32)
    problem = Problem(2, triples=triples)
    first = problem.crf(0.5, 0.1, [0, 2])
    assert np.count_nonzero(triples[0]) > 5
    assert problem.crf(0.5, 0.1, [0, 2], 3) < first


def test_a_column_is_learned_as_the_twin_learns_it() -> None:
    bounds, gold = np.array([0, 2, 5, 6, 6], np.int32), np.array([1, 2, -1, 0, 0, 1, 1], np.int32)
    names = (*NAMES[:4], "tag[-1]", "form[0]+tag[1]")
    atom = len(ATTRIBUTES)
    atoms = [*ATOMS[:4], [(atom, -1)], [(0, 0), (atom, 1)]]
    templates = parse_templates(names, labels=True).all
    words = [[WORDS[t] for t in row] for row in TYPES]
    keys = [row for rows in naive.feature_keys(words, atoms, GOLD, atom) for row in rows]
    sizes = np.diff(bounds)[LABELS].tolist()
    open_keys = [row for row, size in zip(keys, sizes, strict=True) if size > 1]
    data = (*DATA, LABELS, bounds, templates)
    found = conditional_keys(*data, 1)
    assert found.tolist() == naive.frequent([open_keys], 1)
    kept = conditional_keys(*data, 2)
    assert kept.tolist() == naive.frequent([open_keys], 2)

    weights = np.zeros((3, len(kept), 3), np.float32)
    learner = ConditionalLearner(*data, kept, gold, weights)
    twin = naive.Logistic(0.3, 0.1)
    order = [6, 0, 4, 1, 5, 0, 1]
    rows = {key: row for row, key in enumerate(kept.tolist())}
    losses = []
    for i in order:
        own = [rows[key] for key in keys[i] if key in rows]
        losses.append(twin.learn(own, int(gold[i]), sizes[i]))
    loss = learner.learn(np.array(order, np.int64), 0.3, 0.1, 1)
    assert loss == pytest.approx(sum(losses), abs=1e-5)
    for table, want in zip(weights, (twin.weight, twin.square, twin.total), strict=True):
        assert np.count_nonzero(table) == len(want)
        for at, value in want.items():
            assert table[at] == pytest.approx(value, abs=1e-4)
    with pytest.raises(ValueError, match="no value to learn"):
        learner.learn(np.array([2], np.int64), 0.3, 0.1, 1)
    with pytest.raises(ValueError, match="no value of its label"):
        ConditionalLearner(*data, kept, gold + 1, weights)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("chains", np.array([[0, 4, 3, 5]], np.int64), "within its window"),
        ("chains", np.array([[0, 4, 3, 3]], np.int64), "within its window"),
        ("chains", np.array([[0, 9, 3, 9]], np.int64), "within its window"),
        ("chains", np.zeros((1, 3), np.int64), "four numbers"),
        ("gold", LABELS + np.int32(1), "gold has the value 4"),
        ("gold", LABELS[1:], "needs a label"),
        ("keys", np.zeros(1, np.uint32), "wrong shape"),
        ("pairs", np.zeros((3, CLASSES, CLASSES), np.float32), "wrong shape"),
        ("triples", np.zeros((3, 63), np.float32), "wrong size"),
        ("width", 0, "from 1 to 127"),
    ],
)
def test_data_that_do_not_fit_are_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Problem(2, **{name: value})


@pytest.mark.parametrize("chain", [-1, 3])
def test_an_order_of_other_chains_is_refused(chain: int) -> None:
    with pytest.raises(ValueError, match="order has the value"):
        Problem(1).crf(0.1, 0.1, [chain])


def test_a_long_call_can_be_cancelled() -> None:
    problem, ended = Problem(2), threading.Event()

    def learn() -> None:
        with pytest.raises(KeyboardInterrupt):
            problem.crf(0.1, 0.1, [0, 1, 2] * 3_000_000)
        ended.set()

    thread = threading.Thread(target=learn)
    thread.start()
    while not ended.wait(0.05):
        cancel_all()
    thread.join()
