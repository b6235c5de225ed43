"""The frame of the command line: verbs, errors, exit statuses, interruptions."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import click
import pytest

from caesura import cli
from caesura.cli.console import WarningPrinter
from caesura.cli.verbs import TRAIN, VERBS, LazyGroup, Verb
from caesura.errors import CaesuraWarning, FormatError, InputError, UsageError, Where
from caesura.formats.options import Skipped

SMALL = "1\tHi\thi\tINTJ\tUH\t_\t0\troot\t_\t_\n\n"


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )


def test_help_names_the_verbs_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    out = capsys.readouterr().out
    assert "Data:\n  inspect" in out
    assert "Convert between formats" in out


def test_every_verb_that_is_listed_can_be_loaded() -> None:
    def check(group: click.Command) -> None:
        assert isinstance(group, LazyGroup)
        context = click.Context(group, info_name="caesura")
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            # With its settings: click remembers the first spelling of --help that it is told.
            settings = command.context_settings
            assert command.get_help(click.Context(command, info_name=name, **settings))
            if isinstance(command, LazyGroup):
                check(command)
            else:
                assert command.help, f"{name} does not say what it does"

    check(cli.cli)


def test_the_help_of_the_program_and_of_every_verb_loads_no_heavy_package() -> None:
    result = python(
        """
        import sys
        from caesura import cli
        import click
        cli.run(["--help"])
        context = click.Context(cli.cli)
        for name in cli.cli.list_commands(context):
            cli.cli.get_command(context, name).get_help(click.Context(click.Command(name)))
        heavy = {"scipy", "rich", "spacy", "pandas", "matplotlib", "torch", "starlette",
                 "ray"}
        print(sorted(heavy & set(sys.modules)), file=sys.stderr)
        """
    )
    assert result.stderr.strip() == "[]"


def test_a_verb_without_a_module_is_not_listed() -> None:
    group = LazyGroup(name="x", verbs={"info": VERBS["info"], "fly": Verb("fly", "Y", "Fly.")})
    context = click.Context(group)
    assert group.list_commands(context) == ["info"]
    assert group.get_command(context, "fly") is None


def test_verbs_have_summaries_that_are_sentences() -> None:
    for verb in (*VERBS.values(), *TRAIN.values()):
        assert verb.summary.endswith(".")


def test_an_unknown_verb_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["inspekt"]) == 2
    assert "Did you mean 'inspect'?" in capsys.readouterr().err


def test_an_unknown_option_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["inspect", "--colour"]) == 2
    assert "No such option" in capsys.readouterr().err


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("caesura 0.")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (FormatError("HEAD is 9", file="a.conllu", line=3), 1, "a.conllu:3: HEAD is 9.\n"),
        (UsageError("no beam", remedy="Give one."), 2, "no beam. Give one.\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (PermissionError(13, "Permission denied", "b.txt"), 1, "b.txt: Permission denied.\n"),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    error: BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(context: click.Context) -> None:
        raise error

    monkeypatch.setattr(cli.cli, "invoke", fail)
    assert cli.run(["info"]) == status
    assert capsys.readouterr().err == said


def test_a_bug_shows_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.cli, "invoke", lambda context: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.run(["info"])


def test_bad_input_is_one_sentence_with_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.conllu"
    file.write_text(SMALL + SMALL.replace("\t0\t", "\tx\t"))
    assert cli.run(["inspect", str(file)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{file}:3")
    assert said.count("\n") == 1
    assert cli.run(["inspect", "--skip-bad", str(file)]) == 0
    assert "1 broken sentence left out." in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of this kind")
def test_a_reader_who_leaves_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "long.conllu"
    file.write_text(SMALL * 200_000)
    run = subprocess.Popen(
        [sys.executable, "-m", "caesura", "convert", "--quiet", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.readline()
    run.stdout.close()
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait() == cli.READER_GONE


@pytest.mark.skipif(sys.platform == "win32", reason="no signals of this kind")
def test_an_interruption_leaves_no_half_written_file(tmp_path: Path) -> None:
    target = tmp_path / "out.conllu"
    run = subprocess.Popen(
        [sys.executable, "-m", "caesura", "convert", "-", "--from", "conllu", "-o", str(target)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A program started in the background ignores Ctrl-C, and so would those that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert run.stdin is not None
    run.stdin.write(SMALL * 1000)
    run.stdin.flush()
    while not list(tmp_path.iterdir()):
        time.sleep(0.02)
        assert run.poll() is None
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate()
    assert run.returncode == cli.INTERRUPTED
    assert said.strip().endswith("Interrupted.")
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_warnings_name_file_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    sink = WarningPrinter(limit=1)
    sink(CaesuraWarning("a cycle", Where("a.conllu", 7)))
    sink(CaesuraWarning("a cycle", Where("a.conllu", 9)))
    sink(Skipped("left out: HEAD is x", Where("a.conllu", 11)))
    sink.close()
    assert capsys.readouterr().err.splitlines() == [
        "a.conllu:7: warning: a cycle.",
        "… and 2 more warnings.",
        "1 broken sentence left out.",
    ]


def test_strict_warnings_are_errors() -> None:
    sink = WarningPrinter(strict=True)
    with pytest.raises(InputError, match=r"a\.conllu:7: a cycle"):
        sink(CaesuraWarning("a cycle", Where("a.conllu", 7)))
