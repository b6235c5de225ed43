"""Opening files: compression, standard streams, decoding, and output that is never half written.

A target is written under a temporary name in its own directory and moved into place at the end, so
that an error or Ctrl-C leaves what was there before. Readers get decoded text in blocks that end
at a line end; every way in which bytes can be bad becomes one sentence with the place.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from io import FileIO
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from caesura.durable import replacing
from caesura.errors import FormatError, InputError, MissingExtra, UsageError
from caesura.formats.foreign import HEAD, kind_of, refuse
from caesura.formats.options import ReadOptions

__all__ = ["COMPRESSIONS", "blocks", "lines", "open_read", "open_write", "stem", "text_beside"]

#: Extensions of compressed files.
COMPRESSIONS = (".gz", ".xz", ".zst")
_BLOCK = 1 << 18  # small enough for the processor's caches, which makes parsing faster
_LINE_END = re.compile("(?<!\r)\r+\n")  # a run of CRs is tried once, from its first
#: Byte order marks, the longer ones first, and what they say.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
StrPath = str | os.PathLike[str]


def stem(path: StrPath) -> str:
    """The name of a file without the extension of its compression."""
    name = os.fspath(path)
    for extension in COMPRESSIONS:
        if name.lower().endswith(extension):
            return name[: -len(extension)]
    return name


def text_beside(path: StrPath) -> str:
    """The file with the text of one that holds annotations alone."""
    return os.path.splitext(stem(path))[0] + ".txt"


@contextlib.contextmanager
def open_read(path: StrPath) -> Iterator[BinaryIO]:
    """The decompressed bytes of a file; `-` is the standard input."""
    name = os.fspath(path)
    if name == "-":
        if sys.stdin is None:
            raise InputError("the standard input is closed", remedy="Name a file.")
        yield sys.stdin.buffer
        return
    if os.path.isdir(name):
        raise InputError("is a directory, not a file", file=name, remedy="Name a file in it.")
    try:
        raw = open(name, "rb")  # noqa: SIM115
    except FileNotFoundError:
        raise InputError("there is no such file", file=name, remedy="Check the path.") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=name) from None
    with raw, _decompressor(raw, name) as stream:
        yield stream


def _decompressor(raw: BinaryIO, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    lower = name.lower()
    if lower.endswith(".gz"):
        return _stream(gzip.GzipFile(fileobj=raw))
    if lower.endswith(".xz"):
        return _stream(lzma.LZMAFile(raw))
    if lower.endswith(".zst"):
        reader = _zstandard().ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return contextlib.closing(cast(BinaryIO, reader))
    return contextlib.nullcontext(raw)


def _stream(stream: Any) -> contextlib.AbstractContextManager[BinaryIO]:
    return cast("contextlib.AbstractContextManager[BinaryIO]", stream)


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("zstandard", "zstd", "a .zst file") from None
    return zstandard


def read_bytes(stream: BinaryIO, size: int, file: str) -> bytes:
    """At most so many bytes; a damaged compressed file becomes one sentence."""
    try:
        return stream.read(size)
    except EOFError:
        raise FormatError(
            "the compressed file ends too early", file=file, remedy="Get the whole file again."
        ) from None
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(
            f"the compressed file is damaged ({error})", file=file, remedy="Get the file again."
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", file=file) from None
    except Exception as error:
        if type(error).__module__.startswith(("zstd", "zstandard")):
            raise FormatError(f"the compressed file is damaged ({error})", file=file) from None
        raise


def blocks(
    stream: BinaryIO,
    options: ReadOptions,
    *,
    size: int = _BLOCK,
    whole_lines: bool = True,
    keep_crlf: bool = False,
    live: bool = False,
) -> Iterator[tuple[str, int]]:
    """Decoded text in blocks, each with the number of its first line; `live`: as soon as it comes.

    Blocks end at a line end unless `whole_lines` is off; CRLF becomes LF (unless it is to be kept)
    and a byte order mark is dropped, each with a warning; one of UTF-16 or UTF-32 says how to read
    the file. NUL and bytes that are not of the encoding are fatal, or become U+FFFD if the options
    say so; a file that is known to be of another kind is fatal in any case.
    """
    chunks = (_as_they_come if live else _chunks)(stream, size, options.file)
    head = next(chunks)
    mark, options = _marked(head, options)
    decoder = _decoder(options)
    chunks = chain(_cut(head[mark:], size), chunks)
    line, column, first, crlf = 1, 1, True, False
    offset = mark  # bytes that are decoded
    waiting: list[str] = []  # the beginning of a line whose end is yet to come
    held: list[str] = []  # CRs that may belong to the end of a line
    while True:
        data = next(chunks, b"")
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(options.encoding, "replace")
            # What the decoder held back is at the front of what it failed on.
            at = offset + len(data) - len(error.object) + error.start
            before = "".join(waiting) + before
            raise _bad_bytes(error, before, line, column, at, head, options) from None
        offset += len(data)
        if held and data and not text.strip("\r"):
            held.append(text)  # still nothing but CRs
            continue
        if held:
            text, held = "".join([*held, text]), []
        if first and text:
            first = False
            if text.startswith("\ufeff"):
                text = text[1:]
                options.warning("starts with a byte order mark, which is left out", 1)
        if "\0" in text and options.errors == "replace":
            text = text.replace("\0", "\ufffd")
        elif "\0" in text:
            before = "".join(waiting) + text[: text.index("\0")]
            raise options.error(
                "there is a NUL character",
                line + before.count("\n"),
                _column(before, column),
                remedy=_suspected(head)
                or "Remove it; the file may be binary or of another encoding.",
            )
        if not keep_crlf and "\r" in text:
            body = text.rstrip("\r")
            held = [text[len(body) :]] if data and len(body) < len(text) else []
            text = body
            if "\r\n" in text:
                if not crlf:
                    at = line + text[: text.index("\r\n")].count("\n")
                    options.warning("lines end in CRLF, which is read as LF", at)
                    crlf = True
                text = _LINE_END.sub("\n", text)
        if data and whole_lines:
            end = text.rfind("\n") + 1
            if not end:
                waiting.append(text)
                continue
            text, rest = "".join([*waiting, text[:end]]), text[end:]
            waiting = [rest] if rest else []
        elif waiting:
            text = "".join([*waiting, text])
        if text:
            yield text, line
            line += text.count("\n")
            if not whole_lines:
                column = _column(text, column)
        if not data:
            return


def _decoder(options: ReadOptions) -> codecs.IncrementalDecoder:
    """What decodes text; some codecs of Python turn bytes into bytes, or hold names of hosts."""
    try:
        known = codecs.lookup(options.encoding)
        text = getattr(known, "_is_text_encoding", True) and known.incrementaldecoder is not None
        if not text or known.name in ("idna", "punycode", "undefined", "mbcs", "oem"):
            raise LookupError
        return codecs.getincrementaldecoder(options.encoding)(options.errors)
    except (LookupError, ValueError):  # a name with a NUL in it is a ValueError
        raise UsageError(
            f"there is no encoding {options.encoding!r}",
            remedy="Name one of text, for example utf-8, latin-1 or cp1252.",
        ) from None


def _chunks(stream: BinaryIO, size: int, file: str) -> Iterator[bytes]:
    """The bytes of a file, of which the first ones are enough to tell what it is."""
    head = read_bytes(stream, max(size, HEAD), file)
    while len(head) < HEAD and (more := read_bytes(stream, HEAD - len(head), file)):
        head += more
    kind = kind_of(head[:HEAD])
    if kind is not None:
        raise refuse(kind, file)
    yield head
    while data := read_bytes(stream, size, file):
        yield data


def _as_they_come(stream: BinaryIO, size: int, file: str) -> Iterator[bytes]:
    """The bytes of a pipe, whose writer may be slow: what is there is not waited for to be more."""
    read = getattr(stream, "read1", stream.read)
    head = read(size)
    kind = kind_of(head[:HEAD])
    if kind is not None:
        raise refuse(kind, file)
    yield head
    while data := read(size):
        yield data


def _cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def _marked(head: bytes, options: ReadOptions) -> tuple[int, ReadOptions]:
    """The length of a byte order mark of UTF-16 or UTF-32, and options with that encoding.

    It wins over UTF-8, which is what nobody has asked for, and over nothing else.
    """
    if options.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        for mark, encoding in _MARKS:
            if head.startswith(mark):
                return len(mark), replace(options, encoding=encoding)
    return 0, options


def _suspected(head: bytes) -> str:
    """What to do if this looks like UTF-16 without a mark: half of its bytes are NUL."""
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[0::2])):
        if len(zeros) > 1 and zeros.count(0) > 0.7 * len(zeros):
            return f"It looks like UTF-16 without a byte order mark: try --encoding {encoding}."
    return ""


def _column(before: str, column: int) -> int:
    newline = before.rfind("\n")
    return len(before) - newline if newline >= 0 else column + len(before)


def _bad_bytes(
    error: UnicodeDecodeError,
    before: str,
    line: int,
    column: int,
    at: int,
    head: bytes,
    options: ReadOptions,
) -> FormatError:
    bad = error.object[error.start : error.start + 1]
    remedy = "Convert the file to UTF-8"
    if options.encoding.lower().replace("-", "") == "utf8":
        remedy += ", or name its encoding, for example --encoding latin-1"
    return options.error(
        f"byte 0x{bad.hex()} is not {options.encoding.upper()} (byte {at:,} of the file)",
        line + before.count("\n"),
        _column(before, column),
        remedy=_suspected(head) or remedy + ".",
    )


def lines(stream: BinaryIO, options: ReadOptions) -> Iterator[tuple[int, str]]:
    """The lines of a file without their ends, numbered from 1."""
    for text, first in blocks(stream, options):
        if text.endswith("\n"):
            text = text[:-1]
        yield from enumerate(text.split("\n"), first)


@contextlib.contextmanager
def open_write(path: StrPath) -> Iterator[BinaryIO]:
    """A stream whose bytes appear under `path` when the block ends without an error."""
    name = os.fspath(path)
    if name == "-":
        if sys.stdout is None:
            raise InputError("the standard output is closed", remedy="Name a file with -o.")
        if isinstance(sys.stdout.buffer, FileIO):  # PYTHONUNBUFFERED: a write may stop half way
            with open(sys.stdout.fileno(), "wb", closefd=False) as out:
                yield out
            return
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given = Path(name)
    if given.exists() and not given.is_file() and not given.is_dir():  # a pipe or a device
        try:
            with open(name, "wb") as device:
                yield device
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise InputError(f"cannot be written ({error.strerror})", file=name) from None
        return
    target = Path(os.path.realpath(name))  # through a symbolic link, which stays
    if target.is_dir():
        raise InputError("is a directory, not a file", file=name, remedy="Name a file in it.")
    directory = target.parent
    if not directory.is_dir():
        raise InputError(
            "cannot be written, since its directory does not exist",
            file=name,
            remedy=f"Make the directory {directory} first.",
        )
    try:
        with replacing(target) as raw, _compressor(raw, name) as stream:
            yield stream
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"cannot be written ({error.strerror})", file=name) from None


def _compressor(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    lower = name.lower()
    if lower.endswith(".gz"):  # no name and no time, so that equal contents are equal files
        return _stream(gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    if lower.endswith(".xz"):
        return _stream(lzma.LZMAFile(raw, "wb"))
    if lower.endswith(".zst"):
        return _stream(_zstandard().ZstdCompressor().stream_writer(raw, closefd=False))
    return contextlib.nullcontext(cast(BinaryIO, raw))
