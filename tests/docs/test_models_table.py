"""The table of models in the README is what their cards say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from caesura.models.file import Part, save

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("models_table", ROOT / "docs/models_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_shows_what_the_cards_say(table: ModuleType) -> None:
    if not all(path.exists() for path in table.MODELS.values()):
        pytest.skip("not all models are here")
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert page == table.fresh(page), "run docs/models_table.py"


def test_what_a_file_does_not_say_is_a_dash(table: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    save(path, {"rules": Part("rules")})
    assert table.row("mine", path) == "| `mine` | – | – | – | – | – | – | 0 MB |"
    measured = {"times spaCy": 2.89}
    for scores in ({"LAS": 88.81}, {"accurate": {"LAS": 88.81}, "fast": {"LAS": 1.0}}):
        save(path, {"rules": Part("rules")}, meta={"scores": scores, "speed_measured": measured})
        assert table.row("mine", path) == "| `mine` | – | – | – | – | 88.8 | 2.9× | 0 MB |"
