"""The figures of the documentation are what our code draws now."""

from __future__ import annotations

import importlib.util
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


def test_figures_are_fresh() -> None:
    for name, text in load_figures().figures().items():
        shown = (DOCS / "figures" / name).read_text(encoding="utf-8")
        assert shown == text + "\n", "run: python docs/figures.py"
