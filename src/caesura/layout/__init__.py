"""What the layout of a text says about the gaps between its tokens.

`breaks` gives a code for the gap before each token of a document: the same line, wrapped prose, a
line of its own, a list item, a heading, a blank line and so on (`codes` has them all). The evidence
is local, eight lines and less than four thousand characters to each side, so that a text that comes
in blocks gets the codes of the whole. The kernels import numba and are loaded when they are used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from caesura.layout.reader import LayoutReader, layout_of

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
__all__ += ["LayoutReader", "breaks", "layout_of", "learned", "warmup"]

_HOMES = {"LayoutReader": "reader", "layout_of": "reader"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def breaks(doc: Document) -> NDArray[np.uint8]:
    """A code for the gap before each token, which a document keeps once it is known."""
    known = doc.token_break
    if known is None or len(known) != doc.n_tokens:
        reader = importlib.import_module(f"{__name__}.reader")
        known = doc.token_break = reader.layout_in(doc)
    return known


def learned(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The codes as models learn from them: to them wrapped prose is what it was before."""
    return np.where((codes >= OPENED) | (codes == WRAP), SAME, codes).astype(np.uint8)


def warmup() -> None:
    """Compile the kernels."""
    from caesura.document.characters import code_points
    from caesura.layout.reader import LayoutReader

    doc = Document.from_spans("Warm\n- up", [0, 5, 7], [4, 6, 9])
    breaks(doc)
    reader = LayoutReader()
    reader.feed(code_points(doc.text[:3]))
    reader.feed(code_points(doc.text[3:]), last=True)
    reader.take(doc.token_start, doc.token_end)
