"""`caesura clauses` by example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura import cli, read
from tests.pipeline.tiny import EXAMPLES, TEXT

GOLD = str(EXAMPLES / "harbour.conllu")


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.run(["clauses", *arguments]) == 0
    return capfd.readouterr().out.splitlines()


def test_clauses_of_given_trees(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, GOLD, "-m", str(tiny_model), "--keep-heads")
    expected = []
    for doc in read(GOLD):
        found = doc.clauses
        for number, clause in enumerate(found, 1):
            parent = found.index(clause.parent) + 1 if clause.parent else 0
            place = (number, parent, clause.type, clause.start, clause.end)
            expected.append("\t".join(map(str, (*place, " ".join(clause.text.split())))))
    assert lines == expected


def test_offsets_and_numbers_of_a_long_text_count_from_its_beginning(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = TEXT * 150
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    found = [
        json.loads(line)
        for line in run(capfd, str(tmp_path / "long.txt"), "-m", str(tiny_model), "--json")
    ]
    assert [one["clause"] for one in found] == list(range(1, len(found) + 1))
    assert found[-1]["start"] > len(text) - len(TEXT)
    for one in found:
        assert text[one["start"] : one["end"]] == one["text"]
        assert all(one["start"] <= start < end <= one["end"] for start, end in one["parts"])
        assert (one["parent"] == 0) == (one["type"] == "main")
