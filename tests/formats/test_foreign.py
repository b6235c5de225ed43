"""Files of another kind are named, with what to do; UTF-16 and UTF-32 are simply read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.errors import FormatError
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions

TEXT = "The ferry is late.\nNobody minds — not today 🐟.\n"


def zipped(*names: str, first: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, first or b"<xml/>")
    return stream.getvalue()


def tarred() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))
    return stream.getvalue()


KINDS = {
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF file", "pdftotext"),
    "docx": (zipped("[Content_Types].xml", "word/document.xml"), "a Word document", "plain text"),
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), "a spreadsheet", "column"),
    "pptx": (zipped("[Content_Types].xml", "ppt/slides.xml"), "a presentation", "plain text"),
    "office": (zipped("[Content_Types].xml", "other.xml"), "an Office program", "plain text"),
    "odt": (
        zipped("mimetype", first=b"application/vnd.oasis.opendocument.text"),
        "an OpenDocument file",
        "plain text",
    ),
    "epub": (zipped("mimetype", first=b"application/epub+zip"), "an e-book (EPUB)", "XHTML"),
    "zip": (zipped("a.txt"), "a ZIP archive", "Unpack it"),
    "empty zip": (zipped(), "a ZIP archive", "Unpack it"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an old Office program", "plain text"),
    "rtf": (rb"{\rtf1\ansi Hello}", "a Rich Text file", "plain text"),
    "gzip": (gzip.compress(b"x"), "packed with gzip", ".gz"),
    "xz": (lzma.compress(b"x"), "packed with xz", ".xz"),
    "zstd": (b"\x28\xb5\x2f\xfd\0\0", "packed with zstd", ".zst"),
    "bzip2": (bz2.compress(b"x"), "packed with bzip2", "bunzip2"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0", "an archive", "Unpack it"),
    "tar": (tarred(), "an archive", "Unpack it"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0", "a picture", "OCR"),
    "jpeg": (b"\xff\xd8\xff\xe0\0", "a picture", "OCR"),
    "gif": (b"GIF89a\1\0\1\0", "a picture", "OCR"),
    "webp": (b"RIFF\0\0\0\0WEBPVP8 ", "a picture", "OCR"),
    "heic": (b"\0\0\0\x18ftypheic", "a picture", "OCR"),
    "wav": (b"RIFF\0\0\0\0WAVEfmt ", "a recording", "transcribed"),
    "mp3": (b"ID3\x03\0\0", "a recording", "transcribed"),
    "mp4": (b"\0\0\0\x18ftypmp42", "a recording", "transcribed"),
    "kindle": (b"book\0" + b" " * 55 + b"BOOKMOBI", "an e-book (Kindle)", "EPUB"),
    "parquet": (b"PAR1\x15\0\x15", "a Parquet table", "--from parquet"),
    "sqlite": (b"SQLite format 3\0\x10\0", "an SQLite database", "JSON Lines"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_other_kinds_of_files_are_named(tmp_path: Path, kind: str, errors: str) -> None:
    data, name, remedy = KINDS[kind]
    path = tmp_path / "letter.txt"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        list(formats.read(path, errors=errors))
    assert name in str(caught.value)
    assert remedy in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_model_is_no_text(tiny_model: Path) -> None:
    with pytest.raises(FormatError, match=r"a model of Caesura.*-m MODEL"):
        list(formats.read(tiny_model, "text"))


@pytest.mark.parametrize(
    "text",
    ["BM is a school.", "GIF89a was new then.", "ID3 tags", "RIFF raff", "BZh", "PK and I", "OggS"],
)
def test_a_text_may_start_like_a_picture(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert next(formats.read(path)).text == text


def test_extensions_tell_kinds_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, said in (("a.pdf", "a PDF file"), ("b.DOCX", "a Word document"), ("c.zip", "a ZIP")):
        assert cli.run(["convert", str(tmp_path / name), "--to", "conllu"]) == 1
        assert f"{name}: this is {said}" in capsys.readouterr().err


# ------------------------------------------------------------------ UTF-16


@pytest.mark.parametrize("size", [1, 3, 7, 1 << 18])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_tells_the_encoding(encoding: str, size: int) -> None:
    data = ("\ufeff" + TEXT).encode(encoding)
    told: list[object] = []
    options = ReadOptions(warn=told.append, strict=True)
    found = blocks(io.BytesIO(data), options, size=size)
    assert "".join(text for text, _ in found) == TEXT
    assert told == []


def test_a_treebank_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes("\ufeff1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n".encode("utf-16-le"))
    assert next(formats.read(path)).text == "Ja"


def test_an_encoding_that_is_named_wins() -> None:
    data = b"\xff\xfea\0"
    (text, _), *_ = blocks(io.BytesIO(data), ReadOptions(encoding="latin-1", errors="replace"))
    assert text == "ÿþa\ufffd"


def test_half_a_character_of_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffa\nb".encode("utf-16-le") + b"\x62")
    with pytest.raises(FormatError, match=r"a.txt:2:2: byte 0x62 is not UTF-16-LE \(byte 8 of"):
        list(formats.read(path))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_suspected(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT.encode(encoding))
    with pytest.raises(FormatError, match=f"try --encoding {encoding}"):
        list(formats.read(path))
    assert next(formats.read(path, encoding=encoding)).text == TEXT
