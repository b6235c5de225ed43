"""Training as a person sees it: how far an epoch is, and at the end the file, scores, what next."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from caesura import cli
from caesura.cli import progress
from caesura.learn import branching_parser as branching
from caesura.learn import tagger as tagging
from caesura.models import load
from tests.cli.test_kept import BRANCHING, DATA, PIPELINE, SMALL
from tests.conftest import ROOT

QUICK = {
    "tokenizer": ["train", "tokenizer", *DATA, *SMALL, "--epochs", "2"],
    "tagger": ["train", "tagger", *DATA, "--epochs", "2"],
    "parser": ["train", "parser", *DATA, *SMALL, "--beam", "4", "--epochs", "2"],
    "shards": ["train", "parser", *DATA, *SMALL, "--beam", "4", "--epochs", "2", "--shards", "3"],
    "gold": ["train", "parser", *DATA, *SMALL, "--beam", "4", "--epochs", "2", "--recipe", "gold"],
    "branching": ["train", "parser", *DATA, *BRANCHING],
    "pipeline": ["train", "pipeline", *DATA, *PIPELINE],
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the printed commands name."""
    for name in ("tagged.conllu", "tokens.conllu"):
        shutil.copy(ROOT / "examples" / "harbour.conllu", tmp_path / name)
    shutil.copy(ROOT / "examples" / "harbour.txt", tmp_path / "text.txt")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", QUICK)
def test_progress_inside_an_epoch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("PATIENCE", "REWRITE"):
        monkeypatch.setattr(progress, limit, 0.0)
    monkeypatch.setattr(progress, "_rich_bar", lambda what, total: None)
    monkeypatch.setattr(tagging, "_PIECE", 4)
    monkeypatch.setattr(branching, "_PIECE", 40)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert cli.run([*QUICK[name], "-o", "my.caesura"]) == 0
    before = terminal.getvalue().split(" *")[0]  # of the first epoch
    shares = [int(found) for found in re.findall(r"(\d+)%, \d+ s, epoch 1 of", before)]
    assert len(set(shares)) >= 3
    assert shares == sorted(shares)
    assert "scoring" in before


@pytest.mark.parametrize("name", ["tagger", "branching"])
def test_pieces_of_an_epoch_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for learner in ("crf", "perceptron") if name == "tagger" else ("logistic", "perceptron"):
        learning = [*QUICK[name], "--set", f"learner={learner}", "-q"]
        for size in (3, 1 << 30):
            monkeypatch.setattr(tagging, "_PIECE", size)
            monkeypatch.setattr(branching, "_PIECE", size)
            assert cli.run([*learning, "-o", f"{size}.caesura"]) == 0
        assert Path("3.caesura").read_bytes() == Path(f"{1 << 30}.caesura").read_bytes()


ALL = {
    **QUICK,
    "jackknife": ["train", "tagger", DATA[0], "--jackknife", "2", "--epochs", "1"],
    "induce": ["induce", "text.txt", "--classes", "5"],
    "induce over tags": ["induce", DATA[0], "--classes", "upos"],
    "cluster": ["cluster", "text.txt", "--classes", "5", "--min-count", "1"],
}


@pytest.mark.parametrize("name", ALL)
def test_the_end_says_where_what_and_what_next(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = "jack.conllu" if name == "jackknife" else "my model"
    assert cli.run([*ALL[name], "-o", output, "--json"]) == 0
    out, err = capsys.readouterr()
    where, *scores, following = err[re.search(r"(?m)^\w+: \S.*B\)$", err).start() :].splitlines()
    assert re.fullmatch(rf"\w+: {output} \([\d.]+ [kM]B\)", where)
    if "--dev" in ALL[name]:
        assert scores[0].startswith("On dev")
    elif name != "jackknife":
        assert scores
    command = following.removeprefix("Next: ")
    assert json.loads(out)["next"] == command
    # The command that is named works.
    assert cli.run([*shlex.split(command)[1:], "-q"]) == 0


def test_without_dev_data_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["train", "tagger", DATA[0], "--epochs", "1", "-o", "my.caesura"]) == 0
    assert "Not scored: there were no dev data (--dev)" in capsys.readouterr().err


def test_quiet_training_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*QUICK["tagger"], "-o", "my.caesura", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_model_names_the_licence_that_it_was_given() -> None:
    assert cli.run([*QUICK["pipeline"], "-o", "my.caesura", "-q", "--licence", "CC0-1.0"]) == 0
    file = load("my.caesura")
    assert file.meta["licence"] == "CC0-1.0"
    assert file.card.endswith("\n\nLicence: CC0-1.0.\n")
    assert "| LAS |" in file.card
