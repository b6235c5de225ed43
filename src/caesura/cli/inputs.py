"""Which files a command line names, folders looked through, and where the result of each goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import click

from caesura.cli.files import extension, input_paths, is_folder, make_folder, plain_name
from caesura.cli.outputs import OwnInputs
from caesura.errors import InputError, UsageError
from caesura.pipeline.runner import Job
from caesura.pipeline.tasks import Source

__all__ = ["find_sources", "jobs"]

#: Files that are named when they are passed over.
_SHOWN = 5


def find_sources(
    paths: Sequence[str],
    from_format: str | None,
    *,
    output: str | None = None,
    default: str | None = "text",
    named: bool = True,
    quiet: bool = False,
) -> list[tuple[Source, str]]:
    """All files named and all files of known formats in folders named, each with its short name.

    The short name is the path within the folder that was named; the name of a document is the
    same without its extension, unless files shall not give their names to documents. A file whose
    extension tells no format has the `default` one, or is refused. A folder of results within a
    folder named is left out.
    Files in folders that are passed over are told of once, unless `quiet`.
    """
    from caesura import formats

    if from_format is not None and from_format not in formats.FORMATS:
        raise UsageError(
            f"there is no format {from_format!r}",
            remedy=f"Formats are: {', '.join(formats.readable())}.",
        )

    def source(path: str, name: str) -> Source:
        kind = from_format or formats.format_of(path, default=default)
        return Source(path, kind, _stem(name) if named else None)

    found: list[tuple[Source, str]] = []
    passed: list[str] = []
    for path in paths or input_paths(()):
        if path != "-" and os.path.isdir(path):
            inside = [
                (source(file, name), name)
                for file, name in _walk(path, from_format is not None, output, passed)
            ]
            if not inside:
                raise InputError(
                    "there is no file of a known format in this folder",
                    file=path,
                    remedy="Name the files, and their format with --from.",
                )
            found += inside
        else:
            name = path if path == "-" else os.path.basename(path)
            found.append((source(path, name), name))
    if passed and not quiet:
        click.echo(_passed_over(passed), err=True)
    return found


def _passed_over(names: Sequence[str]) -> str:
    """One sentence about files whose extensions tell no format."""
    shown = ", ".join(names[:_SHOWN])
    if len(names) > _SHOWN:
        shown += f" and {len(names) - _SHOWN:,} more"
    number = "1 file was" if len(names) == 1 else f"{len(names):,} files were"
    return (
        f"{number} passed over, whose extensions tell no format: {shown}. "
        "Name files to read them as plain text, or their format with --from."
    )


def _walk(folder: str, every: bool, output: str | None, passed: list[str]) -> list[tuple[str, str]]:
    """The files below a folder, sorted, and their names within it; hidden ones are left out.

    Those of no known format are added to `passed`.
    """
    from caesura import formats

    def wanted(path: str) -> bool:
        return output is None or not os.path.isdir(output) or not os.path.samefile(path, output)

    readable = set(formats.readable())
    found = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and wanted(os.path.join(where, name))
        )
        for name in sorted(names):
            if name.startswith("."):
                continue
            if every or formats.format_of(name, default="") in readable:
                path = os.path.join(where, name)
                found.append((path, os.path.relpath(path, folder)))
            else:
                passed.append(os.path.relpath(os.path.join(where, name), folder))
    return found


def jobs(
    sources: Sequence[tuple[Source, str]],
    output: str | None,
    format_of: Callable[[Source], str],
) -> tuple[list[Job], bool]:
    """What goes where, and whether every file has a target of its own."""
    if output is None or output == "-" or not is_folder(output):
        first = format_of(sources[0][0])
        return [Job(source, output or "-", first) for source, _ in sources], False
    folder = make_folder(output)
    stems = [_stem(name) for _, name in sources]
    own = OwnInputs(source.path for source, _ in sources)
    taken: dict[str, str] = {}
    found = []
    for (source, name), short in zip(sources, stems, strict=True):
        if stems.count(short) > 1:  # a.txt and a.html keep what tells them apart
            short = name
        to_format = format_of(source)
        target = str(folder / (short + extension(to_format)))
        own.refuse(target, to_format)
        if target in taken:
            raise UsageError(
                f"{taken[target]} and the result of {source.path} would both be {target}",
                remedy="Choose another folder for the results, or take the files one by one.",
            )
        taken[target] = f"the result of {source.path}"
        found.append(Job(source, target, to_format))
    return found, True


def _stem(name: str) -> str:
    return os.path.join(os.path.dirname(name), plain_name(name))
