"""One side of a comparison: all documents of a file as one run of columns.

Gold and system need not agree on where documents begin, so they are compared as whole files, as
the CoNLL 2018 scorer does. The characters of the tokens, white space left out, are the coordinates:
a token is a half-open span of them. Strings of both sides are ids of one common table, so that
comparing two columns is comparing two arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import NO, UNKNOWN, WORD_STRINGS, YES, Document, Strings

__all__ = ["Side", "flatten", "mapped", "spaceless"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: The code points of category Zs, and the line breaks and tabs that no token contains.
SPACES = np.array(
    [9, 10, 13, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000],
    dtype=np.uint32,
)


@dataclass
class Side:
    """Columns of all documents, one after the other; heads and tokens are numbered throughout."""

    docs: Sequence[Document]
    strings: Strings
    #: The texts of all documents, one after the other.
    text: str
    #: The characters of the tokens without spaces, and their offsets in `text`.
    chars: NDArray[np.uint32]
    char_at: Longs
    #: Spans of the tokens, in the coordinates of the comparison.
    token_start: Longs
    token_end: Longs
    #: Tokens that start a sentence; documents, sentences and words by token or word number.
    sent_first: Longs
    doc_first_token: Longs
    doc_first_word: Longs
    doc_first_char: Longs
    #: Offsets of the documents in `text`, and its length at the end.
    doc_at: Longs
    word_token: Ints
    multi: Flags
    head: Ints
    form: Ints
    lemma: Ints
    upos: Ints
    xpos: Ints
    feats: Ints
    deprel: Ints
    deps: Ints
    misc: Ints
    #: Tokens of which too few characters were found in the text of the comparison.
    lost: Flags
    #: What tells tokens apart whose spans do not: aligned ones have the same; 0 for all others.
    turn: Longs

    @property
    def n_tokens(self) -> int:
        return len(self.token_start)

    @property
    def n_words(self) -> int:
        return len(self.word_token)

    @property
    def n_sentences(self) -> int:
        return len(self.sent_first)

    @property
    def sent_bounds(self) -> Longs:
        """Tokens at which sentences start, and the number of tokens at the end."""
        return np.append(self.sent_first, self.n_tokens)

    @property
    def sent_spans(self) -> tuple[Longs, Longs]:
        """From the first character of the first token to the last of the last."""
        if not self.n_tokens:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing
        bounds = self.sent_bounds
        return self.token_start[bounds[:-1]], self.token_end[bounds[1:] - 1]

    @property
    def word_start(self) -> Longs:
        return self.token_start[self.word_token]

    @property
    def word_end(self) -> Longs:
        return self.token_end[self.word_token]

    @property
    def word_turn(self) -> Longs:
        return self.turn[self.word_token]

    @property
    def odd_tokens(self) -> Flags:
        """Tokens whose span does not tell which they are: of no width, or shared with another."""
        odd = self.token_start == self.token_end
        if self.n_tokens > 1:
            start, end = self.token_start, self.token_end
            shared = (start[1:] == start[:-1]) & (end[1:] == end[:-1])
            odd[1:] |= shared
            odd[:-1] |= shared
        return np.asarray(odd, dtype=bool)

    @property
    def token_sentence(self) -> Longs:
        """The sentence number of each token."""
        marks = np.zeros(self.n_tokens, dtype=np.int64)
        marks[self.sent_first] = 1
        return np.cumsum(marks) - 1

    @property
    def first_word(self) -> Longs:
        """The first word of each token, and the number of words at the end."""
        return np.searchsorted(self.word_token, np.arange(self.n_tokens + 1)).astype(np.int64)

    @property
    def sent_first_word(self) -> Longs:
        """The first word of each sentence, and the number of words at the end."""
        return np.searchsorted(self.word_token, self.sent_bounds).astype(np.int64)

    def known(self, column: str) -> bool:
        """Whether any word has a value in the column."""
        if column == "head":
            return bool(np.any(self.head != UNKNOWN))
        return bool(np.any(getattr(self, column)))


def spaceless(text: str) -> tuple[NDArray[np.uint32], Flags]:
    """The code points of a text, and which of them are not white space."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return points, ~np.isin(points, SPACES)


