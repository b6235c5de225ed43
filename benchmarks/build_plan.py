"""The plan of `build_models.py`: inputs with their checksums, networks and their options."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from build_encoders import Encoder, Package, check
from data import PLACES

from caesura import formats
from caesura.document import Document
from caesura.errors import InputError
from caesura.learn.fingerprint import file_digest

__all__ = ["Input", "Network", "Plan", "read_plan"]


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
