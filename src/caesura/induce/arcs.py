"""Weights of all arcs of many sentences in one flat array, what grammars say of them, best trees.

A sentence of n words has n times n places, head by dependent; the root stands on the diagonal. So
the posteriors of several grammars can be added: the tree with the largest sum is their vote.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.induce.parameters import Floats, Ints, Longs, Parameters
from caesura.induce.punctuation_constraints import code
from caesura.induce.sentences import Sentences

__all__ = ["arc_places", "arc_posteriors", "arc_trees", "tree_arcs", "vote"]


def arc_places(words: Sentences) -> Longs:
    """Where the arcs of each sentence begin, and the number of all."""
    return np.concatenate(([0], np.cumsum(words.lengths**2))).astype(np.int64)


def arc_posteriors(
    words: Sentences, parameters: Parameters, constraint: str | None = None
) -> Floats:
    """The probability of each arc and root under a grammar."""
    places = arc_places(words)
    found = np.zeros(int(places[-1]))
    words.core.posteriors(parameters.core, code(constraint), places, found)
    return found


def arc_trees(words: Sentences, weights: Floats, constraint: str | None = None) -> Ints:
    """Heads of the trees whose arcs have the largest sums."""
    heads = np.zeros(words.n_words, dtype=np.int32)
    words.core.heaviest(weights, arc_places(words), code(constraint), heads)
    return heads


def tree_arcs(words: Sentences, heads: Ints) -> Longs:
    """The place of the arc of each word to its head."""
    at = np.arange(words.n_words) - np.repeat(words.starts[:-1], words.lengths)
    places = np.repeat(arc_places(words)[:-1], words.lengths)
    size = np.repeat(words.lengths, words.lengths)
    return np.asarray(places + np.where(heads < 0, at, heads) * size + at, dtype=np.int64)


def vote(
    views: Sequence[tuple[Sentences, Parameters]], constraint: str | None = None
) -> tuple[Ints, Floats]:
    """The trees on which several grammars agree best, and the sums of their posteriors.

    Each grammar comes with the sentences over its own classes.
    """
    total = arc_posteriors(*views[0], constraint)
    for words, parameters in views[1:]:
        total += arc_posteriors(words, parameters, constraint)
    return arc_trees(views[0][0], total, constraint), total
