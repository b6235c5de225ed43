"""Deterministic shuffling: the order of an epoch depends on the seed and the epoch only.

So training that resumes at epoch 7 sees the same order as training that never stopped.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["epoch_order", "generator", "pieces"]


def generator(seed: int, *stream: int) -> np.random.Generator:
    """A random generator for one purpose; different streams of one seed are independent."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *stream])))


def epoch_order(size: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """The permutation of `size` instances for one epoch."""
    return generator(seed, epoch).permutation(size).astype(np.int64)


def pieces(order: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """An order piece by piece, so that progress can be reported after each."""
    for begin in range(0, len(order), size):
        yield order[begin : begin + size]
