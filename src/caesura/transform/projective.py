"""Trees without crossing arcs.

Lifting follows Nivre and Nilsson (2005), "Pseudo-projective dependency
parsing", section 2: the shortest crossing arc is attached one step higher until none is left.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from caesura.document import ROOT, Document, Ints
from caesura.document.trees import crossing_arcs, nonprojective


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
