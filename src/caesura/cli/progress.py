"""Progress on stderr, only for work that takes more than a second.

With the package `rich` (extra `progress`) and a terminal it is a bar; with a terminal alone a line
that is rewritten; without one a line every ten seconds. Results never go here.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

__all__ = ["Progress"]

#: Seconds before the first sign of life, between rewritten lines, and between lines of a log.
PATIENCE = 1.0
REWRITE = 0.2
LOG = 10.0


class Progress:
    """Counts work that is done; draws it when it takes long.

    >>> with Progress("Reading", total=3, quiet=True) as progress:
    ...     for sentence in range(3):
    ...         progress.advance()
    """

    def __init__(
        self, what: str, *, total: float | None = None, unit: str = "", quiet: bool = False
    ) -> None:
        self.what = what
        self.total = total
        self.unit = unit
        self.quiet = quiet
        self.done = 0.0
        self.note = ""
        self._terminal = sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + PATIENCE
        self._drawn = False
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def advance(self, by: float = 1, note: str | None = None) -> None:
        """Say that so much more is done; `note` stands after the bar."""
        self.done += by
        if note is not None:
            self.note = note
        if not self.quiet and time.monotonic() >= self._next:
            self._draw()

    def at(self, done: float, note: str | None = None) -> None:
        """Say how much is done, where there are lines for what is complete: on a terminal only."""
        if self._terminal:
            self.advance(done - self.done, note)

    def say(self, line: str) -> None:
        """Print a line above the progress."""
        if self.quiet:
            return
        if self._bar is not None:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
            return
        if self._drawn and self._terminal:
            sys.stderr.write("\r\x1b[K")
        print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line, for a line that is printed elsewhere."""
        if self._bar is None and self._drawn and self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _draw(self) -> None:
        if not self._drawn and self._terminal:
            self._bar = _rich_bar(self.what, self.total)
        self._drawn = True
        if self._bar is not None:
            self._bar.update(0, completed=self.done, note=self._counts())
            self._next = time.monotonic() + REWRITE / 2
            return
        line = f"{self.what}: {self._counts()}"
        if self._terminal:
            sys.stderr.write(f"\r{line}\x1b[K")
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()
        self._next = time.monotonic() + (REWRITE if self._terminal else LOG)

    def _counts(self) -> str:
        seconds = time.monotonic() - self._began
        if self.total:
            text = f"{min(self.done / self.total, 1):.0%}"
        else:
            text = f"{self.done:,.0f}"
            if self.unit:
                text += f" {self.unit}"
        text += f", {seconds:.0f} s"
        return f"{text}, {self.note}" if self.note else text

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._drawn and self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _rich_bar(what: str, total: float | None) -> Any:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar
    except ImportError:
        return None
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task(what, total=total, note="")
    bar.start()
    return bar
