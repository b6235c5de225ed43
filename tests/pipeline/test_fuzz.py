"""Texts that nobody writes: the laws hold for them, too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import YES, Document
from caesura.errors import InputError
from caesura.pipeline import Pipeline
from tests.pipeline.laws import check, said
from tests.pipeline.tiny import TEXT

#: Controls, joiners, emoji, right-to-left marks, unassigned and private code points, odd spaces.
ODD = "\x01\x1b\x1c\x7f\x85\xad\u00a0\u200b\u200d\u200f\u202e\u2028\ufeff\ufffd\u0378\ue000"
ODD += "\U0010ffff😀👩\u200d🚀🏳️\u200d🌈🇩🇪\u0301\u0489אבגשלוםمرحبا.،؟漢字仮名ｶﾅ१२३٣\r\t\n  \v\f"
WORDS = ["the", "harbour", "doesn't", ".", "?!", "\n\n", " ", "\n", "e.g.", "3.20", "x" * 300, "’s"]

texts = st.one_of(
    st.text(max_size=60).map(lambda text: text.replace("\0", "")),
    st.text(alphabet=ODD, max_size=60),
    st.lists(st.sampled_from([*WORDS, *ODD]), max_size=40).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.binary(max_size=60).map(lambda data: data.decode("latin-1").replace("\0", "")),
)


def test_a_text_with_nul_is_refused(tiny: Pipeline) -> None:
    """No file of text holds it, so what is written could not be read."""
    calls = (
        lambda: tiny("a\0b"),
        lambda: tiny(Document(text="a\0b")),
        lambda: list(tiny.pipe(["a", "b c\0"])),
        lambda: list(tiny.stream(["a", "\0"])),
        lambda: tiny.k_best("\0", 2),
    )
    for call in calls:
        with pytest.raises(InputError, match="there is a NUL character at offset"):
            call()


@given(texts)
@settings(max_examples=150)
def test_any_text(tiny: Pipeline, text: str) -> None:
    check(tiny(text), text)


@given(st.lists(texts, max_size=6), st.integers(2, 3))
@settings(max_examples=30)
def test_any_texts_with_threads(tiny: Pipeline, several: list[str], threads: int) -> None:
    one = [said(doc) for doc in tiny.pipe(several)]
    assert [said(doc) for doc in tiny.pipe(several, threads=threads)] == one


@given(texts, st.lists(st.integers(0, 60), max_size=4), st.data())
@settings(max_examples=60)
def test_any_constraints(tiny: Pipeline, text: str, places: list[int], data: st.DataObject) -> None:
    plain = tiny(text)
    begins = plain.token_start.tolist()
    wanted = sorted({begins[place % len(begins)] for place in places}) if begins else []
    starts = [at for at in wanted if data.draw(st.booleans())]
    others = [at for at in wanted if at not in starts and at != (begins or [0])[0]]
    doc = tiny(text, sentence_starts=starts, no_boundary=others)
    check(doc, text)
    found = set(doc.token_start[doc.sent_start == YES].tolist())
    assert set(starts) <= found
    assert not found & set(others)


@given(texts, st.integers(0, 5))
@settings(max_examples=60)
def test_any_heads_that_are_kept(tiny: Pipeline, text: str, seed: int) -> None:
    once = tiny(text)
    some = np.random.default_rng(seed).random(once.n_words) < 0.4
    given_doc = once.cut(0, once.n_tokens) if once.n_tokens else once
    given_doc.head = np.where(some, once.head, -2).astype(np.int32)
    if not given_doc.n_tokens:
        return
    doc = tiny(given_doc, keep=["tokens", "heads"])
    check(doc, once.text)
    assert np.array_equal(doc.head[some], once.head[some])


@given(st.lists(texts, max_size=8), st.integers(1, 30))
@settings(max_examples=50)
def test_any_stream(tiny: Pipeline, parts: list[str], size: int) -> None:
    text = "".join(parts)
    pieces = list(tiny.stream(text[at : at + size] for at in range(0, len(text), size)))
    assert "".join(piece.text for piece in pieces) == text
    if any(piece.n_tokens for piece in pieces):
        check(Document.join(pieces), text)


def test_a_token_of_ten_megabytes(tiny: Pipeline) -> None:
    text = "a " + "x" * 10_000_000 + " b."
    doc = tiny(text)
    assert doc.text == text
    assert int((doc.token_end - doc.token_start).max()) >= 10_000_000
    pieces = list(tiny.stream(text[at : at + 65536] for at in range(0, len(text), 65536)))
    assert sum(len(piece.text) for piece in pieces) == len(text)


@pytest.mark.parametrize("text", ["\n" * 1_000_000, " \t" * 500_000, "a" + "\n" * 1_000_000 + "b"])
def test_a_million_blanks(tiny: Pipeline, text: str) -> None:
    doc = tiny(text)
    assert doc.text == text
    assert doc.n_tokens == len(text.split())


@pytest.mark.parametrize("text", ["." * 20_000, "a." * 10_000, "🏳️\u200d🌈" * 3000, "((((" * 3000])
def test_a_page_of_one_thing(tiny: Pipeline, text: str) -> None:
    check(tiny(text), text)


def test_binary_like_text_in_a_long_stream(tiny: Pipeline) -> None:
    noise = np.random.default_rng(1).integers(1, 0x3000, 90_000)
    text = "".join(map(chr, noise.tolist())) + TEXT
    doc = tiny(text)
    assert doc.text == text
    doc.check()
