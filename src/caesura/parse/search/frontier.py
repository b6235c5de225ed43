"""The front of a beam: its items, the candidates for the next ones, and how to search."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.options import SearchOptions

__all__ = ["NO_MARGIN", "Frontier", "Search", "how_to", "insert", "new_frontier"]

#: A finite number that stands for no margin: infinite minus infinite is no number.
NO_MARGIN: Final = 1e20


class Search(NamedTuple):
    """How to search, for the kernels: see `SearchOptions`."""

    width: int
    margin: float
    label_margin: float
    start_margin: float
    behind: float
    bonus: float
    plain: float
    evidence: float
    layout: float
    patience: int


def how_to(options: SearchOptions, width: int | None = None) -> Search:
    margin = min(options.margin, NO_MARGIN)

    def margins(share: float) -> float:
        return margin * share if margin < NO_MARGIN else NO_MARGIN

    return Search(
        options.beam if width is None else width,
        margin,
        margins(options.labels),
        margins(options.starts),
        margins(options.behind),
        options.bonus,
        options.bonus + options.unedited,
        options.evidence,
        options.layout,
        options.patience,
    )


class Frontier(NamedTuple):
    """The beam, the candidates for the next one, and counts.

    Counts are: beam size, steps, items scored, times that patience was lost, the steps of this
    document, and those that its words (a stream forgets the first of them) may take. `scores` are
    those of the transitions of one item.
    """

    beam: NDArray[np.int64]
    keys: NDArray[np.uint64]
    parents: NDArray[np.int64]
    actions: NDArray[np.int64]
    totals: NDArray[np.float64]
    margins: NDArray[np.float32]
    scores: NDArray[np.float32]
    counts: NDArray[np.int64]


def new_frontier(width: int, n_actions: int) -> Frontier:
    frontier = Frontier(
        np.zeros(width, np.int64),
        np.zeros(width, np.uint64),
        np.zeros(width + 1, np.int64),
        np.zeros(width + 1, np.int64),
        np.zeros(width + 1, np.float64),
        np.zeros(width + 1, np.float32),
        np.zeros((n_actions + 31) // 32 * 32, np.float32),
        np.zeros(6, np.int64),
    )
    frontier.counts[0] = 1
    return frontier


@kernel(forceinline=True, counted=False)
def insert(
    frontier: Frontier, kept: int, width: int, total: float, parent: int, action: int, margin: Any
) -> int:
    """Put a candidate into the sorted list of the best; of equal ones the first stays first."""
    totals = frontier.totals
    at = kept
    while at > 0 and totals[at - 1] < total:
        at -= 1
    if at >= width:
        return kept
    kept = min(kept + 1, width)
    for k in range(kept - 1, at, -1):
        totals[k] = totals[k - 1]
        frontier.parents[k] = frontier.parents[k - 1]
        frontier.actions[k] = frontier.actions[k - 1]
        frontier.margins[k] = frontier.margins[k - 1]
    totals[at] = total
    frontier.parents[at] = parent
    frontier.actions[at] = action
    frontier.margins[at] = margin
    return kept
