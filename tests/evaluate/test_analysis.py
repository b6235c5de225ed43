"""Where the loss lies: breakdowns, confusions, layers, confidences, enhanced graphs, induction."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.document import Document, EmptyNode
from caesura.errors import InputError
from caesura.evaluate import evaluate
from caesura.evaluate.align import pair
from caesura.evaluate.breakdown import breakdown, genre_of, unit_counts
from caesura.evaluate.calibration import calibrate
from caesura.evaluate.confusions import confusions
from caesura.evaluate.enhanced import enhanced_scores
from caesura.evaluate.induced import Reversed, directed, induced_text
from caesura.evaluate.loss import attribute, cross_table, stage_losses
from tests.evaluate.making import document

GOLD = document(
    "She sees him . | He runs .",
    heads=[2, 0, 2, 2, 2, 0, 2],
    deprel=["nsubj", "root", "obj", "punct", "nsubj", "root", "punct"],
    upos=["PRON", "VERB", "PRON", "PUNCT", "PRON", "VERB", "PUNCT"],
    id="weblog-one",
)


def system(**changed: object) -> Document:
    columns: dict[str, object] = {
        "heads": [2, 0, 2, 2, 2, 0, 2],
        "deprel": ["nsubj", "root", "obj", "punct", "nsubj", "root", "punct"],
        "upos": ["PRON", "VERB", "PRON", "PUNCT", "PRON", "VERB", "PUNCT"],
        **changed,
    }
    return document("She sees him . | He runs .", **columns)  # type: ignore[arg-type]


# ---------------------------------------------------------------- breakdowns


def test_breakdowns_add_up_to_the_whole() -> None:
    other = system(heads=[2, 0, 2, 3, 2, 0, 1], upos=["PRON", "NOUN", *"ABCDE"])
    comparison = pair([GOLD], [other])
    right = int(comparison.pairs.same_head.sum())
    for by in ("document", "genre", "sentence length", "arc length", "label", "tag"):
        rows = breakdown(comparison, by)
        assert sum(row.gold for row in rows) == 7
        assert sum(row.recalled["UAS"] for row in rows) == right
        assert sum(row.precise["UAS"] for row in rows) == right


def test_arc_lengths_and_roots() -> None:
    rows = {row.name: row for row in breakdown(pair([GOLD], [GOLD]), "arc length")}
    assert {name: row.gold for name, row in rows.items()} == {"1": 4, "2": 1, "root": 2}
    assert rows["1"].f1("LAS") == 100


def test_genres_come_from_comments_or_ids() -> None:
    assert genre_of(GOLD) == "weblog"
    assert genre_of(document("A", id="GUM_interview_ants")) == "interview"
    assert genre_of(document("A")) == "unknown"
    told = document("A", id="x-1")
    told.comments = {0: ("# newdoc id = x-1", "# meta::genre = vlog")}
    assert genre_of(told) == "vlog"


def test_counts_by_document_follow_the_documents_of_gold() -> None:
    docs = [document("A b", heads=[0, 1], id="a"), document("C d", heads=[0, 1], id="b")]
    joined = document("A b | C d", heads=[0, 1, 2, 0])
    pairs = pair(docs, [joined]).pairs
    names, scores = unit_counts(pairs, "UAS")
    assert names == ["a", "b"]
    assert [(s.gold, s.system, s.correct) for s in scores] == [(2, 2, 2), (2, 2, 0)]
    _, starts = unit_counts(pairs, "Starts")
    assert [(s.gold, s.system, s.correct) for s in starts] == [(0, 0, 0), (0, 0, 0)]
    _, sentences = unit_counts(pairs, "Sentences")
    assert [(s.gold, s.system, s.correct) for s in sentences] == [(1, 1, 1), (1, 1, 1)]


def test_confusions_come_with_examples() -> None:
    other = system(deprel=["obj", "root", "obj", "punct", "obj", "root", "punct"])
    (found,) = confusions(pair([GOLD], [other]), "relations")
    assert (found.gold, found.system, found.count) == ("nsubj", "obj", 2)
    first, second = found.examples
    assert (first.form, first.start, first.document) == ("She", 0, "weblog-one")
    assert second.before.endswith(" . ")
    assert second.after.startswith(" runs")


# -------------------------------------------------------------------- layers


def test_every_word_is_put_down_to_one_layer() -> None:
    other = document(
        "She sees him. | He runs | .",
        heads=[2, 0, 1, 2, 0, 0],
        deprel=["nsubj", "root", "obj", "obj", "root", "root"],
    )
    found = attribute(pair([GOLD], [other]).pairs)
    assert sum(found.values()) == 7
    # him and its full stop are one token; the last full stop is a sentence of its own.
    assert found == {"right": 3, "tokens": 2, "sentences": 1, "heads": 0, "labels": 1}


def test_losses_by_stage_add_up() -> None:
    raw = document("She sees him. | He runs .", heads=[2, 0, 1, 2, 0, 1])
    tokens = system(heads=[2, 0, 2, 1, 2, 0, 2])
    losses = stage_losses([GOLD], {"raw": [raw], "tokens": [tokens]})
    assert losses.stages == ("raw", "tokens")
    for metric, values in losses.reached.items():
        assert values[0] + sum(losses.lost[metric].values()) == pytest.approx(100)
    assert list(losses.lost["LAS"]) == ["sentences and tokens", "tags and parser"]
    with pytest.raises(InputError, match="Stages are: raw"):
        stage_losses([GOLD], {"half": [raw]})


def test_the_cross_table_has_a_row_for_each_combination() -> None:
    outputs = {
        ("s1", "t1", "p1"): [GOLD],
        ("s1", "t1", "p2"): [system(heads=[0, 1, 2, 2, 2, 0, 2])],
        ("s2", "t1", "p1"): [GOLD],
    }
    columns, rows = cross_table([GOLD], outputs, "UAS")
    assert columns == ["p1", "p2"]
    assert rows[0][0] == ("s1", "t1")
    assert rows[0][1] == [100, pytest.approx(400 / 7)] or rows[0][1][1] < 100
    assert rows[1] == (("s2", "t1"), [100, None])


# ---------------------------------------------------------------- confidence


def test_calibration_of_a_system_that_knows_itself() -> None:
    confidence = np.repeat([0.25, 0.75], 400)
    right = np.concatenate((np.arange(400) % 4 == 0, np.arange(400) % 4 != 0))
    found = calibrate(confidence, right)
    assert found.ece == pytest.approx(0)
    assert found.brier == pytest.approx(0.1875)
    assert [b.count for b in found.bins] == [400, 400]


def test_confidences_of_the_system_are_judged() -> None:
    other = system(heads=[2, 0, 2, 1, 2, 0, 2])
    other.arc_conf = np.array([1, 1, 1, 0.5, 1, 1, 1], dtype=np.float32)
    report = evaluate([GOLD], [other])
    assert report.calibration["arcs"].count == 7
    assert report.calibration["arcs"].ece == pytest.approx(0.5 / 7)
    assert "arcs" in report.as_dict()["calibration"]


# ------------------------------------------------------------ enhanced graphs


def test_enhanced_edges_count_one_by_one() -> None:
    gold = document(
        "A b c", heads=[2, 0, 2], deps=["2:nsubj:xsubj|3:nsubj", "0:root", "2:conj:and"]
    )
    other = document("A b c", heads=[2, 0, 2], deps=["2:nsubj", "0:root", "2:conj:or"])
    found = enhanced_scores(pair([gold], [other]).pairs)
    assert (found["ELAS"].gold, found["ELAS"].system, found["ELAS"].correct) == (4, 3, 1)
    assert found["EULAS"].correct == 3


def test_empty_nodes_are_folded_into_paths() -> None:
    gold = document("A b c", heads=[2, 0, 2], deps=["2:nsubj", "0:root", "2.1:obj"])
    gold.empty_nodes = [EmptyNode(anchor=1, minor=1, deps="2:conj")]
    other = document("A b c", heads=[2, 0, 2], deps=["2:nsubj", "0:root", "2:conj>obj"])
    assert enhanced_scores(pair([gold], [other]).pairs)["ELAS"].f1 == 100


# ------------------------------------------------------------------ induction


def test_directed_accuracy_leaves_marks_out_and_climbs_over_them() -> None:
    gold = document("A b , c", heads=[2, 0, 2, 2], upos=["X", "X", "PUNCT", "X"])
    # c hangs on the comma, which hangs on b: forgiven.
    other = document("A b , c", heads=[2, 0, 2, 3])
    found = directed(pair([gold], [other]).pairs)
    assert (found.directed.gold, found.directed.correct) == (3, 3)
    turned = document("A b , c", heads=[0, 1, 2, 2])
    found = directed(pair([gold], [turned]).pairs)
    assert (found.directed.correct, found.undirected.correct) == (1, 2)
    assert found.directed10.gold == 3


def test_scores_without_punctuation_know_other_schemes_than_ud() -> None:
    """As CDT-Danish with other labels on its marks against itself, which scored 85.7."""
    tags = {"upos": ["NC", "VA", "XP"], "xpos": ["NC", "VA", "XP"]}
    gold = document("A b .", heads=[2, 0, 2], deprel=["s", "root", "pnct"], **tags)
    other = document("A b .", heads=[2, 0, 1], deprel=["s", "root", "x"])
    report = evaluate(gold, other)
    assert report["LASNoPunct"].f1 == 100
    assert "punctuation: UPOS" in str(report)
    assert report.as_dict()["marks"] == "UPOS"
    assert evaluate(gold, other, marks="NC")["LASNoPunct"].correct == 1
    nothing = evaluate(gold, other, marks="none")
    assert any("no punctuation by tags none" in note for note in nothing.notes)


def test_chains_stand_beside_directed_accuracy() -> None:
    """Of A b , c | d e : gold has A <- b -> c and d -> e; chains leave the comma out."""
    gold = document("A b , c | d e", heads=[2, 0, 2, 2, 0, 1], upos=[*"XX", "PUNCT", *"XXX"])
    found = directed(pair([gold], [gold]).pairs)
    # on the next: A right, b and c wrong, d and e wrong; on the one before: c, d, e right
    assert (found.next.correct, found.previous.correct) == (1, 3)
    assert found.next.gold == found.previous.gold == found.directed.correct == 5
    assert found.reversed == ()


def test_the_most_reversed_pairs_are_told() -> None:
    tags = ["DET", "NOUN", "VERB", "NOUN"]
    gold = document("the cat sees mice", heads=[2, 3, 0, 3], upos=tags)
    turned = document("the cat sees mice", heads=[0, 1, 2, 3], upos=tags)
    found = directed(pair([gold], [turned]).pairs)
    assert found.reversed == (Reversed("NOUN", "DET", 1, 1), Reversed("VERB", "NOUN", 1, 2))
    text = induced_text(found)
    assert "directed 25.0, undirected 75.0" in text
    assert "VERB -> NOUN: 1 of 2 (50%)" in text
    assert "below what a chain gives" in text


def test_directed_accuracy_needs_the_words_of_gold() -> None:
    with pytest.raises(InputError, match="needs the words of gold"):
        directed(pair([document("A b c", heads=[2, 0, 2])], [document("Ab c")]).pairs)
