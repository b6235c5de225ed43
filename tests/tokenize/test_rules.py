"""Tokens and sentences without training."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.document import Document
from caesura.tokenize import RuleTokenizer


def tokens(text: str) -> list[str]:
    return [token.text for token in RuleTokenizer().tokenize(text).tokens]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See http://a.b/c?d=e, now.", ["See", "http://a.b/c?d=e", ",", "now", "."]),
        ("Mail to me@post.org!", ["Mail", "to", "me@post.org", "!"]),
        ("It's 3,000.50 metres", ["It's", "3,000.50", "metres"]),
        ("Wait... what?!", ["Wait", "...", "what", "?", "!"]),
        ("fine :-) thanks", ["fine", ":-)", "thanks"]),
        ("the U.S. team", ["the", "U.S.", "team"]),
        ("我们看。", ["我", "们", "看", "。"]),
        ("カメラを買う", ["カメラ", "を", "買", "う"]),
        ("hi 👩‍👩‍👧🇫🇷", ["hi", "👩‍👩‍👧", "🇫🇷"]),
        ("नमस्ते दुनिया।", ["नमस्ते", "दुनिया", "।"]),
        ("кот-д’Ивуар", ["кот", "-", "д’Ивуар"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def sentences(text: str, tokenizer: RuleTokenizer | None = None) -> list[str]:
    return [str(s) for s in (tokenizer or RuleTokenizer()).tokenize(text).sentences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. We stay.", ["It rains.", "We stay."]),
        ("“Really?” he said. Yes!", ["“Really?” he said.", "Yes!"]),
        ("A heading\n\nthe text", ["A heading", "the text"]),
        ("wrapped\nline", ["wrapped\nline"]),
        ("今天下雨。我们回家。", ["今天下雨。", "我们回家。"]),
        ("Version 3.5 is out.", ["Version 3.5 is out."]),
        ("J. Doe wrote it.", ["J. Doe wrote it."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_abbreviations_are_learned_from_text() -> None:
    text = "We met Prf. Bell and Prf. Cook. Then Prf. Bell left. We ate it. We ate. " * 10
    known = RuleTokenizer().learn([text])
    assert "prf" in known.statistics.abbreviations
    assert "ate" not in known.statistics.abbreviations
    assert sentences("I know Prf. Bell. He is old.", known) == ["I know Prf. Bell.", "He is old."]


def test_a_line_may_be_a_sentence() -> None:
    assert sentences("one\ntwo", RuleTokenizer(newline_is_boundary=True)) == ["one", "two"]


def test_given_tokens_and_sentences_are_obeyed() -> None:
    doc = Document.from_spans("ab cd. ef", [0, 3, 7], [2, 6, 9])
    doc.sent_start = np.array([1, 1, 0], dtype=np.int8)
    doc.fixed = frozenset({"tokens", "sentences"})
    kept = RuleTokenizer().tokenize(doc)
    assert [token.text for token in kept.tokens] == ["ab", "cd.", "ef"]
    assert kept.sent_start.tolist() == [1, 1, 0]
    doc.fixed = frozenset({"sentences"})
    split = RuleTokenizer().tokenize(doc)
    assert [token.text for token in split.tokens] == ["ab", "cd", ".", "ef"]
    assert split.sent_start.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "unit", ["a", "a.", "a+", "a@", "http://", "'a", "1,", "中", "(", "\u200d"]
)
def test_long_runs_of_anything(unit: str) -> None:
    text = unit * 300_000
    doc = RuleTokenizer().tokenize(text)
    assert "".join(token.text for token in doc.tokens) == text


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_text_keeps_its_paragraphs_whole_and_streamed(size: int) -> None:
    text = "One day.\nIt rained.\n\n \nNext day it did not.\n\nThen it snowed.\n"
    expected = [0, text.index("Next"), text.index("Then")]
    tool = RuleTokenizer()
    assert tool.tokens_of(Document(text=text)).paragraph_start.tolist() == expected
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    pieces = list(tool.pieces(blocks))
    assert Document.join(pieces).paragraph_start.tolist() == expected
