"""Hashing, index, updates: the kernels equal their slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import ModelError
from caesura.jit import kernel
from caesura.learn.hashing import mix
from caesura.learn.index import build, find
from caesura.learn.shuffle import epoch_order
from caesura.learn.sparse import add_rows_of
from caesura.learn.updates import adagrad, add, average, passive_aggressive
from caesura.models.packing import SparseRows
from tests.reference import learn as naive

small = st.floats(-4, 4, width=32)


@given(st.integers(0, naive.MASK))
@settings(max_examples=50)
def test_mix(value: int) -> None:
    assert int(mix(np.uint64(value))) == naive.mix(value)


@given(st.lists(st.integers(0, 2**32 - 1), unique=True, max_size=200))
@settings(max_examples=30)
def test_every_key_is_found_and_no_other(keys: list[int]) -> None:
    keys.sort()
    index = build(np.array(keys, np.uint32))
    for row, key in enumerate(keys):
        assert find(index, np.uint32(key)) == row
    for key in {0, 1, 2**32 - 1, 12345} - set(keys):
        assert find(index, np.uint32(key)) == -1


def test_rows_of_features_are_added_in_their_order() -> None:
    """Of those that have a row; a hash of 0 is no feature, whatever has its key."""
    rng = np.random.default_rng(3)
    begin = np.cumsum([0, *rng.integers(0, 4, 6)]).astype(np.uint32)
    column = rng.integers(0, 5, begin[-1]).astype(np.uint8)
    value = rng.integers(-100, 100, begin[-1]).astype(np.int8)
    rows = SparseRows(begin, column, value, rng.integers(-9, 9, 6).astype(np.int8))
    index = build(np.arange(6, dtype=np.uint32))
    hashes = np.array([9, 3, 0, 5, 5, 70, 1], np.uint64) << np.uint64(32) | np.uint64(7)
    hashes[2] = 0
    scores, found = np.ones(5, np.float32), np.zeros(7, np.int64)
    expected = scores.copy()
    for row in (3, 5, 5):
        for at in range(begin[row], begin[row + 1]):
            expected[column[at]] += np.float32(value[at]) * np.float32(2.0 ** rows.exponent[row])
    add_rows_of(index, rows, hashes, 0, 6, found, scores)
    assert np.array_equal(scores, expected)
    assert not np.array_equal(scores, np.ones(5))


def test_keys_that_were_chosen_to_meet_are_refused() -> None:
    """All want one of two slots: a table of them takes the square of their number to make."""
    inverse = pow(0x9E3779B1, -1, 1 << 32)
    wanted = np.arange(1 << 16, dtype=np.uint64) << np.uint64(17)
    keys = (wanted + (wanted >> np.uint64(32))) * np.uint64(inverse) & np.uint64(0xFFFFFFFF)
    keys = np.unique(keys.astype(np.uint32))
    assert len(keys) > 30_000
    with pytest.raises(ModelError, match="all want the same place"):
        build(keys)


@given(st.lists(st.tuples(st.integers(1, 20), small), max_size=10), st.integers(1, 30))
@settings(max_examples=50)
def test_lazy_average_is_the_plain_one(steps: list[tuple[int, float]], ticks: int) -> None:
    steps = [(tick, delta) for tick, delta in steps if tick <= ticks]
    weight, total = np.zeros(1, np.float32), np.zeros(1, np.float32)
    for tick, delta in steps:
        add(weight, total, 0, delta, float(tick))
    assert average(weight, total, ticks)[0] == pytest.approx(naive.average(steps, ticks), abs=1e-3)


@given(st.lists(small, max_size=8), st.sampled_from([0.0, 0.1]))
@settings(max_examples=50)
def test_adagrad(slopes: list[float], l2: float) -> None:
    weight, square, total = (np.zeros(1, np.float32) for _ in range(3))
    for slope in slopes:
        slope -= l2 * float(weight[0])
        add(weight, total, 0, adagrad(square, 0, slope, slope * slope, 0.1, 0.1), 1.0)
    assert weight[0] == pytest.approx(naive.adagrad(slopes, 0.1, 0.1, l2), abs=1e-4)


@given(st.floats(-1, 10), st.floats(0, 10), st.sampled_from([0.1, 1.0, float("inf")]))
@settings(max_examples=50)
def test_passive_aggressive(loss: float, norm: float, bound: float) -> None:
    want = naive.passive_aggressive(loss, norm, bound)
    assert passive_aggressive(loss, norm, bound) == pytest.approx(want)


def test_the_order_of_an_epoch_depends_on_seed_and_epoch_only() -> None:
    assert epoch_order(50, 1, 3).tolist() == epoch_order(50, 1, 3).tolist()
    assert sorted(epoch_order(50, 1, 3).tolist()) == list(range(50))
    assert epoch_order(50, 1, 3).tolist() != epoch_order(50, 1, 4).tolist()
    assert epoch_order(50, 1, 3).tolist() != epoch_order(50, 2, 3).tolist()


def test_kernels_can_be_borrowed_by_other_kernels() -> None:
    @kernel
    def twice(value: np.uint64) -> np.uint64:
        return mix(mix(value))

    assert int(twice(np.uint64(7))) == naive.mix(naive.mix(7))
