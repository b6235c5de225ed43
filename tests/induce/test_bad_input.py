"""Texts that no grammar can be learnt from well: a result and a clear sentence, or an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import InputError
from caesura.induce import InduceOptions, Inducer
from caesura.tokenize import RuleTokenizer

ORDINARY = "The boat leaves. A gull cries, and the sea is calm. "


def learn(text: str, **options: str) -> tuple[Inducer, str]:
    """Induce from a raw text, as the command does; what was odd about it."""
    doc = RuleTokenizer().tokenize(text)
    inducer = Inducer([doc], InduceOptions(**options))  # type: ignore[arg-type]
    told = [event.stats["what"] for event in inducer if event.kind == "warning"]
    return inducer, " ".join(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The boat leaves the harbour.", "only 1 sentence to learn from"),
        ("ka ka ka. ka ka. ka ka ka ka.", "one class"),
        ("the boat leaves\n\na gull cries\n\nthe sea is calm", "punctuation mark"),
        ("the boat , a gull\n\nthe sea , a sail", "no sentence ends in a mark"),
        ("船が出る。海は静か。" * 30, "only 60 sentences"),  # every sign is a word by rule
        ("Boat. Gull. Harbour. " * 40, "most sentences have one word"),
    ],
)
@pytest.mark.parametrize("classes", ["4", "form"])
def test_odd_texts_give_a_grammar_and_a_sentence(text: str, told: str, classes: str) -> None:
    if told == "one class" and classes == "4":
        told = "only"
    inducer, what = learn(text, classes=classes)
    assert told in what
    grammar = inducer.grammar
    assert grammar is not None
    for table in grammar.parameters[:3]:
        assert np.isfinite(table).all()
    doc = RuleTokenizer().tokenize(ORDINARY)
    grammar.annotate([doc])
    assert (doc.head >= -1).all()


def test_sentences_that_are_all_too_long_are_an_error_with_a_remedy() -> None:
    long = " ".join(["the boat leaves"] * 70) + "."
    inducer = Inducer([RuleTokenizer().tokenize(long * 3)], InduceOptions(classes="form"))
    told: list[str] = []
    with pytest.raises(InputError, match="--max-length"):
        told.extend(event.stats.get("what", "") for event in inducer)
    assert any("--newline-is-boundary" in what for what in told)
    assert not any("only 0" in what for what in told)


def test_long_sentences_are_learnt_from_where_it_is_asked() -> None:
    text = "So " + " ".join(["the boat leaves a harbour"] * 40) + ". "
    inducer = Inducer(
        [RuleTokenizer().tokenize(text * 2)],
        InduceOptions(classes="form", longest=250, limit=250, recipe="fixed", model="dmv"),
    )
    told = [event.stats["what"] for event in inducer if event.kind == "warning"]
    assert any("words on average" in what for what in told)
    assert inducer.grammar is not None


def test_an_empty_text_is_an_error() -> None:
    with pytest.raises(InputError, match="no words"):
        Inducer([Document.from_spans("", [], [])], InduceOptions()).run()


def test_the_remedy_for_long_sentences_helps_and_nothing_stands_in_its_way(tmp_path: Path) -> None:
    long = " ".join(["the boat leaves"] * 20) + "."
    documents = [RuleTokenizer().tokenize(Document(text="\n\n".join([long] * 3)))]
    kept = tmp_path / "kept"
    with pytest.raises(InputError, match="--max-length 60 --set limit=60"):
        list(Inducer(documents, InduceOptions(classes="3"), checkpoint=kept))
    assert not kept.exists()
    list(Inducer(documents, InduceOptions(classes="3", longest=60, limit=60), checkpoint=kept))
