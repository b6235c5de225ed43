"""The report: `caesura.evaluate`, what it says about odd input, its page, and plain spans."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import caesura.evaluate
from caesura.errors import FormatError, InputError
from caesura.evaluate.conll import METRICS
from caesura.evaluate.tuples import read_spans
from tests.evaluate.making import document
from tests.evaluate.test_spans import SIXTEEN, they_didnt

GOLD = document(
    "She sees him . | He runs .",
    heads=[2, 0, 2, 2, 2, 0, 2],
    deprel=["nsubj", "root", "obj", "punct", "nsubj", "root", "punct"],
    upos=["PRON", "VERB", "PRON", "PUNCT", "PRON", "VERB", "PUNCT"],
)
OTHER = document(
    "She sees him. | He runs .",
    heads=[2, 0, 2, 2, 0, 2],
    deprel=["nsubj", "root", "obj", "nsubj", "root", "punct"],
    upos=["PRON", "VERB", "NOUN", "PRON", "NOUN", "PUNCT"],
)


def test_the_package_is_the_function() -> None:
    import caesura.evaluate.conll

    report = caesura.evaluate(GOLD, [OTHER])  # type: ignore[operator]
    assert report["LAS"].correct == 5
    assert report["Starts"].f1 == 100


@pytest.mark.parametrize("first", ["caesura", "caesura.evaluate.conll"])
def test_it_can_be_called_whatever_was_imported_first(first: str) -> None:
    code = (
        f"import {first}; from caesura import Document; "
        "d = Document.from_spans('Hi.', [0, 2], [2, 3]); d.sent_start[:] = [1, 0]; "
        "print(caesura.evaluate(d, d)['Tokens'].f1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "100.0"


def test_json_has_the_names_of_conll_2018_in_per_cent() -> None:
    found = caesura.evaluate.evaluate(GOLD, OTHER).as_dict(breakdowns=("label",))
    assert [name for name in found if name in METRICS] == list(METRICS)
    assert found["Tokens"]["precision"] == pytest.approx(100 * 5 / 6)
    assert found["Tokens"]["recall"] == pytest.approx(100 * 5 / 7)
    assert found["levels"]["DEP"]["correct"] == 5
    assert found["breakdowns"]["label"][0]["gold"] == 2
    assert found["unaligned"] == {"gold": 0, "system": 0}


def test_the_table_shows_every_score() -> None:
    shown = str(caesura.evaluate.evaluate(GOLD, OTHER))
    for name in (*METRICS, "starts within documents", "lost to tokens"):
        assert name in shown


class Checker(HTMLParser):
    """Notes what a page fetches from elsewhere and which tags stay open."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.outside += [str(v) for k, v in attrs if k in ("src", "href")]
        if tag not in ("meta", "br", "rect", "line", "circle", "polyline"):
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if self.stack and self.stack[-1] == tag:
            self.stack.pop()


def test_the_page_is_whole_and_fetches_nothing(tmp_path) -> None:  # type: ignore[no-untyped-def]
    report = caesura.evaluate.evaluate(GOLD, OTHER, outputs={"tokens": GOLD})
    report.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(page)
    assert not checker.outside
    assert not checker.stack
    assert "prefers-color-scheme: dark" in page
    assert "<script" not in page
    for start in page.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + start.split("</svg>")[0] + "</svg>")
    assert page.count("<svg") >= 4


def test_marked_text_is_escaped() -> None:
    one, other = document("<b> &c"), document("<b>&c")
    page = caesura.evaluate.evaluate(one, other).html()
    assert "<b>&c" not in page
    assert "&lt;b&gt;" in page


# ------------------------------------------------------------------ odd input


def test_an_empty_system_misses_everything() -> None:
    report = caesura.evaluate.evaluate(GOLD, [])
    assert report["Tokens"].recall == report["LAS"].f1 == 0
    assert "the system's output is empty" in report.notes[0]


def test_empty_gold_is_an_error() -> None:
    with pytest.raises(InputError, match="gold has no tokens"):
        caesura.evaluate.evaluate([], GOLD)


def test_circles_and_several_roots_are_scored_and_told() -> None:
    odd = document(
        "She sees him . | He runs .",
        heads=[2, 1, 2, 2, 0, 0, 2],
        deprel=GOLD.column("deprel"),
        upos=GOLD.column("upos"),
    )
    report = caesura.evaluate.evaluate(GOLD, odd)
    assert report["UAS"].correct == 5
    told = " ".join(report.notes)
    assert "1 sentence of the system has a circle of heads" in told
    assert "1 sentence of the system has more than one root" in told


def test_missing_columns_are_left_out_and_told() -> None:
    report = caesura.evaluate.evaluate(GOLD, document("She sees him . | He runs ."))
    assert "Tokens" in report
    assert "LAS" not in report
    told = " ".join(report.notes)
    assert "the system has no heads" in told
    assert "left out, since a side lacks the columns: UPOS" in told


def test_sentences_without_heads_have_no_root_note() -> None:
    partial = document(
        "She sees him . | He runs .",
        heads=[2, -1, 2, 2, 2, 0, 2],
        deprel=GOLD.column("deprel"),
    )
    report = caesura.evaluate.evaluate(GOLD, partial)
    assert report["UAS"].correct == 6
    assert any("no root" in note for note in report.notes)


# ---------------------------------------------------------------- plain spans


def test_spans_make_a_document_that_gives_the_same_spans() -> None:
    from caesura.evaluate.align import pair
    from caesura.evaluate.spans import tuples

    doc = read_spans(SIXTEEN.splitlines(), "They didn't.")
    comparison = pair([they_didnt()], [doc])
    found = [line.replace("\t", " ") for line in tuples(comparison, comparison.system)]
    assert sorted(found) == sorted(SIXTEEN.splitlines())
    report = caesura.evaluate.evaluate(they_didnt(), doc)
    assert report.levels["PS"].score.f1 == 100


def test_dependencies_as_spans() -> None:
    lines = ["0 3 DEP:nsubj 4 8", "4 8 DEP:root ROOT", "9 12 DEP:obj 4 8"]
    doc = read_spans(["0 3 TOK", "4 8 TOK", "9 12 TOK", *lines], "She sees him")
    assert doc.head.tolist() == [1, -1, 1]
    assert doc.column("deprel") == ["nsubj", "root", "obj"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("0 x TOK", "not start, end and label"),
        ("0 99 TOK", "not in the text"),
        ("0 3 DEP:obj", "neither the span of its head"),
    ],
)
def test_bad_spans_name_their_line(line: str, what: str) -> None:
    with pytest.raises(FormatError, match=what) as caught:
        read_spans(["0 3 TOK", line], "She sees him", "x.tuples")
    assert str(caught.value).startswith("x.tuples:2:")


def test_sentences_alone_are_enough() -> None:
    doc = read_spans(["0 5 SENT", "6 11 SENT"], "A b c D e f")
    assert doc.n_sentences == 2
    gold = document("A b c | D e f")
    assert caesura.evaluate.evaluate(gold, doc)["Sentences"].f1 == 100


def test_unknown_sentence_starts_are_told() -> None:
    from caesura.document import Document

    tokens = Document.from_spans("She sees him.", [0, 4, 9, 12], [3, 8, 12, 13])
    report = caesura.evaluate.evaluate(document("She sees him ."), tokens)
    assert any("does not say of every token" in note for note in report.notes)
