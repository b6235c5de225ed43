"""Rules obeyed in expectation: a share of all arcs, not each of them, follows the rules.

Posterior regularisation as in Naseem, Chen, Barzilay & Johnson (2010): of all distributions over
trees under which the expected share of arcs that follow the rules reaches a bound, the one nearest
to the grammar's multiplies each such arc by the same factor. The factor is found by bisection.
"""

from __future__ import annotations

import numpy as np

from caesura.induce.inference import expect
from caesura.induce.models import Model
from caesura.induce.parameters import Parameters
from caesura.induce.pull import Pull, pulled
from caesura.induce.sentences import Sentences

__all__ = ["SAMPLE", "factor_for", "share_that_follows", "with_factor"]

#: The factor is found on so many sentences, spread over all.
SAMPLE = 400
#: Rules that even this factor does not make followed cannot be.
STRONGEST = 1e6
STEPS = 12


def with_factor(follows: Pull, factor: float) -> Pull:
    """The pull that multiplies roots and arcs that follow the rules by a factor.

    Written as a division of the others, so that no product leaves the range of numbers.
    """
    weak = 1.0 / factor
    return Pull(
        np.where(follows.root > 0, 1.0, weak),
        np.where(follows.attach > 0, 1.0, weak),
        follows.sided,
    )


def share_that_follows(counts: Parameters, follows: Pull) -> float:
    """The expected share of roots and arcs that follow the rules."""
    good = float((counts.attach * follows.attach[:, None, None]).sum())
    good += float((counts.root * follows.root[None]).sum())
    return good / max(float(counts.attach.sum() + counts.root.sum()), 1e-300)


def factor_for(
    words: Sentences,
    parameters: Parameters,
    model: Model,
    follows: Pull,
    share: float,
    constraint: str | None = None,
    workers: int = 1,
) -> float:
    """The smallest factor under which the expected share reaches its bound; 1 if it does as is."""
    chosen = np.zeros(len(words), dtype=bool)
    chosen[:: max(1, -(-len(words) // SAMPLE))] = True
    sample = words.select(chosen)

    def reaches(factor: float) -> bool:
        drawn = pulled(parameters, with_factor(follows, factor))
        counts = expect(sample, drawn, model, constraint, workers).counts
        return share_that_follows(counts, follows) >= share

    if reaches(1.0):
        return 1.0
    low, high = 0.0, float(np.log(STRONGEST))
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(float(np.exp(middle))) else (middle, high)
    return float(np.exp(high))
