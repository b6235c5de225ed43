"""A grammar in the place of a pipeline: from text to trees with nothing but `caesura induce`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.induce.grammar import Grammar
from caesura.models import load, save
from caesura.pipeline import Pipeline

TEXT = """The boat leaves the harbour. The sailor sees a gull, near the boat.
A storm breaks the rope. The gull leaves, in a storm.

The sailor holds the rope. The boat sees the storm."""


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("induced")
    (folder / "text.txt").write_text(TEXT * 20, encoding="utf-8")
    path = folder / "small.grammar"
    call = ["induce", str(folder / "text.txt"), "-o", str(path), "--classes", "6", "-q"]
    assert cli.run(call) == 0
    return path


@pytest.fixture(scope="module")
def nlp(grammar: Path) -> Pipeline:
    return Pipeline(load(grammar))


def _grammar(nlp: Pipeline) -> Grammar:
    found = nlp.stage(Grammar)
    assert found is not None
    return found


def check(doc: Document) -> None:
    doc.check()
    assert np.bincount(doc.word_sentence[doc.head == -1]).tolist() == [1] * doc.n_sentences
    assert np.all(doc.deprel > 0)


def test_text_becomes_trees(nlp: Pipeline) -> None:
    doc = nlp(Document(text=TEXT))
    assert doc.n_sentences == 6
    assert doc.fixed == frozenset()
    check(doc)
    assert [d.head.tolist() for d in nlp.batch([Document(text=TEXT)] * 2)] == [
        doc.head.tolist()
    ] * 2


def test_what_is_kept_stays(nlp: Pipeline) -> None:
    given = nlp(Document(text=TEXT))
    given.sent_start = np.zeros(given.n_tokens, dtype=np.int8)
    given.sent_start[[0, 12]] = 1
    one = nlp(given, keep=("tokens", "sentences"))
    assert one.token_start.tolist() == given.token_start.tolist()
    assert one.n_sentences == 2
    check(one)
    two = nlp(given, keep=("tokens",))
    assert two.token_start.tolist() == given.token_start.tolist()
    assert two.n_sentences == 6
    given.head = np.full(given.n_words, -2, dtype=np.int32)
    given.head[3] = 1
    three = nlp(given, keep=("sentences", "heads"))
    assert three.head[3] == 1
    check(three)


def test_lines_can_be_sentences(nlp: Pipeline) -> None:
    text = "The boat leaves\nThe gull sees"
    assert nlp(Document(text=text)).n_sentences == 1
    assert nlp(Document(text=text), newline_is_boundary=True).n_sentences == 2


def test_a_stream_is_cut_between_lines(nlp: Pipeline) -> None:
    pieces = list(nlp.stream(line + "\n" for line in [TEXT] * 3))
    assert [piece.continues for piece in pieces] == [number > 0 for number in range(len(pieces))]
    assert sum(piece.n_sentences for piece in pieces) == 18
    for piece in pieces:
        check(piece)


def test_empty_texts_and_marks_alone(nlp: Pipeline) -> None:
    assert nlp(Document()).n_words == 0
    check(nlp(Document(text="?! ...")))


def test_lists_of_trees_are_refused(nlp: Pipeline) -> None:
    with pytest.raises(UsageError, match="one best"):
        nlp.k_best(Document(text=TEXT), 3)


def test_a_damaged_grammar_is_refused(nlp: Pipeline, tmp_path: Path) -> None:
    part = _grammar(nlp).to_part()
    part.config["version"] = 7
    save(tmp_path / "later.grammar", {"grammar": part})
    with pytest.raises(ModelError, match="version 7"):
        Pipeline(load(tmp_path / "later.grammar"))


def test_the_command_parses_with_a_grammar(
    grammar: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.txt").write_text(TEXT, encoding="utf-8")
    out = tmp_path / "trees.conllu"
    assert cli.run(["parse", str(tmp_path / "more.txt"), "-m", str(grammar), "-o", str(out)]) == 0
    (doc,) = formats.read(out)
    check(doc)
    assert cli.run(["inspect", str(grammar)]) == 0
    assert "Attachments" in capfd.readouterr().out


def test_documents_that_fail_are_counted_as_documents(
    grammar: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tagged = _grammar(Pipeline(load(grammar))).to_part()
    tagged.config["source"] = "upos"
    save(tmp_path / "tags.grammar", {"grammar": tagged})
    lines = ['{"text": "Boats leave."}'] * 3
    (tmp_path / "three.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    call = ["parse", str(tmp_path / "three.jsonl"), "-m", str(tmp_path / "tags.grammar")]
    assert cli.run([*call, "--to", "conllu"]) == 1
    err = capfd.readouterr().err
    assert "3 documents failed" in err
    assert "files failed" not in err


def test_html_is_told_from_its_mark_up(tmp_path: Path) -> None:
    page = "<p>The <a href='x'>old harbour</a> sees the <b>grey gull</b>.</p>\n" * 30
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    for options in (["--markup"], ["--init", "brackets"]):
        path = tmp_path / "a.grammar"
        call = ["induce", str(tmp_path / "a.html"), "-o", str(path), "--classes", "form", "-q"]
        assert cli.run([*call, *options]) == 0
        assert Pipeline(load(path))(Document(text="The old gull sees.")).n_words == 5
