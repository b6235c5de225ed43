"""Scores on the words of gold: attachment, and sentence starts (Björkelund et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.document import UNKNOWN, YES, Document, Strings

if TYPE_CHECKING:
    from caesura.stages.parse_analysis import Parse

__all__ = ["Labelled", "f1", "label_numbers", "scores"]


class Labelled(Protocol):
    """The transitions of a parser, of whatever system, with the labels of its arcs."""

    @property
    def labels(self) -> tuple[str, ...]: ...


def f1(right: float, found: float, gold: float) -> float:
    """F1 in per cent; where there is nothing to find and nothing was found it is 100."""
    return 200.0 * right / (found + gold) if found + gold else 100.0


def scores(
    docs: Sequence[Document], parses: Sequence[Parse], inventory: Labelled, *, trees: bool = True
) -> dict[str, float]:
    """LAS and UAS over words with a known head; starts without and with document-initial ones."""
    words = heads = both = right = found = gold = 0
    for doc, parse in zip(docs, parses, strict=True):
        known = doc.head != UNKNOWN
        same = known & (parse.heads == doc.head)
        numbers = label_numbers(doc.strings, inventory.labels)
        words += int(known.sum())
        heads += int(same.sum())
        both += int((same & (numbers[doc.deprel] == parse.labels)).sum())
        told = doc.word_sent_start[1:] == YES
        right += int((told & parse.starts[1:]).sum())
        found += int(parse.starts[1:].sum())
        gold += int(told.sum())
    opened = sum(1 for doc in docs if doc.n_words)
    starts = f1(right, found, gold)
    result = {
        "Starts": starts,
        "StartsAll": f1(right + opened, found + opened, gold + opened),
    }
    if trees and words:
        las = 100.0 * both / words
        result = {"LAS": las, "UAS": 100.0 * heads / words, **result, "mean": (las + starts) / 2}
    return result


def label_numbers(strings: Strings, labels: Sequence[str]) -> NDArray[np.int32]:
    """The number of the label that each interned string is, or -1."""
    numbers = np.full(len(strings), -1, np.int32)
    for number, label in enumerate(labels):
        found = strings.find(label)
        if found is not None:
            numbers[found] = number
    return numbers
