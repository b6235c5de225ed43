"""One run of an experiment: what it reads, with which options, where it is kept, who is told.

Whatever is trained gets a `Run` from the command line, or from a script, and returns a `Result`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from caesura.document import Document
from caesura.learn.config import configure
from caesura.learn.data import Data
from caesura.learn.report import Report, quoted
from caesura.learn.resume import Kept
from caesura.models.file import Part, save

__all__ = ["Result", "Run"]

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """What a run made: a file, what it scores, and the command that tries it."""

    file: str
    #: What there is to tell, as plain data.
    told: Mapping[str, Any]
    #: A sentence; scores by name; or several columns of them, by their titles.
    scores: str | Mapping[str, float] | Mapping[str, Mapping[str, float]] = ""
    what: str = "Model"
    #: The words of the command to try next.
    next: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """All of it, as plain data."""
        return {**self.told, "next": quoted(*self.next)}


@dataclass(frozen=True)
class Run:
    """A run that was asked for."""

    output: str
    data: Data
    #: What changes the options: a file, `a.b=value` settings, and flags by their dotted names.
    config: Path | None = None
    settings: Sequence[str] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    kept: Kept = field(default_factory=lambda: Kept(()))
    report: Report = field(default_factory=Report)

    def options(self, defaults: T, section: str, flags: Mapping[str, Any] | None = None) -> T:
        """The options of the run; its flags, unless others are given."""
        chosen = self.flags if flags is None else flags
        return configure(defaults, self.config, self.settings, chosen, section=section)

    def read(self) -> tuple[list[Document], list[Document]]:
        """The documents to learn from and to score on."""
        return self.data.both(self.report)

    def checkpoint(self, name: str = "") -> Path:
        """Where an interrupted loop is kept, beside the output."""
        return Path(f"{self.output}.{name}.checkpoint" if name else f"{self.output}.checkpoint")

    def sources(self) -> list[str]:
        """The names of the files to learn from, for the card."""
        return [Path(path).name for path in self.data.train]

    def save(
        self, parts: Mapping[str, Part], meta: Mapping[str, Any], card: str, kind: str | None = None
    ) -> None:
        """Write the model with its card."""
        save(self.output, parts, meta=meta, card=card, kind=kind)
