"""The picture of the bias, and the default scales, are what the benchmark printed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from caesura.neural.parser import SCALE as NEURAL
from caesura.stages.bias import GRID
from caesura.stages.joint_parser import SCALE as LINEAR
from caesura.stages.tokenizer import SCALE as TOKENIZER

DOCS = Path(__file__).parents[2] / "docs"
SCALES = {"linear": LINEAR, "neural": NEURAL, "tokenizer": TOKENIZER}


@pytest.fixture(scope="module")
def drawing() -> Any:
    spec = importlib.util.spec_from_file_location("docs_bias", DOCS / "bias_figure.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_fresh(drawing: Any) -> None:
    shown = drawing.FIGURE.read_text(encoding="utf-8")
    assert shown == drawing.figure(), "run: python docs/bias_figure.py"


def test_the_default_scales_were_measured(drawing: Any) -> None:
    rows = [row for row in drawing.results() if "bonus" in row]
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


def test_half_and_twice_as_many_were_measured(drawing: Any) -> None:
    """±1 means what it says, and more bias gives no fewer boundaries."""
    for scorer, text in (*drawing.LINES, ("tokenizer", "edited")):
        found = drawing.counts(scorer, text)
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
