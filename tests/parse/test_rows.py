"""Sums over rows of weights in every instruction set, and what the core refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import caesura._core as core
from caesura.models.packing import pack, unpack_sparse

testing: Any = pytest.importorskip("caesura._core")._testing


def some_table(rows: int, width: int, seed: int = 0, most: int = 15) -> NDArray[np.int8]:
    """Rows of none, few and many weights."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-127, 128, (rows, width)).astype(np.int8)
    share = rng.choice([0.0, 0.02, 0.1, 0.3, 1.0], (rows, 1))
    table[rng.random((rows, width)) >= share] = 0
    table[:, -1] = rng.integers(0, most, rows)
    return table


def added(table: NDArray[np.int8], rows: NDArray[np.uint64]) -> NDArray[np.int64]:
    wide = table[rows].astype(np.int64)
    return np.asarray((wide << wide[:, -1:]).sum(0))[:-1]


@pytest.mark.parametrize("width", [32, 64, 96, 128, 160, 288])
def test_sums_are_the_same_in_every_variant(variant: str, width: int) -> None:
    table = some_table(256, width)
    rng = np.random.default_rng(1)
    compact = core.ParserRows.of_table(table, 1.0)
    low = some_table(256, width, most=3)
    for size in (0, 1, 2, 7, 40):
        rows = rng.integers(0, 256, size).astype(np.uint64)
        assert np.array_equal(testing.sum_bytes(table, rows, False)[:-1], added(table, rows))
        assert np.array_equal(testing.sum_rows(compact, rows)[:-1], added(table, rows))
        if size < 32:
            assert np.array_equal(testing.sum_bytes(low, rows, True)[:-1], added(low, rows))
        floats = table.astype(np.float32) * np.float32(0.1)
        total = np.zeros(width, np.float32)
        for row in rows:
            total += floats[row]
        assert np.array_equal(testing.sum_floats(floats, rows), total)
        wide = table.astype(np.int32)
        chosen = rows.astype(np.int64)
        kept, scores = testing.join_sums(wide, chosen, 0.25)
        assert np.array_equal(kept, wide[chosen].sum(0))
        assert np.array_equal(scores, kept.astype(np.float32) * np.float32(0.25))


def test_scores_that_are_no_numbers_are_left_out(variant: str) -> None:
    scores = np.full(96, np.nan, np.float32)
    assert testing.highest_score(scores, 0.0)[0] == np.float32(-3e38)
    scores[[3, 40, 95]] = -1.0, 2.0, 1.5
    assert testing.highest_score(scores, -1.0) == (2.0, 1 << 3)
    scores[:] = -0.0
    scores[32] = 0.0  # the first of a lane stays
    assert np.signbit(testing.highest_score(scores, 0.0)[0])
    assert testing.highest_score(scores, 0.0)[1] == (1 << 32) - 1


def test_sparse_rows_give_the_dense_table() -> None:
    table = some_table(64, 96)[:, :90].astype(np.float32) / 64
    rows = unpack_sparse(pack(table), 90)
    found = core.ParserRows(*rows, 96)
    assert len(found) == 64
    dense = found.table()
    again = dense * np.ldexp(found.unit, dense[:, -1:].astype(np.int32))
    assert np.allclose(again[:, :90], table, atol=2e-2)
    assert np.array_equal(again[:, :90], rows_of(rows, 90))


def rows_of(rows: Any, width: int) -> NDArray[np.float32]:
    dense = np.zeros((len(rows.counts), width), np.float32)
    row = np.repeat(np.arange(len(rows.counts)), rows.counts)
    dense[row, rows.columns] = rows.weights()
    return dense


@pytest.mark.parametrize(
    "damage",
    [
        lambda r: r | {"counts": r["counts"][:-1]},
        lambda r: r | {"counts": r["counts"] + np.uint8(1)},
        lambda r: r | {"columns": r["columns"] + np.uint8(200)},
        lambda r: r | {"columns": r["columns"].astype(np.int64)},
        lambda r: r | {"values": r["values"][1:]},
        lambda r: r | {"exponents": r["exponents"][:-1], "counts": r["counts"][:-1]},
        lambda r: r | {"width": 33},
        lambda r: r | {"width": 0},
    ],
)
def test_damaged_rows_are_refused(damage: Any) -> None:
    rows = unpack_sparse(pack(some_table(64, 96)[:, :90].astype(np.float32)), 90)
    whole = rows._asdict() | {"width": 96}
    core.ParserRows(*whole.values())
    with pytest.raises(core.DamagedModel):
        core.ParserRows(*damage(whole).values())
