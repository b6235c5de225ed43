"""The files that a command line names: which to read, and where the result of each goes.

`find_sources` lists the files and those in folders, `jobs` says where each result goes, and
`Inputs` reads files as streams of documents, with warnings and progress on stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.outputs import OwnInputs, refuse_loss
from caesura.cli.progress import Progress
from caesura.document import Document
from caesura.errors import InputError, UsageError, WarningSink
from caesura.options import Reading
from caesura.pipeline.jobs import Job, Source

__all__ = ["PIECES", "Inputs", "find_sources", "input_paths", "jobs", "result_format"]

#: Tokens of the pieces in which documents are read where a command can use pieces.
PIECES = 50_000
#: Skipped files that are named.
_SHOWN = 5


def input_paths(paths: Sequence[str]) -> list[str]:
    """The files named, else the standard input, unless that is a terminal."""
    for path in paths:
        if os.path.isdir(path):
            raise InputError("is a directory, not a file", file=path, remedy="Name files in it.")
    if paths:
        return list(paths)
    if sys.stdin.isatty():
        raise click.UsageError("No input: name files, or - for the standard input.")
    return ["-"]


class Inputs:
    """The documents of the files on a command line.

    Iterate over it for all of them, or over `of(path)` for those of one file; both draw progress
    and print warnings. `finish` prints the number of warnings that were not shown.
    """

    def __init__(
        self,
        paths: Sequence[str],
        reading: Reading,
        *,
        pieces: int | None = None,
        lines: bool = False,
        warn: WarningSink | None = None,
        what: str = "Reading",
    ) -> None:
        self.paths = input_paths(paths)
        self.reading = reading
        self.pieces = pieces
        self.lines = lines
        self.warn = warn
        self.what = what
        self.warnings = WarningPrinter(quiet=reading.quiet)

    def __iter__(self) -> Iterator[Document]:
        for path in self.paths:
            yield from self.of(path)

    def of(self, path: str, kind: str | None = None) -> Iterator[Document]:
        """The documents of one file."""
        from caesura import formats

        name = "stdin" if path == "-" else os.path.basename(path)
        title = f"{self.what} {name}"
        with Progress(title, unit="words", quiet=self.reading.quiet) as progress:
            for document in formats.read(
                path,
                kind or self.reading.from_format,
                warn=self.sink,  # without one no checks are made
                pieces=self.pieces,
                lines=self.lines,
                **self.reading.how,
            ):
                yield document
                progress.advance(document.n_words)

    @property
    def sink(self) -> WarningSink | None:
        """Receives warnings about the inputs."""
        return self.warn or (None if self.reading.quiet else self.warnings)

    def finish(self) -> None:
        """Print the counts of warnings and of sentences left out."""
        self.warnings.close()


# --------------------------------------------------------------- what is read


def find_sources(
    paths: Sequence[str],
    from_format: str | None,
    *,
    output: str | None = None,
    default: str | None = "text",
    named: bool = True,
    quiet: bool = False,
) -> list[tuple[Source, str]]:
    """All files named and all files of known formats in folders, each with its short name.

    The short name is the path within the folder that was named; with `named` it is also the name
    of the document, without its extension. A file with an unknown extension has the `default`
    format, or is refused. The folder of the results is skipped. Files in folders that are skipped
    are reported once, unless `quiet`.
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
    skipped: list[str] = []
    for path in paths or input_paths(()):
        if path != "-" and os.path.isdir(path):
            inside = [
                (source(file, name), name)
                for file, name in _walk(path, from_format is not None, output, skipped)
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
    if skipped and not quiet:
        click.echo(_passed_over(skipped), err=True)
    return found


def _passed_over(names: Sequence[str]) -> str:
    """One sentence about files with unknown extensions."""
    shown = ", ".join(names[:_SHOWN])
    if len(names) > _SHOWN:
        shown += f" and {len(names) - _SHOWN:,} more"
    number = "1 file was" if len(names) == 1 else f"{len(names):,} files were"
    return (
        f"{number} skipped (unknown extension): {shown}. "
        "Name files to read them as plain text, or their format with --from."
    )


def _walk(
    folder: str, every: bool, output: str | None, skipped: list[str]
) -> list[tuple[str, str]]:
    """The files below a folder, sorted, and their names within it; hidden ones are left out.

    Those of unknown formats are added to `skipped`.
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
            path = os.path.join(where, name)
            if every or formats.format_of(name, default="") in readable:
                found.append((path, os.path.relpath(path, folder)))
            else:
                skipped.append(os.path.relpath(path, folder))
    return found


# ------------------------------------------------------------ what is written


def jobs(
    sources: Sequence[tuple[Source, str]], output: str | None, format_of: Callable[[Source], str]
) -> tuple[list[Job], bool]:
    """Where each result goes, and whether every file has a target of its own."""
    if output is None or output == "-" or not is_folder(output):
        first = format_of(sources[0][0])
        return [Job(source, output or "-", first) for source, _ in sources], False
    folder = make_folder(output)
    stems = [_stem(name) for _, name in sources]
    own = OwnInputs(source.path for source, _ in sources)
    taken: dict[str, str] = {}
    found = []
    for (source, name), short in zip(sources, stems, strict=True):
        if stems.count(short) > 1:  # a.txt and a.html keep what distinguishes them
            short = name
        to_format = format_of(source)
        target = str(folder / (short + extension(to_format)))
        own.refuse(target, to_format)
        if target in taken:
            raise UsageError(
                f"{taken[target]} and {source.path} would both be written to {target}",
                remedy="Choose another folder for the results, or take the files one by one.",
            )
        taken[target] = source.path
        found.append(Job(source, target, to_format))
    return found, True


def result_format(
    adds: str | None, output: str | None, to_format: str | None, *, default: str | None = None
) -> str:
    """The format of a result: by its name, by the extension of the output, or the default.

    One that is not named must hold what the command `adds`. Without a default it is empty if no
    file is named, and each input decides.
    """
    from caesura import formats

    if to_format is not None:
        if to_format not in formats.FORMATS:
            raise UsageError(
                f"there is no format {to_format!r}",
                remedy=f"Formats are: {', '.join(formats.FORMATS)}.",
            )
        return to_format
    if output is None or output == "-" or is_folder(output):
        return default or ""
    found = formats.format_of(output, default=default)
    if adds:
        refuse_loss(adds, output, found)
    return found


def is_folder(output: str) -> bool:
    """Whether `-o` names a folder: by a slash at its end, or because it is one."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def make_folder(output: str) -> Path:
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", file=output) from None
    return folder


def plain_name(path: str) -> str:
    """The name of a file without its folder, its format and its compression."""
    from caesura import formats
    from caesura.formats.io import stem

    if path == "-":
        return "stdin"
    name = os.path.basename(stem(path))
    for known in formats.FORMATS.values():
        for ending in known.extensions:
            if name.lower().endswith(ending):
                return name[: -len(ending)]
    return name


def _stem(name: str) -> str:
    return os.path.join(os.path.dirname(name), plain_name(name))


def extension(format_name: str) -> str:
    """The extension of a format."""
    from caesura import formats

    known = formats.FORMATS.get(format_name)
    return known.extensions[0] if known else f".{format_name}"
