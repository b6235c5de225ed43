"""The definition of punctuation: by Unicode, by the tags of a scheme, or by listed tags."""

from __future__ import annotations

import pytest

from caesura.document.punctuation import Marks, is_mark, parse_marks
from caesura.errors import UsageError
from tests.evaluate.making import document


@pytest.mark.parametrize(
    ("upos", "xpos", "chosen"),
    [
        (["NOUN", "PUNCT", "SYM"], ["N", "N", "N"], "upos"),
        (["", "", ""], ["NN", ",", "$"], "xpos"),
        (["NC", "XP", "NC"], ["NC", "XP", "NC"], "upos"),
        (["", "", ""], ["NN", "Z", "$$"], "unicode"),
        (["", "", ""], ["", "", ""], "unicode"),
    ],
)
def test_the_definition_follows_the_tags(upos: list[str], xpos: list[str], chosen: str) -> None:
    doc = document("a , $", upos=upos, xpos=xpos)
    assert Marks().resolve(doc).way == chosen
    assert Marks().mask(doc).tolist() == [False, True, False]


def test_universal_tags_decide_where_none_is_a_mark() -> None:
    doc = document("a , $", upos=["NOUN", "NOUN", "SYM"], xpos=["NN", ",", "$"])
    assert not Marks().mask(doc).any()


def test_currency_is_a_mark_for_induction_only() -> None:
    doc = document("a , $ %", xpos=["NN", ",", "$", "NN"])
    for way in ("unicode", "xpos"):
        assert parse_marks(way, induction=True).mask(doc).tolist() == [False, True, True, False]
    assert parse_marks("xpos").mask(doc).tolist() == [False, True, False, False]
    # CoNLL-X counts all characters of category P.
    assert parse_marks("unicode").mask(doc).tolist() == [False, True, False, True]


def test_a_tag_is_of_marks_if_most_of_its_words_are() -> None:
    doc = document("a , . b", xpos=["NN", "Z", "Z", "Z"])
    assert parse_marks("xpos").mask(doc).tolist() == [False, True, True, True]


def test_listed_tags_are_looked_up_in_both_columns() -> None:
    doc = document("a , b", upos=["X", "", "Y"], xpos=["", "Q", ""])
    assert parse_marks("Q Y").mask(doc).tolist() == [False, True, True]
    assert str(parse_marks("Q Y")) == "tags Q Y"
    with pytest.raises(UsageError, match="--marks is empty"):
        parse_marks(" ")


def test_forms() -> None:
    assert is_mark("...")
    assert not is_mark("")
    assert not is_mark("U.S.")


def test_parts_of_documents_have_the_marks_of_the_whole() -> None:
    """Alone, the second part has no tag of marks and would be decided by Unicode."""
    doc = document("Hi . what ?", upos=["X", "PUNCT", "odd", "odd"])
    whole = Marks().settled([doc])
    first, second = doc.cut(0, 2), doc.cut(2, 4)
    assert Marks().mask(second).tolist() == [False, True]
    assert [*whole.mask(first), *whole.mask(second)] == [False, True, False, False]
    assert whole.mask(doc).tolist() == Marks().mask(doc).tolist() == [False, True, False, False]
