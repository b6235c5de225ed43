"""What the layout of a text says about the gaps between its tokens: a code for each gap.

`breaks` gives a code for the gap before each token of a document: the same line, wrapped prose, a
line of its own, a list item, a heading, a blank line, the end of a sentence by its mark and so on.
The evidence is local, eight lines and less than four thousand characters to each side, so that a
text that comes in blocks gets the codes of the whole. A code says what the layout shows and the
words next to the gap do not; whether a sentence starts there is for learners to decide, save after
blank lines and sure marks.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document, Longs
from caesura.document.characters import classes_of, code_points

__all__ = [
    "BLANK", "DOUBLE", "FIELD", "HEAD", "INDENT", "INSIDE", "ITEM", "LINE", "NAMES", "N_BREAKS",
    "ODDS", "OPENED", "PARAGRAPH", "SAME", "SHORT", "START", "TURN", "VERSE", "WIDE", "WRAP",
    "Codes", "LayoutReader", "breaks", "layout_in", "learned",
]  # fmt: skip

Codes = NDArray[np.uint8]

(
    SAME,  # on the line of the token before, with a blank or without
    START,  # the first token of the text
    WRAP,  # wrapped prose: the word would not have fitted on the line before
    SHORT,  # wrapped prose, after a line on which the word would have fitted
    LINE,  # a block whose lines stand for themselves: chat, addresses, lists without marks
    ITEM,  # before a bullet, a number or a dash that opens a list item
    INDENT,  # more or less indented than the line before, or next to a rule or underline
    BLANK,  # after a blank line, or where the document says that a paragraph starts
    DOUBLE,  # after a blank line of double-spaced prose
    HEAD,  # before or after a line like a heading: title case or capitals, short, no final mark
    WIDE,  # on the same line after a tab or a wide gap, as in tables
    TURN,  # another speaker begins
    FIELD,  # before a label such as `Subject:` or `anna:`, next to other lines with labels
    PARAGRAPH,  # next to a line that is longer than lines are wrapped: a paragraph a line
    VERSE,  # a block whose lines stand for themselves, with commas at the ends of many
    OPENED,  # right behind what opens a line: a list mark, `Q1.`, `>`, or inside or behind a label
    INSIDE,  # inside a line of a block whose lines stand for themselves
    ENDED,  # behind a mark that surely ends a sentence in its script, with a blank or without
    GOES_ON,  # behind a mark where the sentence surely goes on: `"Great!" Tom said`
) = range(19)

#: The names of the codes, by number.
NAMES: Final = (
    "same line",
    "start of text",
    "wrapped",
    "short line",
    "line",
    "list item",
    "indentation",
    "blank line",
    "double-spaced",
    "heading",
    "wide gap",
    "turn",
    "field",
    "paragraph a line",
    "verse",
    "behind a mark",
    "inside a line",
    "behind a final mark",
    "behind an inner mark",
)
#: How many codes there are for models to learn from; to them the last four are the same line.
#: Behind what opens a line no sentence starts, and few inside of lines that stand for themselves.
#: Behind a final mark one starts, behind an inner one none does: see `core/layout/ended.cpp`.
N_BREAKS: Final = OPENED

#: What the layout says for a boundary, by its code: about the logarithm of the odds that one is
#: there, in re-laid copies of treebanks. Models see the codes too, and trust them too little where
#: the words are unlike those of the copies: addresses, tables, lists of single words.
ODDS: Final[dict[int, float]] = {
    ITEM: 7.0,
    PARAGRAPH: 7.0,
    SHORT: 4.0,
    LINE: 3.0,
    HEAD: 2.0,
    FIELD: 2.0,
    INDENT: 2.0,
    INSIDE: -1.0,
}


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


def breaks(doc: Document) -> NDArray[np.uint8]:
    """A code for the gap before each token, which a document keeps once it is known."""
    known = doc.token_break
    if known is None or len(known) != doc.n_tokens:
        known = doc.token_break = layout_in(doc)
    return known


def learned(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The codes as models learn from them: to them wrapped prose is what it was before."""
    return np.where((codes >= OPENED) | (codes == WRAP), SAME, codes).astype(np.uint8)