def mapped(strings: Strings, ids: NDArray[Any], change: Callable[[str], str]) -> Longs:
    """A column with every string changed; one change for each distinct string."""
    used = np.flatnonzero(np.bincount(ids, minlength=1))
    table = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int64)
    table[used] = strings.ids(change(strings[number]) for number in used.tolist())
    return np.asarray(table[ids], dtype=np.int64)


def _runs(sizes: Iterable[int]) -> Longs:
    """Where runs of these sizes start, and where the last one ends."""
    found = np.fromiter(sizes, dtype=np.int64)
    return np.concatenate(([0], np.cumsum(found))).astype(np.int64)


def _joined(columns: list[NDArray[np.generic]], dtype: type) -> NDArray[np.generic]:
    return np.concatenate(columns) if columns else np.zeros(0, dtype=dtype)


def flatten(docs: Sequence[Document], strings: Strings) -> Side:
    """One side of a comparison, its strings interned in a common table."""
    doc_at = _runs(len(doc.text) for doc in docs)
    first_token = _runs(doc.n_tokens for doc in docs)
    first_word = _runs(doc.n_words for doc in docs)
    text = "".join(doc.text for doc in docs)

    def shifted(arrays: list[NDArray[Any]], by: Longs, sizes: Longs) -> Longs:
        joined = _joined(list(arrays), np.int64)
        return (joined + np.repeat(by[:-1], np.diff(sizes))).astype(np.int64)

    start = shifted([doc.token_start for doc in docs], doc_at, first_token)
    end = shifted([doc.token_end for doc in docs], doc_at, first_token)
    points, kept = spaceless(text)
    inside = np.bincount(start, minlength=len(text) + 1).astype(np.int64)
    inside -= np.bincount(end, minlength=len(text) + 1)
    kept = kept & (np.cumsum(inside)[:-1] > 0)
    before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)

    head = _joined([doc.head for doc in docs], np.int32).astype(np.int64)
    head[head >= 0] += np.repeat(first_word[:-1], np.diff(first_word))[head >= 0]
    word_token = shifted([doc.word_token for doc in docs], first_token, first_word)
    sizes = np.bincount(word_token, minlength=int(first_token[-1]))

    marks = _joined([doc.sent_start for doc in docs], np.int8) == YES
    for number, doc in enumerate(docs):
        if doc.n_tokens and not (doc.continues and doc.sent_start[0] == NO):
            marks[first_token[number]] = True

    return Side(
        docs=docs,
        strings=strings,
        text=text,
        chars=points[kept],
        char_at=np.flatnonzero(kept).astype(np.int64),
        token_start=before[start],
        token_end=before[end],
        sent_first=np.flatnonzero(marks).astype(np.int64),
        doc_first_token=first_token,
        doc_first_word=first_word,
        doc_first_char=before[doc_at],
        doc_at=doc_at,
        word_token=word_token.astype(np.int32),
        multi=(sizes > 1)[word_token] if len(word_token) else np.zeros(0, dtype=bool),
        head=head.astype(np.int32),
        lost=np.zeros(int(first_token[-1]), dtype=bool),
        turn=np.zeros(int(first_token[-1]), dtype=np.int64),
        **_columns(docs, strings),
    )


def _columns(docs: Sequence[Document], strings: Strings) -> dict[str, Ints]:
    """The string columns, with the ids of the common table."""
    tables: dict[int, Ints] = {}
    for doc in docs:
        if id(doc.strings) not in tables:
            tables[id(doc.strings)] = strings.ids(doc.strings)
    columns: dict[str, Ints] = {}
    for name in WORD_STRINGS:
        parts = [tables[id(doc.strings)][getattr(doc, name)] for doc in docs]
        columns[name] = _joined(list(parts), np.int32).astype(np.int32)
    return columns
