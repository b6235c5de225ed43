"""Roots of primer sentences are counted, and held sentences are never shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from benchmarks.accuracy import primer

from caesura.document import Document
from caesura.formats import read


def parsed(tmp_path: Path, *roots: str) -> Document:
    """A document of one-word sentences."""
    path = tmp_path / "roots.conllu"
    rows = (f"1\t{root}\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n" for root in roots)
    path.write_text("".join(rows), encoding="utf-8")
    (doc,) = read(path)
    return doc


def test_one_sentence_with_the_root_is_right(tmp_path: Path) -> None:
    rows = [("Wait!", "Wait"), ("Go home.", "Go")]
    assert primer.wrong(lambda text: parsed(tmp_path, text[:-1].split()[0]), rows) == []
    two = primer.wrong(lambda text: parsed(tmp_path, *text[:-1].split()), rows)
    assert two == [("Go home.", "Go", ["Go", "home"])]


def test_it_runs_and_shows_no_held_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["primer.py", "--model", "en-fast", "--json"])
    primer.main()
    out = capsys.readouterr().out
    assert not any(sentence in out for sentence, _ in primer.cases("held"))
    (said,) = json.loads(out)
    assert len(said["wrong"]) == said["open"][1] - said["open"][0]
    assert said["held"][1] == 50
