"""Ctrl-C: output that is complete, and the command that goes on with an interrupted run."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from caesura.learn.run import Kept

__all__ = ["ARGUMENTS", "Interrupted", "complete", "interrupted"]

T = TypeVar("T")
#: Where the context of a command holds the arguments that were typed.
ARGUMENTS = "caesura.arguments"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the sentence that tells how to go on."""


def interrupted(kept: Kept) -> Interrupted:
    """What to say after Ctrl-C."""
    found = kept.left()
    if not found:
        return Interrupted("Interrupted; nothing was kept yet.")
    where = " and ".join(str(path) for path in found)
    how = f"Go on with{kept.note}:\n{again()}"
    return Interrupted(f"Interrupted. What is done is kept in {where}. {how}")


def again() -> str:
    """The command line that was typed, with `--resume`."""
    from caesura.learn.run import command_line  # imports numpy, which `--help` does not need

    context = click.get_current_context(silent=True)
    typed = None if context is None else context.meta.get(ARGUMENTS)
    if typed is None:
        return "the same call with --resume"
    arguments = list(typed)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    flags = [argument for argument in arguments[:end] if argument != "--anew"]
    if "--resume" not in flags:
        flags.append("--resume")
    return command_line([*_program(len(arguments)), *flags, *arguments[end:]])


def _program(arguments: int) -> list[str]:
    """How the program was called: by name, by path, or as a module of Python."""
    called = sys.argv[0]
    if os.path.basename(called) == "__main__.py" and len(sys.orig_argv) > arguments:
        return sys.orig_argv[: len(sys.orig_argv) - arguments]
    name = Path(called).stem
    if name != "caesura" or shutil.which("caesura") in (called, f"{called}.exe"):
        return ["caesura"]
    return [called]


def complete(items: Iterable[T]) -> Iterator[T]:
    """The same items; an interrupt between two of them takes effect at the next one.

    Whoever writes an item is suspended here only when it is written to its end. While an item is
    made the interrupt counts at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield from items
        return
    pending = False
    making = False

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pending
        if making or pending:  # the second time at once, whatever is being written
            raise KeyboardInterrupt
        pending = True

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        iterator = iter(items)
        while True:
            making = True
            if pending:
                raise KeyboardInterrupt
            try:
                item = next(iterator)
            except StopIteration:
                return
            making = False
            yield item
    finally:
        signal.signal(signal.SIGINT, before)
