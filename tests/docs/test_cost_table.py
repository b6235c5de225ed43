"""The page says what the benchmark found."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_made_from_the_figures() -> None:
    spec = importlib.util.spec_from_file_location("cost_table", ROOT / "docs" / "cost_table.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    found = json.loads(made.RESULTS.read_text(encoding="utf-8"))
    page = made.PAGE.read_text(encoding="utf-8")
    assert made.written(page, found) == page
    found["models"]["en"]["threads"][0]["words/CPU s"] = 1
    assert "277,777.8" in made.written(page, found)
    told = json.loads(made.WORKERS.read_text(encoding="utf-8"))
    assert made.with_workers(page, told) == page
    told["models"]["en"][0]["words/CPU s"] = 123456
    assert "| 123,456 |" in made.with_workers(page, told)
