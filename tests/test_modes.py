"""The small rooms also run without the compiler, and compiled with checks of bounds.

Plain Python shows what a kernel does line by line, and warns; checked code raises where the usual
code would read the memory of another.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.jit import compiled, kernel

ROOT = Path(__file__).parent.parent
MODES = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
CHECKED = bool(os.environ.get("NUMBA_BOUNDSCHECK"))
SMALL = ("tests/evaluate/test_kernels.py", "tests/learn/test_kernels.py")


@pytest.mark.skipif(any(map(os.environ.get, MODES)), reason="this is such a run")
@pytest.mark.parametrize("mode", MODES)
def test_small_rooms_also_run(mode: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, *SMALL],
        env={**os.environ, mode: "1", "CI": "1", "PYTHONWARNINGS": "error::RuntimeWarning"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@kernel(cache=False)
def _item(values: NDArray[np.int64], place: int) -> int:
    return int(values[place])


@pytest.mark.skipif(compiled() and not CHECKED, reason="bounds are not checked")
def test_bounds_are_checked() -> None:
    assert _item(np.arange(3), 2) == 2
    with pytest.raises(IndexError):
        _item(np.arange(3), 3)
