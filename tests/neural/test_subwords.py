"""WordPiece by hand, and the same as the `tokenizers` library where it is installed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import ModelError
from caesura.stages.network_subwords import Subwords

_PIECES = "[PAD] [UNK] [CLS] [SEP] har ##bour harbour un ##known e mail - . ' s cafe ##s 東 京 σ"
PIECES = [*_PIECES.split(), "##σ", "a", "##a"]


def definition(**changes: Any) -> str:
    """A tokenizer.json."""
    return json.dumps({
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100,
                  "vocab": {piece: n for n, piece in enumerate(PIECES)}} | changes,
    })  # fmt: skip


def cut(word: str) -> list[str]:
    subwords = Subwords.from_json(definition())
    return [PIECES[n] for n in subwords.of_word(word)]


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("harbour", ["harbour"]),
        ("Harbour", ["harbour"]),
        ("unknown", ["un", "##known"]),
        ("e-mail", ["e", "-", "mail"]),
        ("Cafés", ["cafe", "##s"]),
        ("東京", ["東", "京"]),
        ("ΣΣ", ["σ", "##σ"]),
        ("xyz", ["[UNK]"]),
        ("harxyz.", ["[UNK]", "."]),
        ("\u200b", ["[UNK]"]),
        ("", ["[UNK]"]),
        ("a" * 101, ["[UNK]"]),
    ],
)
def test_words_are_cut_by_hand(word: str, pieces: list[str]) -> None:
    assert cut(word) == pieces


def test_a_vocabulary_survives_a_model_file() -> None:
    first = Subwords.from_json(definition())
    again = Subwords.from_json(first.definition)
    assert again == first
    assert again.special == (2, 3, 0)
    assert len(first.definition) < len(definition())


# Newer characters are kinds of characters that the two may not have heard of alike.
LETTERS = st.characters(max_codepoint=0x52F) | st.sampled_from("東京ひらがな한국어्ً‍ــ—…’😀")


@given(st.text(LETTERS, max_size=30))
def test_the_pieces_are_those_of_the_library(word: str) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    theirs = tokenizers.Tokenizer.from_str(definition())
    wanted = theirs.encode(word, add_special_tokens=False).ids or [1]
    assert list(Subwords.from_json(definition()).of_word(word)) == wanted


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nonsense", "cannot be read"),
        ("[]", "cannot be read"),
        (definition(type="Unigram"), "normalised by BertNormalizer"),
        (json.dumps({"type": "wordpiece", "pieces": ["a"]}), "lacks the tokens"),
        (json.dumps({"type": "wordpiece", "pieces": [1]}), "no list of pieces"),
        (json.dumps({"type": "other", "pieces": PIECES}), "not known"),
        (json.dumps({"type": "wordpiece", "pieces": [*PIECES, "a"]}), "a piece twice"),
    ],
)
def test_a_vocabulary_that_is_none_is_refused(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        Subwords.from_json(text)


def test_an_emoji_that_is_not_known_is_read_as_an_emoticon() -> None:
    pieces = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", ":", ")", "👍")
    model = {"type": "WordPiece", "vocab": {piece: n for n, piece in enumerate(pieces)}}
    subwords = Subwords.from_json(json.dumps({"model": model}))
    doc = Document.from_spans("good 🎉 👍 ж", [0, 5, 7, 9], [4, 6, 8, 10])
    ids, pointer = subwords.pieces(doc)
    assert [pieces[i] for i in ids] == ["good", ":", ")", "👍", "[UNK]"]
    assert pointer.tolist() == [0, 1, 3, 4, 5]
