"""The tables of learners and of raw text are what the benchmarks measured."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_pages_show_what_was_measured() -> None:
    spec = importlib.util.spec_from_file_location("learners_table", DOCS / "learners_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for table in module.TABLES:
        assert table.fresh() == table.page.read_text(encoding="utf-8")
    learners, silver = (
        json.loads((module.RESULTS / f"{table.name}.json").read_text(encoding="utf-8"))
        for table in module.TABLES
    )
    assert len({row["words"] for row in learners}) == 1
    assert len({row["gold"] for row in silver}) == 1
    assert [row["silver"] for row in silver] == sorted({row["silver"] for row in silver})
    assert module.named("laso, 22 bits, 2 words ahead") == "LaSO, 2^22 rows, 2 words ahead"
