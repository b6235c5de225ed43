"""Roots of primer sentences are counted, and held sentences are never shown."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from caesura.document import Document
from caesura.formats import read

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def primer(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark as Python finds it when its file is run."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("primer")


def parsed(tmp_path: Path, *roots: str) -> Document:
    """A document of one-word sentences."""
    path = tmp_path / "roots.conllu"
    rows = (f"1\t{root}\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n" for root in roots)
    path.write_text("".join(rows), encoding="utf-8")
    (doc,) = read(path)
    return doc


def test_one_sentence_with_the_root_is_right(primer: ModuleType, tmp_path: Path) -> None:
    rows = [("Wait!", "Wait"), ("Go home.", "Go")]
    assert primer.wrong(lambda text: parsed(tmp_path, text[:-1].split()[0]), rows) == []
    two = primer.wrong(lambda text: parsed(tmp_path, *text[:-1].split()), rows)
    assert two == [("Go home.", "Go", ["Go", "home"])]


def test_it_runs_and_shows_no_held_sentence(
    primer: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["primer.py", "--model", "en-fast"])
    primer.main()
    out = capsys.readouterr().out
    assert out.startswith("en-fast: open ")
    assert "of 50, held " in out
    assert not any(sentence in out for sentence, _ in primer.cases("held"))
    monkeypatch.setattr(sys, "argv", ["primer.py", "--model", "en-fast", "--json"])
    primer.main()
    said = json.loads(capsys.readouterr().out)["en-fast"]
    assert len(said["wrong"]) == said["open"][1] - said["open"][0]
