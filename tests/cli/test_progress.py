"""Progress: silent for a second, then on stderr."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.cli import progress
from caesura.cli.progress import Progress
from caesura.cli.training import Console, EpochTable
from caesura.learn.loop import Event


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "REWRITE", "LOG"):
        monkeypatch.setattr(progress, name, 0.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watch(events: list[Event], what: str = "Training", *, quiet: bool = False) -> None:
    with Console(quiet=quiet) as report:
        for event in events:
            report(what, event)


def test_short_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("Counting", total=3) as counting:
        counting.advance()
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("impatient")
def test_long_work_is_logged_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("Counting", total=2) as counting:
        counting.advance()
        counting.advance()
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
    watch([Event("start", 0, 2), *epochs, done], "Training the parser")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].split() == ["epoch", "loss", "LAS", "seconds"]
    assert lines[1].split() == ["1/2", "0.5", "80.00", "1.5", "*"]
    assert lines[2].split() == ["2/2", "0.25", "79.50", "1.5"]
    assert lines[3] == "Training the parser: best epoch 1"


def test_resumed_training_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    watch([Event("start", 3, 5), Event("done", 3, 5)])
    assert capsys.readouterr().err == "Training: goes on after epoch 3\n"


def test_an_epoch_without_scores_has_no_star() -> None:
    event = Event("epoch", 1, 2, {"loss": 0.5}, {}, 1.5, 1)
    assert not any("*" in line for line in EpochTable().lines(event))


NAMES = st.lists(st.text("abcXYZ_", min_size=1, max_size=14), unique=True, max_size=5)
NUMBERS = st.floats(allow_nan=False)


@given(NAMES, st.data(), st.integers(1, 100_000), st.integers(1, 100_000))
def test_every_value_ends_under_the_end_of_its_header(
    names: list[str], data: st.DataObject, epoch: int, more: int
) -> None:
    split = data.draw(st.integers(0, len(names)))
    values = {name: data.draw(NUMBERS) for name in names}
    stats = {name: values[name] for name in names[:split]}
    scores = {name: values[name] for name in names[split:]}
    seconds = data.draw(st.floats(0, 1e9))
    event = Event("epoch", epoch, epoch + more, stats, scores, seconds, epoch)
    header, line = EpochTable().lines(event)
    assert len(line.removesuffix(" *")) == len(header)
    at = 0
    for name, cell in zip(header.split(), line.split(), strict=False):
        at = header.index(name, at) + len(name)
        assert line[:at].endswith(cell)
        assert line[at : at + 1] in ("", " ")


def test_columns_of_the_first_epoch_only_stay_empty() -> None:
    table = EpochTable()
    first = Event("epoch", 1, 12, {"loss": 0.5, "cyclic": 3.0}, {"LAS": 70.0}, 1.0, 1)
    header, line = table.lines(first)
    (second,) = table.lines(Event("epoch", 2, 12, {"loss": 0.25}, {"LAS": 71.0}, 1.0, 2))
    for name, value in (("loss", "0.25"), ("LAS", "71.00"), ("seconds", "1.0")):
        assert second[: header.index(name) + len(name)].endswith(value)
    assert len(second) == len(line)
    # What was not there before gets a header again.
    again = table.lines(Event("epoch", 3, 12, {"loss": 0.2, "skipped": 1.0}, {"LAS": 7.0}, 1.0, 2))
    assert again[0].split() == ["epoch", "loss", "skipped", "LAS", "seconds"]


def inside(terminal: bool, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False) -> str:
    """What is written while an epoch is under way."""
    stderr = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setattr(progress, "_rich_bar", lambda what, total: None)
    events = [Event("start", 0, 4), *(Event("inside", 2, 4, share=x) for x in (0.0, 0.5, 1.0))]
    watch(events, "Training", quiet=quiet)
    return stderr.getvalue()


@pytest.mark.usefixtures("impatient")
def test_an_epoch_under_way_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    said = inside(True, monkeypatch)
    assert "\rTraining: 25%, 0 s, epoch 2 of 4\x1b[K" in said
    assert "\rTraining: 38%, 0 s, epoch 2 of 4\x1b[K" in said
    assert "\rTraining: 50%, 0 s, epoch 2 of 4, scoring\x1b[K" in said
    assert inside(False, monkeypatch) == ""
    assert inside(True, monkeypatch, quiet=True) == ""
