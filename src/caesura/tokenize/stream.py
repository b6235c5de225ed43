"""Tokenising a text that never ends: blocks in, pieces of a document out, in constant memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.document import Document, Strings
from caesura.tokenize.build import build
from caesura.tokenize.engine import Engine

if TYPE_CHECKING:
    from caesura.tokenize.tokenizer import Tokenizer

__all__ = ["Stream"]

#: A table of strings is left to its pieces when it has grown so large.
_MANY_STRINGS = 500_000


class Stream:
    """One document that comes in blocks.

    The texts of the pieces, one after the other, are the text that came in, and their tokens are
    those that the whole text would have got.
    """

    def __init__(self, tokenizer: Tokenizer, *, sentences: bool = True, id: str | None = None):
        self._tokenizer = tokenizer
        self._sentences = sentences
        self._id = id
        self._engine = Engine(tokenizer.cuts, tokenizer.begins, tokenizer.options.threshold)
        self._strings = Strings()
        self._waiting: list[str] = []  # text that is in no piece yet
        self._base = 0  # its offset
        self._before: list[str] = []
        self._started = False
        self._finished = False

    def feed(self, text: str, *, last: bool = False) -> Document:
        """Take the next block; returns the next piece, which has no tokens if none is decided."""
        if self._finished:
            raise ValueError("the stream has had its last block")
        self._finished = last
        self._waiting.append(text)
        decided = self._engine.feed(text, last=last)
        held, held_ends = self._engine.held
        if not last and not len(decided.starts):
            return Document(id=self._id, strings=self._strings, continues=self._started)
        waiting = "".join(self._waiting)
        end = len(waiting) if last else int(held[0]) - self._base
        spans = zip(held[:2].tolist(), held_ends[:2].tolist(), strict=True)
        after = [waiting[a - self._base : b - self._base] for a, b in spans]
        piece_text, rest = waiting[:end], waiting[end:]
        decided = decided._replace(
            starts=decided.starts - self._base, ends=decided.ends - self._base
        )
        if len(self._strings) > _MANY_STRINGS:
            self._strings = Strings()
        piece = build(
            piece_text,
            decided,
            self._tokenizer._cache,
            sentences=self._sentences,
            threshold=self._tokenizer.options.threshold,
            strings=self._strings,
            before=self._before,
            after=after,
            id=self._id,
            continues=self._started,
        )
        self._started = True
        last_two = zip(decided.starts[-2:].tolist(), decided.ends[-2:].tolist(), strict=True)
        self._before = [*self._before, *(piece_text[a:b] for a, b in last_two)][-2:]
        self._base += end
        self._waiting = [rest]
        return piece
