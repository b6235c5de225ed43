"""The figures of the documentation are what our code draws now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def load_figures() -> Any:
    spec = importlib.util.spec_from_file_location("docs_figures", DOCS / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_comes_from_a_run() -> None:
    """A script in `docs/`, or a benchmark that is called on the page, names it."""
    pages = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    shown = [
        (text, name)
        for text in pages.values()
        for name in re.findall(r"!\[[^]]*\]\([./]*figures/([\w.-]+)\)", text)
    ]
    assert {name for _, name in shown} == {file.name for file in (DOCS / "figures").glob("*.svg")}
    for text, name in shown:
        called = re.findall(r"`python (benchmarks/[\w/]+\.py)", text)
        scripts = [*DOCS.glob("*.py"), *(DOCS.parent / file for file in called)]
        assert any(name in script.read_text(encoding="utf-8") for script in scripts), name


def test_the_front_page_shows_two_sentences() -> None:
    doc = load_figures().spoken()
    assert [sentence.text for sentence in doc.sentences] == [
        "they did not tell me where they were going",
        "we waited all night",
    ]
    assert [sentence.root.form for sentence in doc.sentences] == ["tell", "waited"]


def test_figures_are_fresh() -> None:
    found = load_figures().figures()
    assert found
    for name, text in found.items():
        shown = (DOCS / "figures" / name).read_text(encoding="utf-8")
        assert shown == text + "\n", "run: python docs/figures.py"
