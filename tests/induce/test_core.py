"""What the core checks, and its variants for instruction sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from caesura import _core
from caesura.induce import inference
from caesura.induce.arc_model import arc_posteriors
from caesura.induce.parameters import MODELS, Parameters
from caesura.induce.sentences import Sentences
from tests.reference import induce as naive

ROW = MODELS["dbm3"]


def sentences(longest: int) -> Sentences:
    rng = np.random.default_rng(longest)
    sizes = [*range(longest), longest]
    return Sentences.of(
        [rng.integers(0, 4, n).tolist() for n in sizes],
        [np.sort(rng.integers(0, 3, n)).tolist() for n in sizes],
    )


@pytest.fixture
def unrestricted() -> Iterator[None]:
    yield
    _core._testing.restrict_cpu("")


@pytest.mark.parametrize("name", ["avx2", "avx512"])
@pytest.mark.parametrize("constraint", ["none", "tear", "loose", "strict"])
def test_instruction_sets_give_the_same_bits(
    name: str, constraint: str, unrestricted: None
) -> None:
    words, parameters = sentences(35), naive.random_parameters(ROW, 4, 2)

    def everything() -> list[np.ndarray]:
        expected = inference.expect(words, parameters, ROW, constraint)
        best = inference.best(words, parameters, constraint)
        return [
            *expected.counts,
            expected.scores,
            best.heads,
            best.scores,
            arc_posteriors(words, parameters, constraint),
            inference.draw(words, parameters, constraint, seed=3),
        ]

    if not _core._testing.restrict_cpu(name):
        pytest.skip(f"the processor has no {name}")
    found = everything()
    _core._testing.restrict_cpu("portable")
    for one, two in zip(found, everything(), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"root": np.zeros((3, 4))}, "roots have the wrong shape"),
        ({"root": np.zeros((1, 5))}, "attachments have the wrong shape"),
        ({"attach": np.zeros((2, 3, 1, 4, 4))}, "attachments have the wrong shape"),
        ({"stop": np.zeros((2, 2, 1, 4))}, "stops have the wrong shape"),
        ({"stop": np.zeros((1, 2, 2, 4))}, "stops have the wrong shape"),
    ],
)
def test_damaged_tables_are_refused(change: dict[str, np.ndarray], reason: str) -> None:
    parameters = naive.random_parameters(ROW, 4, 2)
    with pytest.raises(_core.DamagedModel, match=reason):
        _ = parameters._replace(**change).core


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("classes", [0, -1, 2], "classes has the value -1"),
        ("marks", [0, 0], "must have a class, marks and a fragment"),
        ("comps", [1, 1], "must have a start"),
        ("starts", [0, 4], "must rise"),
    ],
)
def test_sentences_that_do_not_fit_together_are_refused(
    name: str, values: list[int], reason: str
) -> None:
    arrays = {
        "classes": np.array([0, 1, 2], np.int32),
        "marks": np.zeros(3, np.int32),
        "fragments": np.zeros(3, np.int32),
        "comps": np.ones(1, np.uint8),
        "starts": np.array([0, 3]),
    }
    arrays[name] = np.array(values, arrays[name].dtype)
    with pytest.raises(ValueError, match=reason):
        Sentences(*arrays.values()).core  # noqa: B018


def test_what_does_not_fit_sentences_is_refused() -> None:
    words, parameters = Sentences.of([[0, 1, 5]]), naive.random_parameters(ROW, 4, 2)
    with pytest.raises(ValueError, match="a class that the grammar does not know"):
        inference.likelihood(words, parameters)
    words = Sentences.of([[0, 1, 2]])
    with pytest.raises(ValueError, match="heads has the value 3"):
        inference.count(words, np.array([-1, 0, 3], np.int32), ROW, 4)
    with pytest.raises(ValueError, match="a place for each of its arcs"):
        words.core.heaviest(np.zeros(8), np.array([0, 8]), 0, np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="no such constraint"):
        words.core.weigh(parameters.core, 6, 0, 1, np.zeros(1))
    with pytest.raises(ValueError, match="a power of two"):
        words.core.score_arcs(np.zeros(3, np.int32), np.array([0, 9]), np.zeros(3), np.zeros(9))


def test_counts_take_the_shape_of_the_parameters() -> None:
    words, parameters = Sentences.of([[0, 1]]), naive.random_parameters(MODELS["dmv"], 4, 2)
    counts = Parameters(*naive.random_parameters(ROW, 4, 2))
    with pytest.raises(ValueError, match="the shape of the parameters"):
        words.core.expect(
            parameters.core, 0, 0, 1, counts.core_counts, np.zeros(1), np.zeros(1, np.uint8)
        )
