"""Clauses: their types by example, and how they lie in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given

from caesura.document import Document
from caesura.find.clauses import TYPES
from tests.strategies import documents

#: Words as form/upos/head/relation, and the type and the parts of each clause.
SENTENCES = {
    "When/ADV/3/advmod he/PRON/3/nsubj came/VERB/6/advcl ,/PUNCT/3/punct she/PRON/6/nsubj "
    "left/VERB/0/root ./PUNCT/6/punct": [
        ("main", ["she left ."]),
        ("adverbial", ["When he came"]),
    ],
    "They/PRON/2/nsubj know/VERB/0/root that/SCONJ/5/mark it/PRON/5/nsubj rains/VERB/2/ccomp "
    "and/CCONJ/7/cc go/VERB/2/conj": [
        ("main", ["They know"]),
        ("complement", ["that it rains"]),
        ("coordinated", ["and go"]),
    ],
    "Nets/NOUN/5/nsubj that/PRON/3/nsubj hold/VERB/1/acl:relcl are/AUX/5/cop rare/ADJ/0/root": [
        ("main", ["Nets", "are rare"]),
        ("relative", ["that hold"]),
    ],
    "“/PUNCT/2/punct Go/VERB/5/ccomp ”/PUNCT/2/punct she/PRON/5/nsubj said/VERB/0/root": [
        ("main", ["she said"]),
        ("quoted", ["“ Go ”"]),
    ],
    "A/DET/2/det plan/NOUN/0/root to/PART/4/mark mend/VERB/2/acl nets/NOUN/4/obj "
    "bought/VERB/5/acl": [
        ("main", ["A plan"]),
        ("complement", ["to mend nets"]),
        ("relative", ["bought"]),
    ],
    "Cod/NOUN/0/root and/CCONJ/3/cc crab/NOUN/1/conj": [("main", ["Cod and crab"])],
    "It/PRON/3/expl is/AUX/3/cop hard/ADJ/0/root to/PART/5/mark mend/VERB/3/csubj": [
        ("main", ["It is hard to mend"]),
    ],
}


def parsed(sentence: str) -> Document:
    words = [word.split("/") for word in sentence.split()]
    lines = [
        f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t_"
        for number, (form, upos, head, relation) in enumerate(words, 1)
    ]
    return Document.from_conllu("\n".join(lines) + "\n\n")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_types_and_parts(sentence: str) -> None:
    found = parsed(sentence).clauses
    assert [(one.type, [part.text for part in one.parts]) for one in found] == SENTENCES[sentence]


def test_a_clause_depends_on_the_nearest_one() -> None:
    sentence = (
        "Ann/PROPN/2/nsubj says/VERB/0/root Bo/PROPN/4/nsubj left/VERB/2/ccomp "
        "because/SCONJ/7/mark he/PRON/7/nsubj ran/VERB/4/advcl"
    )
    main, said, reason = parsed(sentence).clauses
    assert main.parent is None
    assert said.parent is main
    assert reason.parent is said
    assert [one.head.form for one in (main, said, reason)] == ["says", "left", "ran"]


def test_a_crossing_arc_takes_no_words_out_of_another_clause() -> None:
    sentence = (
        "What/PRON/6/obj do/AUX/4/aux you/PRON/4/nsubj think/VERB/0/root he/PRON/6/nsubj "
        "wants/VERB/4/ccomp"
    )
    _, asked = parsed(sentence).clauses
    assert asked.text == "he wants"


def test_a_document_without_words_has_none() -> None:
    assert Document().clauses == []


@given(documents())
def test_clauses_cover_sentences_and_nest(doc: Document) -> None:
    found = doc.clauses
    mains = [one for one in found if one.type == "main"]
    assert [(one.start, one.end) for one in mains] == [(s.start, s.end) for s in doc.sentences]
    for one in found:
        assert one.type in TYPES
        assert doc.text[one.start : one.end] == one.text
        assert (one.parent is None) == (one.type == "main")
        assert one.parent is None or one.parent in mains or one.parent in found
        for other in found:
            apart = one.end <= other.start or other.end <= one.start
            inside = one.start <= other.start and other.end <= one.end
            around = other.start <= one.start and one.end <= other.end
            assert apart or inside or around
    owned = [part for one in found for part in one.parts]
    words = [word.index for part in owned for word in part]
    assert len(words) == len(set(words)), "a word is in one clause at most"
