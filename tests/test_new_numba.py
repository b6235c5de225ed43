"""What happens under a Numba that behaves otherwise: kernels get slower, not wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numba.core import caching

from caesura import jit, jit_kernel, jit_numba

pytestmark = pytest.mark.skipif(not jit.compiled(), reason="there is no compiler without JIT")


@pytest.fixture
def unknown_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if Numba were of a version that is not known, with a kernel folder of its own."""
    monkeypatch.setattr(jit, "KNOWN_NUMBA", (0, 0))
    monkeypatch.setattr(jit, "cache_root", lambda: tmp_path)
    return tmp_path


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
