"""The alignment in the core: equal to its twins, interruptible, strict about arguments."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caesura import _core
from caesura.errors import InputError
from caesura.evaluate import word_alignment
from caesura.evaluate.atoms import atoms
from caesura.evaluate.edit_script import match
from caesura.evaluate.token_ranges import align_to_text
from tests.evaluate.making import document
from tests.reference import evaluate as twin

# -------------------------------------------------------------------------------------------- twins

LETTERS = "ab'\"-"
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=4), min_size=1, max_size=8)


def longs(values: object) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, dtype=np.int64)


def points(text: str) -> np.ndarray:  # type: ignore[type-arg]
    return np.array([ord(character) for character in text], dtype=np.uint32)


def spans(words: list[str]) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    sizes = longs([len(word) for word in words])
    ends = np.cumsum(sizes)
    return ends - sizes, ends


@given(WORDS)
def test_hashes_of_tokens(words: list[str]) -> None:
    start, end = spans(words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = _core.hash_spans(points("".join(words)), start, end).tolist()
    assert found == twin.hashes(
        points("".join(words)).tolist(), list(zip(start.tolist(), end.tolist(), strict=True))
    )
    assert len(set(found)) == len(set(words))


@given(WORDS, WORDS, st.data())
def test_letters_of_matched_tokens(
    words: list[str], others: list[str], data: st.DataObject
) -> None:
    """Tokens are matched in rising order, some of them wrongly."""
    (start, _), (there, _) = spans(words), spans(others)
    ours, theirs = atoms(points("".join(words)), start), atoms(points("".join(others)), there)
    size = data.draw(st.integers(0, min(len(words), len(others))))
    mine = sorted(data.draw(st.permutations(range(len(words))))[:size])
    other = sorted(data.draw(st.permutations(range(len(others))))[:size])
    first = np.searchsorted(ours.start, start[mine]).astype(np.int64)
    sizes = longs([len(others[i]) for i in other])
    at = np.full(len(ours.value), -1, dtype=np.int64)
    _core.expand_tokens(at, ours.value, theirs.value, first, sizes, theirs.start, there[other])
    tokens = list(zip(first.tolist(), sizes.tolist(), there[other].tolist(), strict=True))
    expected = twin.expand(
        ours.value.tolist(), theirs.value.tolist(), theirs.start.tolist(), tokens
    )
    assert at.tolist() == expected


ALIGNMENT = st.lists(st.integers(-1, 6), max_size=12)


@given(ALIGNMENT, ALIGNMENT)
def test_the_alignment_that_finds_more_is_preferred(best: list[int], other: list[int]) -> None:
    size = min(len(best), len(other))
    found = longs(best[:size])
    _core.prefer_alignment(found, longs(other[:size]))
    assert found.tolist() == twin.prefer(best[:size], other[:size])


BARE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=12).map(sorted)


@given(BARE, BARE)
def test_words_of_no_width(gold: list[tuple[int, int]], system: list[tuple[int, int]]) -> None:
    def words(pairs: list[tuple[int, int]]) -> word_alignment.Words:
        at, form = longs([p for p, _ in pairs]), longs([f for _, f in pairs])
        return word_alignment.Words(at, at, np.zeros(len(at), dtype=bool), form)

    g, s = word_alignment.align(words(gold), words(system))
    assert list(zip(g.tolist(), s.tolist(), strict=True)) == twin.align_bare(gold, system)


@given(st.text("a\"' ", min_size=1, max_size=12))
@example("a\" a '")
def test_places_of_quotes_never_fall(text: str) -> None:
    """A double quote is two letters, which may lie on both sides of a lost token."""
    doc = document(" ".join(text.split()) or "a")
    for changed in {text[:i] + text[i + 1 :] for i in range(len(text))} - {""}:
        try:
            found = align_to_text([doc], changed)
        except InputError:
            continue
        assert np.all(np.diff(found.start) >= 0)
        assert np.all(found.end >= found.start)


# ----------------------------------------------------------------- interruption and wrong arguments


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


def ints(*values: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, dtype=np.int64)


WRONG = {
    "gap": lambda: _core.fill_gaps(ints(1), ints(1), np.array([[0, 2, 0, 1]]), ints(-1)),
    "partner": lambda: _core.fill_gaps(ints(1), ints(1), np.array([[0, 1, 0, 1]]), ints()),
    "same length": lambda: _core.align_words(
        ints(1), ints(), np.array([True]), ints(1), ints(), ints(), np.zeros(0, bool),
        ints(), False,
    ),
    "at has": lambda: _core.slide_gaps(ints(5), ints(1), ints(1), np.array([True])),
    "end has": lambda: _core.hash_spans(np.zeros(2, np.uint32), ints(0), ints(3)),
    "first has": lambda: _core.expand_tokens(
        ints(-1), ints(1), ints(1), ints(2), ints(1), ints(0), ints(0)
    ),
    "best and other": lambda: _core.prefer_alignment(ints(1), ints()),
    "parent has": lambda: _core.gather_spans(ints(1), ints(0), ints(0), ints(0)),
    "head has": lambda: _core.climb_heads(ints(1), np.array([True]), -2),
    "bounds must": lambda: _core.find_circles(ints(-1), ints(1, 0), np.array([False])),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_wrong_arguments_are_refused(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WRONG[message]()


def test_arrays_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError):
        _core.prefer_alignment(np.zeros(1, np.int32), ints(1))
