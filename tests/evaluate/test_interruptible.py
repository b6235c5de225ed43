"""Long alignments stop at Ctrl-C, and wrong arguments of the core are refused."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from caesura import _core
from caesura.evaluate.edit_script import match


@pytest.fixture(autouse=True, scope="module")
def _listening() -> Iterator[None]:
    """Ctrl-C is heard also where the suite was started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_stops_a_search() -> None:
    rng = np.random.default_rng(1)
    # Two long texts without anchors: minutes of work.
    a, b = (rng.integers(0, 2, 3_000_000) * rng.integers(1, 900, 3_000_000) for _ in range(2))
    finished = threading.Event()

    def interrupt() -> None:
        if not finished.wait(0.3):
            signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            match(a, b)
    finally:
        finished.set()
        thread.join()


def longs(*values: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, dtype=np.int64)


WRONG = {
    "gap": lambda: _core.fill_gaps(longs(1), longs(1), np.array([[0, 2, 0, 1]]), longs(-1)),
    "partner": lambda: _core.fill_gaps(longs(1), longs(1), np.array([[0, 1, 0, 1]]), longs()),
    "same length": lambda: _core.align_words(
        longs(1), longs(), np.array([True]), longs(1), longs(), longs(), np.zeros(0, bool),
        longs(), False,
    ),
    "at has": lambda: _core.slide_gaps(longs(5), longs(1), longs(1), np.array([True])),
    "end has": lambda: _core.hash_spans(np.zeros(2, np.uint32), longs(0), longs(3)),
    "first has": lambda: _core.expand_tokens(
        longs(-1), longs(1), longs(1), longs(2), longs(1), longs(0), longs(0)
    ),
    "best and other": lambda: _core.prefer_alignment(longs(1), longs()),
    "parent has": lambda: _core.gather_spans(longs(1), longs(0), longs(0), longs(0)),
    "head has": lambda: _core.climb_heads(longs(1), np.array([True]), -2),
    "bounds must": lambda: _core.find_circles(longs(-1), longs(1, 0), np.array([False])),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_wrong_arguments_are_refused(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WRONG[message]()


def test_arrays_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError):
        _core.prefer_alignment(np.zeros(1, np.int32), longs(1))
