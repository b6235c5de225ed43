"""What stays whole whatever the scores say: numbers with blanks inside, emoji in a row."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.document import Document
from caesura.learn.token_knowledge import learn_habits
from caesura.learn.tokenizer import train
from caesura.stages.token_knowledge import Habits
from caesura.stages.tokenizer import Tokenizer, TokenizerOptions


def document(*tokens: str) -> Document:
    """A sentence with a blank between tokens but before marks and emoji."""
    text, starts, ends = "", [], []
    for token in tokens:
        text += "" if not text or token[0] in ".😀😍" else " "
        starts.append(len(text))
        text += token
        ends.append(len(text))
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start = (np.arange(len(tokens)) == 0).astype(np.int8)
    return doc


TOWNS = [document("siellä", "asuu", f"{n} 000", "henkeä", ".") for n in range(10, 20)]
OPTIONS = TokenizerOptions(bits=12, epochs=3, relaid=0, language="fi")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train([*TOWNS, document("hyvä", "😀😍😀😍😀😍", ".")], OPTIONS)


def forms(tokenizer: Tokenizer, text: str, **given: list[int]) -> list[str]:
    doc = tokenizer.tokenize(text, **given)
    doc.check()
    return [text[a:b] for a, b in zip(doc.token_start, doc.token_end, strict=True)]


def test_most_places_decide_about_a_habit() -> None:
    assert learn_habits(TOWNS) == Habits(numbers=True)
    apart = [document("siellä", "asuu", "25", "000", "henkeä", ".")] * 10
    assert learn_habits([*TOWNS[:8], *apart]) == Habits()
    assert learn_habits(TOWNS[:2]) == Habits()
    assert learn_habits([document("hyvä", "😀😍😀😍😀😍")]) == Habits(pictures=True)
    assert learn_habits([document("hyvä", *"😀😍😀😍😀😍")]) == Habits()
    warm = Document.from_spans("20°C " * 5, range(0, 25, 5), range(4, 25, 5))
    assert learn_habits([warm]) == Habits()
    starts = [at for line in range(0, 25, 5) for at in (line, line + 2, line + 3)]
    ends = [at for line in range(2, 27, 5) for at in (line, line + 1, line + 2)]
    assert learn_habits([Document.from_spans(warm.text, starts, ends)]) == Habits(degrees=True)


def test_what_a_language_does_is_known_without_a_treebank(tokenizer: Tokenizer) -> None:
    english = Tokenizer.from_part(tokenizer.to_part())
    english.set_language("en")
    assert forms(english, "it was 20°C.") == ["it", "was", "20", "°", "C", "."]
    assert english.to_part().config == tokenizer.to_part().config


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_a_number_has_blanks_between_groups_of_three(tokenizer: Tokenizer, blank: str) -> None:
    number = f"1{blank}250{blank}000"
    assert forms(tokenizer, f"siellä asuu {number} henkeä") == ["siellä", "asuu", number, "henkeä"]


def test_other_digits_are_apart(tokenizer: Tokenizer) -> None:
    for text in ("vuonna 1990 200 henkeä", "10 00 henkeä", "10 0000", "10  000", "10\n000"):
        assert forms(tokenizer, text) == text.split()


def test_a_sentence_that_starts_inside_is_obeyed(tokenizer: Tokenizer) -> None:
    assert forms(tokenizer, "asuu 10 000", sentence_starts=[8]) == ["asuu", "10", "000"]


def test_emoji_in_a_row(tokenizer: Tokenizer) -> None:
    assert forms(tokenizer, "hyvä 😍😍🎉 asuu") == ["hyvä", "😍😍🎉", "asuu"]


def test_habits_survive_the_file(tokenizer: Tokenizer) -> None:
    assert tokenizer.habits == Habits(numbers=True, pictures=True)
    assert Tokenizer.from_part(tokenizer.to_part()).habits == tokenizer.habits
    assert "habits" not in train([document("hyvä", ".")], OPTIONS).to_part().config


@pytest.mark.parametrize("size", [1, 7, 4099])
def test_blocks_change_nothing(tokenizer: Tokenizer, size: int) -> None:
    text = "siellä asuu 10 000 henkeä. " * 700
    whole = tokenizer.tokenize(text)
    stream = tokenizer.stream()
    pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    pieces.append(stream.feed("", last=True))
    found = [
        piece.text[a:b]
        for piece in pieces
        for a, b in zip(piece.token_start, piece.token_end, strict=True)
    ]
    assert found == [text[a:b] for a, b in zip(whole.token_start, whole.token_end, strict=True)]
