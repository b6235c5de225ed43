"""Punctuation and mark-up: the traces that they leave, and analyses of annotated trees."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.document.punctuation import is_mark, parse_marks
from caesura.induce import analyses
from caesura.induce.analyses import NAMES
from caesura.induce.corpus import corpus, gold_heads, word_classes

# ------------------------------------------------------------------------------------------- corpus

CONLLU = """\
1\t"\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_
2\tBoats\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tleave\t_\tVERB\t_\t_\t0\troot\t_\t_
4\t,\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_
5\t"\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_
6\tshe\t_\tPRON\t_\t_\t7\tnsubj\t_\t_
7\tsaid\t_\tVERB\t_\t_\t4\tparataxis\t_\t_
8\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_

1\tHarbour\t_\tNOUN\t_\t_\t2\tcompound\t_\t_
2\tnews\t_\tNOUN\t_\t_\t0\troot\t_\t_

1\t!\t_\tPUNCT\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def doc(tmp_path: Path) -> Document:
    path = tmp_path / "small.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return next(iter(formats.read(path)))


@pytest.mark.parametrize("source", ["unicode", "upos"])
def test_marks_leave_traces(doc: Document, source: str) -> None:
    words = corpus([doc], word_classes("upos"), marks=source)
    s = words.sentences
    assert s.lengths.tolist() == [4, 2]
    assert [words.names[c] for c in s.classes] == ["NOUN", "VERB", "PRON", "VERB", "NOUN", "NOUN"]
    assert s.marks.tolist() == [0, 0, 2, 2, 0, 0]
    assert s.comps.tolist() == [1, 0]
    assert s.inner.tolist() == [True, False]
    assert s.cut().lengths.tolist() == [2, 2, 2]
    assert s.cut().comps.tolist() == [0, 0, 0]


def test_heads_climb_over_marks(doc: Document) -> None:
    """`said` hangs from the comma, which hangs from `leave`."""
    words = corpus([doc], word_classes("upos"), marks="upos")
    heads, missing = gold_heads([doc], words)
    assert heads.tolist() == [1, -1, 3, 1, 1, -1]
    assert missing.tolist() == [0, 0]


def test_classes_outside_the_names_are_unknown(doc: Document) -> None:
    words = corpus([doc], word_classes("upos"), names=["NOUN", "VERB"])
    assert words.names == ("?", "NOUN", "VERB")
    assert words.sentences.classes.tolist() == [1, 2, 0, 2, 1, 1]


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("...", True),
        ("«", True),
        ("—", True),
        ("``", True),
        ("$", True),
        ("#", True),
        (">>", True),
        ("%", False),
        ("U.S.", False),
    ],
)
def test_marks_by_unicode(form: str, answer: bool) -> None:
    assert is_mark(form, True) == answer


def test_markup_makes_fragments() -> None:
    text = "the old harbour master left early"
    starts, ends = [0, 4, 8, 16, 23, 28], [3, 7, 15, 22, 27, 33]
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start = np.array([1, 0, 0, 0, 0, 0], dtype=np.int8)
    doc.markup_start = np.array([4, 8], dtype=np.int64)
    doc.markup_end = np.array([22, 22], dtype=np.int64)
    doc.markup_label = doc.strings.ids(["a", "b"])
    s = corpus([doc], word_classes("form"), markup=True).sentences
    assert s.fragments.tolist() == [0, 1, 1, 1, 4, 5]


def test_analyses_of_a_small_treebank(doc: Document) -> None:
    found = analyses.boundaries([doc], "upos")
    assert found["sentences"] == 2
    assert found["fragments"]["of_several_words"] == 2
    assert found["fragments"]["satisfied"]["sprawl"] == 100.0
    assert found["fragments"]["satisfied"]["strict"] == 50.0
    assert found["completeness"]["with_final_mark"] == [1, 0]
    assert "Hellinger" in analyses.show(found)


def test_hellinger() -> None:
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.0, 1.0])
    assert analyses.hellinger(p, p) == pytest.approx(0.0)
    assert analyses.hellinger(p, q) == pytest.approx(1.0)


def test_the_fringe_predicts_stops_better_than_the_head(data_dir: Path) -> None:
    """The observation behind dependency-and-boundary models, on the sample of the WSJ."""
    documents = list(formats.read(data_dir / "WSJ-sample" / "wsj_sample-train.conllu.gz"))[:60]
    words = corpus(documents, word_classes("xpos"), marks="xpos")
    heads, _ = gold_heads(documents, words)
    found = {r["predictor"]: r["r2"] for r in analyses.stop_predictors(words, heads)}
    assert found["fringe, direction"] > 1.5 * found["head, direction"]


