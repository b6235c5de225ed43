"""Marks out, traces in: what punctuation and mark-up leave behind, and analyses of trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura import formats
from caesura.document import Document
from caesura.document.punctuation import is_mark, parse_marks
from caesura.induce import analyses
from caesura.induce.corpus import corpus, gold_heads, word_classes

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
