"""Hashing, index, updates: the core equals the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura._core import DamagedModel, LinearTable, _testing
from caesura.learn.folds import epoch_order
from caesura.learn.weights import average
from tests.reference import learn as naive

small = st.floats(-4, 4, width=32)


@given(st.integers(0, naive.MASK))
@settings(max_examples=50)
def test_mix(value: int) -> None:
    assert _testing.mix(value) == naive.mix(value)


@given(st.lists(st.integers(0, 2**32 - 1), unique=True, max_size=200))
@settings(max_examples=30)
def test_every_key_is_found_and_no_other(keys: list[int]) -> None:
    table = np.array(sorted(keys), np.uint32)
    assert _testing.find_rows(table, table).tolist() == list(range(len(keys)))
    others = np.array(sorted({0, 1, 2**32 - 1, 12345} - set(keys)), np.uint32)
    assert (_testing.find_rows(table, others) == -1).all()


@pytest.mark.parametrize("columns", [np.uint8, np.uint16])
@pytest.mark.parametrize("values", [np.int8, np.int16])
def test_rows_of_features_are_added_in_their_order(columns: type, values: type) -> None:
    """Only those that have a row; a hash of 0 is no feature, even if its key has a row."""
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 4, 6).astype(columns)
    begin = np.cumsum([0, *counts])
    column = rng.integers(0, 5, begin[-1]).astype(columns)
    value = rng.integers(-100, 100, begin[-1]).astype(values)
    exponent = rng.integers(-9, 9, 6).astype(np.int8)
    table = LinearTable(np.arange(6, dtype=np.uint32), counts, column, value, exponent, 5)
    hashes = np.array([9, 3, 0, 5, 5, 70], np.uint64) << np.uint64(32) | np.uint64(7)
    hashes[2] = 0
    scores = np.ones(5, np.float32)
    expected = scores.copy()
    for row in (3, 5, 5):
        for at in range(begin[row], begin[row + 1]):
            expected[column[at]] += np.float32(value[at]) * np.float32(2.0 ** exponent[row])
    _testing.add_rows(table, hashes, scores)
    assert np.array_equal(scores, expected)
    assert not np.array_equal(scores, np.ones(5))


@pytest.mark.parametrize(
    ("counts", "column", "exponent"),
    [
        ([1], [3], [0]),  # a column outside of the table
        ([2], [0], [0]),  # a row outside of the list
        ([0], [0], [0]),  # a weight of no row
        ([1, 0], [0], [0]),  # more counts than rows
        ([1, 0], [0], [0, 0]),  # more rows than keys
        ([1], [0], [65]),  # a scale that is too large
    ],
)
def test_damaged_tables_are_refused(
    counts: list[int], column: list[int], exponent: list[int]
) -> None:
    arrays = np.array(counts, np.uint8), np.array(column, np.uint8), np.zeros(1, np.int8)
    with pytest.raises(DamagedModel):
        LinearTable(np.zeros(1, np.uint32), *arrays, np.array(exponent, np.int8), 3)


def test_keys_that_were_chosen_to_meet_are_found() -> None:
    """All are in one bucket of the index."""
    keys = np.arange(1 << 16, dtype=np.uint32) * np.uint32(3) + np.uint32(7 << 20)
    others = np.concatenate([keys + np.uint32(1), keys[:1] - np.uint32(1)])
    assert _testing.find_rows(keys, keys).tolist() == list(range(len(keys)))
    assert (_testing.find_rows(keys, others) == -1).all()


@pytest.mark.parametrize("keys", [[2, 1], [1, 1]])
def test_keys_that_do_not_rise_are_refused(keys: list[int]) -> None:
    with pytest.raises(DamagedModel, match="do not rise"):
        _testing.find_rows(np.array(keys, np.uint32), np.zeros(0, np.uint32))


@given(st.lists(st.tuples(st.integers(1, 20), small), max_size=10), st.integers(1, 30))
@settings(max_examples=50)
def test_lazy_average_is_the_plain_one(steps: list[tuple[int, float]], ticks: int) -> None:
    steps = [(tick, delta) for tick, delta in steps if tick <= ticks]
    made = np.array(steps, np.float64).reshape(-1, 2)
    deltas, at = np.ascontiguousarray(made[:, 1]), np.ascontiguousarray(made[:, 0])
    weight, total = (np.array([x], np.float32) for x in _testing.add_steps(deltas, at))
    assert average(weight, total, ticks)[0] == pytest.approx(naive.average(steps, ticks), abs=1e-3)


@given(st.lists(small, max_size=8), st.sampled_from([0.0, 0.1]))
@settings(max_examples=50)
def test_adagrad(slopes: list[float], l2: float) -> None:
    weight = _testing.adagrad(np.array(slopes, np.float64), 0.1, 0.1, l2)
    assert weight == pytest.approx(naive.adagrad(slopes, 0.1, 0.1, l2), abs=1e-4)


@given(st.floats(-1, 10), st.floats(0, 10), st.sampled_from([0.1, 1.0, float("inf")]))
@settings(max_examples=50)
def test_passive_aggressive(loss: float, norm: float, bound: float) -> None:
    want = naive.passive_aggressive(loss, norm, bound)
    assert _testing.passive_aggressive(loss, norm, bound) == pytest.approx(want)


def test_the_order_of_an_epoch_depends_on_seed_and_epoch_only() -> None:
    assert epoch_order(50, 1, 3).tolist() == epoch_order(50, 1, 3).tolist()
    assert sorted(epoch_order(50, 1, 3).tolist()) == list(range(50))
    assert epoch_order(50, 1, 3).tolist() != epoch_order(50, 1, 4).tolist()
    assert epoch_order(50, 1, 3).tolist() != epoch_order(50, 2, 3).tolist()
