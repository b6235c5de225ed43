"""Options from files, from `--set` and from flags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from caesura import cli
from caesura.errors import InputError, UsageError
from caesura.learn import run as run_module
from caesura.learn.config import configure

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Search:
    beam: int = 8
    method: str = "beam"


class Options(msgspec.Struct, frozen=True):
    epochs: int = 10
    rate: float = 0.1
    dev: str | None = None
    layers: tuple[int, ...] = (1, 2)
    search: Search = Search()


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_later_wins(tmp_path: Path) -> None:
    config = write(tmp_path / "a.toml", "epochs = 5\nrate = 1\n[search]\nbeam = 16\n")
    options = configure(Options(), config, ["search.beam=32"], {"epochs": 7, "dev": None})
    assert options == Options(epochs=7, rate=1.0, search=Search(beam=32))


def test_values_are_read_as_toml_or_as_text() -> None:
    settings = ["search.method=greedy", "layers=[3, 4]", 'dev="x y"', "rate=1e-3"]
    assert configure(Options(), settings=settings) == Options(
        rate=1e-3, dev="x y", layers=(3, 4), search=Search(method="greedy")
    )


def test_a_section_may_be_named() -> None:
    assert configure(Search(), settings=["parser.beam=3"], section="parser") == Search(3)


def test_a_section_of_a_file(tmp_path: Path) -> None:
    config = write(tmp_path / "a.toml", "[tagger]\nx = 1\n[parser]\nbeam = 4\n")
    assert configure(Search(), config, section="parser") == Search(4)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("beam=3", r"unknown option beam\. Did you mean search\.beam\? Options are: epochs"),
        ("parser.beam=3", r"unknown option parser\. Options are"),
        ("search.baem=3", r"unknown option search\.baem\. Did you mean search\.beam\? Options are"),
        ("colour=3", r"Options are: epochs, rate, dev, layers, search\."),
        ("epochs=many", "option epochs: expected int"),
        ("search.beam=[1]", r"option search\.beam: expected int"),
        ("epochs", "no value. Write it as OPTION=VALUE"),
    ],
)
def test_what_does_not_exist_is_refused(setting: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        configure(Options(), settings=[setting])


def walk(group: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield path.strip(), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from walk(command, f"{path} {name}")


CONFIGURED = {
    path: command
    for path, command in walk(cli.cli)
    # To find, `--set` sets attributes of words and not options.
    if path != "find" and any(parameter.name == "settings" for parameter in command.params)
}


class Taken(Exception):
    """The options were taken; there is no need to train."""


@pytest.mark.parametrize("path", CONFIGURED)
def test_the_example_in_the_help_exists(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = CONFIGURED[path]
    [told] = [parameter for parameter in command.params if parameter.name == "settings"]
    example = re.search(r"--set (\S+=\S+);", getattr(told, "help", ""))
    assert example is not None

    def take(*args: Any, **kwargs: Any) -> None:
        configure(*args, **kwargs)
        raise Taken

    monkeypatch.setattr(run_module, "configure", take)
    monkeypatch.setenv("CAESURA_TRACEBACK", "1")
    call = [*path.split(), str(EXAMPLES / "harbour.conllu"), "-o", str(tmp_path / "out")]
    with pytest.raises(Taken):
        cli.run([*call, "--quiet", "--set", example.group(1)])
    with pytest.raises(UsageError, match="unknown option nothing"):
        cli.cli.main([*call, "--quiet", "--set", "nothing=1"], standalone_mode=False)


def test_a_broken_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.toml: not valid TOML"):
        configure(Options(), write(tmp_path / "a.toml", "epochs = = 5"))


def test_an_unknown_option_in_a_file_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.toml: unknown option epoch\."):
        configure(Options(), write(tmp_path / "a.toml", "epoch = 5"))


def test_nothing_beside_the_table_of_a_command_is_lost(tmp_path: Path) -> None:
    shared = write(tmp_path / "a.toml", "[parser]\nepochs = 3\n[tagger]\ncutoff = 2\n")
    assert configure(Options(), shared, section="parser").epochs == 3
    lost = write(tmp_path / "b.toml", "rate = 0.5\n[parser]\nepochs = 3\n")
    with pytest.raises(InputError, match=r"rate stands outside of \[parser\]"):
        configure(Options(), lost, section="parser")
    misspelled = write(tmp_path / "c.toml", "[parser]\nepochs = 3\n[taggre]\ncutoff = 2\n")
    with pytest.raises(InputError, match=r"taggre stands outside of \[parser\]"):
        configure(Options(), misspelled, section="parser")
