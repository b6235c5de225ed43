"""A speed goes into a model file and onto its card, and takes the place of an older one."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from caesura.models.file import Part, load, save
from caesura.models.overview import overview
from caesura.models.store import Installed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def speed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark as Python finds it when its file is run."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("card_speed")


def test_a_speed_is_noted_and_shown(speed: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    meta = {"name": "mine", "language": "en", "scores": {"LAS": 88.8}}
    card = "# mine\n\nWhat it is.\n\n## Speed\n\nOld.\n\n## Data\n\nMine.\n"
    save(path, {"rules": Part("rules")}, meta=meta, card=card, kind="pipeline")
    entry = Installed("mine", path, False)
    assert (overview(entry).speed, overview(entry).las) == (None, 88.8)
    speed.note(path, 12345.6, "one core of a test", 4000.0)
    file = load(path)
    assert overview(entry).speed == file.meta["speed"] == 12300.0
    assert file.meta["speed_measured"]["times spaCy"] == 3.09
    assert file.meta["scores"] == {"LAS": 88.8}
    assert (file.kind, list(file.parts)) == ("pipeline", ["rules"])
    assert "Old." not in file.card
    assert "\n## Data\n\nMine.\n" in file.card
    said = "12,300 words a CPU second on one core of a test; 3.09 times a small spaCy pipeline"
    assert file.card.count("## Speed") == file.card.count(said) == 1
    once = path.read_bytes()
    speed.note(path, 12345.6, "one core of a test", 4000.0)
    assert path.read_bytes() == once
    speed.note(path, 100.0, "one core of a test")
    assert "times spaCy" not in load(path).meta["speed_measured"]
    assert load(path).card.count("## Speed") == 1


def test_a_file_stays_packed_as_it_is(speed: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    arrays = {"numbers": np.random.default_rng(1).random(4000)}  # not worth packing
    for compress in (True, "all"):
        save(path, {"rules": Part("rules", arrays=arrays)}, card="# mine\n", compress=compress)
        assert speed.packing(path) == compress
        speed.note(path, 100.0, "one core of a test")
        assert speed.packing(path) == compress


def test_older_files_have_scores_by_mode(tmp_path: Path) -> None:
    path = tmp_path / "old.caesura"
    scores = {"accurate": {"LAS": 82.49}, "fast": {"LAS": 81.95}}
    save(path, {"rules": Part("rules")}, meta={"scores": scores})
    assert overview(Installed("old", path, False)).las == 82.49
