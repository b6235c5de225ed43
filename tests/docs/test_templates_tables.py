"""The tables of templates and margins are what the benchmark measured."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_shows_what_was_measured() -> None:
    spec = importlib.util.spec_from_file_location("templates_tables", DOCS / "templates_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.PAGE.read_text(encoding="utf-8")
    assert module.fresh(page) == page
    for name, shown in module.SHOWN.items():
        assert module.table(module.results()[name], shown) in page
