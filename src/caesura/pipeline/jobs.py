"""A file to read, and a file with the file that its result goes to."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Job", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: its path, its format, and the name of its document if it has none."""

    path: str
    format: str
    id: str | None = None

    @property
    def shown(self) -> str:
        """What people call it."""
        return "<stdin>" if self.path == "-" else self.path


@dataclass(frozen=True, slots=True)
class Job:
    """A file, the file that its result goes to, and the format of that."""

    source: Source
    target: str
    format: str
