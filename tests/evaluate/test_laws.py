"""Laws of the evaluation, tried at random.

Words too many cost no recall, words too few no precision, and both blocks of a report agree.
Words are as short as can be, of two letters, so that what is put in looks like what was there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import InputError
from caesura.evaluate import evaluate
from caesura.evaluate.report import Report
from tests.evaluate.making import document

RELATIONS = ("nsubj", "obj", "obl:tmod", "punct", "discourse")
RANDOM = st.randoms(use_true_random=False)


@dataclass(eq=False)
class Item:
    """A token of one word, or of several, with the item that is its head (None for the root)."""

    form: str
    words: tuple[str, ...] = ()
    head: Item | None = None
    relation: str = "obj"
    tag: str = "X"


@dataclass
class Sentence:
    items: list[Item] = field(default_factory=list)


def write(sentences: list[Sentence]) -> Document:
    """The words of a multi-word token hang on its first word, all else on first words."""
    heads: list[int] = []
    relations: list[str] = []
    tags: list[str] = []
    written: list[str] = []
    for sentence in sentences:
        first: dict[int, int] = {}
        at = 1
        for item in sentence.items:
            first[id(item)] = at
            at += max(len(item.words), 1)
        for item in sentence.items:
            heads.append(0 if item.head is None else first[id(item.head)])
            relations.append("root" if item.head is None else item.relation)
            tags.append(item.tag)
            for _ in item.words[1:]:
                heads.append(first[id(item)])
                relations.append("fixed")
                tags.append(item.tag)
        written.append(
            " ".join(i.form + ("=" + "+".join(i.words) if i.words else "") for i in sentence.items)
        )
    return document(" | ".join(written), heads, deprel=relations, upos=tags)


def attach(sentence: Sentence, rng: random.Random) -> Sentence:
    """A tree at random."""
    order = list(sentence.items)
    rng.shuffle(order)
    for place, item in enumerate(order):
        item.head = order[rng.randrange(place)] if place else None
        item.relation = rng.choice(RELATIONS)
        item.tag = rng.choice("XY")
    return sentence


def form(rng: random.Random, longest: int = 3) -> str:
    return "".join(rng.choice("ab") for _ in range(rng.randint(1, longest)))


def item(rng: random.Random, several: bool) -> Item:
    made = form(rng)
    if several and rng.random() < 0.2:
        return Item(made, (form(rng), form(rng)))
    return Item(made)


def treebank(rng: random.Random, several: bool = True) -> list[Sentence]:
    return [
        attach(Sentence([item(rng, several) for _ in range(rng.randint(2, 7))]), rng)
        for _ in range(rng.randint(1, 6))
    ]


def analysed_again(sentences: list[Sentence], rng: random.Random) -> list[Sentence]:
    """The same tokens with other sentences, trees and tags."""
    items = [replace(item) for sentence in sentences for item in sentence.items]
    found = [Sentence()]
    for made in items:
        if found[-1].items and rng.random() < 0.2:
            found.append(Sentence())
        found[-1].items.append(made)
    return [attach(sentence, rng) for sentence in found]


def recalls(report: Report) -> dict[str, float]:
    found = {name: score.recall for name, score in report.scores.items()}
    return found | {name: level.score.recall for name, level in report.levels.items()}


@given(RANDOM)
@settings(max_examples=150, deadline=None)
def test_words_that_gold_has_not_cost_no_recall(rng: random.Random) -> None:
    """Put inside sentences of the system; their forms occur nowhere in gold."""
    gold = treebank(rng)
    system = analysed_again(gold, rng)
    known = {i.form for s in gold for i in s.items} | {
        w for s in gold for i in s.items for w in i.words
    }
    before = recalls(evaluate(write(gold), write(system)))
    for sentence in system:
        for _ in range(rng.randint(0, 3)):
            filler = Item(form(rng, 5), tag="Z", relation="discourse")
            if filler.form in known or len(sentence.items) < 2:
                continue
            if rng.random() < 0.3:
                filler.words = ("c", filler.form)
            filler.head = rng.choice(sentence.items)
            sentence.items.insert(rng.randrange(1, len(sentence.items)), filler)
    assert recalls(evaluate(write(gold), write(system))) == before


@given(RANDOM)
@settings(max_examples=150, deadline=None)
def test_leaves_that_are_left_out_cost_no_precision(rng: random.Random) -> None:
    """Taken from inside sentences; their forms occur nowhere in what is left."""
    gold = treebank(rng)
    whole = write(gold)
    heads = {id(i.head) for s in gold for i in s.items}
    for sentence in gold:
        inside = [i for i in sentence.items[1:-1] if id(i) not in heads and not i.words]
        left_out = [i for i in inside if rng.random() < 0.6]
        sentence.items = [i for i in sentence.items if i not in left_out]
        others = {i.form for s in gold for i in s.items}
        others |= {w for s in gold for i in s.items for w in i.words}
        if any(i.form in others for i in left_out):
            return
    report = evaluate(whole, write(gold))
    for name, score in report.scores.items():
        assert score.correct == score.system, name
    for name, level in report.levels.items():
        assert level.score.correct == level.score.system, name


#: The scores of the first block and the levels of spans that count the same thing.
SAME = {"Tokens": "TOK", "Sentences": "SENT", "Words": "WORD", "UPOS": "POS", "LAS": "DEP"}


def spoilt(sentences: list[Sentence], rng: random.Random) -> list[Sentence]:
    """Tokens left out, put in, changed and glued; other sentences, trees and tags."""
    items: list[Item] = []
    for old in (item for sentence in sentences for item in sentence.items):
        chance = rng.random()
        if chance < 0.1:
            continue
        if chance < 0.2:
            items.append(Item(form(rng)))
        if chance < 0.3 and items:
            items[-1] = Item(items[-1].form + old.form)
        elif chance < 0.4:
            items.append(Item(old.form.replace("a", "…", 1)))
        elif chance < 0.5:
            items.append(Item(old.form.replace("b", "-", 1)))
        else:
            items.append(Item(old.form))
    return analysed_again([Sentence(items or [Item("a")])], rng)


@given(RANDOM, st.booleans())
@settings(max_examples=150, deadline=None)
def test_both_blocks_of_the_report_agree(rng: random.Random, raw: bool) -> None:
    """Wherever there is no multi-word token, whatever differs."""
    text = treebank(rng, several=False)
    gold, system = (write(spoilt(text, rng)) for _ in range(2))
    try:
        report = evaluate(gold, system, text=write(text).text if raw else None)
    except InputError:
        return
    for name, level in SAME.items():
        score, spans = report[name], report.levels[level].score
        assert (score.gold, score.system, score.correct) == (
            spans.gold,
            spans.system,
            spans.correct,
        ), name


# ------------------------------------------------------- what went wrong once


def test_a_multi_word_token_of_no_width_does_not_hold_the_walk_up() -> None:
    """Gold lacks a sentence with a multi-word token that the system has."""
    rest = "the boats came home late | nobody saw them coming"
    gold = document(rest, deprel=["x"] * 9)
    system = document("zzz=zz+z qqq | " + rest, deprel=["x"] * 12)
    for one, other in ((gold, system), (system, gold)):
        report = evaluate(one, other)
        assert report["Words"].correct == 9


@pytest.mark.parametrize("filler", ["uh", "um", "zzz=z+zz"])
def test_a_filler_does_not_cost_the_word_behind_it(filler: str) -> None:
    gold = document("the boats came home", heads=[2, 3, 0, 3], deprel=["det", "nsubj", "root", "x"])
    count = 2 if "=" in filler else 1
    system = document(
        f"the {filler} boats came home",
        heads=[2 + count, *[2 + count] * count, 3 + count, 0, 3 + count],
        deprel=["det", *["discourse"] * count, "nsubj", "root", "x"],
    )
    report = evaluate(gold, system)
    assert report["LAS"].recall == report.levels["DEP"].score.recall == 100
    assert report["Words"].precision == pytest.approx(100 * 4 / (4 + count))


def test_words_of_no_width_are_the_same_if_their_forms_are() -> None:
    """Both sides have a full stop that the raw text has not; only one has a comma."""
    gold = document("we went to the U.S. . | then home , again")
    system = document("we went to the U.S. . | then home ; again")
    report = evaluate(gold, system, text="we went to the U.S. then home again")
    assert report["Tokens"].correct == report.levels["TOK"].score.correct == 9
    assert report["Words"].correct == report.levels["WORD"].score.correct == 9


def test_a_missing_sentence_costs_no_other_one_its_full_stop() -> None:
    gold = document("the boats came . | the men sang . | it rained . | we went home .")
    system = document("the boats came . | it rained . | we went home .")
    assert evaluate(gold, system)["Sentences"].precision == 100
    assert evaluate(system, gold)["Sentences"].recall == 100
