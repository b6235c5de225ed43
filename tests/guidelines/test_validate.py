"""`caesura validate` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.cli import run
from tests.guidelines.test_rules import TREEBANK, conllu

GOOD = "# sent_id = a\n# text = see it\n" + conllu("see/VERB/0/root it/PRON/1/obj")
TWICE = conllu("see/VERB/0/root it/PRON/1/obj him/PRON/1/obj")


def write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "a.conllu"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_problems_have_file_line_and_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# newdoc\n\n\n# sent_id = a\n" + conllu("a/X/0/root") + "# sent_id = b\n# x\n" + TWICE
    assert run(["validate", write(tmp_path, text)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{tmp_path}/a.conllu:9: too-many-objects: 'see' has several objects")
    assert "(sent_id b)" in out
    assert "1 problem in 2 sentences, 4 words" in out


def test_lines_count_ranges_and_empty_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        "0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_",
        "1-2\tdont\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tdo\tdo\tAUX\t_\t_\t3\taux\t_\t_",
        "2\tnt\tnot\tPART\t_\t_\t1\tadvmod\t_\t_",
        "2.1\ty\t_\t_\t_\t_\t_\t_\t_\t_",
        "3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_",
        "4\t!\t!\tPUNCT\t_\t_\t3\tdep\t_\t_",
    ]
    run(["validate", "-q", write(tmp_path, "\n".join(rows) + "\n\n")])
    lines = [row.split(":")[1:3] for row in capsys.readouterr().out.splitlines()]
    assert lines == [["4", " leaf-aux-cop"], ["7", " upos-rel-punct"]]


def test_a_good_file_has_status_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", write(tmp_path, GOOD)]) == 0
    assert capsys.readouterr().out == "No problems in 1 sentences, 2 words (0.0 per 1,000 words).\n"


def test_a_broken_line_is_a_problem_and_the_rest_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", "--json", write(tmp_path, "1\tbroken\n\n" + TWICE)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(p["line"], p["rule"]) for p in found["problems"]] == [
        (1, "format"),
        (3, "too-many-objects"),
    ]
    assert found["rules"] == {"format": 1, "too-many-objects": 1}


def test_a_table_is_learned_and_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = str(tmp_path / "t.json")
    assert run(["validate", "--learn", table, write(tmp_path, conllu(TREEBANK) * 60)]) == 0
    assert "learned from 180 words; rules that are off: none" in capsys.readouterr().out
    do = write(tmp_path, conllu("see/VERB/0/root did/AUX/1/aux/do"))
    assert run(["validate", "--guidelines", table, do]) == 1
    assert "aux-lemma" in capsys.readouterr().out
    assert run(["validate", do]) == 0


def test_guidelines_off_checks_the_format_only(tmp_path: Path) -> None:
    assert run(["validate", write(tmp_path, TWICE), "--guidelines", "off"]) == 0


def test_a_table_that_is_missing_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", write(tmp_path, TWICE), "--guidelines", "none.json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "none.json: cannot be read (No such file or directory)" in captured.err
