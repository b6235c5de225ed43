"""The figures of the documentation are those that the code draws from runs and results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs._build_tools import figures

from caesura.stages.bias import GRID
from caesura.stages.joint_parser import SCALE as LINEAR
from caesura.stages.network import SCALE as NEURAL
from caesura.stages.tokenizer import SCALE as TOKENIZER

DOCS = Path(__file__).parents[2] / "docs"
SCALES = {"linear": LINEAR, "neural": NEURAL, "tokenizer": TOKENIZER}


def test_every_picture_comes_from_a_run() -> None:
    """It is drawn by `figures`, or by a command on its page."""
    texts = [page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")]
    pattern = r"!\[[^]]*\]\([./]*figures/([\w.-]+)\)"
    shown = {name: text for text in texts for name in re.findall(pattern, text)}
    assert shown.keys() == {file.name for file in (DOCS / "figures").glob("*.svg")}
    drawn = figures.figures()
    for name, text in shown.items():
        if name in drawn:
            kept = (DOCS / "figures" / name).read_text(encoding="utf-8")
            assert kept.strip() == drawn[name].strip(), "run: python -m docs._build_tools.figures"
        else:
            assert re.search(rf"`python -m benchmarks[^`]*{name}", text), name


def test_the_front_page_shows_two_sentences() -> None:
    doc = figures.spoken()
    assert [sentence.text for sentence in doc.sentences] == [
        "they did not tell me where they were going",
        "we waited all night",
    ]
    assert [sentence.root.form for sentence in doc.sentences] == ["tell", "waited"]


def test_the_default_scales_were_measured() -> None:
    rows = [row for row in figures.bias_results() if "bonus" in row]
    assert {(row["scorer"], row["text"]) for row in rows} == {
        ("linear", "edited"),
        ("linear", "unedited"),
        ("neural", "edited"),
        ("neural", "unedited"),
        ("tokenizer", "edited"),
    }
    for row in rows:
        assert [float(bias) for bias in row["bonus"]] == list(GRID)
        assert tuple(row["bonus"].values()) == getattr(SCALES[row["scorer"]], row["text"])


def test_half_and_twice_as_many_were_measured() -> None:
    """±1 means what it says, and more bias gives no fewer boundaries."""
    for scorer, text in (*figures.LINES, ("tokenizer", "edited")):
        found = figures.counts(scorer, text)
        numbers = [found[bias] for bias in sorted(found)]
        assert len(numbers) == 17
        assert numbers == sorted(numbers)
        for bias, number in found.items():
            close = 0.05 if bias in GRID else 0.25
            assert number == pytest.approx(found[0.0] * 2.0**bias, rel=close)


def test_the_page_shows_the_default_scales() -> None:
    page = (DOCS / "howto" / "split-sentences.md").read_text(encoding="utf-8")
    for name, kind, scale in (
        ("linear", "edited text", LINEAR.edited),
        ("linear", "transcripts", LINEAR.unedited),
        ("neural", "edited text", NEURAL.edited),
        ("neural", "transcripts", NEURAL.unedited),
        ("tokeniser alone", "any", TOKENIZER.edited),
    ):
        cells = " | ".join(f"{bonus:g}" for bonus in scale if bonus)
        assert f"| {name} | {kind} | {cells} |" in page
