"""Documents as arrays: word types, sentence and document bounds, label columns.

Python strings are touched once for each distinct string of a document, never for each word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.document import YES, Document
from caesura.layout import N_BREAKS, learned
from caesura.layout import START as LAYOUT_START
from caesura.layout import breaks as layout_breaks
from caesura.stages.tag_attributes import with_break
from caesura.stages.tagger_options import START

__all__ = ["Corpus", "column_values", "corpus_of", "distinct", "typed"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """Words of documents one after the other: their types, where sentences and documents begin.

    Type 0 is the edge of a text.
    """

    types: list[str]
    words: Ints
    sentences: Longs
    documents: Longs


def distinct(ids: Ints) -> tuple[Ints, NDArray[np.intp]]:
    """The distinct ids and, for each place, the number of its id among them."""
    if not len(ids):
        return ids, np.zeros(0, np.intp)
    if int(ids.max()) > 64 * len(ids):
        kinds, where = np.unique(ids, return_inverse=True)
        return kinds, where
    seen = np.zeros(int(ids.max()) + 1, np.int32)
    seen[ids] = 1
    kinds = np.flatnonzero(seen).astype(np.int32)
    seen[kinds] = np.arange(len(kinds), dtype=np.int32)
    return kinds, seen[ids].astype(np.intp)


def typed(doc: Document, breaks: bool) -> tuple[list[str], NDArray[np.intp]]:
    """The distinct types of the words of a document and which of them each is.

    With `breaks` words after gaps of which the layout says something are types of their own.
    """
    if not breaks:
        kinds, where = distinct(doc.form)
        return doc.strings.take(kinds), where
    codes = learned(layout_breaks(doc))[doc.word_token].astype(np.int64)
    codes[codes == LAYOUT_START] = 0
    codes[1:][doc.word_token[1:] == doc.word_token[:-1]] = 0
    pairs, where = np.unique(doc.form.astype(np.int64) * N_BREAKS + codes, return_inverse=True)
    forms = doc.strings.take((pairs // N_BREAKS).astype(np.int32))
    both = zip(forms, (pairs % N_BREAKS).tolist(), strict=True)
    return [with_break(form, code) if code else form for form, code in both], where


def corpus_of(docs: Sequence[Document], *, breaks: bool = False) -> Corpus:
    """Number the word types of documents; with `breaks` the layout tells them apart, too."""
    numbers: dict[str, int] = {}
    types = [""]
    words: list[Ints] = []
    sentences, documents = [np.zeros(1, np.int64)], [0]
    for doc in docs:
        kinds, where = typed(doc, breaks)
        own = np.empty(len(kinds), np.int32)
        for k, form in enumerate(kinds):
            number = numbers.get(form)
            if number is None:
                number = numbers[form] = len(types)
                types.append(form)
            own[k] = number
        words.append(own[where])
        if doc.n_words:
            starts = np.flatnonzero(doc.word_sent_start == YES)
            sentences.append(np.append(starts[1:], doc.n_words) + documents[-1])
        documents.append(documents[-1] + doc.n_words)
    joined = np.concatenate(words) if words else np.zeros(0, np.int32)
    return Corpus(types, joined, np.concatenate(sentences), np.array(documents, np.int64))


def column_values(docs: Iterable[Document], column: str, numbers: dict[str, int]) -> Ints:
    """A column of all words as numbers of its values; new values are added to `numbers`."""
    parts = []
    for doc in docs:
        if column == START:
            starts = doc.word_sent_start == YES
            yes, no = (numbers.setdefault(name, len(numbers)) for name in ("B", "I"))
            parts.append(np.where(starts, yes, no).astype(np.int32))
            continue
        kinds, where = distinct(getattr(doc, column))
        own = [numbers.setdefault(value, len(numbers)) for value in doc.strings.take(kinds)]
        parts.append(np.array(own, np.int32)[where] if own else np.zeros(0, np.int32))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)
