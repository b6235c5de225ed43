"""Several documents as one, for what a network decides word by word.

The joined document has the columns of words and tokens that networks read, and nothing else. No
window and no paragraph spans two of the documents, so each gets what it gets alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura import layout
from caesura.document import Document

__all__ = ["groups", "joined", "parts"]

#: Words that are read together; their scores need 15 KB each.
_WORDS: Final = 4096


def groups(docs: Sequence[Document]) -> Iterator[list[Document]]:
    """Yield documents in order, those together that can be joined."""
    group: list[Document] = []
    size, kind = 0, None
    for doc in docs:
        own = _kind(doc)
        if group and (own is None or own != kind or size + doc.n_words > _WORDS):
            yield group
            group, size = [], 0
        group.append(doc)
        size += doc.n_words
        kind = own
    if group:
        yield group


def _kind(doc: Document) -> tuple[object, ...] | None:
    """What documents must have in common to be joined; None if a document stays alone."""
    if doc.fixed or not doc.n_words:
        return None
    spoken = doc.token_language
    languages = None if spoken is None else frozenset(spoken.tolist())
    return id(doc.strings), doc.start_evidence is None, languages


def joined(docs: Sequence[Document]) -> tuple[Document, NDArray[np.int64]]:
    """Return one document, and where the words of each begin in it (one more than documents)."""
    first = docs[0]
    bounds = np.cumsum([0, *(doc.n_words for doc in docs)], dtype=np.int64)
    if len(docs) == 1:
        return first, bounds
    # A code point between two texts keeps their tokens apart.
    offsets = np.cumsum([0, *(len(doc.text) + 1 for doc in docs)]).tolist()
    tokens = np.cumsum([0, *(doc.n_tokens for doc in docs)]).tolist()

    def moved(name: str, by: Sequence[int]) -> NDArray[Any]:
        return np.concatenate([getattr(doc, name) + n for doc, n in zip(docs, by, strict=False)])

    whole = Document(text="", strings=first.strings)
    whole.form = np.concatenate([doc.form for doc in docs])
    whole.word_token = moved("word_token", tokens)
    whole.token_start, whole.token_end = moved("token_start", offsets), moved("token_end", offsets)
    starts = np.concatenate([moved("paragraph_start", offsets), np.array(offsets[:-1])])
    whole.paragraph_start = np.sort(starts)
    whole.token_break = np.concatenate([layout.breaks(doc) for doc in docs])
    if first.start_evidence is not None:
        whole.start_evidence = np.concatenate([np.asarray(doc.start_evidence) for doc in docs])
    if first.token_language is not None:
        whole.token_language = np.concatenate([np.asarray(doc.token_language) for doc in docs])
    return whole, bounds


def parts(column: NDArray[np.generic], bounds: NDArray[np.int64]) -> Iterator[NDArray[np.generic]]:
    """Yield the values of each document, as copies: one that is kept must not keep all."""
    for first, last in pairwise(bounds.tolist()):
        yield column[first:last].copy()
