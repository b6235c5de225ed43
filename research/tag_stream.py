"""Tagging an endless document: words in by chunks, labels out as soon as they are settled.

A label is settled where all surviving Viterbi paths agree, and the words to its right that its
features look at are there. What is kept in memory does not grow with the document.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.document import Document
from caesura.tag.decode import AllowedLabels, push
from caesura.tag.lattice import lattice_of
from caesura.tag.tagger import Tagger

__all__ = ["TagStream"]

#: Words after which labels are settled even if paths still differ.
_ROOM = 1024


class TagStream:
    """Tags one document that comes in chunks, as one chain."""

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger
        self.columns = tagger.columns
        self._reach = max(tagger.reach, tagger.given_reach)
        self._begin()

    def _begin(self) -> None:
        self._lattice = lattice_of(_ROOM, self.tagger.narrow_width)
        self._size = 0
        #: Words from a few before the first that is not emitted; labels of those decided.
        self._words: list[str] = []
        self._labels = np.zeros(0, np.int32)
        self._emitted = 0

    def feed(self, words: Sequence[str], last: bool = False) -> list[tuple[str, ...]]:
        """Take words; the values of `columns` for the words that are settled now, in order.

        With `last` the document ends: all remaining words are settled, and the next word begins
        a new document.
        """
        tagger = self.tagger
        self._words += words
        n = len(self._words)
        pushed = len(self._labels) + self._size
        limit = n if last else max(pushed, n - tagger.reach)
        if n == 0:
            return []
        doc = Document()
        doc.form = doc.strings.ids(self._words)
        types, seen = tagger.encode([doc])
        path = np.zeros(n, np.int32)
        path[: len(self._labels)] = self._labels
        none = AllowedLabels(np.zeros(0, np.int32), np.zeros((1, len(tagger.labels)), np.bool_))
        self._size = push(
            tagger.scorer,
            tagger.moves,
            seen.attributes,
            seen.vectors,
            types,
            pushed,
            limit,
            0,
            n,
            none,
            self._lattice,
            self._size,
            path,
            len(self._labels),
            last,
        )
        decided = limit - self._size
        ready = n if last else max(self._emitted, decided - self._reach)
        rows = tagger.spell(types[:decided], path[:decided], seen)[self._emitted : ready]
        if last:
            self._begin()
            return rows
        drop = max(0, ready - self._reach)
        self._words = self._words[drop:]
        self._labels = path[drop:decided].copy()
        self._emitted = ready - drop
        return rows
