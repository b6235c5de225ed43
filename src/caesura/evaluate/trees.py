"""Phrase structure of one side as spans: every node from its first to its last character."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Strings
from caesura.evaluate.evalb import Evalb
from caesura.evaluate.flat_columns import Longs, Side

__all__ = ["Trees", "trees"]

#: Larger than any coordinate.
NOWHERE = np.iinfo(np.int64).max


@dataclass
class Trees:
    """Spans of the phrases that are kept, and which tokens and empty elements are."""

    start: Longs
    end: Longs
    #: Ids of the labels as they are compared.
    label: Longs
    #: Words that a deleted tag removes.
    deleted: NDArray[np.bool_]
    #: Positions and tags of the empty elements that are kept.
    empty_at: Longs
    empty_tag: Longs


def trees(side: Side, options: Evalb) -> Trees | None:
    """The phrases of a side, or None if it has no phrase structure."""
    if not any(len(doc.node_label) for doc in side.docs):
        return None
    parents: list[Longs] = []
    labels: list[Longs] = []
    low: list[Longs] = []
    high: list[Longs] = []
    empty: list[Longs] = []
    phrase: list[NDArray[np.bool_]] = []
    deleted = np.zeros(side.n_words, dtype=bool)
    empty_at: list[int] = []
    empty_tag: list[int] = []
    size = 0
    table = _Labels(side, options)
    for number, doc in enumerate(side.docs):
        count = len(doc.node_label)
        if not count:
            continue
        names = table.names(doc.strings, doc.node_label)
        first_word = int(side.doc_first_word[number])
        words = side.word_token[first_word + np.maximum(doc.node_leaf, 0)]
        is_word = doc.node_leaf >= 0
        is_empty = doc.node_leaf <= -2
        gone = np.array([name in options.delete for name in table.raw], dtype=bool)[names]
        deleted[first_word + doc.node_leaf[is_word & gone]] = True
        kept = is_word & ~gone
        low.append(np.where(kept, side.token_start[words], NOWHERE))
        high.append(np.where(kept, side.token_end[words], -1))
        places = np.full(count, NOWHERE, dtype=np.int64)
        for node in np.flatnonzero(is_empty & ~gone).tolist():
            found = doc.empty_nodes[-2 - int(doc.node_leaf[node])]
            token = side.word_token[first_word + found.word]
            at = side.token_end[token] if found.anchor >= 0 else side.token_start[token]
            places[node] = at
            empty_at.append(int(at))
            empty_tag.append(table.compared_id(int(names[node])))
        empty.append(places)
        parents.append(np.where(doc.node_parent >= 0, doc.node_parent + size, -1).astype(np.int64))
        labels.append(np.array(table.compared, dtype=np.int64)[names])
        phrase.append((doc.node_leaf == -1) & ~gone)
        size += count
    starts, ends, places = np.concatenate(low), np.concatenate(high), np.concatenate(empty)
    _core.gather_spans(np.concatenate(parents), starts, ends, places)
    bare = ends < 0
    starts[bare] = places[bare]
    ends[bare] = places[bare]
    kept = np.concatenate(phrase) & (starts < NOWHERE)
    return Trees(
        starts[kept],
        ends[kept],
        np.concatenate(labels)[kept],
        deleted,
        np.array(empty_at, dtype=np.int64),
        np.array(empty_tag, dtype=np.int64),
    )


class _Labels:
    """Labels of the nodes: as they stand, and as they are compared."""

    def __init__(self, side: Side, options: Evalb) -> None:
        self.strings = side.strings
        self.options = options
        self.raw: list[str] = []
        self.compared: list[int] = []
        self._numbers: dict[str, int] = {}

    def names(self, strings: Strings, ids: NDArray[np.int32]) -> Longs:
        """The numbers of the labels of a document."""
        used, places = np.unique(ids, return_inverse=True)
        numbers = [self._number(strings[number]) for number in used.tolist()]
        return np.array(numbers, dtype=np.int64)[places]

    def _number(self, label: str) -> int:
        # The outermost bracket of a tree of the Penn Treebank has no label.
        label = label or "TOP"
        number = self._numbers.get(label)
        if number is None:
            number = self._numbers[label] = len(self.raw)
            self.raw.append(label if label in self.options.delete else self.options.label(label))
            self.compared.append(self.strings.add(self.options.label(label)))
        return number

    def compared_id(self, number: int) -> int:
        return self.compared[number]
