"""Reading and writing documents: one file a format, told by the extension.

    for doc in caesura.formats.read("treebank.conllu.gz"):
        ...
    caesura.formats.write(docs, "treebank.jsonl.zst")

Both work on a stream, so a file of any size needs little memory; `pieces=N` also cuts one long
document into pieces of about N tokens, which `Document.continues` marks.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

from caesura.document import Document
from caesura.document.schema import holds
from caesura.errors import InputError, UsageError, WarningSink
from caesura.formats.build import in_pieces
from caesura.formats.foreign import kind_of_name, refuse
from caesura.formats.io import open_read, open_write, stem, text_beside
from caesura.formats.options import ReadOptions, Skipped, WriteOptions

__all__ = [
    "FORMATS",
    "HOLDS",
    "ReadOptions",
    "Skipped",
    "WriteOptions",
    "files_of",
    "format_of",
    "read",
    "readable",
    "writable",
    "write",
]

#: Formats by name: the module that reads and writes it and the extensions that tell it.
FORMATS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "conllu": ("caesura.formats.conllu", (".conllu",)),
    "conllx": ("caesura.formats.conllx", (".conll", ".conllx")),
    "brackets": ("caesura.formats.brackets", (".mrg", ".ptb", ".brackets")),
    "text": ("caesura.formats.text", (".txt", ".text")),
    "tokens": ("caesura.formats.tokens", (".tok", ".tokens", ".vert")),
    "transcript": ("caesura.formats.transcript", (".srt", ".vtt", ".transcript")),
    "html": ("caesura.formats.html", (".html", ".htm", ".xhtml")),
    "markdown": ("caesura.formats.markdown", (".md", ".markdown")),
    "jsonl": ("caesura.formats.jsonl", (".jsonl", ".ndjson")),
    "brat": ("caesura.formats.brat", (".ann",)),
    "spacy": ("caesura.formats.spacy", (".spacy",)),
    "spans": ("caesura.formats.spans", (".spans",)),
}


#: What each format can hold besides the text, in the words of `keep`: tokens, sentences, tags,
#: lemmas, heads. It follows from the schema.
HOLDS: Final[dict[str, frozenset[str]]] = {name: holds(name) for name in FORMATS}
_WRITE_ONLY: Final = ("brat",)
_READ_ONLY: Final = ("markdown",)
#: Formats of which a file stands beside its text, `NAME.txt`.
_WITH_TEXT: Final = ("brat", "spans")
#: Formats that are read, and written, in more than one way (`mode`).
_READ_MODES: Final = ("text", "tokens", "transcript")
_WRITE_MODES: Final = ("tokens", "transcript")


def format_of(path: str | os.PathLike[str], *, default: str | None = None) -> str:
    """The name of the format of a file, told by its extension, compressed or not."""
    name = stem(path).lower()
    for format_name, (_, extensions) in FORMATS.items():
        if name.endswith(extensions):
            return format_name
    if default is not None:
        return default
    kind = kind_of_name(name)
    if kind is not None:
        raise refuse(kind, os.fspath(path))
    known = ", ".join(ext for _, extensions in FORMATS.values() for ext in extensions)
    raise InputError(
        "the extension tells no format",
        file=os.fspath(path),
        remedy=f"Name it with --from or --to; extensions are: {known}.",
    )


def files_of(path: str | os.PathLike[str], format: str | None = None) -> list[str]:
    """The files that reading or writing a path touches: itself, and the text beside it."""
    name = os.fspath(path)
    kind = format or format_of(name, default="")
    if kind not in _WITH_TEXT or name == "-":
        return [name]
    return [name, text_beside(name)]


def readable() -> list[str]:
    """The names of the formats that can be read."""
    return [name for name in FORMATS if name not in _WRITE_ONLY]


def writable() -> list[str]:
    """The names of the formats that can be written."""
    return [name for name in FORMATS if name not in _READ_ONLY]


def _module(format_name: str) -> Any:
    if format_name not in FORMATS:
        raise UsageError(
            f"there is no format {format_name!r}", remedy=f"Formats are: {', '.join(FORMATS)}."
        )
    return importlib.import_module(FORMATS[format_name][0])


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    skip_bad: bool = False,
    strict: bool = False,
    warn: WarningSink | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
    pieces: int | None = None,
    space: bool = True,
    token_range: bool = False,
    mode: str | None = None,
) -> Iterator[Document]:
    """The documents of a file; `-` is the standard input. See `ReadOptions` for the rest."""
    name = format or format_of(path)
    module = _module(name)
    if not hasattr(module, "read") and not hasattr(module, "read_files"):
        raise UsageError(f"the format {name} can be written, not read")
    _check_mode(mode, name, _READ_MODES)
    options = ReadOptions(
        file="<stdin>" if os.fspath(path) == "-" else os.fspath(path),
        skip_bad=skip_bad,
        strict=strict,
        warn=warn,
        encoding=encoding,
        errors=errors,
        pieces=pieces,
        space=space,
        token_range=token_range,
        mode=mode,
    )
    return _read(path, module, options)


def _check_mode(mode: str | None, name: str, known: tuple[str, ...]) -> None:
    if mode is not None and name not in known:
        raise UsageError(
            f"the format {name} has no mode {mode!r}",
            remedy=f"Formats with modes: {', '.join(known)}.",
        )


def _read(path: str | os.PathLike[str], module: Any, options: ReadOptions) -> Iterator[Document]:
    if hasattr(module, "read_files"):
        found = module.read_files(path, options)
    else:
        found = _read_stream(path, module, options)
    if options.pieces and not getattr(module, "HANDLES_PIECES", False):
        found = in_pieces(found, options.pieces)
    yield from found


def _read_stream(
    path: str | os.PathLike[str], module: Any, options: ReadOptions
) -> Iterator[Document]:
    with open_read(path) as stream:
        yield from module.read(stream, options)


def write(
    documents: Iterable[Document] | Document,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    token_range: bool = False,
    confidences: bool = True,
    mode: str | None = None,
) -> None:
    """Write documents to a file, which appears only when all is written.

    `-` is the standard output. See `WriteOptions` for the rest.
    """
    name = format or format_of(path)
    module = _module(name)
    if not hasattr(module, "write") and not hasattr(module, "write_files"):
        raise UsageError(f"the format {name} can be read, not written")
    _check_mode(mode, name, _WRITE_MODES)
    if token_range and name != "conllu":
        raise UsageError(
            f"the format {name} has no TokenRange", remedy="Write CoNLL-U: --to conllu."
        )
    options = WriteOptions(
        file=os.fspath(path), token_range=token_range, confidences=confidences, mode=mode
    )
    if isinstance(documents, Document):
        documents = [documents]
    if hasattr(module, "write_files"):
        module.write_files(documents, path, options)
        return
    with open_write(path) as stream:
        module.write(documents, stream, options)
