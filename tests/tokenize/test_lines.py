"""Wrapped prose: the tokeniser sees what it saw before the text was wrapped."""

from __future__ import annotations

import re
import textwrap

import numpy as np
import pytest

from caesura._core import _testing
from caesura.document import Document
from caesura.document.characters import TABLE, code_points, signs_of
from caesura.layout import SAME, WRAP, breaks
from caesura.stages.token_knowledge import vocabulary_of
from caesura.tokenize import Tokenizer

PROSE = (
    "She reads the paper every day. He paints, and nobody asks why. Mr. Hall was late again, which "
    "did not surprise them. The ferry left at 5 p.m. as it always had, with all of its lamps lit. "
    "Did anyone see who was on board? It rained until the morning came."
)


def wrapped(text: str, width: int, newline: str = "\n") -> str:
    return newline.join(textwrap.wrap(text, width, break_on_hyphens=False))


@pytest.mark.parametrize("width", [40, 55, 72, 100])
def test_wrapped_prose_is_weighed_as_it_was_before(tokenizer: Tokenizer, width: int) -> None:
    plain, lines = tokenizer.tokenize(PROSE), tokenizer.tokenize(wrapped(PROSE, width))
    assert {*breaks(lines).tolist()} >= {WRAP}
    assert lines.token_start.tolist() == plain.token_start.tolist()
    assert lines.start_evidence.tolist() == plain.start_evidence.tolist()


def test_whatever_ends_the_lines(tokenizer: Tokenizer) -> None:
    lines, returns = (tokenizer.tokenize(wrapped(PROSE, 55, end)) for end in ("\n", "\r\n"))
    assert lines.column("form") == returns.column("form")
    assert lines.sent_start.tolist() == returns.sent_start.tolist()


@pytest.mark.parametrize(
    ("text", "gap"),
    [("a well-\nknown man", 0), ("a man -\nold", 1), ("a well-\nKnown man", 1), ("well\nknown", 1)],
)
def test_a_hyphen_at_the_end_of_a_line_is_one_within_a_word(text: str, gap: int) -> None:
    spans = [match.span() for match in re.finditer(r"\w+|-", text)]
    begins, ends = (np.array(column, np.int64) for column in zip(*spans, strict=True))
    lines = np.array([WRAP if text[at - 1] == "\n" else SAME for at in begins], np.uint8)
    gaps = _testing.token_gaps(vocabulary_of(), code_points(text), begins, ends, lines)
    assert gaps[lines == WRAP].tolist() == [gap]


def test_lines_that_stand_for_themselves_are_weighed_as_lines(tokenizer: Tokenizer) -> None:
    plain, lines = tokenizer.tokenize("see you\nok"), tokenizer.tokenize("see you ok")
    assert plain.start_evidence.tolist() != lines.start_evidence.tolist()


@pytest.mark.parametrize("size", [1, 17, 300])
def test_a_wrapped_text_in_blocks(
    tokenizer: Tokenizer, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura.stages.token_decoder._WORTHWHILE", 1)
    text = "\n\n".join([wrapped(PROSE, 44), "ok\nsee you there", wrapped(PROSE, 70)] * 3)
    stream = tokenizer.stream()
    pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    pieces.append(stream.feed("", last=True))
    found = Document.join([piece for piece in pieces if piece.text])
    whole = tokenizer.tokenize(text)
    assert found.token_end.tolist() == whole.token_end.tolist()
    assert found.start_evidence.tolist() == whole.start_evidence.tolist()


def test_newlines_that_stand_alone_are_blanks() -> None:
    text = "a\nb\r\nc\rx\n\nd\n e\r\n\r\nf\n"
    codes = code_points(text)
    signs_of(codes, np.array([len(codes)]))
    classes, folded = _testing.joined_lines(TABLE, codes)
    inked = np.array([character.isalpha() for character in text])
    inner = classes.nonzero()[0]
    assert "".join(map(chr, folded[inner])) == "a b  c x\n\nd\n e\r\n\r\nf\n"
    assert ((classes[inner] > 2) == inked).all()
