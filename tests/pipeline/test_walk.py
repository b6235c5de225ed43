"""The walk of a file in docs/explanation/architecture.md is the one that a parse makes."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from caesura import cli
from caesura.stage import REGISTRY, Stage

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md"
ROW = re.compile(r"^\| (\d+) \| `([\w/]+)\.py` \| `([\w.]+)` \|", re.MULTILINE)


def hops() -> list[tuple[str, str]]:
    """Module and function of each hop of the table."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    return [(f"caesura.{file.replace('/', '.')}", name) for _, file, name in rows]


def found(module: str, name: str) -> Any:
    thing: Any = importlib.import_module(module.removesuffix(".__init__"))
    for part in name.split("."):
        thing = getattr(thing, part)
    return getattr(thing, "callback", thing)  # a command of click holds its function


def codes(thing: Any) -> set[CodeType]:
    """The code of a function, and of those that take its place in the stages."""
    if thing is Stage.annotate:
        homes = [home.split(":") for home in REGISTRY.values()]
        kinds = [getattr(importlib.import_module(module), name) for module, name in homes]
        return {kind.annotate.__code__ for kind in kinds}
    while hasattr(thing, "__wrapped__"):
        thing = thing.__wrapped__
    return {thing.__code__}


def test_the_walk_is_short_and_its_functions_exist() -> None:
    assert 1 < len(hops()) <= 9
    for module, name in hops():
        assert callable(found(module, name)), f"{module}: {name}"


def test_a_parse_goes_that_way(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "file.txt"
    text.write_text("The boats came back. Nobody spoke.\n", encoding="utf-8")
    named = {hop: codes(found(*hop)) for hop in hops()}
    seen: set[CodeType] = set()

    def look(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        status = cli.run(["parse", str(text), "-m", str(tiny_model), "-q"])
    finally:
        sys.setprofile(before)
    assert status == 0
    assert "1\tThe" in capfd.readouterr().out
    for hop, own in named.items():
        assert own & seen, f"{hop} is not on the way"
