"""The core against its slow twins."""

from __future__ import annotations

import re
from copy import copy
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura._core import TokenTable, _testing
from caesura.document.characters import MARGIN, TABLE, classify, code_points
from caesura.stages.token_knowledge import known_cuts
from caesura.tokenize import Tokenizer
from tests.reference import tokenize as twin
from tests.tokenize.corpus import document, unspaced_document

TEXTS = st.one_of(
    st.text(alphabet="aB1.,'-/:@w中 \n", max_size=120),
    st.integers(0, 30).map(lambda seed: document(seed, 4).text),
)


@given(st.text(max_size=60), st.data())
@settings(max_examples=40, deadline=None)
def test_the_hash_of_a_stretch_is_that_of_its_characters(text: str, data: st.DataObject) -> None:
    codes = code_points(text)
    folded = classify(codes)[1][MARGIN:]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = _testing.text_hash(TABLE, codes, start, end)
    assert found == twin.stretch_hash(folded[start:end].tolist())


@given(TEXTS)
@settings(max_examples=40, deadline=None)
def test_tokens_equal_those_of_the_twin(tokenizer: Tokenizer, text: str) -> None:
    assume(known_cuts(code_points(text)) is None)  # what is decided before the model is asked
    found = tokenizer.tokenize(text)
    expected = twin.cut(
        re.sub(r"(?<=\S)\n(?=\S)", " ", text),  # a word is the same at the end of a line
        tokenizer.cuts.weights(),
        tokenizer.options.bits,
        chunks=[tuple(chunk.split("\t")) for chunk in tokenizer.chunks],
        types=tokenizer.types,
    )
    spans = list(zip(found.token_start.tolist(), found.token_end.tolist(), strict=True))
    assert spans == expected


def beside_marks(text: str) -> set[int]:
    """Where tokens begin since a sentence ends: at its mark and behind it."""
    places = [at for at, sign in enumerate(text[:-1]) if sign in "。！"]
    return {*places, *(at + 1 for at in places)}


@given(st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_tokens_without_spaces_equal_those_of_the_twin(unspaced: Tokenizer, seed: int) -> None:
    text = unspaced_document(seed).text
    found = unspaced.tokenize(text)
    expected = twin.cut(
        text,
        unspaced.cuts.weights(),
        unspaced.options.bits,
        set(unspaced.lexicon),
        forced=beside_marks(text),
    )
    spans = list(zip(found.token_start.tolist(), found.token_end.tolist(), strict=True))
    assert spans == expected


@given(st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_tokens_by_a_reader_equal_those_of_the_twin(unspaced: Tokenizer, seed: int) -> None:
    text = unspaced_document(seed).text
    odds = np.random.default_rng(seed).normal(0, 4, len(text)).astype(np.float32)
    read = copy(unspaced)
    read.reader = lambda passage: odds[text.index(passage) :][: len(passage)]
    found = read.tokenize(text)
    expected = twin.cut(
        text,
        unspaced.cuts.weights(),
        unspaced.options.bits,
        set(unspaced.lexicon),
        odds=odds.tolist(),
        forced=beside_marks(text),
    )
    spans = list(zip(found.token_start.tolist(), found.token_end.tolist(), strict=True))
    assert spans == expected


def step(table: TokenTable, rows: NDArray[np.int64], truth: bool, rate: float, sums: Any) -> bool:
    found: bool = _testing.learn_instance(table, rows.astype(np.uint64), truth, rate, sums)
    return found


def test_a_step_of_learning_equals_that_of_the_twin() -> None:
    rng = np.random.default_rng(3)
    table = TokenTable(8, least=0)
    weights, squares = np.zeros(256), np.zeros(256)
    statistics = np.zeros(3)
    loss = 0.0
    for _ in range(200):
        rows = rng.choice(256, size=6, replace=False)
        truth = bool(rows.sum() % 2)
        step(table, rows, truth, 0.1, statistics)
        loss += twin.logistic_step(weights, squares, rows.tolist(), truth, 0.1)
    learned, found, _ = table.entries()
    np.testing.assert_allclose(found, weights[learned], atol=1e-4)
    assert np.count_nonzero(weights) == len(learned)
    np.testing.assert_allclose(statistics[1], loss, rtol=1e-4)


def test_the_slope_is_that_of_the_loss() -> None:
    """A small step changes the loss as the squared length of the gradient foretells."""
    rng = np.random.default_rng(5)
    rows = np.arange(7, dtype=np.int64)
    for truth in (False, True):
        table = TokenTable(8, least=0)
        weights = rng.normal(size=7).astype(np.float32)
        table.set_entries(rows, weights, np.full(7, 1e12, np.float32))  # makes the step tiny
        before, after = np.zeros(3), np.zeros(3)
        score = float(weights.sum())
        step(table, rows, truth, 1e2, before)
        step(table, rows, truth, 0.0, after)
        gradient = 1 / (1 + np.exp(-score)) - truth
        expected = -7 * gradient * gradient * 1e2 / 1e6
        assert abs((after[1] - before[1]) - expected) < 0.05 * abs(expected)
