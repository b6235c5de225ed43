"""Copies that are spelled otherwise: offsets hold, what stays is kept, one seed gives one copy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from caesura.document import YES, Document
from caesura.transform.respell import MANNERS, Items, Spelled, exchanged, respelled, roughened
from tests.tokenize.corpus import document


def spans(doc: Document) -> list[str]:
    pairs = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
    return [doc.text[a:b] for a, b in pairs]


def written(text: str, *sentences: str) -> Document:
    """A document of sentences given as tokens with spaces between them."""
    starts, ends, begins, at = [], [], [], 0
    for sentence in sentences:
        for number, token in enumerate(sentence.split()):
            at = text.index(token, at)
            starts.append(at)
            at += len(token)
            ends.append(at)
            begins.append(int(number == 0))
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start = np.array(begins, dtype=np.int8)
    return doc


def random(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_token_may_become_several_or_none() -> None:
    doc = written("He met Anna. She left.", "He met Anna .", "She left .")
    copy, changed = respelled(
        doc, {2: [Spelled("Dr.", gap=" "), Spelled("don't", ("do", "n't"), " ")], 3: []}
    )
    copy.check()
    assert copy.text == "He met Dr. don't She left."
    assert spans(copy) == ["He", "met", "Dr.", "don't", "She", "left", "."]
    assert copy.column("form")[2:5] == ["Dr.", "do", "n't"]
    assert np.flatnonzero(copy.sent_start == YES).tolist() == [0, 4]
    assert np.flatnonzero(changed).tolist() == [2, 3]


def test_paragraphs_move_with_their_tokens() -> None:
    doc = written("One.\n\nTwo.", "One .", "Two .")
    doc.paragraph_start = np.array([0, 6], dtype=np.int64)
    copy = respelled(doc, {0: [Spelled("Eleven")], 2: [Spelled("Twelve", gap="\n\n")]}).doc
    assert copy.text == "Eleven.\n\nTwelve."
    assert copy.paragraph_start.tolist() == [0, 9]


def test_a_copy_of_as_many_tokens_keeps_what_is_known_of_them() -> None:
    doc = written('He said "no".', 'He said " no " .')
    doc.upos = doc.strings.ids(["PRON", "VERB", "PUNCT", "INTJ", "PUNCT", "PUNCT"])
    copy = roughened(doc, "typographic", random()).doc
    assert copy.text == "He said “no”."
    assert copy.column("upos") == doc.column("upos")
    assert roughened(copy, "plain", random()).doc.text == doc.text


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("seed", range(3))
def test_every_manner_keeps_tokens_words_and_sentences(manner: str, seed: int) -> None:
    doc = document(seed)
    copy, changed = roughened(doc, manner, random(seed))
    copy.check()
    assert copy.n_tokens == doc.n_tokens == len(changed)
    assert copy.word_token.tolist() == doc.word_token.tolist()
    assert copy.sent_start.tolist() == doc.sent_start.tolist()
    folded = [form.lower().replace("’", "'").replace("…", "...") for form in spans(copy)]
    assert folded == [form.lower() for form in spans(doc)]
    single = np.diff(copy.first_word) == 1
    forms = np.array(copy.column("form"), dtype=object)[copy.first_word[:-1]]
    assert forms[single].tolist() == np.array(spans(copy), dtype=object)[single].tolist()


def test_spaces_are_doubled_hardened_and_lost() -> None:
    doc = written("No. Yes. " * 200, *["No .", "Yes ."] * 200)
    text = roughened(doc, "spaces", random()).doc.text
    assert "  " in text
    assert "\u00a0" in text
    assert "No.Yes" in text


def test_items_stand_where_such_things_stand() -> None:
    items = {
        "name": ["{title} {surname}"],
        "last": ["{surname} {-company}|."],
        "number": ["$|{n}|-|{n}"],
        "behind": ["|[|{n}|]"],
        "it is": ["'t¦is"],
    }
    fields = {"title": ["Sgt."], "surname": ["Holm"], "company": ["Ltd."]}
    doc = written(
        "It is over! We saw Anna there! Nobody came home. I paid 40 crowns to Bert.",
        "It is over !",
        "We saw Anna there !",
        "Nobody came home .",
        "I paid 40 crowns to Bert .",
    )
    copy = exchanged(doc, Items(items, fields), random(), rate=3.0).doc
    copy.check()
    bounds = copy.sentence_bounds.tolist()
    said = [" ".join(spans(copy)[a:b]) for a, b in pairwise(bounds)]
    assert said[0].startswith("'Tis over ! [")
    assert said[1].startswith("We saw Sgt. Holm there !")
    assert said[2] == "Nobody came Holm Ltd ."
    assert said[3].startswith("I paid $ ")
    assert said[3].endswith(" crowns to Holm Ltd .")
    assert copy.column("form")[:2] == ["'T", "is"]


@pytest.mark.parametrize("seed", range(4))
def test_the_same_seed_gives_the_same_copy(seed: int) -> None:
    items = Items({"between": ["{w}@{w}.org", "#{W}"], "behind": [":-)"], "he": ["'e"]}, {})
    doc = document(seed)
    first, second = (exchanged(doc, items, random(seed)).doc for _ in range(2))
    assert first.text == second.text
    assert spans(first) == spans(second)
    first.check()
    assert first.n_sentences == doc.n_sentences
