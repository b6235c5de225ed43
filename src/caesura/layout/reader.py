"""A code for the gap before each token of a text, which may come in blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document, Longs
from caesura.document.characters import classes_of, code_points

__all__ = ["LayoutReader", "layout_in"]

Codes = NDArray[np.uint8]


class LayoutReader:
    """The codes of a text that comes in blocks: characters in, then the codes of its tokens."""

    def __init__(self, paragraphs: Longs | None = None) -> None:
        """A document may state at which offsets `paragraphs` start."""
        given = np.zeros(0, np.int64) if paragraphs is None else paragraphs
        self._reader = _core.LayoutReader(given)

    def feed(self, codes: NDArray[np.uint32], *, last: bool = False) -> None:
        """Take the next characters, as code points."""
        self._reader.feed(classes_of(codes), codes, last)

    def take(self, begins: Longs, ends: Longs) -> Codes:
        """The codes of the next tokens, as far as enough of the text is known.

        Tokens without one are given again with the next call.
        """
        return self._reader.take(begins, ends)


def layout_in(doc: Document) -> Codes:
    """The codes of the tokens of a document, from its text and its paragraphs."""
    codes = code_points(doc.text)
    # Offsets that a caller set may be columns of a wider array.
    columns = (doc.token_start, doc.token_end, doc.paragraph_start)
    begins, ends, paragraphs = (np.ascontiguousarray(column, np.int64) for column in columns)
    return _core.layout_of(classes_of(codes), codes, begins, ends, paragraphs)
