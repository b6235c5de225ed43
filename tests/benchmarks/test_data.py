"""Treebanks are found by name, with and without the beginning of it, and by path."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("data")


@pytest.fixture
def treebanks(tmp_path: Path) -> Path:
    for name in (
        "UD_English-Harbour/en_harbour-ud-train.conllu.gz",
        "UD_English-Harbour/en_harbour-ud-dev.conllu.gz",
        "Island/island.train.conll",
        "Island/island.untrain.conll",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


@pytest.mark.parametrize("name", ["Harbour", "English-Harbour", "UD_English-Harbour"])
def test_a_treebank_has_three_names(data: ModuleType, treebanks: Path, name: str) -> None:
    assert data.file_of(name, "dev", treebanks).name == "en_harbour-ud-dev.conllu.gz"


def test_a_path_is_a_name(data: ModuleType, treebanks: Path) -> None:
    assert data.file_of(treebanks / "Island", "train").name == "island.train.conll"


def test_a_split_that_is_not_there(data: ModuleType, treebanks: Path) -> None:
    assert data.find_file("Island", "dev", treebanks) is None
    with pytest.raises(SystemExit, match="Island has no dev file: name it, or set CAESURA_DATA"):
        data.file_of("Island", "dev", treebanks)


def test_no_benchmark_looks_for_the_data_on_its_own() -> None:
    for file in (ROOT / "benchmarks").rglob("*.py"):
        if file != ROOT / "benchmarks" / "data.py":
            assert "CAESURA_DATA" not in file.read_text(encoding="utf-8"), file
