"""Universal Dependencies with function words as heads, as treebanks of the shared tasks have them.

After Surface-Syntactic Universal Dependencies (Gerdes et al. 2018), in short: prepositions,
subordinators, auxiliaries and copulas head what they hung from; subjects go to the auxiliary, and
so does every dependent from which the new head parts the old one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from caesura.document import Document

__all__ = ["function_heads", "turned"]

#: Relations of words that become heads, the outermost first.
FUNCTIONS = {"mark": 0, "aux": 1, "cop": 2, "case": 3}
SUBJECTS = ("nsubj", "csubj", "expl")


def turned(heads: Sequence[int], relations: Sequence[str]) -> list[int]:
    """New heads; -1 is the root."""
    kinds = [relation.partition(":")[0] for relation in relations]
    above: dict[int, list[int]] = {}
    for word, head in enumerate(heads):
        if head >= 0 and kinds[word] in FUNCTIONS and kinds[head] not in FUNCTIONS:
            above.setdefault(head, []).append(word)
    for head, words in above.items():
        words.sort(key=lambda word: (FUNCTIONS[kinds[word]], -abs(word - head)))

    def hung(word: int) -> int:
        """Where a word hangs, together with what it may hang from now."""
        head = heads[word]
        words = above.get(head, [])
        verbs = [f for f in words if kinds[f] in ("aux", "cop")]
        if verbs and kinds[word] in SUBJECTS:
            return verbs[0]
        return next((f for f in words if min(word, head) < f < max(word, head)), head)

    found = [above[word][-1] if word in above else hung(word) for word in range(len(heads))]
    for head, words in above.items():
        for upper, lower in pairwise(words):
            found[lower] = upper
        found[words[0]] = hung(head)
    return found


def function_heads(doc: Document) -> Document:
    """A document whose heads are function words; what was no head stays unknown."""
    return replace(doc, head=np.array(turned(doc.head.tolist(), doc.column("deprel")), np.int32))
