"""The suite runs in random order, and says how to repeat it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def suite(*arguments: str) -> str:
    """What pytest prints of some quick tests, with the settings of the project."""
    call = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    result = subprocess.run(
        [*call, "tests/test_stage.py", "tests/test_constraints.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def collected(seed: int) -> list[str]:
    return re.findall(r"^tests/\S+::.*$", suite("--co", f"--randomly-seed={seed}"), re.MULTILINE)


def test_the_order_is_that_of_the_seed() -> None:
    pytest.importorskip("pytest_randomly")
    one, other = collected(1), collected(2)
    assert len(one) > 20
    assert one != other
    assert sorted(one) == sorted(other)
    assert collected(1) == one


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_the_seed_is_printed(workers: list[str]) -> None:
    pytest.importorskip("pytest_randomly")
    if workers:
        pytest.importorskip("xdist")
    assert re.search(r"^random order: --randomly-seed=\d+$", suite(*workers), re.MULTILINE)
