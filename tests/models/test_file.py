"""The model file: what was saved comes back, part by part; what is broken is refused."""

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

from caesura.errors import ModelError
from caesura.models.file import Part, load, save
from caesura.models.tensors import BadTensors, read_tensors

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
