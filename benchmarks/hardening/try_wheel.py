"""Install a wheel in an empty environment without a compiler, and compare what it does.

    python -m benchmarks.hardening.try_wheel wheels/…-x86_64.whl --python python3.11
    python -m benchmarks.hardening.try_wheel wheels/…-aarch64.whl --qemu

The commands in `CALLS` run with the wheel and with this checkout; their outputs must be the same.
With --qemu the wheel is one for Linux on aarch64: a Python of Debian for that machine is downloaded
with `apt-get` and runs under `qemu-aarch64-static`. `dpkg --add-architecture arm64` and
`apt-get update` must have been run. Prints the size of the installed packages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.common import ROOT, options

#: Each command reads files that are there or that commands before it have written.
CALLS: Final = (
    "parse -m en harbour.txt -o en.conllu",
    "parse -m en-fast harbour.txt -o fast.conllu",
    "split -m en-fast harbour.txt -o split.txt",
    "convert en.conllu -o en.jsonl",
    "evaluate en.conllu fast.conllu --json",
    "find [] en.conllu",
    "cluster harbour.txt -k 5 --min-count 1 -o classes.txt",
    "train tagger harbour.conllu -o tagger.caesura --epochs 2",
    "train pipeline harbour.conllu -o own.caesura --set folds=2 --set parser.epochs=2",
    "parse -m own.caesura harbour.txt -o own.conllu",
    "induce harbour.txt --classes 5 -o own.grammar",
    "parse -m own.grammar harbour.txt -o induced.conllu",
)
#: Debian's packages of a Python for aarch64.
PACKAGES: Final = (
    "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "zlib1g",
    "libexpat1", "libgcc-s1", "libstdc++6", "libffi8", "libssl3", "libbz2-1.0", "liblzma5",
)  # fmt: skip


def outputs(
    python: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> dict[str, bytes]:
    """The files that the commands write with an interpreter, and what they print."""
    folder.mkdir()
    for file in ROOT.glob("examples/harbour.*"):
        shutil.copy(file, folder)
    found: dict[str, bytes] = {}
    for call in CALLS:
        words = call.split()
        done = subprocess.run(
            [*python, "-m", "caesura", *words], cwd=folder, env=environment, capture_output=True
        )
        if done.returncode:
            sys.exit(f"{call}: {done.stderr.decode(errors='replace')[-2000:]}")
        found[call] = done.stdout
    for file in sorted(folder.iterdir()):
        # Models hold the time of their making.
        if file.suffix not in (".caesura", ".grammar"):
            found[file.name] = file.read_bytes()
    return found


def native(python: str, wheel: Path, place: Path) -> tuple[list[str], dict[str, str], Path]:
    """An interpreter in an empty environment, whose PATH has no compiler."""
    subprocess.run([python, "-m", "venv", place / "env"], check=True)
    own = place / "env" / "bin" / "python"
    environment = {**_settings(), "PATH": str(_programs(place)), "HOME": str(place)}
    install = [own, "-m", "pip", "install", "-q", "--only-binary=:all:", wheel]
    subprocess.run(install, env=environment, check=True)
    (site,) = (place / "env" / "lib").glob("python3*/site-packages")
    return [str(own)], environment, site


def emulated(wheel: Path, place: Path) -> tuple[list[str], dict[str, str], Path]:
    """A Python for aarch64 under qemu, with the packages of the wheel."""
    root, site = place / "root", place / "site"
    names = [f"{name}:arm64" for name in PACKAGES]
    (place / "packages").mkdir()
    subprocess.run(["apt-get", "download", "-q", *names], cwd=place / "packages", check=True)
    for package in (place / "packages").glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, root], check=True)
    platforms = [f"--platform=manylinux_2_{n}_aarch64" for n in (17, 26, 27, 28, 34)]
    platforms.append("--platform=manylinux2014_aarch64")
    install = [
        sys.executable, "-m", "pip", "install", "-q", "--target", site, "--only-binary=:all:",
        "--python-version=3.11", *platforms, wheel,
    ]  # fmt: skip
    subprocess.run(install, check=True)
    environment = {
        "PATH": str(_programs(place)),
        "HOME": str(place),
        "PYTHONHOME": str(root / "usr"),
        "PYTHONPATH": str(site),
        "PYTHONNOUSERSITE": "1",
    }
    qemu = shutil.which("qemu-aarch64-static") or sys.exit("qemu-aarch64-static is not installed")
    return [qemu, "-L", str(root), str(root / "usr" / "bin" / "python3.11")], environment, site


def _settings() -> dict[str, str]:
    """The variables of pip, and no others."""
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


def _programs(place: Path) -> Path:
    """A folder for the PATH that has a shell and `uname` only."""
    folder = place / "bin"
    folder.mkdir()
    for name in ("sh", "uname"):
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", default=sys.executable, help="creates the environment")
    parser.add_argument("--qemu", action="store_true", help="the wheel is for aarch64")
    given = parser.parse_args()
    wheel = given.wheel.resolve()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tried = emulated(wheel, place) if given.qemu else native(given.python, wheel, place)
        python, environment, site = tried
        size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
        apart = sum(
            file.stat().st_size
            for name in ("pip", "setuptools", "wheel")
            for file in (site / name).rglob("*")
            if file.is_file()
        )
        print(f"{wheel.name}: {(size - apart) / 1e6:.0f} MB installed", flush=True)
        found = outputs(python, place / "wheel", environment)
        own = outputs([sys.executable], place / "checkout", {**os.environ})
        differ = [name for name in own if found[name] != own[name]]
        print(f"{wheel.name}: {len(CALLS)} commands, {len(differ)} outputs differ", flush=True)
        sys.exit(", ".join(differ) if differ else 0)


if __name__ == "__main__":
    main()
