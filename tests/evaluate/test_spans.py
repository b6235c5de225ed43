"""Spans: the worked example of Dridan & Oepen, and what a shifted boundary costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caesura.document import Document, EmptyNode
from caesura.evaluate.align import pair
from caesura.evaluate.evalb import Evalb
from caesura.evaluate.spans import Level, SpanOptions, compare_level, tables, tuples
from tests.evaluate.making import document


def they_didnt() -> Document:
    """(TOP (S (NP-SBJ (PRP They)) (VP (VBD did) (RB n't) (VP (-NONE- *))) (. .)))"""
    doc = Document.from_spans("They didn't.", [0, 5, 8, 11], [4, 8, 11, 12])
    doc.sent_start[:] = [1, 0, 0, 0]
    doc.set_column("xpos", ["PRP", "VBD", "RB", "."])
    doc.empty_nodes = [EmptyNode(anchor=2, form="*", xpos="-NONE-")]
    rows = [
        ("TOP", -1, -1),
        ("S", 0, -1),
        ("NP-SBJ", 1, -1),
        ("PRP", 2, 0),
        ("VP", 1, -1),
        ("VBD", 4, 1),
        ("RB", 4, 2),
        ("VP", 4, -1),
        ("-NONE-", 7, -2),
        (".", 1, 3),
    ]
    doc.node_label = doc.strings.ids(row[0] for row in rows)
    doc.node_parent = np.array([row[1] for row in rows], dtype=np.int32)
    doc.node_leaf = np.array([row[2] for row in rows], dtype=np.int32)
    return doc


TWO = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2])
SIXTEEN = """\
0 4 POS:PRP
0 4 TOK
5 8 POS:VBD
5 8 TOK
8 11 POS:RB
8 11 TOK
11 11 POS:-NONE-
11 11 TOK
11 12 POS:.
11 12 TOK
0 12 TOP
0 12 S
0 4 NP-SBJ
5 11 VP
11 11 VP
0 12 SENT
"""


def test_the_sixteen_triples() -> None:
    doc = they_didnt()
    comparison = pair([doc], [doc])
    found = [line.replace("\t", " ") for line in tuples(comparison, comparison.gold)]
    assert sorted(found) == sorted(SIXTEEN.splitlines())


def test_deleting_empties_deletes_what_only_dominates_them() -> None:
    doc = they_didnt()
    comparison = pair([doc], [doc])
    found = tables(comparison.gold, SpanOptions())
    strings = comparison.gold.strings
    assert [strings[label] for label in found["PS"].label.tolist()] == ["S", "NP", "VP"]
    assert len(found["TOK"]) == len(found["POS"]) == 4


def test_labels_are_cut_and_equated() -> None:
    options = Evalb()
    assert options.label("NP-SBJ-1") == "NP"
    assert options.label("NP=2") == "NP"
    assert options.label("-LRB-") == "-LRB-"
    assert options.label("PRT") == "ADVP"


def level(name: str, gold: Document, system: Document, **options: Any) -> Level:
    """A level of two documents, compared."""
    comparison, chosen = pair([gold], [system]), SpanOptions(**options)
    left, right = tables(comparison.gold, chosen), tables(comparison.system, chosen)
    return compare_level(name, left[name], right[name], comparison, chosen)


@pytest.mark.parametrize(
    ("system", "heads", "counts"),
    [
        ("A b | . C d .", [2, 0, 3, 3, 0, 3], (2, 2, 0)),  # a shifted boundary spoils two spans
        ("A b . C d .", [2, 0, 2, 5, 2, 5], (2, 1, 0)),  # a missing one two of gold, one of ours
    ],
)
def test_boundaries_cost_spans_on_both_sides(
    system: str, heads: list[int], counts: tuple[int, int, int]
) -> None:
    found = level("SENT", TWO, document(system, heads=heads)).score
    assert (found.gold, found.system, found.correct) == counts


def test_fuzzy_spans_forgive_punctuation_at_the_edges() -> None:
    system = document("A b | . C d .", heads=[2, 0, 3, 3, 0, 3])
    assert level("SENT", TWO, system, fuzzy=True).score.correct == 2


def test_several_tags_may_be_right() -> None:
    gold, system = document("A b", xpos=["NN|JJ", "VB"]), document("A b", xpos=["JJ", "NN"])
    assert level("POS", gold, system, tags="xpos").score.correct == 1
    assert level("POS", gold, system, tags="xpos", several_tags=False).score.correct == 0


def test_exact_sentences_of_a_level() -> None:
    exact = level("TOK", TWO, document("A b . | Cd .", heads=[2, 0, 2, 0, 1])).exact
    assert (exact.gold, exact.correct) == (2, 1)


def test_dependency_tuples_without_multi_word_tokens_equal_attachment() -> None:
    gold = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2], deprel=["x", "root", "p"] * 2)
    system = document("A b . | C d .", heads=[2, 0, 1, 2, 0, 2], deprel=["y", "root", "p"] * 2)
    pairs = pair([gold], [system]).pairs
    las = pairs.score(pairs.same_head & pairs.same_relation)
    assert level("DEP", gold, system).score.correct == las.correct == 3
    bare = level("DEP", gold, system, unlabelled=True)
    assert bare.score.correct == pairs.score(pairs.same_head).correct == 5
