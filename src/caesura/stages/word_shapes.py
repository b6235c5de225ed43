"""The shapes of words, and whether a text was edited: whether it has capitals and punctuation.

Scorers are surer of boundaries in edited text than in transcripts, so that a bias is worth more
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.document.slicing import runs

__all__ = [
    "SHAPES",
    "edited_tokens",
    "edited_words",
    "edited_words_of",
    "is_edited",
    "shape",
    "shapes_of",
]

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
_EDITED: Final = np.isin(np.arange(len(SHAPES)), (2, 3, 4, 5, 8, 9, 10, 11, 12))
_FEW: Final = 0.01
#: Words of a paragraph that is judged by itself.
_ALONE: Final = 12
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


def shapes_of(docs: Sequence[Document]) -> NDArray[np.int64]:
    """The shape of each word of documents, one behind another."""
    found = [np.zeros(0, np.int64)]
    for run in runs(docs):
        forms, strings = np.concatenate([doc.form for doc in run]), run[0].strings
        if len(forms) < len(strings):  # as of short texts that share their strings with many others
            shapes = map(_shapes.__getitem__, strings.take(forms))
            found.append(np.fromiter(shapes, np.int64, len(forms)))
            continue
        numbers = np.full(len(strings), -1)
        numbers[forms] = 0
        kinds = np.flatnonzero(numbers == 0)
        numbers[kinds] = list(map(_shapes.__getitem__, strings.take(kinds.astype(np.int32))))
        found.append(numbers[forms])
    return np.concatenate(found)


def is_edited(doc: Document) -> bool:
    """Whether a text has capitals and punctuation to speak of, as a transcript has not."""
    return bool(_enough(_EDITED[shapes_of([doc])].sum(), doc.n_words))


def edited_words(
    doc: Document, *, breaks: bool = True, bounds: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Which words are of text with capitals and punctuation, paragraph by paragraph.

    A short paragraph (a heading, a line of a list) is as the whole document is; without `breaks`
    all words are. `bounds` are those of the documents that were joined to this one, in words.
    """
    own = _EDITED[shapes_of([doc])]
    found = _edited_texts(own, np.diff([0, len(own)] if bounds is None else bounds))
    if not breaks or not len(own) or (bounds is None and _is_one_paragraph(doc)):
        return found
    return _edited_paragraphs(doc, own, found)


def edited_words_of(docs: Sequence[Document], *, breaks: bool = True) -> NDArray[np.bool_]:
    """The same of documents, one behind another."""
    own = _EDITED[shapes_of(docs)]
    sizes = np.array([doc.n_words for doc in docs])
    found = _edited_texts(own, sizes)
    for doc, end in zip(docs, np.cumsum(sizes).tolist(), strict=True):
        if breaks and doc.n_words and not _is_one_paragraph(doc):
            words = slice(end - doc.n_words, end)
            found[words] = _edited_paragraphs(doc, own[words], found[words])
    return found


def _is_one_paragraph(doc: Document) -> bool:
    starts = doc.paragraph_start
    return not len(starts) or bool(starts[-1] <= doc.token_start[:1].sum())


def _edited_texts(own: NDArray[np.bool_], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The same of texts of these sizes as wholes."""
    marks = np.concatenate([[0], np.cumsum(own)])[np.concatenate([[0], np.cumsum(sizes)])]
    found: NDArray[np.bool_] = np.repeat(_enough(np.diff(marks), sizes), sizes)
    return found


def _edited_paragraphs(
    doc: Document, own: NDArray[np.bool_], whole: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    first = np.ones(len(own), bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    begins = np.flatnonzero(first & doc.token_paragraph_start[doc.word_token])
    if not len(begins) or begins[0]:
        begins = np.concatenate([[0], begins])
    sizes = np.diff(begins, append=len(own))
    edited = _enough(np.add.reduceat(own, begins, dtype=np.int64), sizes)
    return np.where(np.repeat(sizes < _ALONE, sizes), whole, np.repeat(edited, sizes))


def edited_tokens(doc: Document) -> NDArray[np.bool_]:
    """The same of tokens."""
    found = np.ones(doc.n_tokens, bool)
    found[doc.word_token[::-1]] = edited_words(doc)[::-1]
    return found


def _enough(marks: Any, words: Any) -> Any:
    return marks > _FEW * words
