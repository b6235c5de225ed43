"""A document of any length in constant memory: it is parsed block by block.

Each block is parsed as if the document ended there; its last sentences are not trusted but parsed
again with what follows. What is given out is final, and blocks have the same ends however the
document was cut into the pieces that come in. Whatever parses a document, whole or as it comes,
does it here, so that both give the same analysis. How a text becomes tokens as it comes is for a
tokeniser to know (`TokenStage.pieces`), since only it knows where its decisions are safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from caesura.constraints import Constraints
from caesura.document import NO, Document
from caesura.layout import breaks

__all__ = ["BLOCK", "FIRST", "annotate_stream", "annotate_whole"]

#: Annotates documents that have tokens, in place.
Annotate = Callable[[Sequence[Document]], None]

#: Words of a block; the first ones are shorter, so that the first sentences come at once. A
#: document of fewer words than the first block is parsed in one piece.
BLOCK: Final = 6000
FIRST: Final = 1500
_GROWTH: Final = 3
#: Words before the end of a block that are not trusted, and sentences.
_TAIL_WORDS: Final = 40
_TAIL_SENTENCES: Final = 2
#: A block in which no sentence has ended grows so many times before it is cut by force.
_PATIENCE: Final = 8
#: What `annotate` may fill.
_COLUMNS: Final = ("sent_start", "head", "deprel", "upos", "xpos", "feats", "lemma")
_CONFIDENCES: Final = ("sent_conf", "tag_conf", "arc_conf")


def annotate_stream(pieces: Iterable[Document], annotate: Annotate) -> Iterator[Document]:
    """Annotate the tokenised pieces of one document; the texts given out add up to the text."""
    for doc, is_done in _steps(pieces):
        if is_done:
            yield doc
        else:
            annotate([doc])


def annotate_whole(docs: Sequence[Document], annotate: Annotate) -> None:
    """Annotate documents in place, block by block; the next blocks of all of them together."""
    short = [doc for doc in docs if doc.n_words < FIRST]  # a block each
    docs = [doc for doc in docs if doc.n_words >= FIRST]
    for doc in docs:
        breaks(doc)  # which a block cannot tell as well as the whole
    steps = [_steps([doc]) for doc in docs]
    done: list[list[Document]] = [[] for _ in docs]
    open_ = list(range(len(docs)))
    while open_ or short:
        blocks: dict[int, Document] = {}
        for number in open_:
            for doc, is_done in steps[number]:
                if not is_done:
                    blocks[number] = doc
                    break
                done[number].append(doc)
        if blocks or short:
            annotate([*short, *blocks.values()])
        open_, short = list(blocks), []
    for doc, parts in zip(docs, done, strict=True):
        whole = parts[0] if len(parts) == 1 else Document.join(parts)
        for name in (*_COLUMNS, *_CONFIDENCES):
            setattr(doc, name, getattr(whole, name))


def _steps(pieces: Iterable[Document]) -> Iterator[tuple[Document, bool]]:
    """Blocks that are to be annotated before the next step, and (True) parts that are done."""
    size = FIRST
    pending, at = Document(), 0  # what came in and is joined, and the token that comes next
    wait: list[Document] = []
    words = 0
    for piece in pieces:
        wait.append(piece)
        words += piece.n_words
        if words < size:
            continue
        pending, at, wait = _joined(pending, at, wait), 0, []
        first_word = pending.first_word
        while words >= size:
            to = int(np.searchsorted(first_word, first_word[at] + size))
            work = pending.cut(at, to)
            yield work, False
            done = _trusted(work)
            if done == 0 and size > _PATIENCE * BLOCK and not _is_joined(pending, to):
                done = work.n_tokens
            if done == 0:
                size *= 2
                continue
            yield work.cut(0, done), True
            at += done
            words = pending.n_words - int(first_word[at])
            size = min(size * _GROWTH, BLOCK)
    rest = _joined(pending, at, wait)
    if rest.n_tokens or rest.text:
        work = replace(rest)
        yield work, False
        yield work, True


def _joined(pending: Document, at: int, wait: list[Document]) -> Document:
    """What is left of the pending document from a token on, and what came after it."""
    if at < pending.n_tokens or (at == 0 and pending.text):
        wait = [pending.cut(at, pending.n_tokens) if at else pending, *wait]
    return wait[0] if len(wait) == 1 else Document.join(wait)


def _is_joined(doc: Document, token: int) -> bool:
    """Whether the caller rules out that a sentence starts at a token."""
    starts = Constraints.of(doc).starts
    return starts is not None and token < doc.n_tokens and bool(starts[token] == NO)


def _trusted(doc: Document) -> int:
    """The token at which the part that is not trusted begins; 0 if there is none before it."""
    bounds = doc.sentence_bounds
    words = np.searchsorted(doc.word_token, bounds)
    known = bounds[: max(1, len(bounds) - _TAIL_SENTENCES)]
    known = known[words[: len(known)] <= doc.n_words - _TAIL_WORDS]
    return int(known[-1]) if len(known) else 0
