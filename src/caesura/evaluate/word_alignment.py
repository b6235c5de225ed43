"""Which word of the system is which word of gold.

Words that are tokens of their own are the same if their spans are; words in regions with multi-word
tokens are aligned by their forms (Zeman et al. 2018, section 4). Words of no width, which the
shared task does not know, are set aside first: two of them are the same if they stand at the same
place and have the same form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura import _core

__all__ = ["Words", "align"]

Longs = NDArray[np.int64]


class Words(NamedTuple):
    """The words of one side: spans, whether in a multi-word token, ids of lower-cased forms."""

    start: Longs
    end: Longs
    multi: NDArray[np.bool_]
    form: Longs

    def some(self, chosen: NDArray[np.bool_]) -> Words:
        """Some of the words."""
        return Words(self.start[chosen], self.end[chosen], self.multi[chosen], self.form[chosen])


def align(gold: Words, system: Words) -> tuple[Longs, Longs]:
    """The words of gold and of the system that are aligned, pair by pair, by the word of gold."""
    bare_gold, bare_system = gold.start == gold.end, system.start == system.end
    if bare_gold.any() or bare_system.any():
        partner = np.full(len(gold.start), -1, dtype=np.int64)
        for bare in (False, True):
            of_gold = np.flatnonzero(bare_gold == bare)
            of_system = np.flatnonzero(bare_system == bare)
            found = _core.align_words(
                *gold.some(bare_gold == bare), *system.some(bare_system == bare), bare
            )
            hit = found >= 0
            partner[of_gold[hit]] = of_system[found[hit]]
    else:
        partner = _core.align_words(*gold, *system, False)
    aligned = np.flatnonzero(partner >= 0).astype(np.int64)
    return aligned, partner[aligned]
