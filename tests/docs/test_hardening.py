"""The page on hardness shows what the benchmarks have left, and nothing else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tables_are_those_of_the_results() -> None:
    spec = importlib.util.spec_from_file_location("hardening", ROOT / "docs" / "hardening.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.PAGE.read_text(encoding="utf-8")
    assert module.fresh(text) == text
    assert "<!-- fuzz -->\n|" in text
