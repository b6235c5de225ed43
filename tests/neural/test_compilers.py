"""The network computes the same bits with Clang and on aarch64 as with GCC on x86-64.

The sources of `core/network` are compiled without Python, and `core/bits.cpp` prints a hash of all
outputs for each instruction set. `test_network` compares the instruction sets of the core itself.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "core"
ARM = ("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64")
#: What GCC 12 gives for every instruction set of x86-64.
WANTED = "b24e267b36ddf972"


def printed(compiler: str, folder: Path, *options: str, emulator: tuple[str, ...] = ()) -> str:
    """What the program prints, compiled by a compiler; skips the test without one."""
    for program in ("cmake", compiler, *emulator[:1]):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    build = ("cmake", "-S", str(SOURCE), "-B", str(folder), f"-DCMAKE_CXX_COMPILER={compiler}")
    for command in ((*build, *options), ("cmake", "--build", str(folder))):
        made = subprocess.run(command, capture_output=True, text=True)
        assert made.returncode == 0, made.stdout + made.stderr
    command = (*emulator, str(folder / "bits"))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def hashes(lines: str) -> dict[str, str]:
    return dict(line.split() for line in lines.splitlines())


def test_clang(tmp_path: Path) -> None:
    found = hashes(printed("clang++", tmp_path))
    assert "portable" in found
    assert {*found.values()} == {WANTED}


def test_neon(tmp_path: Path) -> None:
    emulator = ("qemu-aarch64", "-cpu", "max")
    found = hashes(printed("aarch64-linux-gnu-g++", tmp_path, *ARM, emulator=emulator))
    assert found == dict.fromkeys(("portable", "dotprod", "i8mm"), WANTED)
