"""Sentences of texts: `caesura.split`, and a text that comes slowly, with a bounded delay."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Unpack

from caesura.document import Document
from caesura.options import AskedLines, Request, asks
from caesura.pipeline.core import Pipeline
from caesura.pipeline.loading import load_once

__all__ = ["split", "stream_within"]

_WORD: Final = re.compile(r"\S+\s+")
#: A sentence of so many times the delay, and so many words more, is ended by force.
_PATIENCE: Final = 50
_LONG: Final = 1000


@asks(AskedLines)
def split(
    text: str,
    model: str | os.PathLike[str] | Pipeline = "en",
    *,
    quick: bool = False,
    **keywords: Unpack[AskedLines],
) -> list[str]:
    """The sentences of a text.

    They are those that `parse` finds, unless they shall be found `quick`, by the boundary scorer
    of the model alone: that needs no trees, is about 5 times faster with a linear model on edited
    text, and costs less than 1 point of F1 of boundaries (see the page on splitting). A model is
    loaded once.
    """
    nlp = model if isinstance(model, Pipeline) else load_once(model)
    if quick:
        nlp = nlp.quick()
    Request.of(keywords, AskedLines)
    doc = nlp(text, **keywords)
    return [sentence.text for sentence in doc.sentences]


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
            if piece is None and len(wait) > _PATIENCE * within + _LONG:
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
