"""What an entry is, and the kinds of it that many are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from benchmarks.golden.work import Work

Entry = Callable[[Work], bytes]
Named = Iterator[tuple[str, Entry]]
MODELS: Final = ("en", "en-fast")
INPUTS: Final = ("written.txt", "spoken.txt", "turns.txt", "shuffled.txt")
EXTENSIONS: Final = {"brat": "ann"}


def cli(*arguments: str, stdin: str | None = None) -> Entry:
    """The output of a command; `stdin` names the input that it reads there."""

    def entry(work: Work) -> bytes:
        return work.cli(*arguments, stdin=None if stdin is None else work.text(stdin))

    return entry


def into(name: str, *arguments: str) -> Entry:
    """What a command writes to a file or a folder."""

    def entry(work: Work) -> bytes:
        told = work.cli(*arguments, "-o", name)
        path = work.folder / name
        return told + (work.outputs(name) if name.endswith("/") else content(path))

    return entry


def content(path: Path) -> bytes:
    """A file, and what a format puts beside it."""
    if not path.exists():
        return b"(no file)\n"
    beside = sorted(path.parent.glob(f"{path.stem}.*"))
    if len(beside) == 1:
        return bytes(path.read_bytes())
    return b"".join(b"== %s\n" % p.suffix.encode() + p.read_bytes() for p in beside)


def trained(name: str, *arguments: str) -> Entry:
    def entry(work: Work) -> bytes:
        return work.model(name, *arguments)

    return entry


def used(name: str, arguments: tuple[str, ...], *command: str) -> Entry:
    """The output of a command with a model that was trained here."""

    def entry(work: Work) -> bytes:
        work.model(name, *arguments)
        return work.cli(*command, "-m", name)

    return entry
