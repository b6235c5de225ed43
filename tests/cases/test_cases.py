"""The cases by which splitting, tokenising and parsing are judged are well-formed: sentences cover
their texts, roots are words of their sentences, tokens spell theirs, and both halves are alike."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent
KINDS = sorted((CASES / "sentences").glob("*.jsonl"))
SCRIPTS = sorted((CASES / "scripts").glob("*.jsonl"))
HALVES = ("open", "held")


def lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n"), path
    return text.removesuffix("\n").split("\n")


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(path)]


def primer(half: str) -> list[list[str]]:
    return [line.split("\t") for line in lines(CASES / "primer" / f"{half}.tsv")]


def gaps(text: str, sentences: list[str]) -> list[str]:
    """What stands before, between and after the sentences."""
    found, end = [], 0
    for sentence in sentences:
        start = text.find(sentence, end)
        assert start >= 0, f"not in the text, or not in order: {sentence!r}"
        found.append(text[end:start])
        end = start + len(sentence)
    return [*found, text[end:]]


def letters(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("path", KINDS + SCRIPTS, ids=lambda path: path.stem)
def test_sentences_are_slices_that_cover_the_text(path: Path) -> None:
    for case in cases(path):
        assert set(case) == {"id", "text", "sentences"}
        assert 1 <= len(case["sentences"]) <= 6, case["id"]
        for sentence in case["sentences"]:
            assert sentence, case["id"]
            assert sentence == sentence.strip(), case["id"]
        assert not letters("".join(gaps(case["text"], case["sentences"]))), case["id"]


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.stem)
def test_cases_are_numbered_and_come_in_pairs(path: Path) -> None:
    ids = [case["id"] for case in cases(path)]
    assert ids == [f"{path.stem}-{number:02}" for number in range(1, len(ids) + 1)]
    assert len(ids) >= 10
    assert len(ids) % 2 == 0, "as many open cases as held ones"


def test_there_are_enough_cases_and_none_twice() -> None:
    texts = Counter(case["text"] for path in KINDS for case in cases(path))
    assert texts.total() >= 320
    assert max(texts.values()) == 1


@pytest.mark.parametrize("half", HALVES)
def test_a_primer_has_roots_that_occur_once(half: str) -> None:
    rows = primer(half)
    assert len(rows) == 50
    assert sum(len(sentence.split()) <= 6 for sentence, _, _ in rows) == 25
    for sentence, root, _ in rows:
        words = re.findall(r"\w+", sentence)
        assert root in words, sentence
        assert [word.casefold() for word in words].count(root.casefold()) == 1, sentence


def test_the_halves_of_the_primer_are_alike_and_apart() -> None:
    opened, held = (primer(half) for half in HALVES)
    assert [kind for _, _, kind in opened] == [kind for _, _, kind in held]
    assert len({sentence for sentence, _, _ in [*opened, *held]}) == 100
    # The copula of existence and the question word are roots in both; no other word is.
    shared = {root for _, root, _ in opened} & {root for _, root, _ in held}
    assert shared == {"Where", "is", "were"}


def test_tokens_spell_their_sentences() -> None:
    rows = [line.split("\t") for line in lines(CASES / "tokens.tsv")]
    assert len(rows) >= 80
    assert len(rows) % 2 == 0, "as many open rows as held ones"
    assert len({sentence for sentence, _ in rows}) == len(rows)
    for sentence, tokens in rows:
        assert "+" not in sentence, "the sign that joins the words of a multi-word token"
        words = [word for token in tokens.split(" ") for word in token.split("+")]
        assert all(words), tokens
        assert "".join(words) == letters(sentence)
