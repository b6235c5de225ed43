"""Inference equals the enumeration of all label sequences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura._core import Chain
from caesura.stages.tagger_features import ATTRIBUTES, parse_templates
from caesura.stages.tagger_tables import Transitions, transition_sizes
from tests.reference import tag as naive
from tests.tag.test_core import table

CLASSES = 4
MARGIN = 2.5


def transitions(rng: np.random.Generator, order: int) -> Transitions:
    pairs, size = transition_sizes(CLASSES, order)
    return Transitions(*(rng.normal(size=n).astype(np.float32) for n in (pairs, size)))


def trigrams(moves: Transitions) -> dict[tuple[int, int, int], float]:
    """The weights of trigrams, for the twin."""
    if not len(moves.triples):
        return {}
    cube = moves.triples.reshape((CLASSES + 1,) * 3)
    return {key: float(value) for key, value in np.ndenumerate(cube)}


class Emissions:
    """A chain of words of which each has a type and given scores of labels."""

    def __init__(self, scores: NDArray[np.float32], moves: Transitions) -> None:
        words, classes = scores.shape
        vectors = np.zeros((words + 1, 1, classes), np.float32)
        vectors[1:, 0] = scores
        self.chain = Chain(table(classes), *parse_templates(["form[0]"]).of_chain, *moves, 4.0)
        self.words = (
            np.zeros((words + 1, len(ATTRIBUTES)), np.uint64),
            vectors,
            np.arange(1, words + 1, dtype=np.int32),
            np.array([0, words], np.int64),
            np.zeros(0, np.int32),
            np.ones((1, classes), np.bool_),
        )

    def best(self, width: int = CLASSES) -> list[int]:
        return self.chain.decode(*self.words, width, MARGIN).tolist()

    def marginals(self, width: int = CLASSES) -> list[dict[int, float]]:
        labels, masses = self.chain.marginals(*self.words, width, MARGIN)
        pairs = zip(labels.tolist(), masses.tolist(), strict=True)
        return [{y: m for y, m in zip(*pair, strict=True) if y >= 0} for pair in pairs]


def random_case(seed: int, order: int, n: int) -> tuple[Emissions, dict[tuple[int, ...], float]]:
    """A chain with random scores, and the score of each sequence of its candidates."""
    rng = np.random.default_rng(seed)
    moves = transitions(rng, order)
    scores = rng.normal(scale=2, size=(n, CLASSES)).astype(np.float32)
    emissions = scores.astype(float).tolist()
    allowed = [naive.candidates(row, MARGIN, CLASSES) for row in emissions]
    found = naive.all_scores(emissions, moves.pairs.tolist(), trigrams(moves), CLASSES, allowed)
    return Emissions(scores, moves), found


cases = given(st.integers(0, 10_000), st.sampled_from([1, 2]), st.integers(1, 5))


@cases
@settings(max_examples=40, deadline=None)
def test_forward_backward_equals_enumeration(seed: int, order: int, n: int) -> None:
    chain, scores = random_case(seed, order, n)
    for i, masses in enumerate(chain.marginals()):
        assert masses.keys() == {labels[i] for labels in scores}
        for label, mass in masses.items():
            assert mass == pytest.approx(naive.marginal(scores, i, label), abs=1e-5)


@cases
@settings(max_examples=40, deadline=None)
def test_viterbi_finds_the_best_sequence(seed: int, order: int, n: int) -> None:
    chain, scores = random_case(seed, order, n)
    assert scores[tuple(chain.best())] == pytest.approx(naive.best(scores), abs=1e-5)


@given(
    st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0, 4.0]), min_size=1, max_size=9),
    st.integers(1, 5),
)
@settings(max_examples=60, deadline=None)
def test_candidates_are_the_best_within_the_margin(scores: list[float], width: int) -> None:
    sizes = transition_sizes(len(scores), 1)
    moves = Transitions(*(np.zeros(n, np.float32) for n in sizes))
    chain = Emissions(np.array([scores], np.float32), moves)
    kept = naive.candidates(scores, MARGIN, width)
    assert chain.marginals(width)[0].keys() == set(kept)
    assert chain.best(width) == kept[:1]
