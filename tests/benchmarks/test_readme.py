"""The table of benchmarks names every script, and every command that a page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: A script of benchmarks/ with its arguments, in a line of prose or of a console.
COMMAND = re.compile(r"python\s+(benchmarks/\w+\.py(?: +[\w./:,-]+)*)")


def commands(text: str) -> set[str]:
    """The commands in a page; a backslash continues a line."""
    joined = re.sub(r"\\\n\s*", " ", text)
    return {" ".join(found.split()) for found in COMMAND.findall(joined)}


def table() -> set[str]:
    return commands((ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"))


def test_commands_are_found_over_lines() -> None:
    text = "`python benchmarks/a.py --x 1`\n$ python benchmarks/b.py c \\\n      --d e/\n"
    assert commands(text) == {"benchmarks/a.py --x 1", "benchmarks/b.py c --d e/"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_in_the_table(page: Path) -> None:
    assert commands(page.read_text(encoding="utf-8")) <= table()


def test_every_script_is_in_the_table() -> None:
    scripts = {
        file.name
        for file in (ROOT / "benchmarks").glob("*.py")
        if "__main__" in file.read_text(encoding="utf-8")
    }
    assert scripts == {Path(command.split()[0]).name for command in table()}
