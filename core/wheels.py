"""Builds the wheels for Linux (x86-64, aarch64) and macOS (arm64) on one Linux machine.

    pip install ziglang
    python core/wheels.py -o wheels
    python core/wheels.py -o wheels --target linux-aarch64 --python python3.12

Zig's compiler translates for every target (`compilers.py`). There are two wheels per target: cp311,
and cp312-abi3 for Python 3.12 and later. A wheel is built with the Python of its version and the
headers of this machine, which fit every 64-bit target; then its files and tags get the names of the
target. A wheel for Linux that needs a newer glibc than 2.17 is refused.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compilers import NoCompiler, Target, toolchain

ROOT: Final = Path(__file__).resolve().parent.parent
GLIBC: Final = (2, 17)


@dataclass(frozen=True)
class Platform:
    """A target, the platform tag of its wheels, and the part of a module's name that it has."""

    target: Target
    tag: str
    soabi: str


PLATFORMS: Final = {
    "linux-x86_64": Platform(
        Target("Linux", "x86_64", "x86_64-linux-gnu.2.17"),
        "manylinux_2_17_x86_64.manylinux2014_x86_64",
        "x86_64-linux-gnu",
    ),
    "linux-aarch64": Platform(
        Target("Linux", "aarch64", "aarch64-linux-gnu.2.17"),
        "manylinux_2_17_aarch64.manylinux2014_aarch64",
        "aarch64-linux-gnu",
    ),
    "macos-arm64": Platform(
        Target("Darwin", "arm64", "aarch64-macos.11.0"), "macosx_11_0_arm64", "darwin"
    ),
}
#: Tags of the interpreter and of the ABI, by the version of Python that builds.
PYTHONS: Final = {"3.11": ("cp311", "cp311"), "3.12": ("cp312", "abi3")}


def build(python: str, platform: Platform, folder: Path) -> Path:
    """Build one wheel with an interpreter, and give it the names of the platform."""
    version = _output(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    if version not in PYTHONS:
        sys.exit(f"wheels: {python} is Python {version}: wheels are built with 3.11 and 3.12.")
    with tempfile.TemporaryDirectory() as place:
        file = toolchain(Path(place), platform.target)
        cache = os.environ.get("ZIG_GLOBAL_CACHE_DIR", str(folder / ".zig-cache"))
        environment = {
            **os.environ,
            "CMAKE_TOOLCHAIN_FILE": str(file),
            "ZIG_GLOBAL_CACHE_DIR": cache,
        }
        call = [python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, str(ROOT)]
        subprocess.run(call, env=environment, check=True)
        (built,) = Path(place).glob("*.whl")
        with zipfile.ZipFile(built) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    return write(files, PYTHONS[version], platform, folder)


def write(
    files: Mapping[str, bytes], tags: tuple[str, str], platform: Platform, folder: Path
) -> Path:
    """Write a wheel from the files of another, with the tags and names of a platform."""
    python, abi = tags
    full = f"{python}-{abi}-{platform.tag}"
    suffix = "abi3" if abi == "abi3" else f"{abi.replace('cp', 'cpython-')}-{platform.soabi}"
    made: dict[str, bytes] = {}
    for name, data in files.items():
        if re.fullmatch(r"caesura/_core\..*", name) and not name.endswith(".pyi"):
            check(data, platform)
            made[f"caesura/_core.{suffix}.so"] = data
        elif name.endswith(".dist-info/WHEEL"):
            lines = [line for line in data.decode().splitlines() if not line.startswith("Tag:")]
            lines += [f"Tag: {python}-{abi}-{one}" for one in platform.tag.split(".")]
            made[name] = ("\n".join(line for line in lines if line) + "\n").encode()
        elif not name.endswith(".dist-info/RECORD"):
            made[name] = data
    (info,) = {name.partition("/")[0] for name in made if name.endswith(".dist-info/WHEEL")}
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in made.items()]
    made[f"{info}/RECORD"] = "".join(f"{row}\n" for row in (*rows, f"{info}/RECORD,,")).encode()
    wheel = folder / f"{info.removesuffix('.dist-info')}-{full}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in made.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def check(module: bytes, platform: Platform) -> None:
    """Exit if a module is for another machine, or needs a newer glibc than the tag promises."""
    machines = {"x86_64": b"\x3e\x00", "aarch64": b"\xb7\x00"}
    if platform.target.system == "Linux":
        if module[:4] != b"\x7fELF" or module[18:20] != machines[platform.target.processor]:
            sys.exit(f"wheels: the module is not for {platform.target.processor} and Linux.")
        versions = {
            (int(major), int(minor))
            for major, minor in re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", module)
        }
        if max(versions, default=(0, 0)) > GLIBC:
            sys.exit(f"wheels: the module needs glibc {max(versions)}, which is above {GLIBC}.")
    elif module[:8] != b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01":
        sys.exit("wheels: the module is not for arm64 and macOS.")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _output(*call: str) -> str:
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("wheels"), metavar="DIR")
    parser.add_argument("--target", action="append", choices=PLATFORMS, help="may be repeated")
    parser.add_argument(
        "--python", action="append", metavar="PROGRAM", help="[python3.11 and python3.12]"
    )
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    try:
        for name in given.target or PLATFORMS:
            for python in given.python or ("python3.11", "python3.12"):
                wheel = build(python, PLATFORMS[name], given.output.resolve())
                print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)", flush=True)
    except NoCompiler:
        sys.exit("wheels: the package ziglang is not installed: run `pip install ziglang`.")


if __name__ == "__main__":
    main()
