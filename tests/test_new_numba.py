"""What happens under a Numba that behaves otherwise: kernels get slower, not wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import caching

from caesura import jit, jit_kernel, jit_numba

pytestmark = pytest.mark.skipif(not jit.compiled(), reason="there is no compiler without JIT")


@pytest.fixture
def unknown_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As if Numba were of a version that is not known, with a kernel folder of its own."""
    monkeypatch.setattr(jit, "KNOWN_NUMBA", (0, 0))
    monkeypatch.setattr(jit, "cache_root", lambda: tmp_path)
    jit.trusted.cache_clear()
    yield tmp_path
    jit.trusted.cache_clear()


def test_llvm_does_what_its_plain_twins_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.learn import borrow_llvm, fetch_llvm
    from caesura.parse.scorers import simd_llvm

    assert borrow_llvm.agrees()
    assert fetch_llvm.agrees()
    assert simd_llvm.agrees()
    monkeypatch.setattr(simd_llvm.plain, "add_up", lambda *given: None)
    assert not simd_llvm.agrees()


def test_known_numba_is_trusted_without_trying(
    unknown_numba: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "KNOWN_NUMBA", jit.minor_version())
    monkeypatch.setattr(jit, "_try_out", lambda module: pytest.fail("it was tried"))
    assert jit.trusted("caesura.learn.borrow_llvm")
    assert not list(unknown_numba.rglob("*.trusted"))


@pytest.mark.parametrize("answer", [True, False])
def test_the_answer_of_a_trial_is_kept(
    answer: bool, unknown_numba: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr(jit, "_try_out", lambda module: tried.append(module) or answer)
    for _ in range(2):
        jit.trusted.cache_clear()
        if answer:
            assert jit.trusted("caesura.learn.borrow_llvm")
        else:
            with pytest.warns(RuntimeWarning, match="plain twin"):
                assert not jit.trusted("caesura.learn.borrow_llvm")
    assert tried == ["caesura.learn.borrow_llvm"]
    kept = [file.name for file in unknown_numba.rglob("*.trusted")]
    assert kept == ["caesura.learn.borrow_llvm.trusted"]


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("def agrees(): return True", True),
        ("def agrees(): return False", False),
        ("def agrees(): raise ValueError", False),
        ("def agrees():\n    import os\n    os.abort()", False),
        ("import numba.core.nothing_of_the_kind", False),
    ],
)
def test_llvm_is_tried_out_of_harms_way(
    body: str, answer: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some_llvm.py").write_text(body, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert jit._try_out("some_llvm") == answer


USE_OF_TWINS = """
import warnings
import numpy as np
from caesura import jit

jit.KNOWN_NUMBA = (0, 0)
jit._try_out = lambda module: False
warnings.simplefilter("ignore")
from caesura.learn.borrow import borrowed
from caesura.parse.scorers import simd_plain, simd_sums

assert simd_sums.add_rows is simd_plain.add_rows

@jit.kernel(cache=False)
def best(tables, rows, sums, out):
    table = borrowed(tables)[0]
    for place in range(4):
        simd_sums.add_rows(table, rows, place, len(rows), sums, place)
    simd_sums.add_up(sums, 0, 1, 2, 3, np.float32(0.5), out)
    first = simd_sums.at_least(out, 0, simd_sums.highest(out))
    return simd_sums.lowest_bit(first)

table = np.zeros((3, 32), dtype=np.int8)
table[1, 7], table[1, 31] = 5, 3
out = np.zeros(32, dtype=np.float32)
print(best((table,), np.ones(6, np.uint64), np.zeros((4, 32), np.int32), out), out[7])
"""


def test_plain_twins_take_the_place_of_llvm(tmp_path: Path) -> None:
    """A Numba that disagrees makes kernels slower, not wrong."""
    found = subprocess.run(
        [sys.executable, "-c", USE_OF_TWINS],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.split() == ["7", str(np.float32(0.5 * 5 * 8 * (6 + 5 + 4 + 3)))], (
        found.stderr
    )


def plus_one(number: int) -> int:
    return number + 1


plus_one.__module__ = "caesura.learn.some_kernel"


def test_a_kernel_that_is_not_kept_where_it_should_be_is_not_kept(
    unknown_numba: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: Any = jit.kernel(plus_one)
    assert Path(kept._cache.cache_path).is_relative_to(unknown_numba)
    monkeypatch.setattr(jit_numba, "_is_kept_in", lambda dispatcher, folder: False)
    lost: Any = jit.kernel(plus_one)
    assert lost(1) == 2
    assert lost._cache.cache_path is None


def test_kernels_load_by_numbas_own_way_if_it_has_changed(
    unknown_numba: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit_kernel, "_has_images", lambda: False)
    assert jit_numba._as_known()
    first: Any = jit.kernel(plus_one)
    assert "load_overload" in vars(first._cache)
    assert first(1) == 2
    lean: list[object] = []
    monkeypatch.setattr(jit_numba, "_load_lean", lambda *given: lean.append(given))
    own = caching.Cache.load_overload
    monkeypatch.setattr(caching.Cache, "load_overload", lambda *given: own(*given))
    assert not jit_numba._as_known()
    monkeypatch.setattr(jit_numba, "_LEAN", jit_numba._as_known())
    again: Any = jit.kernel(plus_one)
    assert again(1) == 2
    assert not lean, "Numba's own way was taken"
    assert sum(again.stats.cache_hits.values()) == 1
