"""How work is divided: small texts together, long texts in blocks, calls in threads, in order.

All limits are here. `batches` joins small texts, since the core is faster with many of them in one
call. `annotate_stream` and `annotate_whole` parse a document block by block, each as if the
document ended there; its last sentences are not trusted but parsed again with what follows. A
whole document and one that comes in pieces have the same blocks, so both get the same analysis.
`stream_within` bounds the delay of a text that comes slowly.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from caesura.constraints import Constraints
from caesura.document import NO, Document
from caesura.errors import UsageError
from caesura.layout import breaks

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = [
    "BLOCK",
    "CHECKED",
    "FIRST",
    "LONG",
    "annotate_stream",
    "annotate_whole",
    "batches",
    "ordered",
    "stream_within",
    "text_blocks",
]

T = TypeVar("T")
R = TypeVar("R")
#: Annotates documents that have tokens, in place.
Annotate = Callable[[Sequence[Document]], None]

#: Characters of texts that are annotated in one call; a longer text of a file is streamed.
LONG: Final = 60_000
#: Documents that are annotated in one call.
_MANY: Final = 2000
#: The same where a limit of time is checked between two calls.
CHECKED: Final = {"characters": 20_000, "number": 64}
#: Characters of a text in memory that a stream takes at a time.
_TEXT: Final = 1 << 13
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
#: A sentence of so many times the allowed delay, and so many words more, is ended by force.
_DELAYS: Final = 50
_DELAYED: Final = 1000
#: What `annotate` may fill.
_COLUMNS: Final = (
    "sent_start", "head", "deprel", "upos", "xpos", "feats", "lemma", "sent_conf", "tag_conf",
    "arc_conf",
)  # fmt: skip
_WORD: Final = re.compile(r"\S+\s+")


# ------------------------------------------------------------------- batches


def batches(
    items: Iterable[T],
    size: Callable[[T], int | None],
    *,
    characters: int = LONG,
    number: int = _MANY,
) -> Iterator[list[T]]:
    """Items together, up to so many characters and so many of them; one without a size alone."""
    batch: list[T] = []
    total = 0
    for item in items:
        own = size(item)
        alone = own is None
        if batch and (alone or total + (own or 0) > characters or len(batch) >= number):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += own or 0
        if alone:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def text_blocks(text: str) -> Iterator[str]:
    """A text in memory as blocks, so that a limit of time is noticed soon."""
    return (text[at : at + _TEXT] for at in range(0, len(text), _TEXT))


def ordered(
    work: Callable[[T], Iterable[R]],
    items: Iterator[T],
    threads: int,
    *,
    alone: Callable[[T], bool] = lambda item: False,
) -> Iterator[R]:
    """The results of all items in order, at most a few of them under way.

    The results of an item that is done `alone` are handed on one by one, the next one ahead.
    """
    if threads < 1:
        raise UsageError(f"{threads} threads", remedy="Use one thread or more.")
    if threads == 1:
        for item in items:
            yield from work(item)
        return
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[list[R]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                if alone(item):
                    while waiting:
                        yield from waiting.popleft().result()
                    yield from _ahead(pool, iter(work(item)))
                    continue
                waiting.append(pool.submit(lambda item: list(work(item)), item))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _ahead(pool: ThreadPoolExecutor, results: Iterator[R]) -> Iterator[R]:
    """The same, of which the next one is made while the last one is used."""
    following: Future[R | None] = pool.submit(next, results, None)
    while (result := following.result()) is not None:
        following = pool.submit(next, results, None)
        yield result


# -------------------------------------------------------- blocks of a document


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
        for name in _COLUMNS:
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


# ------------------------------------------------------------- bounded delay


def stream_within(
    annotate: Callable[[str], Document], blocks: Iterable[str], within: int
) -> Iterator[Document]:
    """Pieces of a text that comes slowly, each of whole sentences.

    A sentence is handed on at most so many words after its end: it is not waited for more. So its
    boundaries may differ from those of the whole text. They do not depend on the blocks.
    """
    ahead = max(1, within // 2)
    step = max(1, within - ahead)
    wait: list[str] = []  # words with the blanks after them
    due = within
    started, opens = False, True
    rest = ""
    for block in blocks:
        rest += block
        at = 0
        for match in _WORD.finditer(rest):
            if match.end() == len(rest):
                break  # there may be more blanks, or the word may go on
            wait.append(rest[at : match.end()])
            at = match.end()
            if len(wait) < due:
                continue
            doc = annotate("".join(wait))
            piece = _settled(doc, len("".join(wait[: max(len(wait) - ahead, 0)])))
            if piece is None and len(wait) > _DELAYS * within + _DELAYED:
                piece = doc
            if piece is None:
                due = len(wait) + step
                continue
            wait = _words_after("".join(wait)[len(piece.text) :])
            due = max(within, len(wait) + step)
            opens = _placed(piece, started, opens)
            started = True
            yield piece
        rest = rest[at:]
    left = "".join(wait) + rest
    if left or not started:
        piece = annotate(left)
        _placed(piece, started, opens)
        yield piece


def _words_after(text: str) -> list[str]:
    return _WORD.findall(text) if text else []


def _settled(doc: Document, known: int) -> Document | None:
    """The sentences that end before an offset; None if there is none."""
    bounds = doc.sentence_bounds
    ends = doc.token_end[bounds[1:] - 1]
    last = int((ends <= known).sum())
    if last >= len(bounds) - 1:  # the last sentence may go on
        last -= 1
    return doc.cut(0, int(bounds[last])) if last > 0 else None


def _placed(piece: Document, continues: bool, opens: bool) -> bool:
    """Say of a piece that it goes on; returns whether a paragraph opens after it."""
    piece.continues = continues
    if continues and not opens:
        piece.paragraph_start = piece.paragraph_start[1:]
    gap = piece.text[len(piece.text.rstrip()) :]
    return gap.count("\n") > 1
