"""Opening files: compression, standard streams, decoding, and output that is never half written.

A target is written under a temporary name in its own directory and moved into place at the end, so
that an error or Ctrl-C leaves what was there before. Readers get decoded text in blocks that end
at a line end; bytes that cannot be decoded are reported with their place. Files of foreign kinds
(office documents, archives, images, sound) are recognised by their first bytes or their names.
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import FileIO
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, NamedTuple, cast

from caesura.durable import replacing
from caesura.errors import FormatError, InputError, MissingExtra, UsageError
from caesura.formats.options import ReadOptions, WriteOptions

#: Bytes at the beginning of a file that are inspected.
HEAD: Final = 8192


class Foreign(NamedTuple):
    """What a file is, and what to do with it."""

    name: str
    remedy: str


_TO_TEXT: Final = "Save it as plain text in the program that it comes from"
PDF: Final = Foreign(
    "a PDF file", "Extract its text first, for example with `pdftotext -enc UTF-8 FILE out.txt`."
)
WORD: Final = Foreign("a Word document (.docx)", f"{_TO_TEXT} (encoding UTF-8), or as HTML.")
SHEET: Final = Foreign("a spreadsheet (.xlsx)", "Save the column of texts as plain text.")
SLIDES: Final = Foreign("a presentation (.pptx)", f"{_TO_TEXT}.")
OFFICE: Final = Foreign("a document of an Office program", f"{_TO_TEXT}.")
OPEN: Final = Foreign("an OpenDocument file", f"{_TO_TEXT} (encoding UTF-8), or as HTML.")
OLD: Final = Foreign("a document of an old Office program (.doc, .xls, .ppt)", f"{_TO_TEXT}.")
RTF: Final = Foreign("a Rich Text file (RTF)", f"{_TO_TEXT} (encoding UTF-8).")
EPUB: Final = Foreign("an e-book (EPUB)", "Unpack it, as a ZIP archive, and parse its XHTML files.")
MODEL: Final = Foreign("a model of Caesura", "Name it with -m MODEL.")
ZIP: Final = Foreign("a ZIP archive", "Unpack it and name the files in it, or their folder.")
ARCHIVE: Final = Foreign("an archive", "Unpack it and name the files in it, or their folder.")
PICTURE: Final = Foreign("a picture", "Text in pictures must be recognised first (OCR).")
SOUND: Final = Foreign("a recording", "Speech must be transcribed first.")
BOOK: Final = Foreign("an e-book (Kindle)", f"{_TO_TEXT}, or convert it to EPUB or HTML.")
PARQUET: Final = Foreign("a Parquet table", "Let its name end in .parquet, or say --from parquet.")
SQLITE: Final = Foreign("an SQLite database", "Write its texts as JSON Lines with a field `text`.")


def _packed(name: str, extension: str) -> Foreign:
    return Foreign(
        f"a file packed with {name}",
        f"Let its name end in {extension} (behind the extension of its format), or unpack it.",
    )


_BZIP2: Final = Foreign("a file packed with bzip2", "Unpack it with `bunzip2`.")
#: First bytes that no text has.
_MAGIC: Final[tuple[tuple[bytes, Foreign], ...]] = (
    (b"%PDF-", PDF),
    (b"{\\rtf", RTF),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLD),
    (b"\x1f\x8b", _packed("gzip", ".gz")),
    (b"\xfd7zXZ\0", _packed("xz", ".xz")),
    (b"\x28\xb5\x2f\xfd", _packed("zstd", ".zst")),
    (b"7z\xbc\xaf\x27\x1c", ARCHIVE),
    (b"Rar!\x1a\x07", ARCHIVE),
    (b"\x89PNG\r\n\x1a\n", PICTURE),
    (b"\xff\xd8\xff", PICTURE),
    (b"II*\0", PICTURE),
    (b"MM\0*", PICTURE),
    (b"\x1a\x45\xdf\xa3", SOUND),
    (b"SQLite format 3\0", SQLITE),
)
#: First bytes that a text could have: what follows must be binary.
_DOUBTFUL: Final[tuple[tuple[bytes, Foreign], ...]] = (
    (b"BZh", _BZIP2),
    (b"GIF87a", PICTURE),
    (b"GIF89a", PICTURE),
    (b"BM", PICTURE),
    (b"RIFF", SOUND),
    (b"OggS", SOUND),
    (b"fLaC", SOUND),
    (b"ID3", SOUND),
    (b"PAR1", PARQUET),
)
#: Names within the first entries of a ZIP archive that identify its kind.
_IN_ZIP: Final[tuple[tuple[bytes, Foreign], ...]] = (
    (b"mimetypeapplication/epub", EPUB),
    (b"mimetypeapplication/vnd.oasis.opendocument", OPEN),
    (b"word/", WORD),
    (b"xl/", SHEET),
    (b"ppt/", SLIDES),
    (b"[Content_Types].xml", OFFICE),
)
#: The entry that a model file starts with, behind the 30 bytes of a ZIP archive's header.
_MODEL_ENTRY: Final = b"meta.json"
_NAMES: Final[dict[str, Foreign]] = {
    ".pdf": PDF, ".docx": WORD, ".docm": WORD, ".dotx": WORD, ".xlsx": SHEET, ".pptx": SLIDES,
    ".odt": OPEN, ".ods": OPEN, ".odp": OPEN, ".doc": OLD, ".xls": OLD, ".ppt": OLD, ".rtf": RTF,
    ".epub": EPUB, ".mobi": BOOK, ".azw3": BOOK, ".zip": ZIP, ".caesura": MODEL,
    ".tar": ARCHIVE, ".tgz": ARCHIVE, ".7z": ARCHIVE, ".rar": ARCHIVE, ".bz2": _BZIP2,
    ".png": PICTURE, ".jpg": PICTURE, ".jpeg": PICTURE, ".gif": PICTURE, ".bmp": PICTURE,
    ".tif": PICTURE, ".tiff": PICTURE, ".webp": PICTURE, ".heic": PICTURE,
    ".mp3": SOUND, ".mp4": SOUND, ".m4a": SOUND, ".wav": SOUND, ".ogg": SOUND, ".flac": SOUND,
    ".mkv": SOUND, ".webm": SOUND, ".sqlite": SQLITE,
}  # fmt: skip
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def foreign_kind(head: bytes) -> Foreign | None:
    """What a file is that starts with these bytes; None if it may be text."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if head[30 : 30 + len(_MODEL_ENTRY)] == _MODEL_ENTRY:
            return MODEL
        return next((kind for name, kind in _IN_ZIP if name in head), ZIP)
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[257:262] == b"ustar":
        return ARCHIVE
    if not _CONTROL.search(head):
        return None
    if head[60:68] == b"BOOKMOBI":
        return BOOK
    if head[4:8] == b"ftyp":
        return PICTURE if head[8:12] in (b"heic", b"avif", b"mif1") else SOUND
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return PICTURE
    return next((kind for magic, kind in _DOUBTFUL if head.startswith(magic)), None)


