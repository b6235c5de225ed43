"""The fuzz targets on their seeds and on mutations of them; with atheris for a moment if it is
there."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura.pipeline import Pipeline
from tests.fuzz.targets import READERS, pipeline_target, reader_target, seeds


def mutations(data: bytes, count: int, seed: int) -> list[bytes]:
    """Bytes changed, doubled or cut out."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        a, b = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        noise = rng.integers(0, 256, int(rng.integers(0, 4)), dtype=np.uint8).tobytes()
        middle = (b"", noise, data[a:b] * 2)[int(rng.integers(3))]
        found.append(data[:a] + middle + data[b:])
    return found


@pytest.mark.parametrize("name", READERS)
def test_readers(name: str) -> None:
    target = reader_target(name)
    for number, data in enumerate(seeds()):
        for one in (data, *mutations(data, 6, number)):
            target(one)


def test_the_pipeline(tiny: Pipeline) -> None:
    target = pipeline_target(tiny)
    for number, data in enumerate(seeds()[:40]):
        for one in (data, *mutations(data, 1, number)):
            target(one)


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
@pytest.mark.parametrize("name", ["conllu", "jsonl"])
def test_with_atheris(name: str, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    call = [sys.executable, "-m", "tests.fuzz.run", name, "-runs=3000", "-verbosity=0"]
    done = subprocess.run([*call, f"-artifact_prefix={tmp_path}/"], cwd=root, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
