"""Reading and writing documents: the format follows from the extension.

    for doc in caesura.formats.read("treebank.conllu.gz"):
        ...
    caesura.formats.write(docs, "treebank.jsonl.zst")

Both work on a stream, so a file of any size needs little memory; `pieces=N` also cuts one long
document into pieces of about N tokens, which `Document.continues` marks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from caesura.document import Document
from caesura.document.schema import holds
from caesura.errors import UsageError, WarningSink, kind_of
from caesura.formats.build import in_pieces
from caesura.formats.io import open_read, open_write
from caesura.formats.options import ReadOptions, Skipped, WriteOptions
from caesura.formats.registry import (
    FORMATS,
    Format,
    files_of,
    find,
    format_of,
    readable,
    writable,
)
from caesura.options import Fields

if TYPE_CHECKING:
    from caesura.formats.asr import from_segments

__all__ = [
    "FORMATS",
    "HOLDS",
    "Fields",
    "Format",
    "ReadOptions",
    "Skipped",
    "WriteOptions",
    "files_of",
    "format_of",
    "from_segments",
    "from_text",
    "read",
    "read_stream",
    "readable",
    "ready",
    "to_text",
    "writable",
    "write",
    "write_stream",
]

#: What each format can hold besides the text, in the words of `keep`: tokens, sentences, tags,
#: lemmas, heads. It follows from the schema.
HOLDS: Final[dict[str, frozenset[str]]] = {name: holds(name) for name in FORMATS}


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
    lines: bool = False,
    mode: str | None = None,
    fields: Fields | None = None,
) -> Iterator[Document]:
    """The documents of a file; `-` is the standard input. See `ReadOptions` for the rest."""
    _check_path(path)
    found = find(format or format_of(path, default="fields" if fields else None))
    if fields is not None:
        if found.name == "jsonl":
            mode = mode or "jsonl"
        elif found.name not in ("asr", "fields"):
            raise UsageError(
                f"the format {found.name} has no named fields",
                remedy="Fields are named in JSON, JSON Lines, CSV and TSV.",
            )
        found = find("fields")
    if not found.reads:
        raise UsageError(f"the format {found.name} can be written, not read")
    _check_mode(found, mode, "read_modes")
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
        lines=lines,
        mode=mode,
        fields=fields,
    )
    return _read(path, found, options)


def _check_path(path: object) -> None:
    if not isinstance(path, str | os.PathLike):
        raise UsageError(
            f"a file is named by a string or a path, not by {kind_of(path)}",
            remedy="Give its name; a Document.from_conllu or from_dict reads what is in memory.",
        )


def _check_mode(format: Format, mode: str | None, which: str) -> None:
    if mode is not None and not getattr(format, which):
        known = [name for name in FORMATS if getattr(FORMATS[name], which)]
        raise UsageError(
            f"the format {format.name} has no mode {mode!r}",
            remedy=f"Formats with modes: {', '.join(known)}.",
        )


def _read(path: str | os.PathLike[str], format: Format, options: ReadOptions) -> Iterator[Document]:
    if format.with_text:
        found = format.reader(path, options)
        yield from in_pieces(found, options.pieces) if options.pieces else found
        return
    with open_read(path) as stream:
        yield from read_stream(stream, format.name, options)


def read_stream(stream: BinaryIO, format: str, options: ReadOptions) -> Iterator[Document]:
    """The documents of an open stream, in a format that needs no second file."""
    found = find(format)
    documents = found.reader(stream, options)
    if options.pieces and not found.cuts:
        documents = in_pieces(documents, options.pieces)
    yield from documents


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
    _check_path(path)
    if not isinstance(documents, Iterable) or isinstance(documents, str | bytes):
        raise UsageError(
            f"documents are wanted here, not {kind_of(documents)}",
            remedy="Make one of a text: caesura.Document(text=text).",
        )
    found = ready(format or format_of(path), mode)
    if token_range and found.name != "conllu":
        raise UsageError(
            f"the format {found.name} has no TokenRange", remedy="Write CoNLL-U: --to conllu."
        )
    options = WriteOptions(
        file=os.fspath(path), token_range=token_range, confidences=confidences, mode=mode
    )
    documents = [documents] if isinstance(documents, Document) else _only_documents(documents)
    if found.with_text:
        found.writer(documents, path, options)
        return
    with open_write(path) as stream:
        write_stream(documents, stream, found.name, options)


def ready(format: str, mode: str | None = None) -> Format:
    """The format of a name, which can be written in this mode, here and now."""
    found = find(format)
    if not found.writes:
        raise UsageError(f"the format {found.name} can be read, not written")
    _check_mode(found, mode, "write_modes")
    if found.name == "parquet":
        found.code.ready(mode)
    return found


def _only_documents(documents: Iterable[Document]) -> Iterator[Document]:
    for number, doc in enumerate(documents, 1):
        if not isinstance(doc, Document):
            raise UsageError(
                f"documents are wanted here, and number {number} is {kind_of(doc)}",
                remedy="Make one of a text: caesura.Document(text=text).",
            )
        yield doc


def write_stream(
    documents: Iterable[Document], stream: BinaryIO, format: str, options: WriteOptions
) -> None:
    """Write documents to an open stream, in a format that needs no second file."""
    find(format).writer(documents, stream, options)


def to_text(document: Document, format: str) -> str:
    """One document in a format whose files are text."""
    stream = BytesIO()
    write_stream([document], stream, format, WriteOptions())
    return stream.getvalue().decode("utf-8")


def from_text(text: str, format: str) -> Document:
    """The one document of a text in some format; an empty text gives an empty document."""
    if not isinstance(text, str):
        raise UsageError(
            f"{format} is a string here, not {kind_of(text)}",
            remedy="Read files with caesura.read.",
        )
    data = BytesIO(text.encode("utf-8", "surrogatepass"))
    found = list(read_stream(data, format, ReadOptions()))
    if len(found) > 1:
        raise UsageError(
            f"there are {len(found)} documents here, not one",
            remedy="Read a file of several with caesura.read.",
        )
    return found[0] if found else Document()


def __getattr__(name: str) -> Any:
    """`from_segments`, whose module most programs do not need."""
    if name != "from_segments":
        raise AttributeError(f"module 'caesura.formats' has no attribute {name!r}")
    from caesura.formats import asr

    return asr.from_segments
