"""A document of any length in constant memory: it is parsed block by block.

Each block is parsed as if the document ended there; its last sentences are not trusted but parsed
again with what follows. What is given out is final, and blocks have the same ends however the
document was cut into the pieces that come in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from caesura.document import Document

__all__ = ["BLOCK", "in_blocks"]

#: Words of a block; the first ones are shorter, so that the first sentences come at once.
BLOCK: Final = 6000
_FIRST: Final = 300
_GROWTH: Final = 3
#: Words before the end of a block that are not trusted, and sentences.
_TAIL_WORDS: Final = 40
_TAIL_SENTENCES: Final = 2
#: A block in which no sentence has ended grows so many times before it is cut by force.
_PATIENCE: Final = 8


def in_blocks(
    pieces: Iterable[Document],
    annotate: Callable[[Document], None],
    *,
    block: int = BLOCK,
) -> Iterator[Document]:
    """Annotate the tokenised pieces of one document; the texts given out add up to the text."""
    size = min(_FIRST, block)
    wait: list[Document] = []
    words = 0
    continues = False
    for piece in pieces:
        wait.append(piece)
        words += piece.n_words
        while words >= size:
            pending = Document.join(wait) if len(wait) > 1 else wait[0]
            wait = [pending]
            work = pending.cut(0, int(np.searchsorted(pending.first_word, size)))
            annotate(work)
            at = _trusted(work, force=size > _PATIENCE * block)
            if at == 0:
                size *= 2
                continue
            done = work.cut(0, at)
            done.continues = continues
            continues = True
            yield done
            rest = pending.cut(at, pending.n_tokens)
            wait, words = [rest], rest.n_words
            size = min(size * _GROWTH, block)
    if wait:
        pending = Document.join(wait) if len(wait) > 1 else wait[0]
        work = replace(pending)
        annotate(work)
        work.continues = continues
        yield work


def _trusted(doc: Document, *, force: bool) -> int:
    """The token at which the part that is not trusted begins; 0 if there is none before it."""
    bounds = doc.sentence_bounds
    words = np.searchsorted(doc.word_token, bounds)
    known = bounds[: max(1, len(bounds) - _TAIL_SENTENCES)]
    known = known[words[: len(known)] <= doc.n_words - _TAIL_WORDS]
    at = int(known[-1]) if len(known) else 0
    return doc.n_tokens if at == 0 and force else at
