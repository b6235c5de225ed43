"""The number of classes, chosen by what held-out words cost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.document import Document
from caesura.induce import InduceOptions, Inducer, class_number
from caesura.induce.class_number import USUAL, fewest, held_out_bits, numbers_tried
from caesura.induce.corpus import corpus
from caesura.induce.parameters import find_model, uniform
from caesura.induce.selection import bits_per_word
from caesura.tokenize import RuleTokenizer

KINDS = {
    "article": ["the", "a", "this"],
    "noun": [f"{a}{b}" for a in ("sea", "gull", "sail", "rope", "quay") for b in ("s", "er", "et")],
    "verb": [f"{a}{b}" for a in ("leav", "hold", "pull", "moor") for b in ("es", "ed", "s")],
    "place": ["here", "there", "outside", "below"],
}


def text(seed: int = 0, sentences: int = 400) -> Document:
    """Sentences of four kinds of words, in an order that only the kinds decide."""
    rng = np.random.default_rng(seed)
    orders = (
        ("article", "noun", "verb", "article", "noun"),
        ("article", "noun", "verb", "place"),
        ("place", "article", "noun", "verb"),
    )
    lines = [
        " ".join(str(rng.choice(KINDS[kind])) for kind in orders[int(rng.integers(3))]) + "."
        for _ in range(sentences)
    ]
    return RuleTokenizer().tokenize(Document(text="\n\n".join(lines)))


def test_kinds_of_words_are_cheaper_than_one_class_and_than_one_class_a_word() -> None:
    bits = dict(numbers_tried([text(sentences=150)], numbers=(1, 5, 30), frequent=0))
    assert fewest(bits) == 5  # the full stop is a class, too
    assert bits[5] < min(bits[1], bits[30])


def test_bits_are_those_of_classes_and_of_words_in_them() -> None:
    lines = "one two two.\n\none two."
    both = corpus([RuleTokenizer().tokenize(Document(text=lines))], lambda doc: ["x"] * doc.n_words)
    train, held = (both.select(np.arange(2) == number) for number in (0, 1))
    grammar = uniform(find_model("dbm1"), 2)
    # two types, and ten that were not seen: 3 tokens and 12 tenths
    by_hand = -np.log2([1.1 / 4.2, 2.1 / 4.2]).mean()
    found = held_out_bits(train, held, grammar)
    assert found == pytest.approx(bits_per_word(held.sentences, grammar) + by_hand)


def test_a_sentence_that_is_held_out_is_not_clustered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def learn(sentences: list[list[str]], *rest: object) -> object:
        seen.extend(word for words in sentences for word in words)
        return real(sentences, *rest)  # type: ignore[arg-type]

    real = class_number.learn_classifier
    monkeypatch.setattr(class_number, "learn_classifier", learn)
    lines = [f"word{number} sails here." for number in range(40)]
    doc = RuleTokenizer().tokenize(Document(text="\n\n".join(lines)))
    list(numbers_tried([doc], numbers=(2,)))
    held = {f"word{number}" for number in range(9, 40, 10)}
    assert held.isdisjoint(seen)
    assert {f"word{number}" for number in range(40)} - held <= set(seen)


def test_a_long_text_is_looked_at_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_number, "SAMPLE", 100)
    part = class_number._parts([5] * 60)
    assert part.tolist() == [*[1] * 9, -1, *[0] * 20, *[1] * 9, -1, *[0] * 20]


def test_a_text_that_is_too_small_to_tell_gets_the_usual_number() -> None:
    few = RuleTokenizer().tokenize(Document(text="A gull sails. It lands."))
    bits = dict(numbers_tried([few], numbers=(2, 3)))
    assert np.isinf(list(bits.values())).all()
    assert fewest(bits) == USUAL


def test_of_equal_numbers_the_smallest_is_taken() -> None:
    assert fewest({50: 3.0, 20: 3.0, 30: 3.1}) == 20


def test_an_induction_tells_of_the_numbers_it_tries_and_keeps_the_best(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        numbers_tried, "__kwdefaults__", numbers_tried.__kwdefaults__ | {"numbers": (1, 4)}
    )
    options = InduceOptions(classes="auto", frequent=0, recipe="short-first")
    inducer = Inducer([text()], options, checkpoint=tmp_path / "kept")
    events = list(inducer)
    assert [e.stats["number"] for e in events if e.kind == "classes"] == [1, 4]
    assert events[2].kind == "start"
    assert events[2].stats["classes"] <= 4 + 2
    assert events[2].stats["numbers"] == inducer.numbers
    # classes that an interrupted run has kept are not chosen again
    again = Inducer([text()], options, checkpoint=tmp_path / "kept", resume=True)
    assert next(iter(again)).kind == "start"
