"""Jackknifing: tag training data with taggers that have not seen it, fold by fold.

A parser that learns from such tags meets in training the errors that it will meet later. Folds are
made of whole documents; data in fewer documents than folds are dealt out in blocks of sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.learn.shuffle import generator
from caesura.tag.alternatives import together, with_right
from caesura.tag.options import TaggerOptions
from caesura.tag.tagger import Regime
from caesura.tag.train import train_tagger

__all__ = ["deal", "jackknife"]

_STREAM = 0x6A61636B


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
    if folds < 2:
        raise UsageError(f"{folds} folds", remedy="Jackknifing needs two folds at least.")
    options = replace(options or TaggerOptions(), patience=0)
    pieces, owners = _pieces(docs, folds)
    fold_of = deal([piece.n_words for piece in pieces], folds, options.seed)
    sets = [pieces]
    if variant is not None:
        sets.append([variant(piece) for piece in pieces])
    tagged = [[copy(piece) for piece in one] for one in sets]
    for fold in range(folds):
        held = [k for k, own in enumerate(fold_of) if own == fold]
        rest = [k for k, own in enumerate(fold_of) if own != fold]
        if not held:
            continue
        tagger = train_tagger([one[k] for one in sets for k in rest], (), options)
        tagger.tag([one[k] for one in tagged for k in held], regime=regime, k=choices, whole=True)
        columns = tagger.columns
        if on_fold is not None:
            on_fold(fold + 1, folds)
    found = _together(docs, tagged[0], owners, columns)
    if variant is not None:
        found += _together([variant(doc) for doc in docs], tagged[1], owners, columns)
    return found


def deal(sizes: Sequence[int], folds: int, seed: int) -> list[int]:
    """A fold for each item: in random order, always to the fold with the fewest words so far."""
    order = generator(seed, _STREAM).permutation(len(sizes)).tolist()
    # The largest come first, so that the folds end up about even.
    order.sort(key=lambda item: -sizes[item])
    loads = [0] * folds
    fold_of = [0] * len(sizes)
    for item in order:
        lightest = loads.index(min(loads))
        fold_of[item] = lightest
        loads[lightest] += sizes[item]
    return fold_of


def _pieces(docs: Sequence[Document], folds: int) -> tuple[list[Document], list[int]]:
    """Copies of the documents, or blocks of their sentences, and the document of each."""
    whole = [(copy(doc), n) for n, doc in enumerate(docs) if doc.n_words]
    if len(whole) >= folds:
        pieces = whole
    else:
        pieces = []
        share = max(1, -(-sum(doc.n_sentences for doc in docs) // (2 * folds)))
        for n, doc in enumerate(docs):
            bounds = doc.sentence_bounds
            for first in range(0, len(bounds) - 1, share):
                last = min(first + share, len(bounds) - 1)
                pieces.append((doc.cut(int(bounds[first]), int(bounds[last])), n))
    if len(pieces) < 2:
        raise InputError(
            "there is but one sentence to make folds of",
            file=docs[0].source if docs else None,
            remedy="Give more data.",
        )
    for piece, _ in pieces:
        piece.fixed = frozenset()
    return [piece for piece, _ in pieces], [n for _, n in pieces]


def _together(
    docs: Sequence[Document],
    pieces: Sequence[Document],
    owners: Sequence[int],
    columns: Sequence[str],
) -> list[Document]:
    tagged = []
    for n, doc in enumerate(docs):
        own = [piece for piece, owner in zip(pieces, owners, strict=True) if owner == n]
        new = copy(doc)
        for column in columns:
            if own and hasattr(doc, column):
                joined = np.concatenate([getattr(piece, column) for piece in own])
                setattr(new, column, joined.astype(np.int32))
        options = [piece.tag_options for piece in own if piece.tag_options is not None]
        if own and len(options) == len(own):
            new.tag_options = with_right(together(options), doc)
        tagged.append(new)
    return tagged
