"""Addresses, names with @ and emoji are whole, emoji stand beside words, however a text is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document.characters import code_points
from caesura.stages.token_knowledge import Habits, known_cuts
from caesura.tokenize import Tokenizer


@pytest.mark.parametrize(
    ("text", "must", "may_not"),
    [
        ("ask @sea-gull-18, she knows", [], range(5, 16)),
        ("@пол-18 пишет", [], range(1, 7)),
        ("mail me@sea-gull.example", [], []),
        ("@plain is for the model", [], []),
        ("🤔от этого", [1], []),
        ("gulls👩🏽‍🚀fly", [5, 9], [6, 7, 8]),
        ("love❤️you", [4, 6], [5]),
        ("see https://sea.example/a-b).", [], range(5, 27)),
        (f"http://{'a' * 90}", [], range(1, 7)),
        ("http://sea.example🙂", [18], range(1, 18)),
        ("http://sea.example 🙂🙂", [], range(1, 18)),
        ("1 // 2, http: //", [], []),
        ("🤔 от", [], []),
        ("a - b @ c", [], []),
        (f"@{'a-' * 40}b", [], []),
        ("5️⃣ o'clock", [], []),
        # The sign of a temperature is no part of its number, nor a period of its unit.
        ("heat it to 180°C. Wait", [14, 16], []),
        ("20 °F, then 30ºC", [14], []),
        ("the 3°Class, a 360° view, 9º and 45° N.", [], []),
    ],
)
def test_what_is_known(text: str, must: list[int], may_not: range | list[int]) -> None:
    found = known_cuts(code_points(text))
    marks = [0] * len(text) if found is None else found.tolist()
    assert [at for at, mark in enumerate(marks) if mark == 1] == must
    assert [at for at, mark in enumerate(marks) if mark == -1] == list(may_not)


def test_a_unit_is_apart_from_its_sign_where_that_is_the_habit() -> None:
    found = known_cuts(code_points("at 20°C."), Habits(degrees=True))
    assert found is not None
    assert found.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]


def test_the_model_obeys(tokenizer: Tokenizer) -> None:
    text = "We asked @sea-gull-18 about it 🤔then left🙂 ."
    tokens = [token.text for token in tokenizer.tokenize(text).tokens]
    assert tokens[2] == "@sea-gull-18"
    assert tokens[5:9] == ["🤔", "then", "left", "🙂"]


def test_other_tokens_stay(tokenizer: Tokenizer) -> None:
    """What is known of one chunk has no say about others, and neither have given starts."""
    text = "The boat didn't come. It can't, said Mr. Smith."
    alone = [token.text for token in tokenizer.tokenize(text).tokens]
    more = [token.text for token in tokenizer.tokenize(f"{text} Ask @sea-gull").tokens]
    assert more[: len(alone) - 2] == alone[:-2]
    start = text.index("It")
    given = tokenizer.tokenize(text, sentence_starts=[start])
    assert [token.text for token in given.tokens] == alone


@given(st.text(alphabet="a-@_ /:htp.👩🏽\u200d\ufe0f❤🙂", max_size=300), st.integers(72, 200))
@settings(max_examples=200, deadline=None)
def test_what_is_known_is_known_nearby(text: str, at: int) -> None:
    """Neither what lies further back than blocks keep nor what lies further ahead has a say."""
    text = ("http://a/" + "👩\u200d" * 30 + text) * 2
    codes = code_points(text)
    at = min(at, len(codes) - 1)
    whole, part = known_cuts(codes), known_cuts(codes[at - 72 : at + 64])
    assert (0 if whole is None else whole[at]) == (0 if part is None else part[72])
