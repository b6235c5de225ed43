"""Every entry point for a second of random changes of its seeds; with atheris a moment as well.

`benchmarks/hardening/fuzz.py` does the same for hours.
"""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import DOORS, PLAIN, Target, door, seeds

#: Seconds of CPU for each door.
SHARE = 1.0


def fuzz(name: str, target: Target, share: float, seed: int) -> int:
    """Try changed seeds until the time is over; the number of inputs."""
    start = seeds(name)
    for data in start:
        target(data)
    rng = random.Random(f"{name} {seed}")
    end, count = time.process_time() + share, 0
    while time.process_time() < end:
        data = mutated(rng, start)
        try:
            target(data)
        except Exception:
            print(f"{name}: {data!r}")
            raise
        count += 1
    return count


@pytest.mark.parametrize("name", PLAIN)
def test_doors_without_a_model(name: str, request: pytest.FixtureRequest) -> None:
    seed = getattr(request.config.option, "randomly_seed", 1)
    assert fuzz(name, door(name), SHARE, seed) > 0


@pytest.mark.parametrize("name", [name for name in DOORS if name not in PLAIN])
def test_doors_that_need_a_model(
    name: str, tiny_model: Path, request: pytest.FixtureRequest
) -> None:
    seed = getattr(request.config.option, "randomly_seed", 1)
    assert fuzz(name, door(name, tiny_model), SHARE, seed) > 0


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
@pytest.mark.parametrize("name", ["conllu", "jsonl", "html"])
def test_with_atheris(name: str, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    call = [sys.executable, "-m", "tests.fuzz.run", name, "-runs=3000", "-verbosity=0"]
    done = subprocess.run([*call, f"-artifact_prefix={tmp_path}/"], cwd=root, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
