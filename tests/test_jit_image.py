"""Kernels that are ready run without Numba, and do the same; whatever is odd goes Numba's way."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import jit, jit_image, jit_kernel, jit_numba

pytestmark = pytest.mark.skipif(
    not jit.compiled() or not jit_kernel._has_images(), reason="there are no images here"
)


class Pair(NamedTuple):
    left: NDArray[np.float64]
    right: NDArray[np.float64]


def sum_of(pair: Pair, times: int) -> float:
    if times < 0:
        raise ValueError("less than never")
    found = 0.0
    for _ in range(times):
        for k in range(pair.left.shape[0]):
            found += np.exp(pair.left[k]) * pair.right[k]
    return found


def new_array(n: int) -> NDArray[np.float64]:
    return np.zeros(n)


def kernel_in(folder: Path, function: Any) -> Any:
    return jit_kernel.Kernel(function, {"nogil": True, "cache": True}, folder)


PAIR = Pair(np.array([0.0, 1.0]), np.array([2.0, 3.0]))
WANTED = 2 * (2.0 + 3.0 * np.exp(1.0))


def test_an_image_does_what_was_compiled(tmp_path: Path) -> None:
    compiled = kernel_in(tmp_path, sum_of)
    assert compiled(PAIR, 2) == pytest.approx(WANTED)
    assert len(list(tmp_path.glob("*.image"))) == 1
    ready = kernel_in(tmp_path, sum_of)
    assert ready(PAIR, 2) == compiled(PAIR, 2)
    assert ready._dispatcher is None, "it was not compiled"
    assert ready.signatures
    with pytest.raises(ValueError, match="less than never"):
        ready(PAIR, -1)


def test_other_types_have_other_code(tmp_path: Path) -> None:
    kernel = kernel_in(tmp_path, sum_of)
    kernel(PAIR, 2)
    narrow = Pair(*(array.astype(np.float32) for array in PAIR))
    assert kernel(narrow, 2) == pytest.approx(WANTED, rel=1e-6)
    every_other = Pair(*(np.repeat(array, 2)[::2] for array in PAIR))
    assert kernel(every_other, 2) == pytest.approx(WANTED)
    assert kernel(PAIR, np.int8(2)) == pytest.approx(WANTED)
    assert kernel(times=2, pair=PAIR) == pytest.approx(WANTED)
    assert len(list(tmp_path.glob("*.image"))) == 4


def test_values_of_one_type_are_of_one_kind() -> None:
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    values = [0, 1.0, True, None, (1, 2), (1, 2.0), np.int32(1), np.float32(1), PAIR, tuple(PAIR)]
    values += [np.zeros(3), frozen, np.zeros(3, np.int8), np.zeros((3, 3)), np.zeros((3, 3)).T]
    values += [np.zeros((3, 3))[::2], np.zeros(3, ">f8")]
    kinds = {repr(jit_kernel._kind(value)) for value in values}
    assert len(kinds) == len(values)
    assert jit_kernel._kind(7) == jit_kernel._kind(-8)
    assert jit_kernel._kind(7) == jit_kernel._kind(np.int64(7))
    assert jit_kernel._kind(True) == jit_kernel._kind(np.bool_(False)) != jit_kernel._kind(1)
    assert jit_kernel._kind(np.zeros(1)) == jit_kernel._kind(np.ones(5))
    for odd in (1 << 63, "text", [1], np.zeros(3, "M8[s]"), object()):
        with pytest.raises(jit_kernel._UnknownKind):
            jit_kernel._kind(odd)


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "other"])
def test_a_damaged_image_is_made_again(damage: str, tmp_path: Path) -> None:
    kernel_in(tmp_path, sum_of)(PAIR, 2)
    (file,) = tmp_path.glob("*.image")
    whole = file.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    bad = {"cut": whole[:-9], "changed": bytes(changed), "empty": b"", "other": b"x" * 999}
    file.write_bytes(bad[damage])
    again = kernel_in(tmp_path, sum_of)
    assert again(PAIR, 2) == pytest.approx(WANTED)
    assert again._dispatcher is not None
    assert kernel_in(tmp_path, sum_of)(PAIR, 2) == again(PAIR, 2)
    assert len(file.read_bytes()) > 999


def test_what_needs_more_than_its_code_has_no_image(tmp_path: Path) -> None:
    """An array that is given back has a type, which Numba keeps."""
    kernel = kernel_in(tmp_path, new_array)
    assert kernel(3).tolist() == [0, 0, 0]
    (file,) = tmp_path.glob("*.image")
    assert jit_image.unpacked(file.read_bytes()) is None
    again = kernel_in(tmp_path, new_array)
    assert again(3).tolist() == [0, 0, 0]
    assert sum(again.stats.cache_hits.values()) == 1, "and is not compiled again"


def test_what_is_no_object_file_has_no_image(tmp_path: Path) -> None:
    made = jit_numba.compiled_for(kernel_in(tmp_path, sum_of).dispatcher, (PAIR, 2))
    told = jit_numba.object_code(made)
    assert told is not None
    code, entry, environment = told
    assert jit_image.image_of(*told) is not None
    assert jit_image.image_of(b"no code", entry, environment) is None
    assert jit_image.image_of(code[:100], entry, environment) is None
    assert jit_image.image_of(code, "another", environment) is None
    arm = bytearray(code)
    arm[18] = 183
    assert jit_image.image_of(bytes(arm), entry, environment) is None


def test_a_name_that_is_nowhere_cannot_be_called(tmp_path: Path) -> None:
    kernel_in(tmp_path, sum_of)(PAIR, 2)
    (file,) = tmp_path.glob("*.image")
    image = jit_image.unpacked(file.read_bytes())
    assert image is not None
    assert jit_image.callable_of(image, sum_of) is not None
    missing = image._replace(names=["nothing_of_this_name", *image.names[1:]])
    assert jit_image.callable_of(missing, sum_of) is None


def test_code_of_another_processor_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel_in(tmp_path, sum_of)(PAIR, 2)
    monkeypatch.setattr(jit_kernel, "_machine", lambda: "another")
    other = kernel_in(tmp_path, sum_of)
    assert other(PAIR, 2) == pytest.approx(WANTED)
    assert other._dispatcher is not None


TEXT = """
import sys, caesura
doc = caesura.load("en-fast")("They didn't come. Did you?")
print(doc.n_words, "numba" in sys.modules, "llvmlite" in sys.modules)
if "then" in sys.argv:
    import numba, numpy
    from numba import _dynfunc
    from numba.core.runtime import _nrt_python
    from caesura.jit import kernel
    print(kernel(cache=False)(lambda n: numpy.arange(n).sum())(4), numba._dynfunc is _dynfunc)
"""


def test_a_pipeline_starts_without_numba_and_can_compile_afterwards() -> None:
    def told(*args: str) -> list[str]:
        command = [sys.executable, "-c", TEXT, *args]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
        return done.stdout.split()

    told()  # so that all is compiled
    assert told() == ["8", "False", "False"]
    assert told("then") == ["8", "False", "False", "6", "True"]


def test_kernels_are_pickled_by_name() -> None:
    from caesura.learn.updates import passive_aggressive

    assert pickle.loads(pickle.dumps(passive_aggressive)) is passive_aggressive
