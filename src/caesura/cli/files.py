"""Reading what a command line names and writing where it says.

`Inputs` reads every file as a stream of documents, prints warnings and draws progress; `targets`
says which inputs go into which output: `-o FILE` names one, `-o DIR/` one for each input.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.outputs import OwnInputs, default_format, refuse_loss
from caesura.cli.progress import Progress
from caesura.document import Document
from caesura.errors import InputError, UsageError, WarningSink
from caesura.formats.options import Fields

__all__ = ["Inputs", "Target", "input_paths", "targets"]

#: Documents are read in pieces of about so many tokens where a verb can do with pieces.
PIECES = 50_000


def input_paths(paths: Sequence[str]) -> list[str]:
    """The files named, else the standard input, unless that is somebody at a terminal."""
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
    and print warnings. `finish` prints what there were too many of.
    """

    def __init__(
        self,
        paths: Sequence[str],
        from_format: str | None = None,
        *,
        skip_bad: bool = False,
        strict: bool = False,
        quiet: bool = False,
        encoding: str = "utf-8",
        mode: str | None = None,
        pieces: int | None = None,
        space: bool = True,
        lines: bool = False,
        fields: Fields | None = None,
        warn: WarningSink | None = None,
        what: str = "Reading",
    ) -> None:
        self.paths = input_paths(paths)
        self.from_format = from_format
        self.skip_bad = skip_bad
        self.strict = strict
        self.quiet = quiet
        self.encoding = encoding
        self.mode = mode
        self.pieces = pieces
        self.space = space
        self.lines = lines
        self.fields = fields
        self.warn = warn
        self.what = what
        self.warnings = WarningPrinter(quiet=quiet)

    def __iter__(self) -> Iterator[Document]:
        for path in self.paths:
            yield from self.of(path)

    def of(self, path: str) -> Iterator[Document]:
        """The documents of one file."""
        from caesura import formats

        name = "stdin" if path == "-" else os.path.basename(path)
        with Progress(f"{self.what} {name}", unit="words", quiet=self.quiet) as progress:
            for document in formats.read(
                path,
                self.from_format,
                skip_bad=self.skip_bad,
                strict=self.strict,
                # Nobody to tell spares the checks.
                warn=self.sink,
                encoding=self.encoding,
                mode=self.mode,
                pieces=self.pieces,
                space=self.space,
                lines=self.lines,
                fields=self.fields,
            ):
                yield document
                progress.advance(document.n_words)

    def format_of(self, path: str) -> str:
        """The name of the format of an input."""
        from caesura import formats

        return self.from_format or formats.format_of(path)

    @property
    def sink(self) -> WarningSink | None:
        """Receives warnings about the inputs."""
        return self.warn or (None if self.quiet else self.warnings)

    def finish(self) -> None:
        """Print the counts of warnings and of sentences left out."""
        self.warnings.close()


@dataclass(frozen=True, slots=True)
class Target:
    """An output, its format, and the inputs that go into it."""

    path: str
    format: str
    sources: tuple[str, ...]


def is_folder(output: str) -> bool:
    """Whether `-o` names a folder: by a slash at its end, or because it is one."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def targets(
    inputs: Inputs, output: str | None, to_format: str | None, *, adds: str | None = None
) -> list[Target]:
    """Which inputs go into which output; a folder that is not there is made.

    A format that was not asked for by name must hold what the command `adds`: one that the
    extension of the output tells is refused, and that of the input is replaced by CoNLL-U.
    """
    from caesura import formats

    def as_input(source: str) -> str:
        known = inputs.format_of(source)
        return default_format(adds, known) if adds else known

    sources = tuple(inputs.paths)
    if output is None or output == "-":
        return [Target("-", to_format or as_input(sources[0]), sources)]
    if not is_folder(output):
        name = to_format or formats.format_of(output)
        if adds and not to_format:
            refuse_loss(adds, output, name)
        return [Target(output, name, sources)]
    folder = make_folder(output)
    own = OwnInputs(sources)
    found: dict[str, Target] = {}
    for source in sources:
        name = to_format or as_input(source)
        path = str(folder / (plain_name(source) + extension(name)))
        if path in found:
            raise UsageError(
                f"{found[path].sources[0]} and {source} would both be written to {path}",
                remedy="Give them different names, or convert them one by one.",
            )
        own.refuse(path, name)
        found[path] = Target(path, name, (source,))
    return list(found.values())


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


def extension(format_name: str) -> str:
    """The extension that tells a format."""
    from caesura import formats

    known = formats.FORMATS.get(format_name)
    return known.extensions[0] if known else f".{format_name}"
