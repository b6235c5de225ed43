"""Which words are emoji."""

from __future__ import annotations

import pytest

from caesura.document import Document
from caesura.document.characters import is_picture, pictures_of


@pytest.mark.parametrize("word", ["😀", "👍🏽", "❤️", "👩🏾‍🚀", "😂😂😂", "🇫🇮", "☕", "🏳️‍🌈"])
def test_emoji(word: str) -> None:
    assert is_picture(word)


@pytest.mark.parametrize("word", ["", "a", ":)", "…", "“", "✓", "►", "©", "漢", "a😀", "😀a", "‼"])
def test_no_emoji(word: str) -> None:
    assert not is_picture(word)


def test_those_of_a_document() -> None:
    doc = Document.from_spans("ok 👍 👍", [0, 3, 5], [2, 4, 6])
    assert pictures_of(doc).tolist() == [False, True, True]
    assert pictures_of(Document(text="")).tolist() == []
