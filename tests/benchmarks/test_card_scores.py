"""Scores go into a model file and its card, in the places of older ones."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from caesura.models.file import Part, load, save

ROOT = Path(__file__).resolve().parents[2]
CARD = "# mine\n\n| | F1 |\n|---|---|\n| UAS | 90.10 |\n| LAS | 88.80 |\n\nLAS 88.80 once.\n"


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark as Python finds it when its file is run."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("card_scores")


def test_scores_are_noted(scores: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    meta = {"name": "mine", "scores": {"UAS": 90.1, "LAS": 88.8}}
    save(path, {"rules": Part("rules")}, meta=meta, card=CARD, kind="pipeline")
    scores.note(path, {"UAS": 91.0, "LAS": 89.25})
    file = load(path)
    assert file.meta["scores"] == {"UAS": 91.0, "LAS": 89.25}
    assert (file.meta["name"], file.kind, list(file.parts)) == ("mine", "pipeline", ["rules"])
    assert file.card == CARD.replace("| 90.10 |", "| 91.00 |").replace("| 88.80 |", "| 89.25 |")


def test_a_card_without_the_table_is_refused(scores: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    save(path, {"rules": Part("rules")}, card="# mine\n", kind="pipeline")
    before = path.read_bytes()
    with pytest.raises(SystemExit, match="no row for LAS"):
        scores.note(path, {"LAS": 89.25})
    assert path.read_bytes() == before
