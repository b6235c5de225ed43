"""Documents and sentences of the system in another order than in gold."""

from __future__ import annotations

import random

import pytest

from caesura.document import Document
from caesura.evaluate import evaluate
from tests.evaluate.making import document

TEXTS = (
    "the boats came home late | nobody saw them",
    "we waited at the harbour | it rained all night",
    "in spring the ice breaks | then the ferries run",
    "she counted every rope | he wrote the numbers down",
)


def story(text: str, name: str | None, first: int = 0) -> Document:
    heads: list[int] = []
    for sentence in text.split("|"):
        heads += [0] + [1] * (len(sentence.split()) - 1)
    doc = document(text, heads, id=name, deprel=["root" if not h else "x" for h in heads])
    for number, token in enumerate(doc.sentence_bounds[:-1].tolist()):
        doc.comments[token] = (f"# sent_id = s{first + number}",)
    return doc


def stories(named: bool) -> list[Document]:
    return [story(text, f"d{i}" if named else None, 2 * i) for i, text in enumerate(TEXTS)]


def test_documents_are_matched_by_their_id() -> None:
    gold, system = stories(True), stories(True)[::-1]
    report = evaluate(gold, system)
    assert report["LAS"].f1 == report["Sentences"].f1 == 100
    assert any("matched by newdoc id" in note for note in report.notes)
    for shape in (str(report), report.html(), " ".join(report.as_dict()["notes"])):
        assert "newdoc id" in shape


def test_documents_and_the_sentences_in_them_may_both_be_moved() -> None:
    system = []
    for doc in stories(True)[::-1]:
        middle = int(doc.sentence_bounds[1])
        parts = [doc.cut(middle, doc.n_tokens), doc.cut(0, middle)]
        joined = Document.join(parts)
        joined.continues = False
        system.append(joined)
    report = evaluate(stories(True), system)
    assert report["LAS"].f1 == report["Sentences"].f1 == 100
    assert sum("matched by" in note for note in report.notes) == 2


def test_pieces_of_a_document_stay_together() -> None:
    gold, parts = stories(True), []
    for doc in stories(True)[::-1]:
        middle = int(doc.sentence_bounds[1])
        parts += [doc.cut(0, middle), doc.cut(middle, doc.n_tokens)]
    assert evaluate(gold, parts)["LAS"].f1 == 100


def test_what_gold_does_not_know_stays_behind_its_neighbour() -> None:
    gold = stories(True)
    system = [gold[2], story("quite another story", "new", 90), gold[0], gold[1]]
    report = evaluate(gold, system)
    words = sum(doc.n_words for doc in gold[:3])
    assert (report["LAS"].correct, report["LAS"].system) == (words, words + 3)
    assert report["Sentences"].recall == 75


@pytest.mark.parametrize("seed", range(3))
def test_sentences_are_matched_by_their_id(seed: int) -> None:
    """One document without a name, its sentences shuffled; more of them than are cut at a time."""
    rng = random.Random(seed)
    count = 120
    words = "alpha beta gamma delta epsilon zeta eta theta".split()  # noqa: SIM905
    text = " | ".join(" ".join(rng.choices(words, k=rng.randint(2, 7))) for _ in range(count))
    gold = story(text, None)
    bounds = gold.sentence_bounds.tolist()
    order = list(range(count))
    rng.shuffle(order)
    shuffled = Document.join([gold.cut(bounds[i], bounds[i + 1]) for i in order])
    report = evaluate(gold, shuffled)
    assert report["LAS"].f1 == report["Sentences"].f1 == report["Tokens"].f1 == 100
    assert any("matched by sent_id" in note for note in report.notes)


def test_names_that_occur_twice_say_nothing() -> None:
    gold = [story(text, "d", 0) for text in TEXTS]
    assert not any("matched by" in note for note in evaluate(gold, gold[::-1]).notes)


def test_nothing_is_moved_where_the_text_is_the_same() -> None:
    gold, system = stories(True), stories(True)
    for doc, name in zip(system, "dcba", strict=True):
        doc.id = name
    report = evaluate(gold, system)
    assert report["LAS"].f1 == 100
    assert not report.notes or not any("matched by" in note for note in report.notes)
