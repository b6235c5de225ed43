"""Packing: what comes out is what went in, rounded row by row; a broken table is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from caesura._core import LinearTable, _testing
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.models.packing import (
    Coded,
    book,
    encode,
    pack,
    pack_codes,
    pack_keys,
    unpack_codes,
    unpack_dense,
    unpack_keys,
    unpack_sparse,
)
from tests.reference import learn as naive

values = st.floats(-100, 100, width=32).map(lambda w: 0.0 if abs(w) < 1e-6 else w)
tables = arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=values)


@given(tables, st.sampled_from([8, 16]))
@settings(max_examples=50)
def test_packing_rounds_each_row_to_its_own_scale(table: np.ndarray, bits: int) -> None:
    again = unpack_dense(pack(table, bits=bits), table.shape[1])
    want = [naive.quantised(row, bits) for row in table.tolist()]
    np.testing.assert_allclose(again, want, rtol=1e-6)


@given(tables)
@settings(max_examples=30)
def test_all_ways_of_unpacking_agree(table: np.ndarray) -> None:
    packed = pack(table)
    dense = unpack_dense(packed, table.shape[1])
    sparse = unpack_sparse(packed, table.shape[1])
    keys = np.arange(len(table), dtype=np.uint32)
    linear = LinearTable(keys, *sparse, table.shape[1])
    for row in range(len(table)):
        high = int(sparse.counts[: row + 1].sum(dtype=np.int64))
        low = high - int(sparse.counts[row])
        assert sparse.weights()[low:high].tolist() == dense[row, sparse.columns[low:high]].tolist()
        assert high - low == np.count_nonzero(dense[row])
        sums = np.zeros(table.shape[1], np.float32)
        _testing.add_rows(linear, np.array([row << 32 | 1], np.uint64), sums)
        assert sums.tolist() == dense[row].tolist()


def test_small_weights_are_pruned() -> None:
    table = np.array([[0.01, 1.0, -0.04], [0.0, 0.0, 0.02]], np.float32)
    again = unpack_dense(pack(table, floor=0.05), 3)
    assert again.tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]


def test_many_classes_need_wider_columns() -> None:
    table = np.zeros((2, 300), np.float32)
    table[1, 299] = 2.0
    packed = pack(table)
    assert packed["columns"].dtype == np.uint16
    assert unpack_dense(packed, 300)[1, 299] == 2.0


@given(st.lists(st.integers(0, 2**32 - 1), unique=True, max_size=50))
@settings(max_examples=30)
def test_keys_come_back(keys: list[int]) -> None:
    sorted_keys = np.array(sorted(keys), np.uint32)
    assert unpack_keys(pack_keys(sorted_keys)).tolist() == sorted(keys)


def test_broken_tables_are_refused() -> None:
    packed = pack(np.ones((3, 4), np.float32))
    for name, broken in {
        "counts": packed["counts"][:-1],
        "columns": packed["columns"] + np.uint8(4),
        "values": packed["values"].astype(np.float32),
        "exponents": packed["exponents"].reshape(1, -1),
    }.items():
        with pytest.raises(ModelError, match="wrong shape"):
            unpack_sparse({**packed, name: broken}, 4)
    with pytest.raises(ModelError, match="has no 'values'"):
        unpack_sparse({n: a for n, a in packed.items() if n != "values"}, 4)
    with pytest.raises(ModelError, match="do not rise"):
        unpack_keys(np.array([5, 0], np.uint32))
    with pytest.raises(ValueError, match="8 or 16"):
        pack(np.ones((1, 1), np.float32), bits=4)


def _rows(coded: Coded) -> np.ndarray:
    return (np.cumsum(coded.gaps, dtype=np.int64) - 1)[coded.codes != 0]


def _decoded(coded: Coded, size: int) -> np.ndarray:
    weights = np.zeros(size, np.float32)
    weights[_rows(coded)] = book(coded.scale)[coded.codes[coded.codes != 0].astype(int) + 128]
    return weights


def test_codes_lose_little() -> None:
    weights = np.random.default_rng(1).normal(size=4096).astype(np.float32)
    weights[::3] = 0.0
    coded = encode(weights, prune=0.01)
    assert np.abs(_decoded(coded, 4096) - weights).max() < 0.05
    again = unpack_codes(Part("tokenizer", arrays=pack_codes("x", coded)), "x", 4096)
    assert np.array_equal(_decoded(again, 4096), _decoded(coded, 4096))
    assert np.array_equal(_rows(again), _rows(coded))


def test_no_codes() -> None:
    coded = encode(np.zeros(1024, dtype=np.float32), prune=0.01)
    part = Part("tokenizer", arrays=pack_codes("x", coded))
    assert not len(unpack_codes(part, "x", 1024).gaps)


def test_codes_of_far_rows_survive() -> None:
    weights = np.zeros(1 << 14, dtype=np.float32)
    weights[[0, 255, 256, 5000, (1 << 14) - 1]] = 1.0
    part = Part("tokenizer", arrays=pack_codes("x", encode(weights, 0.1)))
    assert np.array_equal(_decoded(unpack_codes(part, "x", 1 << 14), 1 << 14), weights)
    with pytest.raises(ModelError, match="rows of x lie outside its table"):
        unpack_codes(part, "x", 1 << 13)
