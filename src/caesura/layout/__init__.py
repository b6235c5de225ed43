"""What the layout of a text says about the gaps between its tokens.

`breaks` gives a code for the gap before each token of a document: the same line, wrapped prose, a
line of its own, a list item, a heading, a blank line and so on (`codes` has them all). The evidence
is local, eight lines and less than four thousand characters to each side, so that a text that comes
in blocks gets the codes of the whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.layout.codes import (
    BLANK,
    DOUBLE,
    FIELD,
    HEAD,
    INDENT,
    INSIDE,
    ITEM,
    LINE,
    N_BREAKS,
    NAMES,
    OPENED,
    PARAGRAPH,
    SAME,
    SHORT,
    START,
    TURN,
    VERSE,
    WIDE,
    WRAP,
)
from caesura.layout.reader import LayoutReader, layout_in

__all__ = ["BLANK", "DOUBLE", "FIELD", "HEAD", "INDENT", "ITEM", "LINE", "NAMES", "N_BREAKS"]
__all__ += [
    "INSIDE",
    "OPENED",
    "PARAGRAPH",
    "SAME",
    "SHORT",
    "START",
    "TURN",
    "VERSE",
    "WIDE",
    "WRAP",
]
__all__ += ["LayoutReader", "breaks", "learned"]


def breaks(doc: Document) -> NDArray[np.uint8]:
    """A code for the gap before each token, which a document keeps once it is known."""
    known = doc.token_break
    if known is None or len(known) != doc.n_tokens:
        known = doc.token_break = layout_in(doc)
    return known


def learned(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The codes as models learn from them: to them wrapped prose is what it was before."""
    return np.where((codes >= OPENED) | (codes == WRAP), SAME, codes).astype(np.uint8)
