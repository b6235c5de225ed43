"""The page on speed says what the benchmark found."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_made_from_the_figures() -> None:
    spec = importlib.util.spec_from_file_location("speed_table", ROOT / "docs" / "speed_table.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    found = made.figures()
    page = made.PAGE.read_text(encoding="utf-8")
    assert made.written(page, found) == page
    found["models"]["en-fast"]["memory"]["bytes used a transition"] = 123456
    found["cache misses"] = {"cache-misses a word": 7.5}
    changed = made.written(page, found)
    assert "| bytes used a transition | 123,456 |" in changed
    assert "| cache-misses a word | 7.5 |" in changed
