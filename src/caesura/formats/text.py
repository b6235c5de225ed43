"""Plain text: a file is one document, its text untouched.

Paragraphs are separated by blank lines (mode `blank`), or every line is one (mode `line`). A long
file can be read in pieces, which are cut between paragraphs where they can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import numpy as np

from caesura.document import Document
from caesura.errors import UsageError
from caesura.formats.build import encoded
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions, WriteOptions

__all__ = ["paragraph_starts", "read", "write"]

#: Characters for each token that was asked for, and how far beyond to look for a paragraph's end.
_CHARS: Final = 6
_PATIENCE: Final = 8
_STARTS: Final = {
    "blank": re.compile(r"(?:\A|\n[^\S\n]*\n)\s*(?=\S)"),
    "line": re.compile(r"(?:\A|\n)\s*(?=\S)"),
}


def paragraph_starts(text: str, mode: str = "blank") -> np.ndarray:
    """The offsets at which paragraphs start."""
    if mode not in _STARTS:
        raise UsageError(f"there is no mode {mode!r} of text", remedy="Modes are: blank, line.")
    # Blank lines at the end start nothing, and would be looked at again and again.
    found = _STARTS[mode].finditer(text, 0, len(text.rstrip()))
    return np.array([match.end() for match in found], dtype=np.int64)


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The text as one document, or as pieces of it."""
    mode = options.mode or "blank"
    if not options.pieces:
        text = "".join(text for text, _ in blocks(stream, options, keep_crlf=True))
        yield _document(text, mode, options)
        return
    continues, opens = False, True
    for text in _cut(stream, options):
        doc = _document(text, mode, options)
        if not opens:
            doc.paragraph_start = doc.paragraph_start[1:]
        doc.continues = continues
        continues, opens = True, _ends_paragraph(text, mode)
        yield doc
    if not continues:
        yield _document("", mode, options)


def _document(text: str, mode: str, options: ReadOptions) -> Document:
    return Document(text=text, source=options.file, paragraph_start=paragraph_starts(text, mode))


def _ends_paragraph(text: str, mode: str) -> bool:
    tail = text[len(text.rstrip()) :]
    return tail.count("\n") > (1 if mode == "blank" else 0)


def _cut(stream: BinaryIO, options: ReadOptions) -> Iterator[str]:
    """The text in pieces of about the size that was asked for."""
    size = max(1, options.pieces or 1) * _CHARS
    wait = ""
    for text, _ in blocks(stream, options, whole_lines=False, keep_crlf=True):
        wait += text
        begin = 0
        while len(wait) - begin > size * _PATIENCE:
            end = _cut_place(wait, begin, size)
            yield wait[begin:end]
            begin = end
        wait = wait[begin:]
    while wait:
        end = _cut_place(wait, 0, size) if len(wait) > size else len(wait)
        yield wait[:end]
        wait = wait[end:]


def _cut_place(text: str, begin: int, size: int) -> int:
    """Where a piece may end: after a blank line, else a line, else a space, else anywhere."""
    limit = begin + size * _PATIENCE
    for pattern in (r"\n[^\S\n]*\n\s*", r"\n\s*", r"\s+"):
        match = re.compile(pattern).search(text, begin + size, limit)
        if match and match.end() > begin:
            return match.end()
    return min(len(text), limit)


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write texts one after the other, a blank line between documents."""
    last = ""
    for doc in documents:
        if last and not doc.continues:
            stream.write(b"\n" * max(0, 2 - len(last) + len(last.rstrip("\n"))))
        stream.write(encoded(doc.text))
        last = doc.text or last
