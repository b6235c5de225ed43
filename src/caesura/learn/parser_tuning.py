"""Tuning the boundary bonus, which trades precision of sentence starts for recall.

The bonus is in scores. The bias that people set goes on from what was tuned, in a unit of its own:
`measure_scale` finds what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.document import Document
from caesura.stages.bias import BiasScale, Count, boundaries, sample
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_scores import scores
from caesura.stages.word_shapes import is_edited

__all__ = ["measure_scale", "tune_bonus"]


def tune_bonus(
    parser: Parser, docs: Sequence[Document], *, metric: str = "Starts", steps: int = 12
) -> tuple[float, dict[float, dict[str, float]]]:
    """The bonus with the highest score on documents, and the scores of all that were tried.

    First a grid over the range in which boundaries are decided, then the half-way points around
    the best; of equal ones the smallest change wins.
    """
    untuned = parser.with_search(bonus=0.0, bias=0.0)
    plain = untuned.analyse(docs)
    margins = np.concatenate([p.start_margins[1:] for p in plain])
    near = np.abs(margins[(np.abs(margins) < 1e20) & (margins != 0)])
    if not len(near):
        return 0.0, {}
    # A quarter of the decisions lie nearer than this; the useful bonuses do too.
    unit = float(np.quantile(near, 0.25)) / 4
    tried: dict[float, dict[str, float]] = {}

    def value(bonus: float) -> float:
        if bonus not in tried:
            parses = plain if bonus == 0 else untuned.with_search(bonus=bonus).analyse(docs)
            tried[bonus] = scores(docs, parses, parser.inventory)
        return tried[bonus][metric]

    def best() -> float:
        return max(tried, key=lambda bonus: (tried[bonus][metric], -abs(bonus)))

    for k in range(-2, steps - 2):
        value(round(k * unit, 3))
    for width in (unit / 2, unit / 4):
        centre = best()
        value(round(centre - width, 3))
        value(round(centre + width, 3))
    return best(), dict(sorted(tried.items()))


def measure_scale(parser: Parser, docs: Sequence[Document]) -> BiasScale:
    """What a bias is worth on held-out documents; edited ones and transcripts are measured apart.

    A kind of text of which there is too little keeps the scale of the parser.
    """
    own = parser.search.bonus

    def counting(chosen: Sequence[Document]) -> Count:
        def count(bonus: float) -> int:
            parses = parser.with_search(bonus=own + bonus, bias=0.0).analyse(chosen)
            return boundaries(int(parse.starts.sum()) for parse in parses)

        return count

    kinds: dict[str, list[Document]] = {"edited": [], "unedited": []}
    for doc in docs:
        if doc.n_words:
            kinds["edited" if is_edited(doc) else "unedited"].append(doc)
    return parser.scale.measured(
        {kind: counting(sample(found)) for kind, found in kinds.items() if found}
    )
