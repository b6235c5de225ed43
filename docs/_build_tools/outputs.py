"""Write the output of commands into the pages that show it.

    python -m docs._build_tools.outputs           run the commands and write the pages
    python -m docs._build_tools.outputs --check   exit with status 1 if a page is stale

In a block marked `console`, `$ ` stands before a command and `>>> ` before Python; what follows up
to the next of them is what was printed. A block of commands without any output is only an
instruction, and is not run. Commands run beside a copy of `examples/`.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """The pages that show what something prints."""
    found = sorted({ROOT / "README.md", *DOCS.rglob("*.md")} - set((DOCS / "_build").rglob("*")))
    return [page for page in found if any(map(_shows, _blocks(page.read_text(encoding="utf-8"))))]


def _blocks(text: str) -> list[str]:
    return [block.group(1) for block in BLOCK.finditer(text)]


def _shows(block: str) -> bool:
    if block.startswith(">>> "):
        return True
    return block.startswith("$ ") and any(printed for _, printed in _commands(block))


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, with what it is said to print."""
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        end = 1
        while end < len(lines) and lines[end - 1].rstrip("\n").endswith("\\"):
            end += 1
        yield "".join(lines[:end]), "".join(lines[end:])


def fresh(text: str) -> str:
    """A page with what its commands print now."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        shutil.copytree(ROOT / "examples", folder / "examples")

        def run(block: re.Match[str]) -> str:
            inside = block.group(1)
            if not _shows(inside):
                return block.group()
            if inside.startswith(">>> "):
                with contextlib.chdir(folder):
                    return f"```console\n{_python(inside, names)}```"
            printed = "".join(
                command + _shell(command.removeprefix("$ "), folder)
                for command, _ in _commands(inside)
            )
            return f"```console\n{printed.rstrip()}\n```"

        return BLOCK.sub(run, text)


def _shell(command: str, folder: Path) -> str:
    """What a command prints; `caesura` is the one that is being documented."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    program = programs / "caesura"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m caesura "$@"\n')
    program.chmod(0o755)
    there = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    result = subprocess.run(
        command, shell=True, cwd=folder, env=there, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise SystemExit(f"{command.strip()}: exit status {result.returncode}\n{result.stderr}")
    return result.stdout


def _python(block: str, names: dict[str, Any]) -> str:
    """A session of Python with what it prints now."""
    parts = []
    for example in doctest.DocTestParser().get_examples(block):
        first, *others = example.source.splitlines()
        parts += [f">>> {first}\n", *(f"... {line}\n" for line in others)]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example.source, "<page>", "single"), names)
        parts.append(printed.getvalue())
    return "".join(parts)


def stale(page: Path) -> bool:
    text = page.read_text(encoding="utf-8")
    return fresh(text) != text


def main() -> None:
    check = "--check" in sys.argv[1:]
    behind = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        now = fresh(text)
        if now != text:
            behind.append(page)
            if not check:
                page.write_text(now, encoding="utf-8")
    for page in behind:
        print(page.relative_to(ROOT), "was stale" if not check else "is stale")
    sys.exit(bool(behind) and check)


if __name__ == "__main__":
    main()
