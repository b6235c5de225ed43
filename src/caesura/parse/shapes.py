"""The shapes of words, and whether a text was edited: whether it has capitals and punctuation.

Scorers are surer of boundaries in edited text than in transcripts, so that a bias is worth more
there.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document

__all__ = ["SHAPES", "is_edited", "looks_edited", "shape", "shapes_of"]

#: Word shapes; 0 is kept for "not to be seen" (text without case and punctuation).
SHAPES: Final = (
    "unseen",
    "lower",
    "Title",
    "UPPER",
    "mIxed",
    "X",
    "digits",
    "d1gits",
    ".",
    ",",
    "!?",
    "quote",
    "bracket",
    "dash",
    "symbol",
    "other",
)
_MARKS: Final = (
    dict.fromkeys((".", "...", "…"), 8)
    | dict.fromkeys((",", ";", ":"), 9)
    | dict.fromkeys(("!", "?"), 10)
    | dict.fromkeys(("'", '"', "``", "''", "“", "”", "‘", "’", "«", "»"), 11)
    | dict.fromkeys("()[]{}<>", 12)
    | dict.fromkeys(("-", "--", "–", "—"), 13)
)


#: Shapes that an unedited text does not have, and the share of them that makes no difference.
_EDITED: Final = (2, 3, 4, 5, 8, 9, 10, 11, 12)
_FEW: Final = 0.01
_MOST_KEPT: Final = 1 << 15


def shape(form: str) -> int:
    """The number of a word's shape in SHAPES."""
    known = _MARKS.get(form)
    if known is not None:
        return known
    if form.isalpha():
        if form.islower():
            return 1
        if len(form) == 1:
            return 5
        if form.isupper():
            return 3
        return 2 if form[1:].islower() else 4
    if form.isdigit():
        return 6
    if any(c.isdigit() for c in form):
        return 7
    if any(c.isalpha() for c in form):
        return 2 if form[0].isupper() else 1
    return 10 if form[0] in "!?" else (14 if not form[0].isspace() else 15)


class _Shapes(dict[str, int]):
    """The shapes of words that were met, as most words of a text are old friends; bounded."""

    def __missing__(self, form: str) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        number = self[form] = shape(form or " ")
        return number


_shapes: Final = _Shapes()


def shapes_of(doc: Document) -> NDArray[np.int64]:
    """The shape of each word of a document."""
    kinds, where = np.unique(doc.form, return_inverse=True)
    found = list(map(_shapes.__getitem__, doc.strings.take(kinds)))
    return np.array(found, np.int64)[where]


def looks_edited(shapes: NDArray[np.int64]) -> bool:
    """Whether words of these shapes are of a text with capitals and punctuation to speak of."""
    return bool(np.isin(shapes, _EDITED).sum() > _FEW * len(shapes))


def is_edited(doc: Document) -> bool:
    """Whether a text has capitals and punctuation, as a transcript has not."""
    return looks_edited(shapes_of(doc))
