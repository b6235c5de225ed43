"""Weights that lead nowhere: a search that makes no progress ends with an error, not never."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caesura._core import ParserRows
from caesura.document import YES
from caesura.errors import ModelError
from caesura.learn.weights import to_bytes
from caesura.stages.joint_parser import SB, SHIFT, SWAP, Parser
from tests.parse.toy import document, to_floats

testing: Any = pytest.importorskip("caesura._core")._testing


def liking(parser: Parser, *actions: int, single: bool = False) -> Parser:
    """The parser with weights that want some transitions, the first most, whatever comes."""
    weights = np.full_like(to_floats(parser.table, parser.unit), -1.0)
    for rank, action in enumerate(actions):
        weights[:, action] = 1.0 - rank / 4
    inventory = replace(parser.inventory, sb=parser.inventory.sb and not single)
    return replace(
        parser, rows=ParserRows.of_table(*to_bytes(weights)), packed=None, inventory=inventory
    )


@pytest.mark.parametrize("beam", [1, 4])
def test_a_parser_that_only_swaps_stops(toy_parser: Parser, beam: int) -> None:
    swapping = liking(toy_parser, SWAP, SHIFT).with_search(beam=beam)
    doc = document(np.random.default_rng(3), 80)
    with pytest.raises(ModelError, match=r"transitions for \d+ words and goes nowhere"):
        swapping.parse([doc])
    with pytest.raises(ModelError, match="goes nowhere"):
        swapping.k_best_parses(doc, 2)


def test_a_short_text_is_parsed_even_so(toy_parser: Parser) -> None:
    """All words swapped with all others: the square of them, which is little here."""
    doc = document(np.random.default_rng(3), 3)
    doc.head = doc.head[:0]
    liking(toy_parser, SWAP, SHIFT).parse([doc])
    doc.check()


def test_a_parser_of_sentences_stops(toy_parser: Parser) -> None:
    swapping = liking(toy_parser, SWAP, SHIFT, single=True)
    doc = document(np.random.default_rng(3), 80)
    doc.sent_start[1:] = 0
    doc.sent_start[0] = YES
    doc.fixed = frozenset({"sentences"})
    with pytest.raises(ModelError, match="goes nowhere"):
        swapping.parse([doc])


def test_boundaries_before_every_word_are_progress(toy_parser: Parser) -> None:
    doc = document(np.random.default_rng(3), 80)
    liking(toy_parser, SB, SHIFT).with_search(beam=1).parse([doc])
    assert np.all(doc.sent_start == YES)


def test_given_heads_may_need_the_square_of_the_words(toy_parser: Parser) -> None:
    """The first half of the words hangs on the second, in the same order: every arc crosses."""
    doc = document(np.random.default_rng(3), 80)
    n = doc.n_words
    assert testing.most_steps(n, False) < n * n // 8
    doc.head = np.full(n, -2, np.int32)
    half = np.arange(n // 2)
    doc.head[half] = half + n // 2
    doc.fixed = frozenset({"heads"})
    given = doc.head.copy()
    toy_parser.parse([doc])
    assert np.array_equal(doc.head[half], given[half])


def test_scores_that_are_no_numbers(toy_parser: Parser) -> None:
    rows = ParserRows.of_table(toy_parser.table, float("nan"))
    broken = replace(toy_parser, rows=rows, packed=None)
    with pytest.raises(ModelError, match="no transition"):
        broken.parse([document(np.random.default_rng(3), 2)])
    with pytest.raises(ModelError, match="no transition"):
        broken.k_best_parses(document(np.random.default_rng(3), 2), 2)
