"""Walks over two texts end, can be interrupted, and do not depend on how they are cut in slices."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import InternalError
from caesura.evaluate import conll18, myers, word_alignment
from caesura.evaluate.interruptible import DONE, MORE, STUCK, in_slices
from tests.evaluate.making import document

LETTERS = st.lists(st.integers(0, 3), max_size=40)


@pytest.fixture(autouse=True, scope="module")
def _listening() -> Iterator[None]:
    """Ctrl-C is heard also where the suite was started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def numbers(values: list[int]) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, dtype=np.int64)


def story(rng: random.Random, count: int) -> str:
    """Words, some of them multi-word tokens."""
    plain = ["we", "do", "not", "go", "|"]
    return "a " + " ".join(rng.choice([*plain, "don't=do+n't"]) for _ in range(count)) + " b"


def test_a_walk_that_does_not_end_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match=r"the walk does not come to an end.*please report"):
        in_slices(lambda: MORE, 5, "the walk")
    with pytest.raises(InternalError):
        in_slices(lambda: STUCK, 5, "the walk")
    answers = [DONE, MORE, MORE]
    in_slices(answers.pop, 3, "the walk")
    assert not answers


def test_a_search_that_makes_no_progress_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle of a piece must lie inside; one at its edge would be looked for again for ever."""
    monkeypatch.setattr(myers, "_fill_on", getattr(myers._fill_on, "py_func", myers._fill_on))
    monkeypatch.setattr(myers, "_middle", lambda a, b, *_: (0, 0, 1))
    with pytest.raises(InternalError, match="shortest edit script"):
        myers.match(numbers([1, 2, 3]), numbers([4, 5, 6]))


@given(LETTERS, LETTERS, st.integers(1, 300))
@settings(max_examples=100, deadline=None)
def test_slices_do_not_change_an_edit_script(left: list[int], right: list[int], work: int) -> None:
    a, b = numbers(left), numbers(right)
    gaps = np.array([[0, len(a), 0, len(b)]], dtype=np.int64)
    sliced = np.full(len(a), -1, dtype=np.int64)
    myers._fill(a, b, gaps, sliced, len(a) + len(b), work)
    whole = np.full(len(a), -1, dtype=np.int64)
    myers._fill(a, b, gaps, whole, len(a) + len(b))
    assert sliced.tolist() == whole.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_slices_do_not_change_the_alignment_of_words(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    written = story(rng, 60)
    gold, system = document(written), document(written.replace("=do+n't", "").replace(" we", "we"))
    expected = conll18([gold], [system])["Words"]
    inner = word_alignment._in_slices
    monkeypatch.setattr(word_alignment, "_in_slices", lambda *given: inner(*given, work=1))
    assert conll18([gold], [system])["Words"] == expected


class Interrupted:
    """A kernel during whose third slice somebody types Ctrl-C."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.slices = 0

    def __call__(self, *given: Any) -> int:
        self.slices += 1
        answer: int = self.kernel(*given)
        if self.slices == 3:
            signal.raise_signal(signal.SIGINT)
        return answer


def test_ctrl_c_is_heard_between_the_slices_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 5, 400), rng.integers(0, 5, 400)
    gaps = np.array([[0, len(a), 0, len(b)]], dtype=np.int64)
    kernel = Interrupted(myers._fill_on)
    monkeypatch.setattr(myers, "_fill_on", kernel)
    whole = np.full(len(a), -1, dtype=np.int64)
    partner = whole.copy()
    with pytest.raises(KeyboardInterrupt):
        myers._fill(a, b, gaps, partner, 800, work=1)
    assert kernel.slices == 3
    myers._fill(a, b, gaps, whole, 800, work=1)
    assert kernel.slices > 20
    assert np.count_nonzero(partner >= 0) < np.count_nonzero(whole >= 0)


def test_ctrl_c_is_heard_between_the_slices_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Interrupted(word_alignment._walk)
    monkeypatch.setattr(word_alignment, "_walk", kernel)
    inner = word_alignment._in_slices
    monkeypatch.setattr(word_alignment, "_in_slices", lambda *given: inner(*given, work=1))
    doc = document(story(random.Random(1), 60))
    with pytest.raises(KeyboardInterrupt):
        conll18([doc], [doc])
    assert kernel.slices == 3
