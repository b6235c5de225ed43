"""Copies of training documents that a network learns from besides: other items, short pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caesura.document import Document
from caesura.learn.shuffle import generator
from caesura.learn.token_knowledge import known_of
from caesura.stages.tokenizer_options import TokenizerOptions
from caesura.transform.respell import exchanged

__all__ = ["other_items", "short_pieces"]

#: Streams of chance.
_OTHER: Final = 0x6F746865
_PIECES: Final = 0x70696563


def other_items(docs: Sequence[Document], seed: int) -> list[Document]:
    """The documents with other names, titles and numbers, as the language file has them.

    Where words came or went, a copy tells about tokens and sentences alone.
    """
    items = known_of(docs, TokenizerOptions()).items
    random = generator(seed, _OTHER)
    return [exchanged(doc, items, random).doc for doc in docs if doc.n_words] if items else []


def short_pieces(docs: Sequence[Document], seed: int) -> list[Document]:
    """The documents in pieces of one to five sentences."""
    random = generator(seed, _PIECES)
    found = []
    for doc in docs:
        bounds, at = doc.sentence_bounds.tolist(), 0
        while at < doc.n_sentences:
            to = min(at + int(random.integers(1, 6)), doc.n_sentences)
            found.append(doc.cut(bounds[at], bounds[to]))
            at = to
    return [piece for piece in found if piece.n_words]
