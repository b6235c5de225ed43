"""Ordinary beam search over the transitions and the classifier of the branching parser.

All items of the beam make a step together, and the best sequences so far are kept, by the sum of
the logarithms of their chances or by their mean; finished ones stay as they are. Decisions are
cached as in branching, so that the two can be compared by the evaluations that they need. The
search is in `core/parse/hybrid_beam.h`, which is built for tests only.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.stages.branching_parser import COUNTERS, BranchingParser

__all__ = ["Found", "decode"]

_testing: Any = import_module("caesura._core")._testing


class Found(NamedTuple):
    """Heads (-1: root) and labels by word, the log probability of each sentence's sequence."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    log_probabilities: NDArray[np.float64]
    counters: dict[str, int]


def decode(parser: BranchingParser, table: NDArray[np.uint64], bounds: NDArray[np.int64]) -> Found:
    """The trees of sentences with the beam and the score of the parser's search options."""
    *found, counts = _testing.beam_trees(parser.brancher, table, bounds)
    return Found(*found, dict(zip(COUNTERS, counts.tolist(), strict=True)))
