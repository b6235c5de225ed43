"""Inference equals enumeration, and training climbs the finite-difference gradient."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.tag.crf_training import ChainWeights, Step, crf_epoch, perceptron_epoch
from caesura.tag.features import FeatureRows
from caesura.tag.lattice import (
    Lattice,
    Transitions,
    backward,
    empty_transitions,
    forward,
    lattice_of,
    select,
    viterbi,
)
from tests.reference import tag as naive

CLASSES = 4


def random_case(seed: int, order: int, n: int) -> tuple[Lattice, Transitions, dict, list]:
    """A lattice with random candidates and scores, and the same for the twin."""
    rng = np.random.default_rng(seed)
    move = empty_transitions(CLASSES, order)
    move.pairs[:] = rng.normal(size=move.pairs.shape)
    triples = {}
    if order == 2:
        move.triples[:] = rng.normal(size=move.triples.shape)
        cube = move.triples.reshape(CLASSES + 1, CLASSES + 1, CLASSES + 1)
        triples = {key: float(value) for key, value in np.ndenumerate(cube)}
    lat = lattice_of(n, CLASSES)
    allowed, emissions = [], []
    for i in range(n):
        scores = rng.normal(scale=2, size=CLASSES).astype(np.float32)
        lat.size[i] = select(scores, 2.5, -1, lat.label[i], lat.score[i])
        allowed.append(lat.label[i, : lat.size[i]].tolist())
        emissions.append(scores.astype(float).tolist())
    found = naive.all_scores(emissions, move.pairs.tolist(), triples, CLASSES, allowed)
    return lat, move, found, allowed


cases = given(st.integers(0, 10_000), st.sampled_from([1, 2]), st.integers(1, 5))


@cases
@settings(max_examples=40, deadline=None)
def test_forward_backward_equals_enumeration(seed: int, order: int, n: int) -> None:
    lat, move, scores, allowed = random_case(seed, order, n)
    log_z = forward(lat, n, move, CLASSES)
    assert log_z == pytest.approx(naive.log_sum(scores), abs=1e-5)
    backward(lat, n, move, CLASSES)
    for i in range(n):
        before = lat.size[i - 1] if i else 1
        for b, label in enumerate(allowed[i]):
            mass = np.exp(lat.alpha[i, :before, b] + lat.beta[i, :before, b] - log_z).sum()
            assert mass == pytest.approx(naive.marginal(scores, i, label), abs=1e-5)


@cases
@settings(max_examples=40, deadline=None)
def test_viterbi_finds_the_best_sequence(seed: int, order: int, n: int) -> None:
    lat, move, scores, _ = random_case(seed, order, n)
    path = np.zeros(n, np.int32)
    top = viterbi(lat, n, move, CLASSES, path)
    assert top == pytest.approx(naive.best(scores), abs=1e-5)
    assert scores[tuple(path.tolist())] == pytest.approx(top, abs=1e-5)


@given(
    st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0, 4.0]), min_size=1, max_size=9),
    st.integers(1, 5),
)
@settings(max_examples=60, deadline=None)
def test_candidates_are_the_best_within_the_margin(scores: list[float], width: int) -> None:
    label, score = np.zeros(width, np.int32), np.zeros(width)
    kept = select(np.array(scores, np.float32), 3.0, -1, label, score)
    assert label[:kept].tolist() == naive.candidates(scores, 3.0, width)
    must = len(scores) - 1
    kept = select(np.array(scores, np.float32), 3.0, must, label, score)
    assert must in label[:kept]


def small_problem(order: int) -> tuple[ChainWeights, FeatureRows, np.ndarray]:
    """Five words of three types, one spot and one mixed template, random weights."""
    rng = np.random.default_rng(order)
    rows = FeatureRows(
        np.array([[1], [2], [3], [1], [2]], np.int32),
        np.array([0, 1], np.int32),
        np.array([[-1], [0], [1], [2]], np.int32),
        np.array([[3], [4], [-1], [3], [5]], np.int32),
    )
    weight = rng.normal(size=(6, CLASSES)).astype(np.float32)
    move = empty_transitions(CLASSES, order)
    move.pairs[:] = rng.normal(size=move.pairs.shape)
    move.triples[:] = rng.normal(size=move.triples.shape)
    none = [empty_transitions(CLASSES, order) for _ in range(2)]
    weights = ChainWeights(weight, weight * 0, weight * 0, move, *none)
    return weights, rows, np.array([0, 1, 3, 2, 1], np.int32)


def run(weights: ChainWeights, rows: FeatureRows, gold: np.ndarray, step: Step) -> float:
    copied = ChainWeights(*(_copy(part) for part in weights))
    loss = crf_epoch(
        copied,
        rows,
        gold,
        np.array([0, 3], np.int64),
        np.array([3, 5], np.int64),
        np.array([CLASSES, -1], np.int32),
        np.array([0], np.int64),
        step,
        1,
        lattice_of(5, CLASSES),
    )
    for target, source in zip(weights, copied, strict=True):
        _assign(target, source)
    return loss


def _copy(part: np.ndarray | Transitions) -> np.ndarray | Transitions:
    if isinstance(part, Transitions):
        return part._replace(pairs=part.pairs.copy(), triples=part.triples.copy())
    return part.copy()


def _assign(target: np.ndarray | Transitions, source: np.ndarray | Transitions) -> None:
    if isinstance(target, Transitions):
        target.pairs[:], target.triples[:] = source.pairs, source.triples
    else:
        target[:] = source


#: With such an offset AdaGrad's step is the plain gradient.
PLAIN = Step(1e6, 1e6, 0.0, 100.0)
STILL = Step(0.0, 1.0, 0.0, 100.0)


@pytest.mark.parametrize("order", [1, 2])
def test_the_step_is_the_finite_difference_gradient(order: int) -> None:
    weights, rows, gold = small_problem(order)
    before = ChainWeights(*(_copy(part) for part in weights))
    run(weights, rows, gold, PLAIN)
    tables = [("weight", weights.weight, before.weight)]
    tables.append(("pairs", weights.move.pairs, before.move.pairs))
    if order == 2:
        tables.append(("triples", weights.move.triples, before.move.triples))
    eps = 0.02
    for name, after, start in tables:
        step = (after - start).ravel()
        places = np.argsort(-np.abs(step))[:12]
        for at in [*places.tolist(), 0]:
            losses = []
            for sign in (1, -1):
                probe = ChainWeights(*(_copy(part) for part in before))
                table = probe.weight if name == "weight" else getattr(probe.move, name)
                table.reshape(-1)[at] += sign * eps
                losses.append(run(probe, rows, gold, STILL))
            slope = -(losses[0] - losses[1]) / (2 * eps)
            assert step[at] == pytest.approx(slope, abs=3e-3), (name, at)


def test_training_lowers_the_loss_and_the_perceptron_stops_erring() -> None:
    weights, rows, gold = small_problem(2)
    step = Step(0.5, 0.1, 0.0, 100.0)
    first = run(weights, rows, gold, step)
    for _ in range(20):
        last = run(weights, rows, gold, step)
    assert last < 0.2 * first
    weights, rows, gold = small_problem(2)
    wrong = 1.0
    for tick in range(30):
        wrong = perceptron_epoch(
            weights,
            rows,
            gold,
            np.array([0], np.int64),
            np.array([5], np.int64),
            np.array([CLASSES], np.int32),
            np.array([0], np.int64),
            100.0,
            1 + tick,
            lattice_of(5, CLASSES),
        )
    assert wrong == 0
