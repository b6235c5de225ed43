"""Draws the events of the training loop: one line an epoch on stderr, dev scores in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from caesura.cli.progress import Progress

if TYPE_CHECKING:
    from caesura.learn.loop import Event

__all__ = ["epoch_line", "watch"]


def watch(events: Iterable[Event], what: str = "Training", *, quiet: bool = False) -> list[Event]:
    """Run a training loop to its end, drawing it; returns its epochs.

    >>> from caesura.learn.loop import Event
    >>> events = [Event("start", 0, 1), Event("epoch", 1, 1), Event("done", 1, 1)]
    >>> [event.epoch for event in watch(events, quiet=True)]
    [1]
    """
    epochs: list[Event] = []
    with Progress(what, quiet=quiet) as progress:
        for event in events:
            if event.kind == "start":
                progress.total = event.epochs
                progress.done = event.epoch
                if event.epoch:
                    progress.say(f"{what}: goes on after epoch {event.epoch}")
            elif event.kind == "epoch":
                if not epochs:
                    progress.say(_header(event))
                epochs.append(event)
                progress.say(epoch_line(event))
                progress.advance()
            elif epochs and epochs[-1].scores:
                progress.say(f"{what}: best epoch {event.best_epoch}")
    return epochs


def _header(event: Event) -> str:
    names = [*event.stats, *event.scores]
    return "  ".join([f"{'epoch':>9}", *(f"{name:>9}" for name in names), f"{'seconds':>9}"])


def epoch_line(event: Event) -> str:
    """The line of one epoch; a star marks the best so far."""
    cells = [f"{event.epoch:>4}/{event.epochs:<4}"]
    cells += _cells(event.stats, "{:>{}.4g}")
    cells += _cells(event.scores, "{:>{}.2f}")
    cells.append(f"{event.seconds:>9.1f}")
    star = " *" if event.scores and event.best_epoch == event.epoch else ""
    return "  ".join(cells) + star


def _cells(values: Mapping[str, float], form: str) -> list[str]:
    return [form.format(value, max(9, len(name))) for name, value in values.items()]
