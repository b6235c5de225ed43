"""`caesura inspect`: counts, and what to mind before training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura import cli
from caesura.formats import read
from caesura.inspect import Inspection, Share, inspect

EXAMPLE = Path(__file__).parents[2] / "examples" / "harbour.conllu"


def row(i: int, form: str, upos: str = "X", head: str = "0", misc: str = "_") -> str:
    deprel = "root" if head == "0" else "dep"
    return f"{i}\t{form}\t{form}\t{upos}\t_\t_\t{head}\t{deprel}\t_\t{misc}\n"


def treebank(tmp_path: Path, *sentences: str) -> Inspection:
    file = tmp_path / "a.conllu"
    file.write_text("\n".join(sentences) + "\n", encoding="utf-8")
    return inspect(read(file))


def warnings(found: Inspection) -> set[str]:
    return {advice.name for advice in found.warnings}


def test_counts_of_the_example() -> None:
    found = inspect(read(EXAMPLE))
    assert (found.documents, found.paragraphs, found.sentences) == (3, 8, 14)
    assert (found.tokens, found.words, found.multiword_tokens) == (125, 127, 2)
    assert found.sentence_lengths.longest == 19
    assert sum(found.sentence_lengths.histogram.values()) == 14
    assert found.nonprojective_sentences == Share(1, 14)
    assert found.nonprojective_arcs == Share(1, 127)
    assert found.no_space_after == Share(22, 111)
    assert found.filled["upos"] == Share(127, 127)
    assert found.upos["NOUN"] == 25
    assert warnings(found) == {"small"}


def test_pieces_count_as_one_document() -> None:
    assert inspect(read(EXAMPLE, pieces=10)) == inspect(read(EXAMPLE))


def test_trees_that_are_none(tmp_path: Path) -> None:
    found = treebank(
        tmp_path,
        row(1, "a") + row(2, "b"),
        row(1, "a", head="2") + row(2, "b", head="1"),
        row(1, "a", head="1"),
        row(1, "a", head="_"),
    )
    assert found.multi_root_sentences == Share(1, 3)
    assert found.cyclic_sentences == Share(2, 3)
    assert found.rootless_sentences == Share(2, 3)
    assert found.self_heads == 1
    assert {"several-roots", "cycles", "partial-head"} <= warnings(found)


def test_missing_document_boundaries_are_told(tmp_path: Path) -> None:
    assert "no-newdoc" in warnings(treebank(tmp_path, row(1, "a"), row(1, "b")))
    marked = treebank(tmp_path, "# newdoc\n" + row(1, "a"), row(1, "b"))
    assert "no-newdoc" not in warnings(marked)


def test_documents_of_one_sentence_are_told(tmp_path: Path) -> None:
    found = treebank(tmp_path, *("# newdoc\n" + row(1, form) for form in "abc"))
    assert "one-sentence-documents" in warnings(found)


def test_missing_spaces_are_told(tmp_path: Path) -> None:
    sentence = row(1, "Well") + row(2, ".", "PUNCT", "1")
    found = treebank(tmp_path, *[sentence] * 60)
    assert {"no-space-after", "full-stops"} <= warnings(found)
    glued = row(1, "Well", misc="SpaceAfter=No") + row(2, ".", "PUNCT", "1")
    assert "no-space-after" not in warnings(treebank(tmp_path, *[glued] * 60))


def test_missing_capitals_and_columns_are_told(tmp_path: Path) -> None:
    found = treebank(tmp_path, *["1\tso\t_\t_\t_\t_\t_\t_\t_\t_\n"] * 30)
    assert {"no-capitals", "no-upos", "no-head", "no-deprel", "no-lemma"} <= warnings(found)


def test_repeated_sentences_are_told(tmp_path: Path) -> None:
    found = treebank(tmp_path, *("# newdoc\n" + row(1, "a") + "\n" + row(1, "b") for _ in "abc"))
    assert found.repeated_sentences == Share(4, 6)
    assert "repeated-sentences" in warnings(found)


def test_an_empty_file_has_no_words(tmp_path: Path) -> None:
    assert warnings(treebank(tmp_path, "")) == {"no-words"}


def test_the_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["inspect", str(EXAMPLE)]) == 0
    out = capsys.readouterr().out
    assert "multi-word tokens    2" in out
    assert "with crossing arcs   1 of 14 (7.1%)" in out
    assert "… and 2 more (--all shows them)" in out
    assert "Mind before training\n  - 14 sentences are few" in out
    assert cli.run(["inspect", "--all", str(EXAMPLE)]) == 0
    assert "--all shows them" not in capsys.readouterr().out


def test_a_text_without_words_has_a_short_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["inspect", str(EXAMPLE.parent / "interview.transcript")]) == 0
    out = capsys.readouterr().out
    assert "turns                7" in out
    assert "There are no words" in out
    assert "Sentence lengths" not in out


def test_the_report_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["inspect", "--json", str(EXAMPLE)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["multiword_tokens"] == 2
    assert found["nonprojective_sentences"] == {"count": 1, "of": 14}
    assert found["warnings"][0]["name"] == "small"
