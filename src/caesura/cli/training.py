"""Draws the events of the training loop on stderr: a line an epoch, a bar inside it, the end.

A value stands under its header whatever its name and size. The end says where the model is, what
it scores and which command tries it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.progress import Progress
from caesura.errors import WarningSink
from caesura.learn.loop import Event
from caesura.learn.run import Counting, Report
from caesura.markup import text_table

__all__ = ["Console", "Drawing", "EpochTable", "tell_result"]

#: Columns are at least so wide: statistics, scores, seconds.
STATISTIC, SCORE, SECONDS = 9, 7, 7


class EpochTable:
    """The epochs of a run as lines of a table.

    >>> from caesura.learn.loop import Event
    >>> table = EpochTable()
    >>> for line in table.lines(Event("epoch", 1, 10, {"loss": 0.25}, {"LAS": 81.5}, 3.0, 1)):
    ...     print(line)
    epoch       loss      LAS  seconds
     1/10       0.25    81.50      3.0 *
    """

    def __init__(self) -> None:
        self._stats: tuple[str, ...] = ()
        self._scores: tuple[str, ...] = ()
        self._headed = False

    def lines(self, event: Event) -> list[str]:
        """The line of an epoch, with a star if it is the best so far; before it, the header.

        Where an epoch has a column that was not there before, a new header comes first.
        """
        lines = []
        new = not {*event.stats} <= {*self._stats} or not {*event.scores} <= {*self._scores}
        if new or not self._headed:
            self._stats, self._scores = tuple(event.stats), tuple(event.scores)
            self._headed = True
            lines.append(self._header(event.epochs))
        return [*lines, self._line(event)]

    def _header(self, epochs: int) -> str:
        cells = ["epoch".rjust(_epoch_width(epochs))]
        cells += [name.rjust(_width(name, STATISTIC)) for name in self._stats]
        cells += [name.rjust(_width(name, SCORE)) for name in self._scores]
        return "  ".join([*cells, "seconds".rjust(SECONDS)])

    def _line(self, event: Event) -> str:
        cells = [f"{event.epoch}/{event.epochs}".rjust(_epoch_width(event.epochs))]
        cells += [_cell(event.stats.get(n), _width(n, STATISTIC), ".4g") for n in self._stats]
        cells += [_cell(event.scores.get(n), _width(n, SCORE), ".2f") for n in self._scores]
        cells.append(_cell(event.seconds, SECONDS, ".1f"))
        star = " *" if event.scores and event.best_epoch == event.epoch else ""
        return "  ".join(cells) + star


def _epoch_width(epochs: int) -> int:
    return max(len("epoch"), 2 * len(str(epochs)) + 1)


def _width(name: str, least: int) -> int:
    return max(len(name), least)


def _cell(value: float | None, width: int, form: str) -> str:
    """A number that is no wider than its column; nothing for a value that is not there."""
    if value is None:
        return " " * width
    tries = (format(value, form), *(f"{value:.{digits}g}" for digits in (4, 3, 2, 1)))
    return next((text for text in tries if len(text) <= width), tries[-1]).rjust(width)


class Drawing:
    """One run: epochs above, and how far the one under way is below."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self.what = what
        self.epochs: list[Event] = []
        self._table = EpochTable()
        self._progress = Progress(what, quiet=quiet)

    def __call__(self, event: Event) -> None:
        progress = self._progress
        if event.kind == "start":
            progress.total = event.epochs
            progress.done = event.epoch
            if event.epoch:
                progress.say(f"{self.what}: goes on after epoch {event.epoch}")
        elif event.kind == "inside":
            doing = ", scoring" if event.share >= 1 else ""
            note = f"epoch {event.epoch} of {event.epochs}{doing}"
            progress.at(event.epoch - 1 + event.share, note)
        elif event.kind == "epoch":
            self.epochs.append(event)
            for line in self._table.lines(event):
                progress.say(line)
            progress.at(event.epoch, "")
        elif self.epochs and self.epochs[-1].scores:
            progress.say(f"{self.what}: best epoch {event.best_epoch}")

    def say(self, line: str) -> None:
        """Print a line above."""
        self._progress.say(line)

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self._progress.__exit__(kind, error, trace)


class Console(Report):
    """Tells on stderr how a run goes: a line an epoch, and below how far it is inside it."""

    def __init__(self, *, quiet: bool = False, headings: bool = False) -> None:
        self.quiet = quiet
        #: Whether a stage starts with its name.
        self.headings = headings
        self._draw: Drawing | None = None

    def __call__(self, stage: str, event: Event | str) -> None:
        if self._draw is None or self._draw.what != stage:
            self.close()
            self._draw = Drawing(stage, quiet=self.quiet)
            if self.headings and not isinstance(event, str):
                self._draw.say(stage)
        if isinstance(event, str):
            self._draw.say(f"{stage}: {event}")
            return
        self._draw(event)
        if event.kind == "done":
            self.close()

    def say(self, line: str) -> None:
        if not self.quiet:
            click.echo(line, err=True)

    def counting(
        self, what: str, *, unit: str = "", total: float | None = None
    ) -> AbstractContextManager[Counting]:
        return Progress(what, unit=unit, total=total, quiet=self.quiet)

    @contextmanager
    def warnings(self) -> Iterator[WarningSink | None]:
        printer = WarningPrinter(quiet=self.quiet)
        yield None if self.quiet else printer
        printer.close()

    def close(self) -> None:
        """Take what is drawn of a stage under way from the terminal."""
        if self._draw is not None:
            self._draw.__exit__()
            self._draw = None

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def tell_result(
    file: str,
    command: str,
    *,
    scores: str | Mapping[str, float] | Mapping[str, Mapping[str, float]] = "",
    what: str = "Model",
    quiet: bool = False,
) -> None:
    """The end of a run, on stderr: where its file is, what it scores, what to do next."""
    if quiet:
        return
    size = os.path.getsize(file)
    told = f"{size / 1e6:.1f} MB" if size >= 50_000 else f"{size / 1e3:.1f} kB"
    click.echo(f"{what}: {file} ({told})", err=True)
    if told_scores := scores if isinstance(scores, str) else _on_dev(scores):
        click.echo(told_scores, err=True)
    click.echo(f"Next: {command}", err=True)


def _on_dev(scores: Mapping[str, float] | Mapping[str, Mapping[str, float]]) -> str:
    """Dev scores in one line; columns of them as a table."""
    columns = {name: value for name, value in scores.items() if isinstance(value, Mapping)}
    if columns:
        metrics = next(iter(columns.values()))
        rows = [("On dev, F1", *columns)]
        rows += [(name, *(f"{own[name]:.2f}" for own in columns.values())) for name in metrics]
        return text_table(rows, indent=0, right="l" + "r" * len(columns))
    numbers = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
    return f"On dev: {numbers}" if numbers else "Not scored: there were no dev data (--dev)"
