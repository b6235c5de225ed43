"""Passages for a reader: the same however a text is cut into blocks, and none too long."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.stages.token_decoder import LONG, PassageReader, passages
from caesura.tokenize import Tokenizer
from tests.tokenize.corpus import unspaced_document

TEXTS = st.text(alphabet="中文字。 \n", max_size=900)


@given(TEXTS)
def test_passages_are_the_text(text: str) -> None:
    found = list(passages(text))
    assert "".join(found) == text
    assert all(0 < len(passage) <= LONG for passage in found)


def test_a_passage_ends_with_a_line_a_sentence_or_a_blank() -> None:
    one, two = "字" * 90, "字" * 150
    assert list(passages(f"{one}\n{one}")) == [f"{one}\n", one]
    assert list(passages(f"{one}。{one}。{one}")) == [f"{one}。{one}。", one]
    assert list(passages(f"{one} {two}")) == [f"{one} ", two]
    assert list(passages("字" * (LONG + 1))) == ["字" * LONG, "字"]


@given(TEXTS, st.lists(st.integers(1, 400), max_size=8))
def test_what_is_read_does_not_depend_on_the_blocks(text: str, sizes: list[int]) -> None:
    def number(passage: str) -> NDArray[np.float32]:
        return np.arange(len(passage), dtype=np.float32)

    whole = PassageReader(number)
    whole.feed(text, last=True)
    blocks = PassageReader(number)
    at = 0
    for size in sizes:
        blocks.feed(text[at : at + size])
        at += size
        assert blocks.known <= min(at, len(text))
    blocks.feed(text[at:], last=True)
    assert blocks.known == whole.known == len(text)
    assert np.array_equal(blocks.take(0), whole.take(0))
    assert len(blocks.take(len(text) // 2)) == len(text) - len(text) // 2


@pytest.mark.parametrize("size", [7, 999, 5000])
def test_a_stream_has_the_tokens_of_the_whole_text(unspaced: Tokenizer, size: int) -> None:
    text = "".join(unspaced_document(seed).text for seed in range(40))

    def reader(passage: str) -> NDArray[np.float32]:
        return np.array([30 * ((ord(c) + len(passage)) % 3 - 1) for c in passage], np.float32)

    read = copy(unspaced)
    read.reader = reader
    whole = read.tokenize(text)
    ends: list[int] = []
    stream = read.stream()
    base = 0
    for at in range(0, len(text), size):
        piece = stream.feed(text[at : at + size], last=at + size >= len(text))
        ends += (piece.token_end + base).tolist()
        base += len(piece.text)
    assert ends == whole.token_end.tolist()
    assert ends != unspaced.tokenize(text).token_end.tolist()
