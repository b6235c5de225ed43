"""The sizes of an encoder, and its bias by distance: what training and export both know."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["EncoderShape", "relative_buckets"]

#: The distance in sub-words beyond which MPNet's bias no longer changes.
_FAR: Final = 128


@dataclass(frozen=True)
class EncoderShape:
    """The sizes of an encoder; what its computation needs beside the weights."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    #: Where positions begin: 0, or 2 in the RoBERTa line.
    first_position: int = 0
    eps: float = 1e-12
    #: Buckets of the bias by distance; 0 where there is none.
    buckets: int = 0


def relative_buckets(length: int, buckets: int) -> NDArray[np.int64]:
    """The bucket of each pair of places, query first: exact when near, logarithmic when far."""
    place = np.arange(length)
    distance = place[None, :] - place[:, None]
    half = buckets // 2
    side = np.where(distance > 0, half, 0)
    distance = np.abs(distance)
    exact = half // 2
    with np.errstate(divide="ignore"):
        far = exact + (
            np.log(np.maximum(distance, 1) / exact) / math.log(_FAR / exact) * (half - exact)
        ).astype(np.int64)
    return side + np.where(distance < exact, distance, np.minimum(far, half - 1))
