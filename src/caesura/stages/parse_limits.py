"""What the joint search must respect, word by word."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FREE", "MUST", "NEVER", "Limits", "no_limits"]

#: Values of Limits.starts.
FREE: Final = 0
MUST: Final = 1
NEVER: Final = 2


class Limits(NamedTuple):
    """What the caller fixed; arrays of length 0 where nothing of the kind is fixed.

    `starts` says where a sentence must or must never start; a word `w` must start one also if the
    last start is not after `after[w]`. `heads` and `labels` are given arcs (UNKNOWN, -1: free),
    `wanted` the number of given dependents, `rank` the projective order of the given arcs;
    `patient` is true if a start need not be announced at once.
    """

    starts: NDArray[np.int8]
    after: NDArray[np.int32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    wanted: NDArray[np.int32]
    rank: NDArray[np.int32]
    patient: bool


@cache
def no_limits() -> Limits:
    """Nothing is fixed."""
    none = np.zeros(0, np.int32)
    return Limits(np.zeros(0, np.int8), none, none, none, none, none, False)