@pytest.mark.parametrize(
    ("tag", "form", "answer"),
    [
        ("$,", ",", True),  # German
        ("$(", "(", True),
        ("FS", ".", True),  # Italian
        ("punct", ".", True),  # Bulgarian
        ("Z:-------------", ",", True),  # Czech
        ("-LRB-", "-LRB-", True),
        ("F", ",", True),  # Spanish
        ("F", "okay", False),
        ("XP", "-", True),  # Danish
        ("NN", "boat", False),
        ("SYM", "+", False),  # a universal tag says what it is
        ("", ",", True),
    ],
)
def test_a_mark_is_what_its_tag_or_unicode_says(tag: str, form: str, answer: bool) -> None:
    doc = Document.from_spans(form + " on", [0, len(form) + 1], [len(form), len(form) + 3])
    doc.sent_start[:] = [1, 0]
    doc.set_column("xpos", [tag, "NN"])
    assert parse_marks("xpos", induction=True).mask(doc).tolist() == [answer, False]


def test_a_tag_of_words_stays_one_where_some_look_like_marks() -> None:
    doc = Document.from_spans("'s 's ' ,", [0, 3, 6, 8], [2, 5, 7, 9])
    doc.sent_start[:] = [1, 0, 0, 0]
    doc.set_column("xpos", ["POS", "POS", "POS", "XY"])
    assert parse_marks("xpos", induction=True).mask(doc).tolist() == [False, False, False, True]
    assert parse_marks("unicode", induction=True).mask(doc).tolist() == [False, False, True, True]


# ---------------------------------------------------------------------------------------- fragments

TREES = """
( (S (S (NP (DT The) (NN tide)) (VP (VBZ turns) (PP (IN at) (NP (NN noon))))) (, ,)
  (NP (PRP she)) (VP (VBD said)) (. .)))
( (NP (NP (NNS Boats)) (, ,) (NP (DT the) (JJ old) (NNS ones)) (. .)))
( (S (NP (NN Rain)) (, ,) (NP (PRP it)) (VP (VBZ falls)) (. .)))
"""


@pytest.fixture
def trees(tmp_path: Path) -> list[Document]:
    path = tmp_path / "a.mrg"
    path.write_text(TREES, encoding="utf-8")
    return list(formats.read(path))


def test_fragments_against_phrases(trees: list[Document]) -> None:
    """`she said` and `it falls` are no phrases; the other four fragments are."""
    found = analyses.boundaries(trees, "xpos")
    phrases = found["constituents"]
    assert found["fragments"]["count"] == 6
    assert phrases["coincide"] == pytest.approx(100 * 4 / 6, abs=0.01)
    assert phrases["of_several_words_coincide"] == 50.0
    assert {label: n for label, n, _ in phrases["labels"]} == {"NP": 3, "S": 1}
    assert {label: n for label, n, _ in phrases["dominating"]} == {"NP": 3, "S": 3}
    text = analyses.show(found)
    assert "That are constituents: 66.67% (of several words: 50.0%): NP 3 (75.0%)" in text
    assert "PRP VBD*" in text


def test_mark_up_beside_punctuation() -> None:
    text = "the old harbour master left, he said"
    spans = [(0, 3), (4, 7), (8, 15), (16, 22), (23, 27), (27, 28), (29, 31), (32, 36)]
    doc = Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])
    doc.set_column("upos", ["DET", "ADJ", "NOUN", "NOUN", "VERB", "PUNCT", "PRON", "VERB"])
    doc.head = np.array([3, 3, 3, 4, -1, 4, 7, 4], dtype=np.int32)
    doc.sent_start = np.array([1, 0, 0, 0, 0, 0, 0, 0], dtype=np.int8)

    doc.markup_start = np.array([4, 16, 0], dtype=np.int64)
    doc.markup_end = np.array([22, 27, len(text)], dtype=np.int64)
    doc.markup_label = doc.strings.ids(["a", "b", "i"])
    found = analyses.boundaries([doc], "upos")
    markup = found["markup"]
    assert set(markup) == {"mark-up", "links", "bold"}  # all in italics says nothing
    assert markup["links"]["satisfied"] == {
        "strict": 0.0,  # `the` hangs from inside
        "loose": 100.0,
        "sprawl": 100.0,
        "tear": 100.0,
        "thread": 100.0,
    }
    assert markup["bold"]["satisfied"]["loose"] == 0.0
    assert markup["bold"]["satisfied"]["sprawl"] == 100.0
    assert set(found["fragments"]["satisfied"]) == set(NAMES)
    text = analyses.show(found)
    assert "Punctuation and mark-up" in text
    assert "mark-up" in text


def test_half_of_the_fragments_of_the_wall_street_journal_are_constituents(data_dir: Path) -> None:
    """The paper: 49.4 per cent of 123,751 fragments."""
    files = sorted((data_dir / "WSJ-sample" / "mrg").glob("*.mrg"))[:40]
    found = analyses.boundaries([doc for file in files for doc in formats.read(file)], "xpos")
    assert 40 < found["constituents"]["coincide"] < 60


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "a.mrg"
    path.write_text(TREES, encoding="utf-8")
    picture = tmp_path / "a.png"
    call = ["inspect", str(path), "--boundaries", "xpos", "-q"]
    assert cli.run([*call, "--plot", str(picture)]) == 0
    assert picture.stat().st_size > 0
    out = capsys.readouterr().out
    assert "Stops after the first dependent" in out
    assert "complete" in out
    assert cli.run([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["constituents"]["coincide"] > 60
