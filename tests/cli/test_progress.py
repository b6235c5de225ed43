"""Progress: silent for a second, then on stderr."""

from __future__ import annotations

import io

import pytest

from caesura.cli import progress
from caesura.cli.progress import Progress, track
from caesura.cli.training import epoch_line, watch
from caesura.learn.loop import Event


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "REWRITE", "LOG"):
        monkeypatch.setattr(progress, name, 0.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_short_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track(range(3), "Counting")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("impatient")
def test_long_work_is_logged_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    list(track(range(2), "Counting", total=2))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "Counting: 50%, 0 s\nCounting: 100%, 0 s\n"


@pytest.mark.usefixtures("impatient")
def test_quiet_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("Counting", quiet=True) as counting:
        counting.advance()
        counting.say("one")
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("impatient")
def test_a_terminal_without_rich_gets_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "_rich_bar", lambda what, total: None)
    with Progress("Counting", unit="words") as counting:
        counting.advance(1000, note="so far")
        counting.say("half")
    said = terminal.getvalue()
    assert said.startswith("\rCounting: 1,000 words, 0 s, so far\x1b[K")
    assert "half\n" in said
    assert said.endswith("\r\x1b[K")


@pytest.mark.usefixtures("impatient")
def test_a_terminal_with_rich_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with Progress("Counting", total=2) as counting:
        counting.advance()
        counting.say("half [done]")
    assert "Counting" in terminal.getvalue()
    assert "half [done]" in terminal.getvalue()


def test_training_shows_scores_by_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    epochs = [
        Event("epoch", 1, 2, {"loss": 0.5}, {"LAS": 80.0}, 1.5, 1),
        Event("epoch", 2, 2, {"loss": 0.25}, {"LAS": 79.5}, 1.5, 1),
    ]
    done = Event("done", 2, 2, best_epoch=1)
    assert watch([Event("start", 0, 2), *epochs, done], "Training the parser") == epochs
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].split() == ["epoch", "loss", "LAS", "seconds"]
    assert lines[1].split() == ["1/2", "0.5", "80.00", "1.5", "*"]
    assert lines[2].split() == ["2/2", "0.25", "79.50", "1.5"]
    assert lines[3] == "Training the parser: best epoch 1"


def test_resumed_training_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    watch([Event("start", 3, 5), Event("done", 3, 5)])
    assert capsys.readouterr().err == "Training: goes on after epoch 3\n"


def test_an_epoch_without_scores_has_no_star() -> None:
    assert "*" not in epoch_line(Event("epoch", 1, 2, {"loss": 0.5}, {}, 1.5, 1))
