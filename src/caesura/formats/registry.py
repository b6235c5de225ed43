"""The formats, one line each: module, extensions and capabilities."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.formats.io import foreign_name, refuse, stem, text_beside


@dataclass(frozen=True, slots=True)
class Format:
    """A format; the first of its extensions is the usual one."""

    name: str
    extensions: tuple[str, ...]
    reads: bool = True
    writes: bool = True
    #: Whether a file stands beside its text, `NAME.txt`; paths, not streams, are read and written.
    with_text: bool = False
    #: Whether it is read, and written, in more than one way (`mode`).
    read_modes: bool = False
    write_modes: bool = False
    #: Whether the reader cuts documents into pieces as it goes; else they are cut when read.
    cuts: bool = False

    #: Whether its writer inserts tiers into a copy of the file that a document was read from.
    inserts: bool = False
    #: The module with the functions `read_NAME` and `write_NAME`, if it has another name.
    module: str = ""

    @property
    def code(self) -> Any:
        """Its module."""
        return importlib.import_module(f"caesura.formats.{self.module or self.name}")

    @property
    def reader(self) -> Callable[..., Iterator[Document]]:
        """Reads documents from a stream, or from a path if the text is in a second file."""
        found: Callable[..., Iterator[Document]] = getattr(self.code, f"read_{self.name}")
        return found

    @property
    def writer(self) -> Callable[..., None]:
        """Writes documents to a stream, or to a path if the text goes to a second file."""
        found: Callable[..., None] = getattr(self.code, f"write_{self.name}")
        return found


#: Formats by name.
FORMATS: Final[dict[str, Format]] = {
    format.name: format
    for format in (
        Format("conllu", (".conllu",), cuts=True),
        Format("conllx", (".conll", ".conllx"), cuts=True, module="conllu"),
        Format("brackets", (".mrg", ".ptb", ".brackets"), cuts=True),
        Format("text", (".txt", ".text"), read_modes=True, cuts=True),
        Format(
            "tokens",
            (".tok", ".tokens", ".vert"),
            read_modes=True,
            write_modes=True,
            cuts=True,
            module="text",
        ),
        Format(
            "transcript",
            (".srt", ".vtt", ".transcript", ".ttml", ".dfxp"),
            read_modes=True,
            write_modes=True,
            module="subtitles",
        ),
        Format("asr", (".json", ".json3", ".ctm"), writes=False, read_modes=True),
        Format("fields", (".csv", ".tsv"), writes=False, read_modes=True),
        Format("elan", (".eaf",), inserts=True, module="tiers"),
        Format("textgrid", (".textgrid",), inserts=True, module="tiers"),
        Format("chat", (".cha",), writes=False, module="tiers"),
        Format("html", (".html", ".htm", ".xhtml")),
        Format("markdown", (".md", ".markdown"), writes=False),
        Format("jsonl", (".jsonl", ".ndjson")),
        Format("brat", (".ann",), reads=False, with_text=True, module="standoff"),
        Format("spacy", (".spacy",)),
        Format("parquet", (".parquet",), write_modes=True),
        Format("spans", (".spans",), with_text=True, module="standoff"),
    )
}


def find(name: str) -> Format:
    """The format of a name."""
    if name not in FORMATS:
        raise UsageError(
            f"there is no format {name!r}", remedy=f"Formats are: {', '.join(FORMATS)}."
        )
    return FORMATS[name]


def readable() -> list[str]:
    """The names of the formats that can be read."""
    return [name for name, format in FORMATS.items() if format.reads]


def writable() -> list[str]:
    """The names of the formats that can be written."""
    return [name for name, format in FORMATS.items() if format.writes]


def format_of(path: str | os.PathLike[str], *, default: str | None = None) -> str:
    """The name of the format of a file, from its extension, compressed or not."""
    name = stem(path).lower()
    for format in FORMATS.values():
        if name.endswith(format.extensions):
            return format.name
    if default is not None:
        return default
    kind = foreign_name(name)
    if kind is not None:
        raise refuse(kind, os.fspath(path))
    known = ", ".join(ext for format in FORMATS.values() for ext in format.extensions)
    raise InputError(
        "the extension tells no format",
        file=os.fspath(path),
        remedy=f"Name it with --from or --to; extensions are: {known}.",
    )


def files_of(path: str | os.PathLike[str], format: str | None = None) -> list[str]:
    """The files that reading or writing a path touches: itself, and the text beside it."""
    name = os.fspath(path)
    known = FORMATS.get(format or format_of(name, default=""))
    if known is None or not known.with_text or name == "-":
        return [name]
    return [name, text_beside(name)]
