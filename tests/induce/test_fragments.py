"""Fragments of punctuation, mark-up and phrases against trees."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.induce import analyses
from caesura.induce.analyses import NAMES

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
