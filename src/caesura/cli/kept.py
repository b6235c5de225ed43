"""The command line that goes on with an interrupted run: what Ctrl-C ends with."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from caesura.learn.run import Kept

__all__ = ["ARGUMENTS", "Interrupted", "interrupted"]

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
