"""Options from files, from `--set` and from flags."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from caesura.cli.config import configure
from caesura.errors import InputError, UsageError


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


def test_a_broken_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.toml: not valid TOML"):
        configure(Options(), write(tmp_path / "a.toml", "epochs = = 5"))


def test_an_unknown_option_in_a_file_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.toml: unknown option epoch\."):
        configure(Options(), write(tmp_path / "a.toml", "epoch = 5"))
