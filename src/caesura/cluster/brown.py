"""Brown clustering (Brown et al. 1992, section 3), with the window of Liang (2005, section 4.4).

In the end the classes are merged to one, and the path from the top of that tree names a class: a
prefix of it is a coarser class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.cluster.counts import BOUNDARY, RARE, Bigrams

_STRIDE = 256  # words between two reports
_FIRST = RARE + 1  # slots before it are contexts that are never merged


def brown(
    bigrams: Bigrams,
    classes: int,
    report: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[np.int32], list[str]]:
    """The class of each word (0 and 1 for the boundary and the rare words), and the paths."""
    table = _core.Brown(_core.Bigrams(*bigrams), classes)
    at, size = table.add_words(0), len(bigrams.counts)
    while at < size:
        at = table.add_words(_STRIDE)
        if report is not None:
            report(at - _FIRST, size - _FIRST)
    names = _paths(table.merge_all())
    order = sorted(names)
    number = np.zeros(table.slots, dtype=np.int32)
    number[BOUNDARY], number[RARE] = BOUNDARY, RARE
    for position, slot in enumerate(order):
        number[slot] = position + _FIRST
    return number[table.slot_of], [names[slot] for slot in order]


def _paths(merges: NDArray[np.int32]) -> dict[int, str]:
    """Bit strings of the slots from the mergers (kept, dropped), the last of which is the top."""
    if not len(merges):
        return {_FIRST: "0"}
    prefix = {int(merges[-1][0]): ""}
    for kept, dropped in merges[::-1].tolist():
        path = prefix[kept]
        prefix[kept], prefix[dropped] = path + "0", path + "1"
    return prefix
