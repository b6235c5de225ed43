"""What may be written where: never over an input, and never in a format that loses the result.

Every verb with an output goes through `guard` when it is loaded; verbs that make several files of
their own ask `refuse_own_input` for each, and those that add something ask `refuse_loss`.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Container, Iterable, Iterator
from typing import IO, Any, Final

import click

from caesura.errors import UsageError

__all__ = ["OwnInputs", "default_format", "guard", "refuse_loss", "refuse_own_input"]

#: What a command adds, in words.
_ADDED: Final = {"tokens": "tokens", "tags": "tags", "heads": "trees"}


# ------------------------------------------------------------- the own input


class OwnInputs:
    """The files that are read, by what they are and not by their names."""

    def __init__(self, inputs: Iterable[str | os.PathLike[str]]) -> None:
        self._read: dict[tuple[int, int], tuple[str, bool]] = {}
        for path in inputs:
            for name, found in _stats_read(os.fspath(path)):
                place = (name, stat.S_ISDIR(found.st_mode))
                self._read.setdefault((found.st_dev, found.st_ino), place)

    def refuse(self, output: str | os.PathLike[str] | None, to_format: str | None = None) -> None:
        """Stop if the output is one of them, by whatever name: a link, a folder, a redirection.

        Of a format that is written to two files (see `formats.files_of`) both are looked at.
        """
        target = None if output is None else os.fspath(output)
        for name, found in _stats_written(target, to_format):
            read = self._read.get((found.st_dev, found.st_ino))
            if read is not None:
                raise _same(read[0], name, folder=read[1])


def refuse_own_input(
    inputs: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None,
    to_format: str | None = None,
) -> None:
    """Stop if an output is one of the inputs: see `OwnInputs.refuse`."""
    OwnInputs(inputs).refuse(output, to_format)


def _same(read: str, target: str, *, folder: bool) -> UsageError:
    kind = "folder" if folder else "file"
    if read == target or not (read and target):
        what = f"{read or target} is both the input and the output"
    else:
        what = f"{read} and {target} are one {kind}, both the input and the output"
    return UsageError(what, remedy=f"Name another {kind} for the result.")


def _stats_read(path: str) -> Iterator[tuple[str, os.stat_result]]:
    if path == "-":
        found = _redirected(sys.stdin)
        if found is not None:
            yield "", found
        return
    from caesura import formats

    for name in formats.files_of(path):
        found = _stat(name)
        if found is not None:
            yield name, found


def _stats_written(output: str | None, to_format: str | None) -> list[tuple[str, os.stat_result]]:
    if output is None or output == "-":
        found = _redirected(sys.stdout)
        return [] if found is None else [("", found)]
    from caesura import formats

    stats = ((name, _stat(name)) for name in formats.files_of(output, to_format))
    return [(name, found) for name, found in stats if found is not None]


def _stat(path: str) -> os.stat_result | None:
    """What a file or folder is; a pipe or a device can be read and written at once."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) else None


def _redirected(stream: IO[Any]) -> os.stat_result | None:
    """The file that a standard stream was redirected to, if it was."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def guard(command: click.Command) -> None:
    """Make a command refuse an output that is one of the files it reads."""
    options = {one.name or "": getattr(one, "declared", None) for one in command.params}
    written = [name for name, own in options.items() if own is not None and own.writes]
    callback = command.callback
    if callback is None or "output" not in written or hasattr(callback, "guarded"):
        return
    arguments = {one.name for one in command.params if isinstance(one, click.Argument)}
    read = [name for name, own in options.items() if name in arguments or (own and own.reads)]

    @functools.wraps(callback)
    def checked(*positional: Any, **values: Any) -> Any:
        own = OwnInputs(_files(values, read, arguments))
        for name in written:
            if name == "output" or values.get(name):
                own.refuse(values.get(name), values.get("to_format"))
        return callback(*positional, **values)

    checked.guarded = True  # type: ignore[attr-defined]
    command.callback = checked


def _files(
    values: dict[str, Any], read: Iterable[str], arguments: Container[str | None]
) -> Iterator[str]:
    """The files that a command line names to be read."""
    for name in read:
        value = values.get(name)
        several = value if isinstance(value, tuple | list) else (value,)
        if name in arguments and not several:
            yield "-"
        for item in several:
            if isinstance(item, str | os.PathLike):
                yield os.fspath(item)


# ------------------------------------------------------------ what is lost


def refuse_loss(adds: str, output: str, format_name: str) -> None:
    """Stop if the extension of an output tells a format that cannot hold what a command adds.

    A format that is named with --to is taken in any case.
    """
    from caesura import formats

    if adds in formats.HOLDS[format_name]:
        return
    able = [name for name in formats.writable() if adds in formats.HOLDS[name]]
    raise UsageError(
        f"{output} would be written as {format_name}, which cannot hold {_ADDED[adds]}",
        remedy=f"Use the extension {formats.FORMATS['conllu'].extensions[0]} "
        f"(or another format that can: {', '.join(able)}), "
        f"or add --to {format_name} if that is what you want."
        if format_name in formats.writable()
        else f"Formats that can: {', '.join(able)}.",
    )


def default_format(adds: str, format_name: str) -> str:
    """The format of the input where it can hold what a command adds, else CoNLL-U."""
    from caesura import formats

    return format_name if adds in formats.HOLDS[format_name] else "conllu"
