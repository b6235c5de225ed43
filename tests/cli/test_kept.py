"""Interrupted runs: nothing is lost, and the command that is named goes on to the same bytes."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caesura import cli
from caesura.cli import progress
from caesura.induce import checkpoint
from caesura.learn.run import Kept
from tests.conftest import ROOT

TREEBANK = str(ROOT / "examples" / "harbour.conllu")
DATA = [TREEBANK, "--dev", TREEBANK]
SMALL = ["--set", "bits=12"]
BRANCHING = ["--system", "branching", *SMALL, "--set", "rounds=[1,2]", "--beam", "4"]
PIPELINE = [
    *("--set", "folds=2", "--set", "tagger.epochs=2", "--set", "tokenizer.epochs=2"),
    *("--set", "tokenizer.bits=12", "--set", "parser.bits=12", "--set", "parser.epochs=2"),
    *("--set", "parser.search.beam=4"),
]
FIRST = r"^ *1/\d+ "
#: A command, and the line on stderr at which it is interrupted.
RUNS = {
    "tokenizer": (["tokenizer", *DATA, *SMALL, "--epochs", "3"], FIRST),
    "tagger": (["tagger", *DATA, "--epochs", "3"], FIRST),
    "parser": (["parser", *DATA, *SMALL, "--beam", "4", "--epochs", "3"], FIRST),
    "parser, second stage": (
        ["parser", *DATA, *SMALL, "--beam", "4", "--epochs", "2", "--recipe", "joint-reparsed"],
        r"(?s)best epoch.*\n *1/2 ",
    ),
    "branching": (["parser", *DATA, *BRANCHING], r"^ *2/3 "),
    "pipeline, tokeniser": (["pipeline", *DATA, *PIPELINE], FIRST),
    "pipeline, folds": (["pipeline", *DATA, *PIPELINE], "fold 1 of 2"),
    "pipeline, parser": (["pipeline", *DATA, *PIPELINE], r"(?s)evidence:.*\n *1/2 "),
}


class Trap(io.StringIO):
    """A stderr that presses Ctrl-C once, as soon as something is written there."""

    def __init__(self, pattern: str) -> None:
        super().__init__()
        self.pattern = re.compile(pattern, re.MULTILINE)
        self.sprung = False

    def write(self, text: str) -> int:
        size = super().write(text)
        if not self.sprung and self.pattern.search(self.getvalue()):
            self.sprung = True
            signal.raise_signal(signal.SIGINT)
        return size


def interrupted(monkeypatch: pytest.MonkeyPatch, call: list[str], pattern: str) -> str:
    """Run a command until the line comes; what it says last."""
    trap = Trap(pattern)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", trap)
        patch.setattr("sys.argv", ["caesura", *call])
        # Ctrl-C is ignored where the tests run in the background of a shell.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            status = cli.run(call)
        finally:
            signal.signal(signal.SIGINT, before)
    assert trap.sprung, trap.getvalue()
    assert status == 130
    return trap.getvalue().split("Interrupted", 1)[1]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def calls(tmp_path: Path) -> tuple[list[str], list[str]]:
    """Where an uninterrupted and an interrupted run write, under the same name."""
    found = []
    for name in ("whole", "part"):
        (tmp_path / name).mkdir()
        found.append(["-o", str(tmp_path / name / "my model.caesura")])
    return found[0], found[1]


@pytest.mark.parametrize("name", RUNS)
def test_the_command_that_is_named_goes_on_to_the_same_bytes(
    name: str,
    tmp_path: Path,
    calls: tuple[list[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments, pattern = RUNS[name]
    whole, part = (["train", *arguments, *output] for output in calls)
    assert cli.run([*whole, "-q"]) == 0
    said = interrupted(monkeypatch, part, pattern)
    kept = files(tmp_path / "part")
    assert kept
    assert "my model.caesura" not in kept
    command = shlex.split(said.strip().splitlines()[-1])
    assert command == ["caesura", *part, "--resume"]

    # The same again, without --resume, is refused with both ways out.
    capsys.readouterr()
    assert cli.run(part) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(r"interrupted.* --resume .* --anew ", error)
    assert files(tmp_path / "part") == kept

    assert cli.run([*command[1:], "-q"]) == 0
    assert files(tmp_path / "part") == files(tmp_path / "whole")


def test_anew_gives_the_interrupted_run_up(
    tmp_path: Path,
    calls: tuple[list[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments, pattern = RUNS["tagger"]
    whole, part = (["train", *arguments, *output] for output in calls)
    interrupted(monkeypatch, part, r"^ *2/\d+ ")
    kept = files(tmp_path / "part")

    # Nothing is given up for a call that is wrong, or for data that cannot be read.
    assert cli.run([*part, "--anew", "--resume"]) == 2
    assert cli.run([*part, "--anew", "--set", "nothing=1"]) == 2
    assert cli.run([*part, "--anew", "--dev", str(tmp_path / "none.conllu")]) == 1
    assert files(tmp_path / "part") == kept

    # The command that goes on with a run that began with --anew has --resume instead.
    said = interrupted(monkeypatch, [*part, "--anew"], pattern)
    assert shlex.split(said.strip().splitlines()[-1]) == ["caesura", *part, "--resume"]
    assert files(tmp_path / "part") != kept
    assert cli.run([*part, "--anew", "-q"]) == 0
    assert cli.run([*whole, "-q"]) == 0
    assert files(tmp_path / "part") == files(tmp_path / "whole")


def test_other_data_are_told_and_the_run_is_kept(
    tmp_path: Path,
    calls: tuple[list[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = Path(TREEBANK).read_text(encoding="utf-8")
    other = tmp_path / "other.conllu"
    other.write_text(text.replace("Gulls", "Crows"), encoding="utf-8")
    for name in ("tagger", "pipeline, folds"):
        arguments, pattern = RUNS[name]
        output = ["-o", str(tmp_path / "part" / name)]
        interrupted(monkeypatch, ["train", *arguments, *output], pattern)
        kept = files(tmp_path / "part")
        for data in ([str(other), "--dev", TREEBANK], [TREEBANK, "--dev", str(other)]):
            call = [arguments[0], *data, *arguments[4:]]
            assert cli.run(["train", *call, *output, "--resume", "-q"]) == 1
            assert "other data" in capsys.readouterr().err
            assert files(tmp_path / "part") == kept


@pytest.mark.parametrize(
    ("options", "pattern", "goes_on"),
    [
        ([], r"long 2: ", "goes on after stage long, iteration 1"),
        (["--recipe", "standard", "--restarts", "3"], r"restart 2: ", "goes on after restart 2"),
        (["--restarts", "3", "--threads", "2"], r"restart 1: ", "goes on after restart 1"),
    ],
)
def test_induction_goes_on_to_the_same_bytes(
    options: list[str],
    pattern: str,
    goes_on: str,
    tmp_path: Path,
    calls: tuple[list[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    for name in ("PATIENCE", "REWRITE"):
        monkeypatch.setattr(progress, name, 0.0)
    monkeypatch.setattr(progress, "_rich_bar", lambda what, total: None)
    monkeypatch.setattr(Trap, "isatty", lambda self: True)  # so that every step is drawn
    text = tmp_path / "text.txt"
    text.write_text((ROOT / "examples" / "harbour.txt").read_text("utf-8") * 3, "utf-8")
    arguments = ["induce", str(text), "--classes", "5", *options]
    whole, part = ([*arguments, *output] for output in calls)
    assert cli.run([*whole, "-q"]) == 0
    said = interrupted(monkeypatch, part, pattern)
    command = shlex.split(said.strip().splitlines()[-1])
    assert command == ["caesura", *part, "--resume"]
    kept = files(tmp_path / "part")
    assert cli.run(part) == 2
    assert cli.run([*part, "--resume", "--seed", "9"]) == 1
    assert "other options" in capsys.readouterr().err
    assert files(tmp_path / "part") == kept
    assert cli.run(command[1:]) == 0
    assert goes_on in capsys.readouterr().err
    assert files(tmp_path / "part") == files(tmp_path / "whole")


def test_text_from_the_standard_input_must_be_given_again(
    tmp_path: Path, calls: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "examples" / "harbour.txt").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    call = ["induce", "-", "--from", "text", "--classes", "5", "--restarts", "2", *calls[1]]
    said = interrupted(monkeypatch, call, "restart 1:")
    assert "Go on with the same text on the standard input and:" in said


def test_an_interrupt_before_the_first_checkpoint_leaves_nothing(
    tmp_path: Path, calls: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(1)

    monkeypatch.setattr("caesura.learn.pipeline.PipelineTrainer.run", train)
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    assert cli.run(["train", "pipeline", *DATA, *PIPELINE, *calls[1]]) == 130
    assert said.getvalue() == "Interrupted; nothing was kept yet.\n"
    assert list((tmp_path / "part").iterdir()) == []


def test_half_written_files_and_empty_folders_are_no_run(tmp_path: Path) -> None:
    folder = tmp_path / "m.parts"
    kept = Kept([folder], resume=False, anew=False)
    kept.check()
    folder.mkdir()
    (folder / ".tagger.checkpoint.x.part").touch()
    kept.check()
    assert kept.found() == []


def test_ctrl_c_in_a_shell(tmp_path: Path, calls: tuple[list[str], list[str]]) -> None:
    """The real thing: a process of its own, a signal, and the printed command in a shell."""
    fcntl = pytest.importorskip("fcntl", reason="Ctrl-C is no signal there")
    if not hasattr(fcntl, "F_SETPIPE_SZ"):
        pytest.skip("pipes have a fixed size")
    arguments = ["train", "tagger", *DATA, "--epochs", "150"]
    program = [sys.executable, "-m", "caesura"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    receive, send = os.pipe()
    # A small pipe that nobody reads holds the process up long before its last epoch.
    fcntl.fcntl(send, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [*program, *arguments, *calls[1]], stderr=send, cwd=tmp_path, env=environment
    )
    os.close(send)
    said = b""
    while not re.search(rb"(?m)^ *1/150 ", said):
        said += os.read(receive, 1)
    process.send_signal(signal.SIGINT)
    with os.fdopen(receive, "rb") as rest:
        said += rest.read()
    assert process.wait() == 130, said
    command = said.decode().strip().splitlines()[-1]
    assert shlex.split(command) == [*program, *arguments, *calls[1], "--resume"]
    subprocess.run(command, shell=True, cwd=tmp_path, env=environment, check=True)
    assert cli.run([*arguments, *calls[0], "-q"]) == 0
    assert files(tmp_path / "part") == files(tmp_path / "whole")
