"""The house style: ruff and mypy have nothing to say."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def check(tool: str, *arguments: str) -> None:
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    result = subprocess.run(
        [sys.executable, "-m", tool, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff_finds_nothing() -> None:
    check("ruff", "check", "--no-cache", ".")


def test_the_code_is_formatted() -> None:
    check("ruff", "format", "--no-cache", "--check", ".")


def test_types_hold() -> None:
    check("mypy", "--strict", "src")


@pytest.mark.parametrize("folder", ["src", "tests", "docs", "benchmarks", "modelling", "examples"])
def test_files_have_unix_line_ends_and_no_tabs_in_code(folder: str) -> None:
    for file in (ROOT / folder).rglob("*.py"):
        data = file.read_bytes()
        assert b"\r\n" not in data, file
        assert not any(line.startswith(b"\t") for line in data.splitlines()), file


def test_no_module_is_too_long() -> None:
    long = {
        str(file.relative_to(ROOT)): lines
        for file in (ROOT / "src").rglob("*.py")
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > 800
    }
    assert not long, f"split them: {long}"
