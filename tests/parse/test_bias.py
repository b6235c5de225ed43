"""A bias of the joint parser gives half and twice as many boundaries where it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.layout import LINE
from caesura.learn.joint_parser import finish
from caesura.stages.bias import GRID
from caesura.stages.joint_parser import SCALE, Parser, SearchOptions
from caesura.stages.word_table import edited_words, is_edited
from tests.parse.toy import blank, corpus


def number(parser: Parser, docs: Sequence[Document]) -> int:
    return sum(int(parse.starts.sum()) - 1 for parse in parser.analyse(docs))


def plain(docs: Sequence[Document]) -> list[Document]:
    """The same documents without full stops, as a transcript has them."""
    from caesura.transform import speech

    return [speech(doc) for doc in docs]


@pytest.fixture(scope="module")
def held() -> list[Document]:
    return corpus(41, 8)


@pytest.fixture(scope="module")
def parser(toy_parser: Parser, held: list[Document]) -> Parser:
    """With what a bias is worth, measured on these documents."""
    return finish(toy_parser, held, transcripts=plain(held))


def test_full_stops_tell_edited_text(held: list[Document]) -> None:
    assert all(is_edited(doc) for doc in held)
    assert not any(is_edited(doc) for doc in plain(held))


def test_half_and_twice_as_many(parser: Parser, held: list[Document]) -> None:
    assert parser.scale != SCALE
    for docs in (held, plain(held)):
        base = number(parser, docs)
        assert number(parser.with_search(bias=-1.0), docs) == pytest.approx(base / 2, rel=0.1)
        assert number(parser.with_search(bias=1.0), docs) == pytest.approx(base * 2, rel=0.1)


def test_more_bias_gives_no_fewer_boundaries(parser: Parser, held: list[Document]) -> None:
    for docs in (held, plain(held)):
        found = [number(parser.with_search(bias=bias), docs) for bias in GRID]
        assert found == sorted(found)
        assert found[0] < found[-1]


def test_no_bias_changes_nothing(parser: Parser, held: list[Document]) -> None:
    for one, other in zip(
        parser.analyse(held), parser.with_search(bias=0.0).analyse(held), strict=True
    ):
        for mine, others in zip(one.columns(), other.columns(), strict=True):
            assert np.array_equal(mine, others)


def test_a_bias_goes_on_from_what_was_tuned(parser: Parser, held: list[Document]) -> None:
    tuned = parser.with_search(bonus=parser.scale.bonus(0.5))
    both = tuned.with_search(bias=-0.5)
    assert number(tuned, held) > number(both, held)


def test_each_document_has_the_bias_of_its_kind_in_any_company(
    parser: Parser, held: list[Document]
) -> None:
    biased = parser.with_search(bias=0.7)
    docs = [doc for pair in zip(held, plain(held), strict=True) for doc in pair]
    for doc, parse in zip(docs, biased.analyse(docs), strict=True):
        (alone,) = biased.analyse([doc])
        assert np.array_equal(alone.starts, parse.starts)
        assert np.array_equal(alone.heads, parse.heads)


def test_the_scale_is_kept_with_the_model(parser: Parser, held: list[Document]) -> None:
    again = Parser.from_part(parser.to_part())
    assert again.scale == parser.scale
    assert number(again.with_search(bias=1.0), held) == number(parser.with_search(bias=1.0), held)


def test_an_older_file_says_bias_and_means_bonus(toy_parser: Parser) -> None:
    part = toy_parser.with_search(bonus=0.25).to_part()
    config = {key: value for key, value in part.config.items() if not key.startswith("bias")}
    older = replace(part, config=config | {"bias": config.pop("bonus")})
    parser = Parser.from_part(older)
    assert (parser.search.bonus, parser.search.bias) == (0.25, 0.0)
    assert parser.scale == SCALE


def test_k_best_obeys_the_bias(parser: Parser, held: list[Document]) -> None:
    doc = blank(held[0])
    more = parser.with_search(bias=1.0, beam=16).k_best_parses(doc, 2)[0]
    less = parser.with_search(bias=-1.0, beam=16).k_best_parses(doc, 2)[0]
    assert more.starts.sum() > less.starts.sum()


def test_the_tokenisers_evidence_counts_in_edited_text(
    parser: Parser, held: list[Document]
) -> None:
    """Where it says everywhere that a sentence starts, more do; in a transcript it says nothing."""
    told = parser.with_search(evidence=50.0)
    for docs, more in ((held, True), (plain(held), False)):
        sure = [replace(doc, start_evidence=np.full(doc.n_tokens, 0.999)) for doc in docs]
        assert (number(told, sure) > number(parser, sure)) == more
    kept = Parser.from_part(told.to_part())
    assert kept.search.evidence == 50.0
    assert Parser.from_part(parser.to_part()).search.evidence == 0.0


def test_the_layout_counts_as_often_as_the_search_says(
    parser: Parser, held: list[Document]
) -> None:
    lines = [replace(doc, token_break=np.full(doc.n_tokens, LINE, np.uint8)) for doc in held]
    told = parser.with_search(layout=50.0)
    assert number(told, lines) > number(parser, lines)
    assert Parser.from_part(told.to_part()).search.layout == 50.0


def test_unedited_text_has_a_bonus_of_its_own(parser: Parser, held: list[Document]) -> None:
    told = parser.with_search(unedited=50.0)
    assert number(told, plain(held)) > number(parser, plain(held))
    edited = [doc for doc in held if edited_words(doc).all()]
    assert edited
    assert number(told, edited) == number(parser, edited)
    assert Parser.from_part(told.to_part()).search.unedited == 50.0


def test_the_bonus_is_that_of_the_paragraph(parser: Parser, held: list[Document]) -> None:
    """Of a page with edited paragraphs and one without punctuation, only that one has more."""
    first = next(doc for doc in held if edited_words(doc).all())
    second = plain(held)[1]
    second = replace(second, paragraph_start=second.token_start[:1])
    page = Document.join([first, second])
    parses = [one.analyse([page])[0].starts for one in (parser, parser.with_search(unedited=50.0))]
    before, after = (starts.astype(bool) for starts in parses)
    n = first.n_words
    assert before[:n].tolist() == after[:n].tolist()
    assert before[n:].sum() < after[n:].sum()


def test_what_is_told_is_a_finite_number() -> None:
    for name in ("evidence", "layout"):
        with pytest.raises(UsageError, match=f"{name} is -1"):
            SearchOptions(**{name: -1.0})
    with pytest.raises(UsageError, match="unedited is inf"):
        SearchOptions(unedited=float("inf"))
