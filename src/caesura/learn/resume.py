"""What an interrupted run leaves behind: checkpoints beside its result.

They are never lost by chance: starting the same again is refused unless the run goes on with them
or gives them up.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from caesura.errors import UsageError

__all__ = ["Kept"]


class Kept:
    """The checkpoints of one run: files, or folders with files in them."""

    def __init__(self, paths: Sequence[Path], *, resume: bool = False, anew: bool = False) -> None:
        self.paths = list(paths)
        self.resume = resume
        self.anew = anew
        #: What must be given again besides the command line.
        self.note = ""
        #: Labels of raw text, which stay when the run is over.
        self.labels: Path | None = None
        self._checked = False

    def found(self) -> list[Path]:
        """Those that are there."""
        return [path for path in self.paths if _holds_something(path)]

    def check(self) -> None:
        """Refuse to start over an interrupted run; called before any work is done."""
        if self.resume and self.anew:
            raise UsageError("--resume and --anew exclude each other", remedy="Choose one.")
        found = self.found()
        if found and not (self.resume or self.anew):
            raise UsageError(
                "an interrupted run is kept here",
                file=str(found[0]),
                remedy="Add --resume to go on with it, or --anew to delete it and start again.",
            )
        self._checked = True

    def begin(self) -> None:
        """Delete what `--anew` gives up; called when the data are read and the work begins."""
        if not self.anew:
            return
        for path in self.paths:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def left(self) -> list[Path]:
        """What an interrupt leaves of this run; empty folders go."""
        for path in self.paths:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        found = self.found() if self._checked else []
        if self.labels is not None and self.labels.is_dir() and _holds_something(self.labels):
            found.append(self.labels)
        return found


def _holds_something(path: Path) -> bool:
    """Whether it is a file, or a folder with files other than half-written ones."""
    if path.is_dir():
        return any(not inner.name.startswith(".") for inner in path.iterdir())
    return path.exists()
