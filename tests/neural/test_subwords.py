"""Sub-words are those of the `tokenizers` library, and damaged vocabularies are refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import ModelError
from caesura.stages.network_subwords import Subwords, Unigram, normal
from tests.reference.subwords import best_sum

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


SCORES = {
    "<s>": 0.0, "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -3.0, "▁har": -5.0, "bour": -5.5,
    "▁harbour": -9.0, "h": -6.0, "a": -4.0, "r": -4.5, "aa": -8.5, ".": -3.5, "é": -7.0,
    "▁10": -6.5, "000": -7.5, "東": -8.0, "東京": -9.5, "b": -6.25, "▁b": -7.25,
}  # fmt: skip
NAMES = list(SCORES)
WORST = min(SCORES.values()) - 10


def unigram() -> Unigram:
    return Unigram(tuple(SCORES), tuple(SCORES.values()), WORST)


def cut_unigram(word: str, blank: bool = True) -> list[str]:
    return [NAMES[n] for n in unigram().of_word(word, blank)]


@pytest.mark.parametrize(
    ("word", "blank", "pieces"),
    [
        ("harbour", True, ["▁harbour"]),
        ("harbour", False, ["h", "a", "r", "bour"]),
        ("har.", True, ["▁har", "."]),
        ("10 000", True, ["▁10", "▁", "000"]),
        ("10\u00a0000", True, ["▁10", "▁", "000"]),
        ("東京", False, ["東京"]),
        ("東京", True, ["▁", "東京"]),
        ("aa", False, ["a", "a"]),
        ("e\u0301", False, ["é"]),
        ("ｂ", False, ["b"]),
        ("xyz", False, ["<unk>"]),
        ("axyza", False, ["a", "<unk>", "a"]),
        ("a\u200c", False, ["a", "▁"]),
        ("\x01", True, ["<unk>"]),
        ("", True, ["<unk>"]),
        ("<s>", False, ["<unk>"]),
    ],
)
def test_words_are_cut_by_hand_by_unigram(word: str, blank: bool, pieces: list[str]) -> None:
    assert cut_unigram(word, blank) == pieces


def test_marks_keep_their_order_and_small_clusters_their_first_form() -> None:
    """NFKC would put the vowel sign before the doubling one."""
    assert normal("\u0645\u0651\u064e") == "\u0645\u0651\u064e"
    assert normal("e\u0323\u0301") == "\u1eb9"
    assert normal("ﬁ … ～") == "fi ... ～"


@given(st.text(st.sampled_from("harbou.éx東京10"), max_size=12), st.booleans())
def test_no_other_way_to_cut_is_better(word: str, blank: bool) -> None:
    pieces = {p: s for p, s in SCORES.items() if not p.startswith("<")}
    found = cut_unigram(word, blank)
    written = ("▁" if blank and word else "") + word
    wanted = best_sum(written, pieces, WORST)
    if "<unk>" not in found:
        assert math.isclose(sum(SCORES[p] for p in found), wanted)
        assert "".join(found) == written
    else:
        assert not word or any(c not in pieces for c in written)


@given(st.text(st.sampled_from("harbou.éx東京10\u0301\u0323"), max_size=12), st.booleans())
def test_the_pieces_are_those_of_the_library_by_unigram(word: str, blank: bool) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    model = tokenizers.models.Unigram(list(SCORES.items()), 3, False)
    theirs = tokenizers.Tokenizer(model)
    scheme = "always" if blank else "never"
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace("▁", prepend_scheme=scheme)
    wanted = theirs.encode(normal(word), add_special_tokens=False).ids or [3]
    assert list(unigram().of_word(word, blank)) == wanted


def test_a_document_knows_where_blanks_are() -> None:
    doc = Document.from_spans("har harbour.", [0, 4, 11], [3, 11, 12])
    pieces, pointer = unigram().pieces(doc)
    assert [NAMES[n] for n in pieces] == ["▁har", "▁harbour", "."]
    assert pointer.tolist() == [0, 1, 2, 3]


def test_a_smaller_vocabulary_cuts_the_same_text_the_same_way() -> None:
    whole = unigram()
    words = ["harbour", "har.", "10 000"]
    used = {n for word in words for n in whole.of_word(word)}
    small, numbers = whole.only(used)
    assert small.size() == len(used) + 4
    for word in words:
        assert tuple(numbers[list(small.of_word(word))]) == whole.of_word(word)
    assert small.worst == whole.worst
    assert np.all(np.diff(numbers) > 0)


def test_a_vocabulary_survives_a_model_file_by_unigram() -> None:
    first = Unigram(tuple(SCORES), (0.0, 0.0, 0.0, 0.0, float(np.float32(-3.1)), *[-5.0] * 15), -15)
    again = Subwords.from_json(first.definition)
    assert again.special == (0, 2, 1)
    assert isinstance(again, Unigram)
    assert np.array_equal(np.float32(again.scores), np.float32(first.scores))


def foreign(**changes: Any) -> str:
    model = {"type": "Unigram", "unk_id": 3, "vocab": [[p, s] for p, s in SCORES.items()]}
    normaliser = {"type": "Sequence", "normalizers": [{"type": "Precompiled"}]}
    return json.dumps({"normalizer": normaliser, "model": model | changes} | changes)


def test_a_vocabulary_of_others_is_read() -> None:
    assert Subwords.from_json(foreign()) == unigram()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (foreign(normalizer={"type": "Lowercase"}), "normalised by Lowercase"),
        (foreign(normalizer=None), "normalised by nothing"),
        (foreign(byte_fallback=True), "cut into bytes"),
        (foreign(vocab={"a": 1}), "no list of pieces and scores"),
        (foreign(vocab=[["a", "b"]]), "no score for each piece"),
        (json.dumps({"type": "unigram", "pieces": NAMES}), "no score for each piece"),
        (
            json.dumps({"type": "unigram", "pieces": NAMES, "scores": [0.0], "worst": 0}),
            "no score for each piece",
        ),
        (
            json.dumps({"type": "unigram", "pieces": NAMES, "scores": [0.0] * len(NAMES)}),
            "no score",
        ),
    ],
)
def test_a_vocabulary_that_is_none_is_refused_by_unigram(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        Subwords.from_json(text)


def test_pieces_that_were_chosen_to_meet_are_refused() -> None:
    """Thousands of characters whose hashes want the same few places."""
    size = 4000
    mask = np.uint64((1 << (2 * size).bit_length()) - 1)
    points = np.arange(0x4E00, 0x10FFFF, dtype=np.uint64)
    points = points[(points < 0xD800) | (points > 0xDFFF)]
    key = (np.uint64(0xCBF29CE484222325) ^ points) * np.uint64(0x100000001B3)
    place = (key ^ (key >> np.uint64(29))) & mask
    chosen = points[np.argsort(place, kind="stable")][: size - len(NAMES)]
    pieces = (*NAMES, *(chr(point) for point in chosen.tolist() if chr(point) not in SCORES))
    with pytest.raises(ModelError, match="sub-words all want the same place"):
        Unigram(pieces, (-1.0,) * len(pieces), WORST)
