"""Classes by context: a word has another class among other neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.cli import run
from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.induce import Grammar, InduceOptions, Inducer
from caesura.induce.context import FREQUENT, MARKS, learn_context
from caesura.induce.word_classes import learn_classifier, regroup
from caesura.tokenize import RuleTokenizer

NOUNS = [f"n{letter}" for letter in "abcdefghijkl"]
VERBS = [f"v{letter}" for letter in "abcdefghijkl"]


def sentences(number: int = 600) -> list[list[str]]:
    """DET NOUN to VERB a NOUN, where `work` is a noun and a verb."""
    rng = np.random.default_rng(0)

    def one(words: list[str]) -> str:
        return "work" if rng.random() < 0.3 else str(rng.choice(words))

    return [
        [str(rng.choice(["The", "A"])), one(NOUNS), "has", "to", one(VERBS), "the", one(NOUNS), "."]
        for _ in range(number)
    ]


def text(number: int = 60) -> Document:
    lines = (" ".join(words) for words in sentences(number))
    return RuleTokenizer().tokenize(Document(" ".join(lines)))


def test_a_word_has_the_class_that_its_neighbours_ask_for() -> None:
    classifier = learn_classifier(sentences(), "5", context=10)
    doc = RuleTokenizer().tokenize(Document("The work has to work the na . The na has to va ."))
    of = dict(zip(range(doc.n_words), classifier.classify(doc), strict=True))
    assert of[1] != of[4]
    assert of[1] == of[6] == of[9]  # noun
    assert of[4] == of[12]  # verb
    assert of[0] == of[5] == of[8]  # article, at the beginning and inside
    assert of[7] == MARKS[0]


def test_frequent_words_of_a_class_are_parted_from_the_rest() -> None:
    known = learn_classifier(sentences(), "5", context=10)
    apart = regroup(sentences(), known, words=2)
    doc = RuleTokenizer().tokenize(Document("The work has to work the na ."))
    before, after = known.classify(doc), apart.classify(doc)
    changed = [form for form, a, b in zip(doc.column("form"), before, after, strict=True) if a != b]
    assert changed == ["The", "has", "the"]  # the two most frequent, in any case
    assert after[0] == f"{before[0]} frequent"
    assert after[1] != after[4]  # still by context


def test_frequent_words_are_seldom_heads_where_content_words_are_to_be() -> None:
    options = InduceOptions(classes="5", context=10, heads="content")
    grammar = Inducer([text(300)], options).run()
    doc = grammar.parse(text())
    apart = [kind.endswith(FREQUENT) for kind in grammar.classifier.classify(doc)]
    assert any(apart)
    assert not any(apart[head] for head in doc.head.tolist() if head >= 0)


def test_all_words_stay_in_their_classes_where_none_is_to_be_parted() -> None:
    options = InduceOptions(classes="4", context=3, frequent=0)
    assert not any("frequent" in name for name in Inducer([text()], options).run().names)


def test_unknown_words_are_classed_by_their_neighbours() -> None:
    classifier = learn_classifier(sentences(), "5", context=10)
    doc = RuleTokenizer().tokenize(Document("The zwx has to zwx the na ."))
    kinds = classifier.classify(doc)
    known = classifier.classify(RuleTokenizer().tokenize(Document("The na has to va the na .")))
    assert kinds == known


def test_marks_tell_what_they_do() -> None:
    found = learn_context([["(", "a", "-", "b", ")", ",", "c", "?"]] * 9, 2, 1, 5, 14)
    doc = RuleTokenizer().tokenize(Document("(a) - b, c!"))
    marks = [name for name in found.classify(doc) if name in MARKS]
    assert marks == [MARKS[1], MARKS[2], MARKS[3], MARKS[4], MARKS[0]]


def test_a_grammar_by_context_is_written_and_read(tmp_path: Path) -> None:
    grammar = Inducer([text()], InduceOptions(classes="4", context=3)).run()
    assert grammar.classifier.context is not None
    assert grammar.classifier.context.frequent
    part = grammar.to_part()
    again = Grammar.from_part(part)
    assert again.classifier.classify(text()) == grammar.classifier.classify(text())
    assert (again.parse(text()).head == grammar.parse(text()).head).all()
    part.arrays["context move"] = part.arrays["context move"] * 9.0
    with pytest.raises(ModelError, match="no probability"):
        Grammar.from_part(part)


def test_an_interrupted_induction_keeps_its_classes(tmp_path: Path) -> None:
    options = InduceOptions(classes="4", context=3)
    whole = Inducer([text()], options).run()
    path = tmp_path / "kept"
    events = iter(Inducer([text()], options, checkpoint=path))
    for event in events:
        if event.kind == "step":
            break
    events.close()
    resumed = Inducer([text()], options, checkpoint=path, resume=True).run()
    np.testing.assert_array_equal(resumed.parameters.attach, whole.parameters.attach)


@pytest.mark.parametrize(
    "settings", [{"classes": "upos"}, {"classes": "auto"}, {"morphology": 3.0}, {"context": -1}]
)
def test_context_needs_a_number_of_classes(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="context="):
        InduceOptions(**{"context": 10, **settings})  # type: ignore[arg-type]


def test_groups_of_frequent_words_do_not_go_with_context(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(text().text, encoding="utf-8")
    call = ["induce", str(file), "-o", str(tmp_path / "g"), "--groups", "5", "--set", "context=3"]
    assert run(call) == 2
    assert "--groups does not go with context=3" in capsys.readouterr().err
