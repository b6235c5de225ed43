"""What an interrupted run leaves behind, and the command line that goes on with it.

A run that learns for long writes checkpoints beside its result. They are never lost by chance:
starting the same again is refused unless `--resume` goes on with them or `--anew` gives them
up, and Ctrl-C ends with the command to type next.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from caesura.errors import UsageError

__all__ = ["ARGUMENTS", "Interrupted", "Kept", "command_line", "resumable"]

F = TypeVar("F", bound=Callable[..., Any])

#: Where the context of a command holds the arguments that were typed.
ARGUMENTS = "caesura.arguments"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the sentence that tells how to go on."""


class Kept:
    """The checkpoints of one run: files, or folders with files in them."""

    def __init__(self, paths: Sequence[Path], *, resume: bool, anew: bool) -> None:
        self.paths = list(paths)
        self.resume = resume
        self.anew = anew
        #: What must be given again besides the command line.
        self.note = ""
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

    def interrupted(self) -> Interrupted:
        """What to say after Ctrl-C."""
        for path in self.paths:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        found = self.found() if self._checked else []
        if not found:
            return Interrupted("Interrupted; nothing was kept yet.")
        where = " and ".join(str(path) for path in found)
        how = f"Go on with{self.note}:\n{again()}"
        return Interrupted(f"Interrupted. What is done is kept in {where}. {how}")


def resumable(*patterns: str) -> Callable[[F], F]:
    """Gives a command `--resume` and `--anew`; both come to it as `kept`.

    The patterns name its checkpoints by its option `output`, such as `{output}.checkpoint`.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def run(*, output: str, resume: bool, anew: bool, **options: Any) -> Any:
            paths = [Path(pattern.format(output=output)) for pattern in patterns]
            kept = Kept(paths, resume=resume, anew=anew)
            try:
                return function(output=output, kept=kept, **options)
            except KeyboardInterrupt:
                raise kept.interrupted() from None

        resume_option = click.option(
            "--resume", is_flag=True, help="Go on with an interrupted run to the same result."
        )
        anew_option = click.option(
            "--anew", is_flag=True, help="Delete an interrupted run and start again."
        )
        decorated: Any = resume_option(anew_option(run))
        return decorated  # type: ignore[no-any-return]

    return decorate


def again() -> str:
    """The command line that was typed, with `--resume`."""
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


def command_line(words: Sequence[str]) -> str:
    """Words as they are typed into a shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def _program(arguments: int) -> list[str]:
    """How the program was called: by name, by path, or as a module of Python."""
    called = sys.argv[0]
    if os.path.basename(called) == "__main__.py" and len(sys.orig_argv) > arguments:
        return sys.orig_argv[: len(sys.orig_argv) - arguments]
    name = Path(called).stem
    if name != "caesura" or shutil.which("caesura") in (called, f"{called}.exe"):
        return ["caesura"]
    return [called]


def _holds_something(path: Path) -> bool:
    """Whether it is a file, or a folder with files other than half-written ones."""
    if path.is_dir():
        return any(not inner.name.startswith(".") for inner in path.iterdir())
    return path.exists()
