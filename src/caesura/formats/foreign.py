"""Files that hold no text for us, told by their first bytes or by their names, and what to do.

Only what people do hand to a parser is here: office documents, archives, pictures, sound. A magic
number that could be the beginning of a text counts only if what follows it is no text.
"""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from caesura.errors import FormatError

__all__ = ["HEAD", "Kind", "kind_of", "kind_of_name", "refuse"]

#: Bytes at the beginning of a file that are looked at.
HEAD: Final = 8192


class Kind(NamedTuple):
    """What a file is, and what to do with it."""

    name: str
    remedy: str


_TO_TEXT: Final = "Save it as plain text in the program that it comes from"
PDF: Final = Kind(
    "a PDF file", "Extract its text first, for example with `pdftotext -enc UTF-8 FILE out.txt`."
)
WORD: Final = Kind("a Word document (.docx)", f"{_TO_TEXT} (encoding UTF-8), or as HTML.")
SHEET: Final = Kind("a spreadsheet (.xlsx)", "Save the column of texts as plain text.")
SLIDES: Final = Kind("a presentation (.pptx)", f"{_TO_TEXT}.")
OFFICE: Final = Kind("a document of an Office program", f"{_TO_TEXT}.")
OPEN: Final = Kind("an OpenDocument file", f"{_TO_TEXT} (encoding UTF-8), or as HTML.")
OLD: Final = Kind("a document of an old Office program (.doc, .xls, .ppt)", f"{_TO_TEXT}.")
RTF: Final = Kind("a Rich Text file (RTF)", f"{_TO_TEXT} (encoding UTF-8).")
EPUB: Final = Kind("an e-book (EPUB)", "Unpack it, as a ZIP archive, and parse its XHTML files.")
MODEL: Final = Kind("a model of Caesura", "Name it with -m MODEL.")
ZIP: Final = Kind("a ZIP archive", "Unpack it and name the files in it, or their folder.")
ARCHIVE: Final = Kind("an archive", "Unpack it and name the files in it, or their folder.")
PICTURE: Final = Kind("a picture", "Text in pictures must be recognised first (OCR).")
SOUND: Final = Kind("a recording", "Speech must be transcribed first.")
BOOK: Final = Kind("an e-book (Kindle)", f"{_TO_TEXT}, or convert it to EPUB or HTML.")
PARQUET: Final = Kind("a Parquet table", "Let its name end in .parquet, or say --from parquet.")
SQLITE: Final = Kind("an SQLite database", "Write its texts as JSON Lines with a field `text`.")


def _packed(name: str, extension: str) -> Kind:
    return Kind(
        f"a file packed with {name}",
        f"Let its name end in {extension} (behind the extension of its format), or unpack it.",
    )


_BZIP2: Final = Kind("a file packed with bzip2", "Unpack it with `bunzip2`.")
#: First bytes that no text has.
_MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
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
_DOUBTFUL: Final[tuple[tuple[bytes, Kind], ...]] = (
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
#: Names within the first entries of a ZIP archive that tell what it is.
_IN_ZIP: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"mimetypeapplication/epub", EPUB),
    (b"mimetypeapplication/vnd.oasis.opendocument", OPEN),
    (b"word/", WORD),
    (b"xl/", SHEET),
    (b"ppt/", SLIDES),
    (b"[Content_Types].xml", OFFICE),
)
#: The entry that a model file starts with, behind the 30 bytes of a ZIP archive's header.
_MODEL_ENTRY: Final = b"meta.json"
_NAMES: Final[dict[str, Kind]] = {
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


def kind_of(head: bytes) -> Kind | None:
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


def kind_of_name(path: str | os.PathLike[str]) -> Kind | None:
    """What a file is by its extension; None if that tells nothing of the kind."""
    return _NAMES.get(os.path.splitext(os.fspath(path))[1].lower())


def refuse(kind: Kind, file: str) -> FormatError:
    """The error for a file of such a kind."""
    return FormatError(f"this is {kind.name}, which is not read", file=file, remedy=kind.remedy)
