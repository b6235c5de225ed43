"""The model file and its packed tables: what was saved is read, what is broken is refused."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from caesura._core import LinearTable, _testing
from caesura.errors import ModelError
from caesura.models.file import Part, load, save
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
from caesura.models.tensors import BadTensors, read_tensors
from tests.reference import learn as naive

# ----------------------------------------------------------------------------------------- the file

TYPES = ["bool", "float16", "float32", "float64"]
TYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
some_arrays = st.dictionaries(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5),
    st.sampled_from(TYPES).flatmap(
        lambda name: arrays(np.dtype(name), array_shapes(min_dims=0, max_dims=3, min_side=0))
    ),
    max_size=4,
)


def read(blob: bytes) -> dict[str, Any]:
    return read_tensors(io.BytesIO(blob), len(blob))[0]


@given(some_arrays)
@settings(max_examples=50)
def test_arrays_come_back_as_safetensors_reads_them(given_arrays: dict[str, Any]) -> None:
    blob = to_safetensors(given_arrays)
    expected = from_safetensors(blob)
    found = read(blob)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


def test_large_arrays_come_back() -> None:
    big = np.arange(1 << 18, dtype=np.int32).reshape(-1, 2)
    blob = to_safetensors({"a": big, "b": big + 1})
    found = read(blob)
    assert sorted(found) == ["a", "b"]
    assert np.array_equal(found["b"], big + 1)


def blob_of(header: Any, data: bytes = b"\0" * 8) -> bytes:
    said = json.dumps(header).encode()
    return len(said).to_bytes(8, "little") + said + data


GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"\xff" * 8,
        b"\0" * 8,
        blob_of([]),
        blob_of({"x": 1}),
        blob_of({"x": {**GOOD, "dtype": "BF16"}}),
        blob_of({"x": {**GOOD, "shape": [3]}}),
        blob_of({"x": {**GOOD, "shape": [-1, -2]}}),
        blob_of({"x": {**GOOD, "shape": [True, 2]}}),
        blob_of({"x": {**GOOD, "data_offsets": [4, 12]}}, b"\0" * 12),
        blob_of({"x": GOOD, "y": GOOD}),
        blob_of({"x": GOOD}, b"\0" * 7),
        blob_of({"x": GOOD}, b"\0" * 9),
    ],
)
def test_broken_arrays_are_refused(blob: bytes) -> None:
    with pytest.raises((BadTensors, KeyError, TypeError, ValueError, AttributeError)):
        read(blob)


@given(st.binary(max_size=60))
@settings(max_examples=100)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError, RecursionError):
        read(data)


def test_changed_arrays_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "one.caesura"
    save(path, {"a": Part("parser", arrays={"w": np.arange(300, dtype=np.float32)})})
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries["model.safetensors"] = entries["model.safetensors"][:-1] + b"\x01"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(ModelError, match="do not match their checksum"):
        load(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_must_be_finite(tmp_path: Path, value: float) -> None:
    path = tmp_path / "nan.caesura"
    save(path, {"a": Part("parser", arrays={"w": np.array([value], np.float32)})})
    with pytest.raises(ModelError, match="NaN or infinity"):
        load(path)


def test_a_file_may_break_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "good.caesura"
    save(path, {"a": Part("parser", {"n": 1}, {"l": ["x"]}, {"w": np.arange(9)})}, card="card")
    good = path.read_bytes()
    broken = tmp_path / "broken.caesura"
    for at in range(0, len(good), 7):
        broken.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :])
        with contextlib.suppress(ModelError):
            load(broken)


def test_arrays_that_hardly_shrink_are_stored_as_they_are(tmp_path: Path) -> None:
    """To unpack them would take a tenth of every start."""
    noise = np.random.default_rng(3).integers(-128, 128, 300_000).astype(np.int8)
    for name, array, kind in (
        ("dense", noise, zipfile.ZIP_STORED),
        ("sparse", np.where(noise > 100, noise, 0).astype(np.int8), zipfile.ZIP_DEFLATED),
    ):
        path = tmp_path / name
        save(path, {"one": Part("tokenizer", arrays={"weights": array})})
        with zipfile.ZipFile(path) as archive:
            assert archive.getinfo("model.safetensors").compress_type == kind
        assert np.array_equal(load(path).parts["one"].arrays["weights"], array)
        save(path, load(path).parts, compress="all")
        with zipfile.ZipFile(path) as archive:
            assert archive.getinfo("model.safetensors").compress_type == zipfile.ZIP_DEFLATED
        assert np.array_equal(load(path).parts["one"].arrays["weights"], array)


# ------------------------------------------------------------------------------------ packed tables

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
