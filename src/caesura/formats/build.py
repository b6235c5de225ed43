"""What several formats share: documents from lists of tokens, pieces, a text beside annotations.

Also what keeps a value a value: names, labels and comments come from anywhere, and whatever is in
them must not become a line or a column of what is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final

import numpy as np

from caesura.document import NO, YES, Document, Strings

#: What no value in a line of columns may hold; readers of text take a CR alone for a line end, too.
BLANKS: Final = re.compile(r"[\t\n\r]+")
#: Halves of characters, which UTF-8 cannot hold.
SURROGATES: Final = re.compile("[\\ud800-\\udfff]")


def one_line(text: str) -> str:
    """A value without tabs and line ends, each run of which becomes a space."""
    return BLANKS.sub(" ", text)


def encoded(text: str) -> bytes:
    """The bytes of a text; what no file may hold, NUL and lone surrogates, becomes U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return SURROGATES.sub("\ufffd", text).encode("utf-8")


def from_tokens(
    sentences: Sequence[Sequence[str]],
    *,
    strings: Strings | None = None,
    space: str = " ",
    gap: str = "\n",
    gaps: dict[int, str] | None = None,
    final: str = "",
) -> Document:
    """A document whose text is the tokens joined by `space` and the sentences by `gap`.

    `gaps` holds what stands before a sentence where it is not `gap`.
    """
    parts: list[str] = []
    starts: list[int] = []
    special = gaps or {}
    for number, sentence in enumerate(sentences):
        if parts:
            parts[-1] = special.get(number, gap)
        starts.append(len(parts) // 2)
        for token in sentence:
            parts += (token, space)
    if parts:
        parts[-1] = final
    lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    ends = np.cumsum(lengths)[0::2]
    doc = Document.from_spans("".join(parts), ends - lengths[0::2], ends, strings=strings)
    doc.sent_start = np.full(doc.n_tokens, NO, dtype=np.int8)
    doc.sent_start[starts] = YES
    return doc


def set_markup(doc: Document, spans: Iterable[tuple[int, int, str]]) -> None:
    """Give a document spans of mark-up with their labels."""
    rows = list(spans)
    doc.markup_start = np.array([begin for begin, _, _ in rows], dtype=np.int64)
    doc.markup_end = np.array([end for _, end, _ in rows], dtype=np.int64)
    doc.markup_label = doc.strings.ids([label for _, _, label in rows])


def set_turns(doc: Document, turns: Iterable[tuple[int, int, str, Any, Any, int]]) -> None:
    """Give a document turns: offsets, speaker, seconds from and to (NaN: unknown), kind."""
    rows = list(turns)
    doc.turn_start = np.array([row[0] for row in rows], dtype=np.int64)
    doc.turn_end = np.array([row[1] for row in rows], dtype=np.int64)
    doc.turn_speaker = doc.strings.ids([row[2] for row in rows])
    doc.turn_time = np.array([row[3:5] for row in rows], dtype=np.float64).reshape(-1, 2)
    kinds = np.array([row[5] for row in rows], dtype=np.int8)
    doc.turn_kind = kinds if kinds.any() else None


def in_pieces(documents: Iterable[Document], size: int) -> Iterator[Document]:
    """Cut documents between sentences into pieces of about so many tokens."""
    for doc in documents:
        bounds = doc.sentence_bounds.tolist()
        if doc.n_tokens <= size or len(bounds) <= 2:
            yield doc
            continue
        first = 0
        for end in bounds[1:]:
            if end - first >= size or end == doc.n_tokens:
                yield doc.cut(first, end)
                first = end


def with_next(documents: Iterable[Document]) -> Iterator[tuple[Document, Document | None]]:
    """Each document with the piece that continues it, if one does."""
    previous: Document | None = None
    for doc in documents:
        if previous is not None:
            yield previous, doc if doc.continues else None
        previous = doc
    if previous is not None:
        yield previous, None


def write_texts(documents: Iterable[Document], stream: BinaryIO) -> Iterator[tuple[Document, int]]:
    """Each document, with the offset of its text in the one text that is written meanwhile.

    A blank line stands between documents.
    """
    offset, last = 0, ""
    for doc in documents:
        if last and not doc.continues:
            gap = "\n" * max(0, 2 - len(last) + len(last.rstrip("\n")))
            stream.write(gap.encode())
            offset += len(gap)
        stream.write(encoded(doc.text))
        yield doc, offset
        offset += len(doc.text)
        last = doc.text or last
