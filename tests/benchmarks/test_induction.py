"""The papers' figures and how they are averaged, and the small tables of the benchmark."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("induction_study.published")


def test_averages_of_2012(study: ModuleType) -> None:
    """Arabic, Chinese, Czech and Turkish, of both years, weigh a half in each."""
    assert len(study.S12) == 23
    expected = (33.59, 40.69, 41.69, 42.19, 42.91, 51.93)
    assert study.average(study.S12) == pytest.approx(expected, abs=0.005)


def test_averages_of_2011(study: ModuleType) -> None:
    assert len(study.S11) == 21
    expected = (23.36, 24.01, 31.91, 32.86, 31.91, 32.63, 32.64, 33.16)
    assert study.average(study.S11) == pytest.approx(expected, abs=0.005)


def test_languages_weigh_the_same(study: ModuleType) -> None:
    assert study.weighted_mean(["Basque", "Greek", "Basque"], [10, 40, 30]) == 30


def test_every_treebank_names_a_published_row(study: ModuleType) -> None:
    treebanks = importlib.import_module("induction_study.treebanks").TREEBANKS
    for treebank in treebanks.values():
        assert treebank.published in study.S12
        assert treebank.published.split()[0] == treebank.language


def test_the_picture_of_speed(study: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    speed = importlib.import_module("induction_study.speed")
    rows = [
        {"model": m, "constraint": "none", "length": n, "E-step": 1000 // n, "best": 2000 // n}
        for m in ("dmv", "dbm3")
        for n in (5, 10)
    ]
    speed.draw(rows, str(tmp_path / "cubic.svg"))
    assert (tmp_path / "cubic.svg").stat().st_size > 0
