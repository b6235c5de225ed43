"""Split-parsing: each fragment by itself, then the fragments' roots as a sentence of their own.

The greedy stand-in for the loose constraint with which Spitkovsky et al. (2011) train.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.charts import Best, best, score
from caesura.induce.sentences import Sentences
from caesura.induce.tables import Tables

__all__ = ["split_parse"]


def split_parse(sentences: Sentences, tables: Tables, workers: int = 1) -> Best:
    """Trees put together from the trees of fragments and of fragment roots."""
    n = sentences.n_words
    owner = sentences.owner
    new = np.ones(n, dtype=bool)
    if n:
        new[1:] = (owner[1:] != owner[:-1]) | (sentences.fragments[1:] != sentences.fragments[:-1])
    starts = np.concatenate((np.flatnonzero(new), [n])).astype(np.int64)
    inner = Sentences(
        sentences.classes,
        sentences.marks,
        sentences.fragments,
        sentences.comps[owner[starts[:-1]]],
        starts,
    )
    found = best(inner, tables, workers=workers).heads
    base = np.repeat(starts[:-1], np.diff(starts))
    absolute = np.where(found >= 0, found + base, -1)

    roots = np.flatnonzero(found < 0)
    sizes = np.bincount(owner[roots], minlength=len(sentences))
    outer = Sentences(
        sentences.classes[roots],
        sentences.marks[roots],
        sentences.fragments[roots],
        sentences.comps,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
    )
    above = best(outer, tables, workers=workers).heads
    first = np.repeat(outer.starts[:-1], outer.lengths)
    absolute[roots] = np.where(above >= 0, roots[np.where(above >= 0, above + first, 0)], -1)

    begin = np.repeat(sentences.starts[:-1], sentences.lengths)
    heads = np.where(absolute >= 0, absolute - begin, -1).astype(np.int32)
    return Best(heads, score(sentences, heads, tables), np.zeros(len(sentences), dtype=np.uint8))
