"""A last stage in which a grammar and an arc model teach each other.

The arc model learns from the grammar's posteriors; from the trees that it finds then the grammar is
counted anew; where both say the same, the next round believes it more (after Le & Zuidema 2015,
"Unsupervised dependency parsing: let's use supervised parsers", who train a parser on the output of
induction and again on its own).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from caesura.induce.arc_model import ArcModel, learn_arc_model
from caesura.induce.arcs import arc_posteriors, arc_trees, tree_arcs
from caesura.induce.inference import count
from caesura.induce.models import find_model
from caesura.induce.parameters import Floats, Longs, Parameters, normalise
from caesura.induce.sentences import Sentences

__all__ = ["reparse", "sampled"]

#: So many words are learnt from, in sentences spread over the text.
SAMPLE = 250_000
CONSTRAINT = "sprawl"
SMOOTHING = 0.1


def sampled(words: Sentences, longest: int) -> np.ndarray:
    """By sentence: whether it is learnt from."""
    chosen = words.up_to(longest)
    every = max(1, -(-int(words.lengths[chosen].sum()) // SAMPLE))
    chosen[np.flatnonzero(chosen)[np.arange(int(chosen.sum())) % every > 0]] = False
    return chosen


def reparse(
    plain: Sentences,
    seen: Sentences,
    forms: Sequence[str],
    parameters: Parameters,
    model: str,
    rounds: int,
    seed: int = 0,
) -> Generator[float, None, tuple[Parameters, ArcModel]]:
    """So many rounds; yields the share of arcs that changed in each.

    Sentences are given over plain classes, which the arc model sees, and over those of the grammar.
    """
    row, size = find_model(model), parameters.root.shape[-1]
    aims = arc_posteriors(seen, parameters, CONSTRAINT)
    trees = tree_arcs(plain, arc_trees(plain, aims, CONSTRAINT))
    for _ in range(rounds):
        arcs = learn_arc_model(plain, forms, aims, seed)
        chances = arcs.chances(plain, arcs.numbers(forms))
        heads = arc_trees(plain, _logs(chances), CONSTRAINT)
        parameters = normalise(count(seen, heads, row, size), row, SMOOTHING)
        aims = _shared(plain, chances * arc_posteriors(seen, parameters, CONSTRAINT))
        before, trees = trees, tree_arcs(plain, heads)
        yield float((trees != before).mean()) if len(trees) else 0.0
    return parameters, arcs


def _logs(chances: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(chances, 1e-12)))


def _shared(words: Sentences, weights: Floats) -> Floats:
    """Weights such that those of the arcs to each word sum to one."""
    dependent = _dependents(words)
    total = np.bincount(dependent, weights, minlength=words.n_words)
    return np.asarray(weights / np.maximum(total, 1e-300)[dependent])


def _dependents(words: Sentences) -> Longs:
    """The word to which each arc goes."""
    parts = [
        np.tile(np.arange(a, b), b - a)
        for a, b in zip(words.starts[:-1].tolist(), words.starts[1:].tolist(), strict=True)
    ]
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)
