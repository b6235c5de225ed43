"""A bias of 1 is twice as many boundaries: how the scale is measured, kept and refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ModelError, UsageError
from caesura.learn.tuning import measure, sample
from caesura.stages.bias import GRID, BiasScale, check_bias
from tests.parse.toy import corpus

SCALE = BiasScale((-4, -2, -1, -0.6, 0, 0.5, 1, 2, 5), (-2, -1, -0.5, -0.2, 0, 0.1, 0.2, 0.4, 1))


def boundaries(spread: float, words: int = 10_000, centre: float = 2.7):
    """A scorer that is this sure of itself, and how often it was asked."""
    asked: list[float] = []

    def count(bonus: float) -> int:
        asked.append(bonus)
        return round(words / (1.0 + math.exp(centre - bonus / spread)))

    return count, asked


@pytest.mark.parametrize("spread", [0.05, 0.3, 1.0, 4.0])
def test_what_is_measured_is_what_was_asked_for(spread: float) -> None:
    count, asked = boundaries(spread)
    points = measure(count)
    assert points is not None
    assert len(asked) == len(set(asked)) < 60
    for bias, bonus in zip(GRID, points, strict=True):
        assert count(bonus) == pytest.approx(count(0.0) * 2.0**bias, rel=0.02)


def test_what_no_bonus_reaches_lies_on_the_line_that_leads_there() -> None:
    count, _ = boundaries(1.0, centre=-0.5)  # more than half of the words start a sentence
    points = measure(count)
    assert points is not None
    at = dict(zip(GRID, points, strict=True))
    assert count(at[-1.0]) == pytest.approx(count(0.0) / 2, rel=0.02)
    assert at[0.5] < at[1.0] < at[2.0]
    assert at[2.0] - at[1.0] == pytest.approx(2 * (at[1.0] - at[0.5]), rel=0.01)


def test_too_few_boundaries_and_a_deaf_scorer_say_nothing() -> None:
    assert measure(lambda bonus: 5) is None
    assert measure(lambda bonus: 500) is None


def test_a_search_that_wavers_gives_a_scale_that_does_not() -> None:
    count, _ = boundaries(1.0, words=400)
    points = measure(lambda bonus: count(bonus) + (3 if int(bonus * 1000) % 2 else -3))
    assert points is not None
    assert list(points) == sorted(points)
    assert points[len(GRID) // 2] == 0


@given(st.floats(-2, 2), st.floats(-2, 2), st.booleans())
def test_more_bias_is_worth_no_less(one: float, other: float, edited: bool) -> None:
    low, high = sorted((one, other))
    assert SCALE.bonus(low, edited) <= SCALE.bonus(high, edited)


def test_measured_points_are_met_and_no_bias_is_no_bonus() -> None:
    for bias, edited, unedited in zip(GRID, SCALE.edited, SCALE.unedited, strict=True):
        assert SCALE.bonus(bias) == edited
        assert SCALE.bonus(bias, edited=False) == unedited
    assert SCALE.bonus(0.0) == SCALE.bonus(-0.0) == 0.0
    assert SCALE.bonus(1.5) == 3.5


@pytest.mark.parametrize("bias", [2.01, -3.0, 1e39, math.inf, -math.inf, math.nan])
def test_what_is_no_bias_is_refused(bias: float) -> None:
    with pytest.raises(UsageError, match="must be from -2 to 2"):
        check_bias(bias)
    with pytest.raises(UsageError, match="must be from -2 to 2"):
        SCALE.bonus(bias)


def test_a_model_file_keeps_its_scale_and_an_older_one_has_the_default() -> None:
    default = BiasScale(tuple(GRID))
    assert BiasScale.from_config(SCALE.as_config(), default) == SCALE
    assert BiasScale.from_config({}, default) == default
    half = BiasScale.from_config({"edited": list(SCALE.edited)}, default)
    assert (half.edited, half.unedited) == (SCALE.edited, default.unedited)


@pytest.mark.parametrize(
    "points",
    [
        [0.0],
        [-4, -2, -1, -0.6, 0.1, 0.5, 1, 2, 5],
        [-4, -2, -1, -0.6, 0, 0.5, 1, 2, math.inf],
        [-4, -2, -1, -0.6, 0, 1, 0.5, 2, 5],
        ["a"] * 9,
    ],
)
def test_a_damaged_scale_is_refused(points: list[float]) -> None:
    with pytest.raises(ModelError, match="scale of the bias"):
        BiasScale.from_config({"edited": points}, SCALE)


def test_a_sample_is_no_longer_than_was_asked_for() -> None:
    docs = corpus(3, 30)
    chosen = sample(docs, 100)
    assert 90 <= sum(doc.n_words for doc in chosen) <= 100
    assert [doc.contents() for doc in sample(docs, 100)] == [doc.contents() for doc in chosen]
    assert sample(docs, 10**6) == docs
    assert sample([], 100) == []
