"""Laws of every tokeniser: any text, any script, any cutting into blocks."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import Document
from caesura.tokenize import RuleTokenizer, Tokenizer
from tests.tokenize.corpus import document

ODD = "ab Ab1.,'’-\"()@/:\n\r\t \u00a0"
ODD += "\u200d\u200b\ufeff\x00\x1b\ud800中のア한עم👩🏽‍🇩\u0301\U0010ffff\u0600"
TEXTS = st.one_of(
    st.text(alphabet=ODD, max_size=200),
    st.text(max_size=80),
    st.integers(0, 50).map(lambda seed: document(seed, 5).text),
)


def obeys_the_laws(doc: Document, text: str) -> None:
    doc.check()
    assert doc.text == text
    at = 0
    for token in doc.tokens:
        assert text[token.start : token.end] == token.text != ""
        assert not text[at : token.start].strip()
        assert not any(character.isspace() for character in token.text)
        at = token.end
    assert not text[at:].strip()
    assert all(doc.column("form"))
    if doc.n_tokens:
        assert doc.sent_start[0] == 1
        assert doc.has_sentences or doc.n_tokens == 1


@given(TEXTS)
@settings(max_examples=80, deadline=None)
def test_any_text(tokenizer: Tokenizer, text: str) -> None:
    obeys_the_laws(tokenizer.tokenize(text), text)


@given(TEXTS)
@settings(max_examples=80, deadline=None)
def test_any_text_by_rule(text: str) -> None:
    obeys_the_laws(RuleTokenizer().tokenize(text), text)


@given(TEXTS, st.lists(st.integers(0, 300), max_size=6), st.booleans())
@settings(max_examples=80, deadline=None)
def test_blocks_make_no_difference(
    tokenizer: Tokenizer, text: str, cuts: list[int], whole: bool
) -> None:
    text = text * 3
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stream = tokenizer.stream(whole_sentences=whole)
    # Small blocks are decided only at the end: have the decoder look at each of them.
    import caesura.stages.token_decoder as decoder

    before, decoder._WORTHWHILE = decoder._WORTHWHILE, 1
    try:
        pieces = [stream.feed(text[a:b]) for a, b in pairwise(bounds)]
        pieces.append(stream.feed("", last=True))
    finally:
        decoder._WORTHWHILE = before
    assert "".join(piece.text for piece in pieces) == text
    joined = Document.join([piece for piece in pieces if piece.text])
    expected = tokenizer.tokenize(text)
    assert joined.token_start.tolist() == expected.token_start.tolist()
    assert joined.column("form") == expected.column("form")
    assert joined.sent_start.tolist() == expected.sent_start.tolist()
    assert joined.paragraph_start.tolist() == expected.paragraph_start.tolist()
    if whole:
        assert all(piece.sent_start[0] == 1 for piece in pieces if piece.n_tokens)


def test_a_token_without_end_and_a_desert_of_newlines(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    pieces = [stream.feed("a" * 4096) for _ in range(200)]
    pieces += [stream.feed("\n" * 4096) for _ in range(100)]
    pieces += [stream.feed("She reads. " * 400) for _ in range(20)]
    pieces.append(stream.feed("", last=True))
    tokens = [token for piece in pieces for token in piece.tokens]
    assert len(tokens[0].text) == 4096 * 200
    assert len(tokens) == 1 + 3 * 400 * 20
    assert sum(len(piece.text) for piece in pieces) == 4096 * 300 + 11 * 8000


def test_memory_of_a_stream_stays_flat(tokenizer: Tokenizer) -> None:
    stream = tokenizer.stream()
    for _ in range(50):
        stream.feed("She reads it. He paints. " * 400)
        kept = sum(map(len, stream._waiting)) + stream._decoder.kept
        assert kept < 20_000


def test_a_long_text_is_taken_in_blocks(tokenizer: Tokenizer) -> None:
    once = document(7, 40).text + " "
    text = once * 300
    doc = tokenizer.tokenize(text)
    assert len(text) > 1 << 18
    assert doc.n_tokens == 300 * tokenizer.tokenize(once).n_tokens
