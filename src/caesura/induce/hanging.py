"""Trees of whole sentences: marks hang from words, and heads that were given stay."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.document import ROOT, UNKNOWN, Document
from caesura.induce.parameters import Ints

__all__ = ["hang_marks", "mend"]


def hang_marks(doc: Document, heads: Ints) -> None:
    """Give every word without a head one in its sentence: a mark hangs from the word before it."""
    sentence = doc.word_sentence
    starts = np.flatnonzero(np.concatenate(([True], sentence[1:] != sentence[:-1])))
    ends = np.append(starts[1:], len(sentence))
    for a, b in zip(starts.tolist(), ends.tolist(), strict=True):
        known = heads[a:b] != UNKNOWN
        if not known.any():
            heads[a:b] = a
            heads[a] = ROOT
            continue
        if known.all():
            continue
        before = a + int(np.argmax(known))
        for word in range(a, b):
            if known[word - a]:
                before = word
            else:
                heads[word] = before


def mend(doc: Document, heads: Ints, fixed: npt.NDArray[np.bool_]) -> None:
    """Make trees again of sentences in which given heads replaced some of the grammar's.

    Only heads that were not given are changed: second roots and words on a circle go to the root.
    """
    sentence = doc.word_sentence
    for number in np.unique(sentence[fixed]).tolist():
        words = np.flatnonzero(sentence == number).tolist()
        roots = [w for w in words if heads[w] == ROOT]
        given = [w for w in roots if fixed[w]]
        root = given[0] if given else next((w for w in roots if not fixed[w]), None)
        if root is None:
            free = [w for w in words if not fixed[w]]
            if not free:
                continue
            root = free[0]
            heads[root] = ROOT
        for word in roots:
            if word != root and not fixed[word]:
                heads[word] = root
        for word in words:
            path: list[int] = []
            at = word
            while at >= 0 and at not in path:
                path.append(at)
                at = int(heads[at])
            if at >= 0:
                circle = path[path.index(at) :]
                free = [w for w in circle if not fixed[w]]
                if free:
                    heads[free[0]] = root
