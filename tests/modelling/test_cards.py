"""Speeds and scores replace older ones in a model file and on its card."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from modelling import cards

from caesura.models.file import Part, load, save
from caesura.models.overview import overview
from caesura.models.store import Installed

CARD = "# mine\n\n| | F1 |\n|---|---|\n| UAS | 90.10 |\n| LAS | 88.80 |\n\nLAS 88.80 once.\n"


def test_a_speed_is_noted_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    meta = {"name": "mine", "language": "en", "scores": {"LAS": 88.8}}
    card = "# mine\n\nWhat it is.\n\n## Speed\n\nOld.\n\n## Data\n\nMine.\n"
    save(path, {"rules": Part("rules")}, meta=meta, card=card, kind="pipeline")
    entry = Installed("mine", path, False)
    assert (overview(entry).speed, overview(entry).las) == (None, 88.8)
    cards.note_speed(path, 12345.6, "one core of a test", 4000.0)
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
    cards.note_speed(path, 12345.6, "one core of a test", 4000.0)
    assert path.read_bytes() == once
    cards.note_speed(path, 100.0, "one core of a test")
    assert "times spaCy" not in load(path).meta["speed_measured"]
    assert load(path).card.count("## Speed") == 1


def test_a_file_stays_packed_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    arrays = {"numbers": np.random.default_rng(1).random(4000)}  # not worth packing
    for compress in (True, "all"):
        save(path, {"rules": Part("rules", arrays=arrays)}, card="# mine\n", compress=compress)
        assert cards.packing(path) == compress
        cards.note_speed(path, 100.0, "one core of a test")
        assert cards.packing(path) == compress


def test_older_files_have_scores_by_mode(tmp_path: Path) -> None:
    path = tmp_path / "old.caesura"
    scores = {"accurate": {"LAS": 82.49}, "fast": {"LAS": 81.95}}
    save(path, {"rules": Part("rules")}, meta={"scores": scores})
    assert overview(Installed("old", path, False)).las == 82.49


def test_scores_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    meta = {"name": "mine", "scores": {"UAS": 90.1, "LAS": 88.8}}
    save(path, {"rules": Part("rules")}, meta=meta, card=CARD, kind="pipeline")
    cards.note_scores(path, {"UAS": 91.0, "LAS": 89.25})
    file = load(path)
    assert file.meta["scores"] == {"UAS": 91.0, "LAS": 89.25}
    assert (file.meta["name"], file.kind, list(file.parts)) == ("mine", "pipeline", ["rules"])
    assert file.card == CARD.replace("| 90.10 |", "| 91.00 |").replace("| 88.80 |", "| 89.25 |")


def test_a_card_without_the_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.caesura"
    save(path, {"rules": Part("rules")}, card="# mine\n", kind="pipeline")
    before = path.read_bytes()
    with pytest.raises(SystemExit, match="no row for LAS"):
        cards.note_scores(path, {"LAS": 89.25})
    assert path.read_bytes() == before
