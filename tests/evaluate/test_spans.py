"""Spans: the worked example of Dridan & Oepen, and what a shifted boundary costs."""

from __future__ import annotations

import numpy as np

from caesura.document import ROOT, Document, EmptyNode
from caesura.evaluate.align import pair
from caesura.evaluate.evalb import Evalb
from caesura.evaluate.spans import SpanOptions, compare_level, tables, tuples
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


def test_a_shifted_boundary_spoils_two_spans() -> None:
    gold = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2])
    system = document("A b | . C d .", heads=[2, 0, 3, 3, 0, 3])
    comparison = pair([gold], [system])
    left, right = tables(comparison.gold, SpanOptions()), tables(comparison.system, SpanOptions())
    level = compare_level("SENT", left["SENT"], right["SENT"], comparison, SpanOptions())
    assert (level.score.gold, level.score.system, level.score.correct) == (2, 2, 0)


def test_a_missing_boundary_costs_two_gold_spans_and_one_of_the_system() -> None:
    gold = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2])
    system = document("A b . C d .", heads=[2, 0, 2, 5, 2, 5])
    comparison = pair([gold], [system])
    left, right = tables(comparison.gold, SpanOptions()), tables(comparison.system, SpanOptions())
    level = compare_level("SENT", left["SENT"], right["SENT"], comparison, SpanOptions())
    assert (level.score.gold, level.score.system, level.score.correct) == (2, 1, 0)


def test_fuzzy_spans_forgive_punctuation_at_the_edges() -> None:
    gold = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2])
    system = document("A b | . C d .", heads=[2, 0, 3, 3, 0, 3])
    comparison = pair([gold], [system])
    fuzzy = SpanOptions(fuzzy=True)
    left, right = tables(comparison.gold, fuzzy), tables(comparison.system, fuzzy)
    level = compare_level("SENT", left["SENT"], right["SENT"], comparison, fuzzy)
    assert level.score.correct == 2


def test_several_tags_may_be_right() -> None:
    gold = document("A b", xpos=["NN|JJ", "VB"])
    system = document("A b", xpos=["JJ", "NN"])
    comparison = pair([gold], [system])
    options = SpanOptions(tags="xpos")
    left, right = tables(comparison.gold, options), tables(comparison.system, options)
    assert compare_level("POS", left["POS"], right["POS"], comparison, options).score.correct == 1
    strict = SpanOptions(tags="xpos", several_tags=False)
    assert compare_level("POS", left["POS"], right["POS"], comparison, strict).score.correct == 0


def test_exact_sentences_of_a_level() -> None:
    gold = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2])
    system = document("A b . | Cd .", heads=[2, 0, 2, 0, 1])
    comparison = pair([gold], [system])
    left, right = tables(comparison.gold, SpanOptions()), tables(comparison.system, SpanOptions())
    level = compare_level("TOK", left["TOK"], right["TOK"], comparison, SpanOptions())
    assert (level.exact.gold, level.exact.correct) == (2, 1)


def test_dependency_tuples_without_multi_word_tokens_equal_attachment() -> None:
    gold = document("A b . | C d .", heads=[2, 0, 2, 2, 0, 2], deprel=["x", "root", "p"] * 2)
    system = document("A b . | C d .", heads=[2, 0, 1, 2, 0, 2], deprel=["y", "root", "p"] * 2)
    comparison = pair([gold], [system])
    left, right = tables(comparison.gold, SpanOptions()), tables(comparison.system, SpanOptions())
    labelled = compare_level("DEP", left["DEP"], right["DEP"], comparison, SpanOptions())
    plain = SpanOptions(unlabelled=True)
    bare = compare_level("DEP", left["DEP"], right["DEP"], comparison, plain)
    pairs = comparison.pairs
    las = pairs.score(pairs.same_head & pairs.same_relation)
    assert labelled.score.correct == las.correct == 3
    assert bare.score.correct == pairs.score(pairs.same_head).correct == 5
    assert gold.head[1] == ROOT
