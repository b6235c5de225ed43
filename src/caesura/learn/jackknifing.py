"""Jackknifing: tag training data with taggers that have not seen it, fold by fold.

A parser that learns from such tags meets in training the errors that it will meet later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.learn.folds import of_equal_size
from caesura.learn.tagger import train_tagger
from caesura.stages.tag_alternatives import together, with_right
from caesura.stages.tagger import Regime
from caesura.stages.tagger_options import TaggerOptions

__all__ = ["jackknife"]


def jackknife(
    docs: Sequence[Document],
    options: TaggerOptions | None = None,
    folds: int = 10,
    *,
    regime: Regime = "auto",
    variant: Callable[[Document], Document] | None = None,
    choices: int = 0,
    on_fold: Callable[[int, int], None] | None = None,
) -> list[Document]:
    """The documents with predicted columns instead of gold ones; all else is shared with them.

    With a `variant`, such as `transform.speech`, the taggers also learn from the variants of their
    documents, and the variants of all documents follow, tagged in the same way. With `choices`
    the documents also get the likeliest tags as `tag_options`, which say the right ones. Taggers
    are trained for `options.epochs`, as there are no dev data to stop them.
    """
    options = replace(options or TaggerOptions(), patience=0)
    parts = of_equal_size(docs, folds, options.seed)
    sets = [parts.pieces]
    if variant is not None:
        sets.append([variant(piece) for piece in parts.pieces])
    tagged = [[replace(piece) for piece in one] for one in sets]
    for fold, held, rest in parts:
        tagger = train_tagger([one[k] for one in sets for k in rest], (), options)
        tagger.tag([one[k] for one in tagged for k in held], regime=regime, k=choices, whole=True)
        columns = tagger.columns
        if on_fold is not None:
            on_fold(fold + 1, folds)
    found = _together(docs, parts.by_document(tagged[0], len(docs)), columns)
    if variant is not None:
        variants = [variant(doc) for doc in docs]
        found += _together(variants, parts.by_document(tagged[1], len(docs)), columns)
    return found


def _together(
    docs: Sequence[Document], pieces: Sequence[list[Document]], columns: Sequence[str]
) -> list[Document]:
    tagged = []
    for doc, own in zip(docs, pieces, strict=True):
        new = replace(doc)
        for column in columns:
            if own and hasattr(doc, column):
                joined = np.concatenate([getattr(piece, column) for piece in own])
                setattr(new, column, joined.astype(np.int32))
        options = [piece.tag_options for piece in own if piece.tag_options is not None]
        if own and len(options) == len(own):
            new.tag_options = with_right(together(options), doc)
        tagged.append(new)
    return tagged
