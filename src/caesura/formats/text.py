"""Plain text, and tokenised text with a sentence or a token a line.

A file of plain text is one document, its text unchanged. Paragraphs are separated by blank lines
(mode `blank`), or every line is one (mode `line`). A long file can be read in pieces, which are cut
between paragraphs where possible.

Tokenised text, mode `sentence`: tokens are separated by blanks; a blank line starts a paragraph,
two start a document. Mode `token`: a blank line ends a sentence, two end a document. The extension
`.vert` implies the second mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import BinaryIO, Final

import numpy as np

from caesura.document import Document, Strings
from caesura.errors import UsageError
from caesura.formats.build import encoded, from_tokens
from caesura.formats.io import blocks, lines, mode_of, whole_text
from caesura.formats.options import ReadOptions, WriteOptions

#: Characters for each requested token, and how far beyond to search for the end of a paragraph.
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
    # Blank lines at the end start nothing; without the limit each would be scanned many times.
    found = _STARTS[mode].finditer(text, 0, len(text.rstrip()))
    return np.array([match.end() for match in found], dtype=np.int64)


def read_text(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The text as one document, or as pieces of it."""
    mode = options.mode or "blank"
    if not options.pieces:
        text = whole_text(stream, options, keep_crlf=True)
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
    """The text in pieces of about the requested size."""
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


def write_text(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write texts one after the other, a blank line between documents."""
    last = ""
    for doc in documents:
        if last and not doc.continues:
            stream.write(b"\n" * max(0, 2 - len(last) + len(last.rstrip("\n"))))
        stream.write(encoded(doc.text))
        last = doc.text or last


def _by_line(options: ReadOptions | WriteOptions) -> bool:
    modes = ("sentence", "token")
    return mode_of(options, "tokens", modes, "sentence", {".vert": "token"}) == "sentence"


def read_tokens(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a tokenised file, or their pieces."""
    by_line = _by_line(options)
    gather = _Gatherer(options)
    blanks = 0
    for number, line in lines(stream, options):
        if not line.strip():
            blanks += 1
            gather.end_sentence()
            continue
        if blanks >= 2:
            yield from gather.finish()
        elif blanks and by_line:
            gather.paragraph = True
        yield from gather.full()
        blanks = 0
        if by_line:
            gather.sentence = [token for token in re.split(r"[ \t]+", line) if token]
            gather.end_sentence()
        else:
            if line != line.strip(" ") or "\t" in line:
                raise options.error(
                    f"the line {line!r} is not one token",
                    number,
                    remedy="Put one token on a line, or use the mode `sentence`.",
                )
            gather.sentence.append(line)
    gather.end_sentence()
    yield from gather.finish()


class _Gatherer:
    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.sentence: list[str] = []
        self.paragraph = False
        self.continues = False
        self._start()

    def _start(self) -> None:
        self.sentences: list[list[str]] = []
        self.paragraphs: list[int] = []
        self.size = 0

    def end_sentence(self) -> None:
        if self.sentence:
            if self.paragraph:
                self.paragraphs.append(len(self.sentences))
            self.paragraph = False
            self.sentences.append(self.sentence)
            self.size += len(self.sentence)
            self.sentence = []

    def full(self) -> Iterator[Document]:
        """A piece, if it is large enough; called when another sentence is known to follow."""
        if self.options.pieces and self.size >= self.options.pieces and not self.sentence:
            yield self._make("\n\n" if self.paragraph else "\n")
            self.continues = True

    def finish(self) -> Iterator[Document]:
        if self.sentences:
            yield self._make("")
        self.continues = self.paragraph = False

    def _make(self, final: str) -> Document:
        doc = from_tokens(
            self.sentences,
            strings=Strings(),
            space=" " if self.options.space else "",
            gaps=dict.fromkeys(self.paragraphs, "\n\n"),
            final=final,
        )
        if self.paragraphs:
            marked = self.paragraphs if self.continues else [0, *self.paragraphs]
            starts = doc.sentence_bounds[np.unique(marked)]
            doc.paragraph_start = doc.token_start[starts]
        doc.source, doc.continues = self.options.file, self.continues
        self._start()
        return doc


def write_tokens(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write surface tokens; blanks inside a token become `_`."""
    by_line = _by_line(options)
    begun = False
    for doc in documents:
        if not doc.n_tokens:
            continue
        paragraphs = doc.token_paragraph_start.tolist()
        out: list[str] = []
        if begun and not doc.continues:
            out.append("\n\n" if by_line else "\n")
        begun = True
        bounds = doc.sentence_bounds.tolist()
        starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
        for s, (first, last) in enumerate(pairwise(bounds)):
            tokens = [
                re.sub(r"\s+", "_", doc.text[starts[t] : ends[t]]) or "_"
                for t in range(first, last)
            ]
            if by_line:
                opens = paragraphs[first] and len(doc.paragraph_start) and s > 0
                opens = opens or (s == 0 and doc.continues and 0 in doc.paragraph_start.tolist())
                out.append(("\n" if opens else "") + " ".join(tokens) + "\n")
            else:
                out.append("\n".join(tokens) + "\n\n")
        stream.write(encoded("".join(out)))