def foreign_name(path: str | os.PathLike[str]) -> Foreign | None:
    """What a file is by its extension; None if the extension is unknown."""
    return _NAMES.get(os.path.splitext(os.fspath(path))[1].lower())


def refuse(kind: Foreign, file: str) -> FormatError:
    """The error for a file of such a kind."""
    return FormatError(f"this is {kind.name}, which is not read", file=file, remedy=kind.remedy)


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
    """The bytes of a file, of which the first ones suffice to recognise its kind."""
    head = read_bytes(stream, max(size, HEAD), file)
    while len(head) < HEAD and (more := read_bytes(stream, HEAD - len(head), file)):
        head += more
    kind = foreign_kind(head[:HEAD])
    if kind is not None:
        raise refuse(kind, file)
    yield head
    while data := read_bytes(stream, size, file):
        yield data


def _as_they_come(stream: BinaryIO, size: int, file: str) -> Iterator[bytes]:
    """The bytes of a pipe as they arrive, without waiting for a full block."""
    read = getattr(stream, "read1", stream.read)
    head = read(size)
    kind = foreign_kind(head[:HEAD])
    if kind is not None:
        raise refuse(kind, file)
    yield head
    while data := read(size):
        yield data


def _cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def _marked(head: bytes, options: ReadOptions) -> tuple[int, ReadOptions]:
    """The length of a byte order mark of UTF-16 or UTF-32, and options with that encoding.

    It overrides UTF-8, the default, and no other encoding.
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


def whole_text(stream: BinaryIO, options: ReadOptions, *, keep_crlf: bool = False) -> str:
    """The decoded text of a file."""
    return "".join(text for text, _ in blocks(stream, options, keep_crlf=keep_crlf))


def mode_of(
    options: ReadOptions | WriteOptions,
    of: str,
    modes: Sequence[str],
    default: str,
    extensions: Mapping[str, str],
) -> str:
    """The way to read or write a format: the option, else what the extension says."""
    name = stem(options.file).lower()
    known = (mode for extension, mode in extensions.items() if name.endswith(extension))
    mode = options.mode or next(known, default)
    if mode not in modes:
        raise UsageError(
            f"there is no mode {mode!r} of {of}", remedy=f"Modes are: {', '.join(modes)}."
        )
    return mode


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
