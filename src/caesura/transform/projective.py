"""Crossing arcs, and trees without them.

An arc is projective if its head dominates every word between its ends; the root arc counts as one
from before the first word. Lifting follows Nivre and Nilsson (2005), "Pseudo-projective dependency
parsing", section 2: the shortest crossing arc is attached one step higher until none is left.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.document import ROOT, Document, Ints

__all__ = ["crossing_arcs", "lift", "nonprojective", "projectivise"]


def nonprojective(heads: Ints) -> bool:
    """Whether two arcs of one sentence cross (heads from 0, ROOT or UNKNOWN)."""
    arcs = [
        (min(head, word), -max(head, word))
        for word, head in enumerate(heads.tolist())
        if head >= ROOT and head != word
    ]
    # Opened from left to right and the longest first, nested arcs close in reverse.
    ends: list[int] = []
    for left, minus_right in sorted(arcs):
        while ends and ends[-1] <= left:
            ends.pop()
        if ends and ends[-1] < -minus_right:
            return True
        ends.append(-minus_right)
    return False


def crossing_arcs(heads: Ints) -> NDArray[np.bool_]:
    """For each word of one sentence, whether the arc to its head is not projective."""
    n = len(heads)
    crossing = np.zeros(n, dtype=bool)
    if not nonprojective(heads):
        return crossing
    parents = heads.tolist()
    for word, head in enumerate(parents):
        if head < ROOT or head == word:
            continue
        low, high = min(head, word), max(head, word)
        crossing[word] = any(not _under(parents, between, head) for between in range(low + 1, high))
    return crossing


def _under(parents: list[int], word: int, head: int) -> bool:
    """Whether a head, which may be ROOT, dominates a word."""
    for _ in range(len(parents) + 1):
        if word == head:
            return True
        if word < 0:
            return False
        word = parents[word]
    return False


def lift(heads: Ints) -> Ints:
    """The heads of one sentence with crossing arcs lifted, the shortest first, until none is left.

    A sentence with a cycle or an unknown head, whose arcs cannot all be lifted, keeps what crosses.
    """
    heads = heads.copy()
    tried = 0
    while tried < len(heads) ** 2:
        crossing = np.flatnonzero(crossing_arcs(heads))
        crossing = crossing[heads[crossing] >= 0]
        crossing = crossing[heads[heads[crossing]] >= ROOT]
        if not len(crossing):
            break
        spans = np.abs(crossing - heads[crossing])
        word = crossing[np.argmin(spans)]
        heads[word] = heads[heads[word]]
        tried += 1
    return heads


def projectivise(doc: Document) -> Document:
    """The document with every tree made projective; labels and words stay as they are."""
    head = doc.head.copy()
    first = doc.first_word
    bounds = first[doc.sentence_bounds].tolist()
    for begin, end in pairwise(bounds):
        local = head[begin:end]
        local = np.where(local >= 0, local - begin, local).astype(np.int32)
        if nonprojective(local):
            lifted = lift(local)
            head[begin:end] = np.where(lifted >= 0, lifted + begin, lifted)
    return replace(doc, head=head)
