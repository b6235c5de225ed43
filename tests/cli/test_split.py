"""`caesura split` by example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura import cli
from tests.pipeline.tiny import EXAMPLES, TEXT

HARBOUR = str(EXAMPLES / "harbour.txt")


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.run(["split", *arguments]) == 0
    return capfd.readouterr().out.splitlines()


def test_one_sentence_a_line(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model))
    assert len(lines) > 1
    assert " ".join(lines) == " ".join(TEXT.split())


def test_offsets(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model), "--offsets")
    sentences = run(capfd, HARBOUR, "-m", str(tiny_model))
    for line, plain in zip(lines, sentences, strict=True):
        start, end, sentence = line.split("\t")
        assert sentence == plain
        assert " ".join(TEXT[int(start) : int(end)].split()) == sentence


def test_json(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model), "--json")
    sentences = run(capfd, HARBOUR, "-m", str(tiny_model))
    for line, plain in zip(lines, sentences, strict=True):
        said = json.loads(line)
        assert " ".join(said["text"].split()) == plain
        assert said["file"] == HARBOUR
        assert TEXT[said["start"] : said["end"]] == said["text"]


def test_offsets_of_a_long_text_count_from_its_beginning(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = TEXT * 150
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    lines = run(capfd, str(tmp_path / "long.txt"), "-m", str(tiny_model), "--json")
    assert all(text[s["start"] : s["end"]] == s["text"] for s in map(json.loads, lines))
    assert json.loads(lines[-1])["end"] == len(text.rstrip())


def test_a_tokeniser_is_enough(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from caesura.models import load, save

    save(tmp_path / "t.caesura", {"tokenizer": load(tiny_model).parts["tokenizer"]})
    lines = run(capfd, HARBOUR, "-m", str(tmp_path / "t.caesura"))
    assert " ".join(lines) == " ".join(TEXT.split())
    (tmp_path / "list.txt").write_text("mackerel 3.20\ncod 7.80\n", encoding="utf-8")
    call = [str(tmp_path / "list.txt"), "-m", str(tmp_path / "t.caesura")]
    assert run(capfd, *call, "--newline-is-boundary") == ["mackerel 3.20", "cod 7.80"]


def test_a_bad_file_is_told_and_passed_over(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    assert cli.run(["split", str(tmp_path / "bad.txt"), HARBOUR, "-m", str(tiny_model)]) == 1
    out, err = capfd.readouterr()
    assert "byte 0xff is not UTF-8" in err
    assert " ".join(out.split()) == " ".join(TEXT.split())
