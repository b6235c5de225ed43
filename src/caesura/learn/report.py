"""Who is told how a run goes: of epochs, of how far it is, of warnings, of what to do next.

`Report` tells nobody; the command line draws on the terminal, and a notebook may plot.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

from caesura.errors import WarningSink
from caesura.learn.loop import Event, Loop

__all__ = ["Counting", "Report", "command_line", "follow", "quoted", "say_some"]

L = TypeVar("L", bound=Loop)

#: Warnings of one kind that are shown.
_SHOWN = 10


class Counting(Protocol):
    """Work that is counted while it is done."""

    def advance(self, amount: float = 1.0, note: str | None = None) -> None: ...

    def say(self, line: str) -> None: ...


class _Nobody:
    def advance(self, amount: float = 1.0, note: str | None = None) -> None: ...

    def say(self, line: str) -> None: ...


class Report:
    """Tells nobody."""

    def __call__(self, stage: str, event: Event | str) -> None:
        """An event of a training loop, or a sentence about a stage."""

    def say(self, line: str) -> None:
        """A line for people."""

    def counting(
        self, what: str, *, unit: str = "", total: float | None = None
    ) -> AbstractContextManager[Counting]:
        """Work that may take long, to be counted."""
        return nullcontext(_Nobody())

    def warnings(self) -> AbstractContextManager[WarningSink | None]:
        """Takes the warnings of reading; None spares the checks."""
        return nullcontext()


def follow(loop: L, stage: str, report: Report) -> L:
    """Run a training loop to its end and tell what happens."""
    loop.inside = lambda event: report(stage, event)
    for event in loop:
        report(stage, event)
    return loop


def say_some(lines: Sequence[str], report: Report) -> None:
    """The first of many lines, and how many there were."""
    for line in lines[:_SHOWN]:
        report.say(line)
    if len(lines) > _SHOWN:
        report.say(f"… and {len(lines) - _SHOWN} more warnings of this kind")


def command_line(words: Sequence[str]) -> str:
    """Words as they are typed into a shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def quoted(*words: str) -> str:
    """A command line to copy."""
    return command_line(("caesura", *words))
