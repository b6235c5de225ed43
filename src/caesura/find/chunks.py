"""Chunks of bounded length: the longest that end at a sentence, a clause, a phrase or a word.

Every gap between tokens has a rank. A chunk takes tokens up to the limit and ends at the last gap
of the highest rank among those that it reaches. Chunks never contain a change of speaker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple
from unicodedata import category

import numpy as np

from caesura.document import Document, token_turn
from caesura.errors import UsageError
from caesura.find.clauses import Tree, clauses

__all__ = ["Chunk", "Chunker", "Limit"]

#: The ranks of gaps: inside of what is written together, between words, phrases and so on.
TOGETHER, WORD, PHRASE, CLAUSE, SENTENCE, TURN = range(6)
#: Relations of phrases.
_PHRASES: Final = frozenset(
    ("nsubj", "obj", "iobj", "obl", "nmod", "conj", "appos", "xcomp", "vocative", "dislocated")
)
_CLOSING: Final = ("Pe", "Pf", "Po", "Pd")


class Chunk(NamedTuple):
    """Start, end and text of a chunk; `text[start:end]` of the whole text is its text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a chunk may be, in characters or in tokens, and how much of it the next repeats."""

    size: int
    overlap: int = 0
    words: bool = False

    @classmethod
    def of(cls, chars: int | None, words: int | None, overlap: int = 0) -> Limit:
        """The limit that options give."""
        if chars is not None and words is not None:
            raise UsageError("a limit is in characters or in words, not both")
        size = chars if chars is not None else words
        if size is None:
            raise UsageError("an overlap needs a limit", remedy="Give the most characters, too.")
        if size < 1 or not 0 <= overlap < size:
            raise UsageError("a limit is at least 1, and an overlap is smaller than it")
        return cls(size, overlap, words is not None)


class Chunker:
    """The chunks of a text that comes in pieces; no more than a chunk and a piece is held."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._text = ""
        #: Where `_text` begins in the whole text, and how long that is so far.
        self._base = self._length = 0
        #: Of the tokens that are held: places in the whole text, and the rank of the gap before.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._ranks: list[int] = []
        #: The first token of the next chunk that no chunk has yet.
        self._next = 0

    def add(self, piece: Document) -> Iterator[Chunk]:
        """The chunks that are complete with another piece."""
        self._starts += (piece.token_start + self._length).tolist()
        self._ends += (piece.token_end + self._length).tolist()
        self._ranks += ranks(piece)
        self._text += piece.text
        self._length += len(piece.text)
        yield from self._chunks(last=False)

    def finish(self) -> Iterator[Chunk]:
        """The chunks that are left at the end of the text."""
        yield from self._chunks(last=True)

    def _chunks(self, *, last: bool) -> Iterator[Chunk]:
        first = 0
        while self._next < len(self._starts):
            begin = self._begin(first)
            end = self._next + 1
            while end < len(self._starts) and self._ranks[end] < TURN and self._fits(begin, end):
                end += 1
            if end == len(self._starts):
                if not last:
                    break
            elif self._ranks[end] < TURN:
                # The highest rank, and the last gap that has it.
                end = max(range(self._next + 1, end + 1), key=lambda gap: (self._ranks[gap], gap))
            start, stop = self._starts[begin], self._ends[end - 1]
            yield Chunk(start, stop, self._text[start - self._base : stop - self._base])
            first, self._next = begin, end
        self._forget(self._begin(first) if self._next < len(self._starts) else self._next)

    def _begin(self, first: int) -> int:
        """The first token of the next chunk: tokens before it are repeated as far as allowed."""
        begin = token = self._next
        while self.limit.overlap and token > first and self._ranks[token] < TURN:
            token -= 1
            repeats = self._size(token, self._next - 1) <= self.limit.overlap
            if not repeats or not self._fits(token, self._next):
                break
            if self._ranks[token] > TOGETHER:
                begin = token
        return begin

    def _fits(self, begin: int, token: int) -> bool:
        return self._size(begin, token) <= self.limit.size

    def _size(self, begin: int, token: int) -> int:
        if self.limit.words:
            return token - begin + 1
        return self._ends[token] - self._starts[begin]

    def _forget(self, tokens: int) -> None:
        """Drop the tokens, and their text, that no further chunk has."""
        base = self._starts[tokens] if tokens < len(self._starts) else self._length
        self._text, self._base = self._text[base - self._base :], base
        for column in (self._starts, self._ends, self._ranks):
            del column[:tokens]
        self._next -= tokens


def ranks(doc: Document) -> list[int]:
    """The rank of the gap before each token."""
    found = np.full(doc.n_tokens, WORD)
    for sentence in doc.sentences:
        tree = Tree(sentence)
        for word, relation in enumerate(tree.relations):
            if relation.partition(":")[0] in _PHRASES and relation != "nmod:poss":
                edges = (tree.offset + edge for edge in tree.run(word) if edge < tree.size)
                found[[doc.word_token[edge] for edge in edges]] = PHRASE
    for clause in clauses(doc):
        found[[doc.word_token[part.first_word] for part in clause.parts]] = CLAUSE
    for token in (np.flatnonzero(doc.token_start[1:] == doc.token_end[:-1]) + 1).tolist():
        start = int(doc.token_start[token])
        cased = category(doc.text[start - 1 : start] or " ") in ("Lu", "Ll", "Nd")
        if cased or category(doc.text[start : start + 1] or " ") in _CLOSING:
            found[token] = TOGETHER
    found[doc.sentence_bounds[:-1]] = SENTENCE
    turns = token_turn(doc)
    found[1:][turns[1:] != turns[:-1]] = TURN
    levels: list[int] = found.tolist()
    return levels
