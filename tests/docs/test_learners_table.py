"""The table of learners is what the benchmark measured."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_shows_what_was_measured() -> None:
    spec = importlib.util.spec_from_file_location("learners_table", DOCS / "learners_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.PAGE.read_text(encoding="utf-8")
    assert module.fresh(page) == page
    rows = json.loads(module.RESULTS.read_text(encoding="utf-8"))
    assert len({row["words"] for row in rows}) == 1
    assert module.named("laso, 22 bits, 2 words ahead") == "LaSO, 2^22 rows, 2 words ahead"
