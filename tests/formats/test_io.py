"""Files: compression, standard streams, and output that is never half written."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

import caesura.formats.io as files
from caesura import formats
from caesura.document import Document
from caesura.errors import MissingExtra
from caesura.formats.options import ReadOptions

SOURCE = "# newdoc\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"


@pytest.mark.parametrize("extension", ["", ".gz", ".xz", ".zst"])
def test_compression_is_transparent(tmp_path, extension):
    if extension == ".zst":
        pytest.importorskip("zstandard")
    plain = tmp_path / "a.conllu"
    plain.write_text(SOURCE)
    packed = tmp_path / f"b.conllu{extension}"
    formats.write(formats.read(plain), packed)
    assert [doc.text for doc in formats.read(packed)] == ["a"]
    assert extension == "" or packed.read_bytes() != plain.read_bytes()
    first = packed.read_bytes()
    formats.write(formats.read(plain), packed)
    assert packed.read_bytes() == first


def test_zst_without_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "a.conllu.zst"
    path.write_bytes(b"")
    with pytest.raises(MissingExtra, match=r"pip install \"caesura-nlp\[zstd\]\""):
        list(formats.read(path))


def test_several_members_of_a_gzip_file(tmp_path):
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(SOURCE.encode()) * 2)
    assert len(list(formats.read(path))) == 2


def test_standard_streams(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SOURCE.encode())))
    formats.write(formats.read("-", "conllu"), "-", "conllu")
    assert capsysbinary.readouterr().out.decode() == SOURCE


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_half_written(tmp_path, error):
    path = tmp_path / "a.conllu"
    path.write_text("before")

    def documents():
        yield Document.from_spans("a", [0], [1])
        raise error

    with pytest.raises(error):
        formats.write(documents(), path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_one_bad_sentence_leaves_no_output(tmp_path):
    source = tmp_path / "a.conllu"
    source.write_text(SOURCE + "1\ta\n\n")
    with pytest.raises(formats.io.FormatError):
        formats.write(formats.read(source), tmp_path / "b.conllu")
    assert not (tmp_path / "b.conllu").exists()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_blocks_of_any_size_give_the_same_text(size):
    source = "\ufeffé漢𝄞\r\nb\r\n\nlong line\rend"
    told = []
    options = ReadOptions(warn=told.append)
    found = list(files.blocks(io.BytesIO(source.encode()), options, size=size))
    assert "".join(text for text, _ in found) == "é漢𝄞\nb\n\nlong line\rend"
    assert all(text.endswith("\n") for text, _ in found[:-1])
    assert len(told) == 2
    kept = files.blocks(
        io.BytesIO(source.encode()), ReadOptions(), size=size, whole_lines=False, keep_crlf=True
    )
    assert "".join(text for text, _ in kept) == source[1:]


def test_format_is_told_by_the_extension():
    assert formats.format_of("a/b.CoNLLU.gz") == "conllu"
    assert formats.format_of("x.mrg") == "brackets"
    assert formats.format_of("x.srt.zst") == "transcript"
    assert formats.format_of("x", default="text") == "text"
    for name, known in formats.FORMATS.items():
        for extension in known.extensions:
            assert formats.format_of(f"x{extension}") == name


def test_readable_and_writable_formats():
    for name, known in formats.FORMATS.items():
        assert hasattr(known.code, f"read_{name}") == (name in formats.readable())
        assert hasattr(known.code, f"write_{name}") == (name in formats.writable())


def test_a_line_may_end_in_any_number_of_returns(tmp_path: Path) -> None:
    row = b"1\tShips\t_\t_\t_\t_\t0\troot\t_\t_"
    path = tmp_path / "cr.conllu"
    path.write_bytes(b"# a\r\r\n" + row + b"\r\n\r\n# the last\r")
    docs = list(formats.read(path))
    again = tmp_path / "again.conllu"
    formats.write(docs, again)
    assert b"\r" not in again.read_bytes()
    assert list(formats.read(again)) == docs
