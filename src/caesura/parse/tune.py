"""Tuning the boundary bias, which trades precision of sentence starts for recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.document import Document
from caesura.parse.parser import Parser
from caesura.parse.scores import scores

__all__ = ["tune_bias"]


def tune_bias(
    parser: Parser, docs: Sequence[Document], *, metric: str = "Starts", steps: int = 12
) -> tuple[float, dict[float, dict[str, float]]]:
    """The bias with the highest score on documents, and the scores of all that were tried.

    First a grid over the range in which boundaries are decided, then the half-way points around
    the best; of equal ones the smallest change wins.
    """
    plain = parser.with_search(bias=0.0).analyse(docs)
    margins = np.concatenate([p.start_margins[1:] for p in plain])
    near = np.abs(margins[(np.abs(margins) < 1e20) & (margins != 0)])
    if not len(near):
        return 0.0, {}
    # A quarter of the decisions lie nearer than this; the useful biases do too.
    unit = float(np.quantile(near, 0.25)) / 4
    tried: dict[float, dict[str, float]] = {}

    def value(bias: float) -> float:
        if bias not in tried:
            parses = plain if bias == 0 else parser.with_search(bias=bias).analyse(docs)
            tried[bias] = scores(docs, parses, parser.inventory)
        return tried[bias][metric]

    def best() -> float:
        return max(tried, key=lambda bias: (tried[bias][metric], -abs(bias)))

    for k in range(-2, steps - 2):
        value(round(k * unit, 3))
    for width in (unit / 2, unit / 4):
        centre = best()
        value(round(centre - width, 3))
        value(round(centre + width, 3))
    return best(), dict(sorted(tried.items()))
