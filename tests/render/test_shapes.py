"""What pictures look like as SVG, text, HTML, images and tables."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import caesura
from caesura.cli import cli, run
from caesura.document import ROOT, UNKNOWN, Document
from caesura.render import (
    Tree,
    compare,
    document_html,
    document_svg,
    page_html,
    sentence_svg,
    sentence_text,
    tree_svg,
    tree_text,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
HARBOUR = EXAMPLES / "harbour.conllu"
HOSTILE = "<script>alert(1)</script>\"'&\x00\x1b[31m"


@pytest.fixture(scope="module")
def doc() -> Document:
    return next(caesura.read(HARBOUR))


def hostile() -> Document:
    doc = Document.from_spans(HOSTILE, [0], [len(HOSTILE)])
    doc.set_column("deprel", [HOSTILE])
    doc.set_column("upos", [HOSTILE])
    doc.head = np.array([ROOT], np.int32)
    doc.id = HOSTILE
    return doc


def test_svg_is_xml_and_says_what_it_shows(doc: Document) -> None:
    root = ET.fromstring(sentence_svg(doc.sentences[0]))
    assert root.get("role") == "img"
    assert root.get("aria-label") == doc.sentences[0].text
    texts = ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"harbour", "wakes", "NOUN", "nsubj", "root"} <= set(texts)


def test_svg_follows_light_and_dark(doc: Document) -> None:
    assert "prefers-color-scheme:dark" in sentence_svg(doc.sentences[0])
    assert "<style" not in tree_svg(Tree(("a",), ("X",), (ROOT,), ("root",)), style=False)


def test_unsure_arcs_are_tinted() -> None:
    tree = Tree(("a", "b"), ("X", "X"), (ROOT, 0), ("root", "x"), arc_conf=(0.99, 0.4))
    svg = tree_svg(tree)
    assert svg.count('class="tint') == 1
    assert "x ← a 40%" in svg


@pytest.mark.parametrize("make", [document_svg, document_html, lambda d: "".join(page_html([d]))])
def test_nothing_of_a_document_is_taken_for_markup(make: object) -> None:
    page = make(hostile())  # type: ignore[operator]
    assert "<script" not in page
    assert "&lt;script" in page
    assert "\x00" not in page
    assert not re.search(r"\son\w+=", re.sub(r"&\w+;", "", page))


def test_hostile_svg_is_still_xml() -> None:
    ET.fromstring(document_svg(hostile()))


def test_terminals_get_no_control_characters() -> None:
    text = sentence_text(hostile().sentences[0])
    assert "\x1b" not in text
    assert "\x00" not in text


def test_terminal_tree() -> None:
    tree = Tree(
        ("The", "harbour", "wakes", "."),
        ("DET", "NOUN", "VERB", "PUNCT"),
        (1, 2, ROOT, 2),
        ("det", "nsubj", "root", "punct"),
    )
    assert tree_text(tree).splitlines() == [
        "    ╭─╼ The DET det",
        "  ╭─┴─╼ harbour NOUN nsubj",
        "──┼─╼ wakes VERB root",
        "  ╰─╼ . PUNCT punct",
    ]
    assert "\x1b[1mharbour\x1b[0m" in tree_text(tree, color=True)


def test_terminal_tree_with_crossing_arcs_cycles_and_unknown_heads() -> None:
    tree = Tree(tuple("abcdefg"), ("",) * 7, (2, 3, ROOT, 2, 1, UNKNOWN, 6), ("x",) * 7)
    lines = tree_text(tree).splitlines()
    assert len(lines) == 7
    assert [line.split("╼ ")[1][0] for line in lines] == list("abcdefg")
    cycle = Tree(("a", "b"), ("", ""), (1, 0), ("x", "y"))
    assert len(tree_text(cycle).splitlines()) == 2


def changed(doc: Document) -> Document:
    other = doc.cut(0, doc.n_tokens)
    other.head = other.head.copy()
    other.head[0] = 2
    other.set_column("upos", ["X", *other.column("upos")[1:]])
    other.sent_start = other.sent_start.copy()
    other.sent_start[int(other.sentence_bounds[1])] = 0
    return other


def test_differences_are_found_word_by_word(doc: Document) -> None:
    assert compare(doc, doc).same
    difference = compare(doc, changed(doc))
    assert set(difference.left_marks) == {0}
    assert difference.left_marks[0].tag == "X"
    assert "wakes" in str(difference.left_marks[0])
    assert len(difference.left_only) == 1
    regions = difference.regions()
    assert (len(regions[0].left), len(regions[0].right)) == (2, 1)
    assert not regions[0].same
    assert all(region.same for region in regions[1:])


def test_differences_need_one_text(doc: Document) -> None:
    with pytest.raises(caesura.InputError, match="not analyses of the same text"):
        compare(doc, Document.from_spans("else", [0], [4]))


def test_a_page_marks_differences(doc: Document) -> None:
    page = "".join(page_html([doc], others=[changed(doc)], names=("ours", "theirs")))
    assert "differs" in page
    assert 'class="b only"' in page
    assert "1 stretch of" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_notebooks_show_documents_sentences_and_reports(doc: Document) -> None:
    assert "<svg" in doc._repr_html_()
    assert "<svg" in doc.sentences[0]._repr_html_()
    assert doc.sentences[0]._repr_svg_().startswith("<svg")
    assert (doc._repr_svg_() or "").startswith("<svg")
    assert Document(text="a text")._repr_svg_() is None
    assert "a text" in Document(text="a text")._repr_html_()
    report = caesura.evaluate(doc, doc)
    assert "<table" in report._repr_html_()
    ET.fromstring(report._repr_svg_())


def test_words_as_a_table(doc: Document) -> None:
    pytest.importorskip("pandas")
    table = doc.to_pandas()
    assert len(table) == doc.n_words
    first = table[table.sentence == 0]
    assert first.form.tolist() == [word.form for word in doc.sentences[0]]
    assert first["head"].tolist() == [2, 3, 0, 7, 6, 7, 3, 3]
    assert doc.text[table.start[1] : table.end[1]] == "harbour"
    unknown = Document.from_spans("a b", [0, 2], [1, 3]).to_pandas()
    assert unknown["head"].isna().all()
    assert len(Document().to_pandas()) == 0


@pytest.mark.parametrize("kind", ["text", "svg", "html"])
def test_the_command_draws(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "out"
    result = CliRunner().invoke(cli, ["render", str(HARBOUR), "--to", kind, "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert "harbour" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_command_draws_images(kind: str, magic: bytes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / f"out.{kind}"
    arguments = ["render", str(HARBOUR), "--sentence", "4", "-o", str(target)]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    assert target.read_bytes().startswith(magic)


def test_the_command_compares(tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    text = HARBOUR.read_text(encoding="utf-8")
    other.write_text(text.replace("\tnmod:desc\t", "\tflat\t"), encoding="utf-8")
    result = CliRunner().invoke(cli, ["render", str(HARBOUR), "--compare", str(other)])
    assert "≠ there flat ← Okafor" in result.output
    assert result.output.count("harbour-morning") == 2


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--to", "svg", "missing.conllu"], 1, "no such file"),
        ([str(HARBOUR), "-o", "x.xyz"], 2, "tells nothing to draw"),
        ([str(HARBOUR), "--sentence", "999"], 2, "there is no sentence 999"),
        ([str(EXAMPLES / "harbour.txt")], 1, "nothing to draw"),
    ],
)
def test_bad_calls(
    arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["render", *arguments]) == status
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
