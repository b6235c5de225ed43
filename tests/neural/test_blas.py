"""Products of matrices on one thread, and as many as before when all are done."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.neural import blas


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What a library was told, the last is what it has."""
    told = [8]
    fake = blas._Threads(lambda: told[-1], told.append)
    monkeypatch.setattr(blas, "_threads", lambda: fake)
    return told


def test_the_last_to_leave_puts_the_threads_back(threads: list[int]) -> None:
    with blas.one_thread():
        assert threads == [8, 1]
        with blas.one_thread():
            assert threads == [8, 1]
        assert threads[-1] == 1
    assert threads == [8, 1, 8]
    with pytest.raises(ValueError), blas.one_thread():
        raise ValueError
    assert threads[-1] == 8


def test_numpy_with_another_library_computes_as_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_threads", lambda: None)
    with blas.one_thread():
        assert np.eye(3)[0] @ np.eye(3)[0] == 1


def test_products_are_the_same() -> None:
    random = np.random.default_rng(3)
    a = random.standard_normal((300, 97)).astype(np.float32)
    b = random.standard_normal((97, 2000)).astype(np.float32)
    with blas.one_thread():
        alone = a @ b
    # Some processors add up in another order then.
    assert np.allclose(alone, a @ b, rtol=1e-5, atol=1e-5)
