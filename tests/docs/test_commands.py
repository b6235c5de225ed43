"""Every call of `caesura` that we show can be made, and those that are quick are made."""

from __future__ import annotations

import importlib.util
import io
import re
import shlex
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

import caesura
from caesura import cli
from caesura.errors import UsageError
from tests.docs.commands import (
    COMMANDS,
    PAGES,
    ROOT,
    Folder,
    Line,
    command_of,
    of_help,
    shown,
    spans,
)

#: What takes long, serves for ever or fetches something is parsed and not run.
LONG = ("train", "induce", "cluster", "serve", "warmup")
PACKAGE = Path(caesura.__file__).parent
#: Options of the programs in `benchmarks/`, and of others, that pages speak of.
FOREIGN = re.compile(
    "|".join(
        rf"{option}\b"
        for file in (
            *(ROOT / "benchmarks").rglob("*.py"),
            *(ROOT / "modelling").rglob("*.py"),
            ROOT / "tests" / "conftest.py",
        )
        for option in re.findall(r"[\"`](--[\w-]+)", file.read_text(encoding="utf-8"))
    )
)


@pytest.fixture
def folder(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Where every file that a call names is made when it is needed."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(here)
    return Folder(here, tiny_model)


def expanded(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.replace("*", "x") for word in words)


def parse(line: Line, folder: Folder) -> None:
    """As click does it before it calls the command: options, values, arguments, files."""
    command, arguments = command_of(expanded(line.words))
    folder.supply(tuple(arguments))
    with command.make_context(command.name, arguments):
        pass


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_calls_on_a_page_can_be_made(page: Path, folder: Folder) -> None:
    for line in shown(page):
        try:
            parse(line, folder)
        except click.UsageError as error:
            pytest.fail(f"caesura {line}: {error.format_message()}")


def test_there_are_calls_to_check() -> None:
    assert sum(len(shown(page)) for page in PAGES) > 80
    assert len(of_help()) > 12


@pytest.mark.parametrize(("path", "line"), of_help(), ids=str)
def test_calls_in_a_help_text_can_be_made(path: str, line: Line, folder: Folder) -> None:
    parse(line, folder)


def names(command: click.Command) -> set[str]:
    """The options of a command, as they are written."""
    options = (parameter for parameter in command.params if isinstance(parameter, click.Option))
    return {"-h", "--help"}.union(*((*one.opts, *one.secondary_opts) for one in options))


def loosely(span: str, folder: Folder) -> None:
    """Parse a call in which arguments may be missing, or options of any command.

    A word in capitals stands for a value.
    """
    words = shlex.split(span.partition("|")[0])
    if words[0] == "caesura" and not {"…", "VERB"} & set(words):
        candidates = [command_of(tuple(words[1:]))]
    else:
        rest = [word for word in words if word.startswith("-") or words[0] != "caesura"]
        candidates = [(command, rest) for command in COMMANDS.values()]
    folder.supply(tuple(words))
    problems: list[click.UsageError] = []
    for command, arguments in candidates:
        if arguments and all(word in names(command) for word in arguments):
            return  # options that are named and not given
        context = click.Context(command, **command.context_settings)
        try:
            values, _, order = command.make_parser(context).parse_args(list(arguments))
            for one in order:
                value = values.get(one.name or "")
                if isinstance(one, click.Option) and not re.fullmatch("[A-Z]+", str(value)):
                    one.type_cast_value(context, value)
            return
        except click.UsageError as error:
            problems.append(error)
    raise problems[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_calls_and_options_in_running_text_exist(page: Path, folder: Folder) -> None:
    for span in spans(page.read_text(encoding="utf-8")):
        if FOREIGN.match(span):
            continue
        try:
            loosely(span, folder)
        except click.UsageError as error:
            pytest.fail(f"{span}: {error.format_message()}")


@pytest.mark.parametrize(
    "file",
    [file for file in sorted(PACKAGE.rglob("*.py")) if "`caesura " in file.read_text("utf-8")],
    ids=lambda file: str(file.relative_to(PACKAGE)),
)
def test_calls_in_errors_and_comments_exist(file: Path, folder: Folder) -> None:
    for span in spans(file.read_text(encoding="utf-8")):
        if span.startswith("caesura "):
            loosely(span, folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_quick_calls_on_a_page_succeed(
    page: Path,
    folder: Folder,
    tiny_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """One after the other, so that later ones may use what earlier ones wrote."""
    for line in shown(page):
        words = expanded(line.words)
        grammar = any(word.endswith(".grammar") for word in words)
        apart = words[0] in LONG or "ray" in words or "https:" in str(line) or grammar
        if "parquet" in words and importlib.util.find_spec("pyarrow") is None:
            continue  # an extra that may be missing
        no_input = "-" in words or not any(word[:1] != "-" for word in words[1:])
        if apart or (no_input and line.stdin is None and words[0] not in ("models", "info")):
            continue
        folder.supply(words)
        for option, name in pairwise(words):
            named = tmp_path / "home" / "models" / f"{name}.caesura"
            if option in ("-m", "--model") and name.isalpha() and name != "en":
                named.parent.mkdir(parents=True, exist_ok=True)
                named.write_bytes(tiny_model.read_bytes())
        stdin = io.TextIOWrapper(io.BytesIO((line.stdin or "").encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
        status = cli.run(list(words))
        err = capfdbinary.readouterr().err.decode()
        assert status == 0, f"caesura {line}: {err}"


class Taken(Exception):
    """The options were taken; there is no need to train."""


SETTINGS = sorted(
    {
        (str(page.relative_to(ROOT)), span)
        for page in PAGES
        for span in spans(page.read_text(encoding="utf-8"))
        if span.startswith("--set ")
    }
)


@pytest.mark.parametrize(("page", "span"), SETTINGS)
def test_settings_exist(
    page: str, span: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is an option of some command that learns."""
    refused = []
    calls = [
        ("train pipeline",),
        ("train pipeline", "--init", "en"),
        ("train parser",),
        ("train parser", "--system", "branching", "--dev", "dev.conllu"),
        ("train tagger",),
        ("train tokenizer",),
        ("induce",),
    ]
    for path, *more in calls:
        words = (*path.split(), "train.conllu", "-o", "out.model", *more, *shlex.split(span))
        try:
            take_settings(Line(tuple(words)), folder, monkeypatch)
            return
        except UsageError as error:
            refused.append(str(error))
    pytest.fail(f"{span}: {refused[0]}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_settings_of_whole_calls_exist(
    page: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in shown(page):
        if line.words[0] == "find":
            continue  # it sets attributes of words, and is run whole
        if "--set" in line.words or "--config" in line.words:
            take_settings(line, folder, monkeypatch)


def take_settings(line: Line, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a call up to the point where its options are known."""
    from caesura.learn import run

    real = run.configure

    def take(*arguments: Any, **named: Any) -> None:
        real(*arguments, **named)
        raise Taken

    with monkeypatch.context() as patch:
        patch.setattr(run, "configure", take)
        folder.supply(line.words)
        with pytest.raises(Taken):
            cli.cli.main([*line.words, "--quiet"], standalone_mode=False)


@pytest.mark.parametrize(
    "call", ["parse a.txt --nope", "splitt a.txt", "evaluate a.conllu", "split --bias x"]
)
def test_a_wrong_call_is_noticed(call: str, folder: Folder) -> None:
    with pytest.raises(click.UsageError):
        parse(Line(tuple(call.split())), folder)


@pytest.mark.parametrize("span", ["--nope", "--nope 3", "caesura splitt", "caesura parse --beam x"])
def test_a_wrong_option_in_running_text_is_noticed(span: str, folder: Folder) -> None:
    with pytest.raises(click.UsageError):
        loosely(span, folder)


def test_a_wrong_setting_is_noticed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    call = "train parser a.conllu -o m.caesura --set parser.beam=32"
    with pytest.raises(UsageError, match="unknown option beam"):
        take_settings(Line(tuple(call.split())), folder, monkeypatch)
