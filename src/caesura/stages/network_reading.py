"""Documents as the input of a network: word features, windows, and documents read together.

A network reads the sub-words of a window and three features of each word. Windows overlap, and each
word takes its scores from the window in whose middle it lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura import layout
from caesura.document import Document
from caesura.stages.word_table import SHAPES, edited_words, shapes_of

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

#: How many values each feature of a word has; 0 of each adds nothing to the word.
FEATURE_SIZES: Final = (len(SHAPES), 3, 16)
#: The limit of the tokeniser's probabilities.
_SURE: Final = 0.002
#: Words of documents that are read together; their scores need 15 KB each.
_WORDS: Final = 4096


# ------------------------------------------------------------------------ features


def word_features(doc: Document, seen: bool | None = None, bounds: Ints | None = None) -> Ints:
    """Shape, space before and line break before each word; `bounds` as in `edited_words`.

    Shapes and spaces are 0 where they are hidden: by default in paragraphs with hardly any capitals
    and punctuation, where they differ from all that the network was trained on.
    """
    features = np.zeros((doc.n_words, len(FEATURE_SIZES)), dtype=np.int64)
    if not doc.n_words:
        return features
    features[:, 2] = layout_codes(doc)
    if seen is False:
        return features
    edited = np.ones(doc.n_words, bool) if seen else edited_words(doc, bounds=bounds)
    spaced = np.ones(doc.n_tokens, dtype=bool)
    spaced[1:] = doc.token_start[1:] > doc.token_end[:-1]
    features[:, 0] = np.where(edited, shapes_of([doc]), 0)
    features[:, 1] = np.where(edited, np.where(_first(doc) & spaced[doc.word_token], 1, 2), 0)
    return features


def paragraph_features(doc: Document, bounds: Ints | None = None) -> Ints:
    """Shape, space before and paragraph start: the features of older networks."""
    features = word_features(doc, bounds=bounds)
    starts = _first(doc) & doc.token_paragraph_start[doc.word_token]
    features[:, 2] = np.where(features[:, 0] > 0, np.where(starts, 1, 2), 0)
    return features


def layout_codes(doc: Document, *, raw: bool = False) -> Ints:
    """The layout code before each word; `SAME` within a token and at the start of a text.

    All codes with `raw`, otherwise those that are learned from.
    """
    known = layout.breaks(doc)
    codes = (known if raw else layout.learned(known))[doc.word_token]
    return np.where(_first(doc) & (codes != layout.START), codes, layout.SAME).astype(np.int64)


def evidence_odds(doc: Document) -> Floats:
    """The log-odds of the tokeniser's evidence for a start before each word; 0 within tokens."""
    evidence = np.asarray(doc.start_evidence, np.float32).clip(_SURE, 1 - _SURE)
    odds = np.log(evidence / (1 - evidence))[doc.word_token]
    found: Floats = np.where(_first(doc), odds, 0)
    return found


def _first(doc: Document) -> NDArray[np.bool_]:
    """Whether each word is the first of its token."""
    first = np.ones(doc.n_words, dtype=bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    return first


# ------------------------------------------------------------------------- windows


class Window(NamedTuple):
    """Words first..last-1 are read; the scores of keep_first..keep_last-1 are used."""

    first: int
    last: int
    keep_first: int
    keep_last: int


def overlapping(
    pointer: Ints, begin: int, end: int, limit: int, overlap: int, breaks: Ints | None = None
) -> list[Window]:
    """Words begin..end-1 in windows of at most `limit` sub-words that share about `overlap`.

    A window of half the limit or more ends at the last of the `breaks` in it (words before which a
    paragraph starts), if there is one, and shares nothing with the next.
    """
    windows: list[Window] = []
    at = keep = begin
    while keep < end:
        to = _last_word(pointer, at, limit)
        if to <= keep:  # the shared words leave too little space for a long word
            at = keep
            to = _last_word(pointer, at, limit)
        to = min(max(to, keep + 1), end)
        if to == end:
            windows.append(Window(at, to, keep, end))
            break
        before = 0 if breaks is None else int(np.searchsorted(breaks, to, side="right"))
        cut = int(breaks[before - 1]) if breaks is not None and before else -1
        if cut > keep and pointer[cut] - pointer[at] >= limit // 2:
            windows.append(Window(at, cut, keep, cut))
            at = keep = cut
            continue
        # The next window starts `overlap` sub-words before the end of this one. Each keeps half of
        # the shared words.
        back = int(np.searchsorted(pointer, pointer[to] - overlap))
        back = min(max(back, at + 1), to)
        turn = max((back + to) // 2, keep + 1)
        windows.append(Window(at, to, keep, turn))
        at, keep = min(back, turn), turn
    return windows


def _last_word(pointer: Ints, first: int, limit: int) -> int:
    """The end of the words from `first` on that have at most `limit` sub-words."""
    return int(np.searchsorted(pointer, pointer[first] + limit, side="right")) - 1


# -------------------------------------------------------------- several documents


def groups(docs: Sequence[Document]) -> Iterator[list[Document]]:
    """Yield documents in order, together where they can be joined."""
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


def joined(docs: Sequence[Document]) -> tuple[Document, Ints]:
    """One document, and the first word of each in it (one more than documents).

    It has only the columns that networks read. No window and no paragraph spans two documents, so
    each gets the scores that it gets alone.
    """
    first = docs[0]
    bounds = np.cumsum([0, *(doc.n_words for doc in docs)], dtype=np.int64)
    if len(docs) == 1:
        return first, bounds
    # A code point between two texts keeps their tokens apart.
    offsets = np.cumsum([0, *(len(doc.text) + 1 for doc in docs)]).tolist()
    tokens = np.cumsum([0, *(doc.n_tokens for doc in docs)]).tolist()

    def column(name: str, by: Sequence[int] = ()) -> NDArray[Any]:
        moves = by or [0] * len(docs)
        return np.concatenate([getattr(doc, name) + n for doc, n in zip(docs, moves, strict=False)])

    whole = Document(text="", strings=first.strings)
    whole.form, whole.word_token = column("form"), column("word_token", tokens)
    whole.token_start, whole.token_end = (
        column("token_start", offsets),
        column("token_end", offsets),
    )
    starts = np.concatenate([column("paragraph_start", offsets), np.array(offsets[:-1])])
    whole.paragraph_start = np.sort(starts)
    whole.token_break = np.concatenate([layout.breaks(doc) for doc in docs])
    if first.start_evidence is not None:
        whole.start_evidence = column("start_evidence")
    if first.token_language is not None:
        whole.token_language = column("token_language")
    return whole, bounds


def split_column(column: NDArray[Any], bounds: Ints) -> Iterator[NDArray[Any]]:
    """Yield the values of each document, as copies, which do not keep the whole column alive."""
    for first, last in pairwise(bounds.tolist()):
        yield column[first:last].copy()
