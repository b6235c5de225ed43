"""Count transforms: what was learnt is in part forgotten, and learning starts again from the rest.

After Spitkovsky, Alshawi & Jurafsky (2013, "Breaking out of local optima with count transforms and
model recombination"). `symmetric` forgets which end of an arc is the head; `simple` all but the
sentences that punctuation leaves whole; a join adds the counts of several grammars' trees. Each
starts EM somewhere else, but not anywhere: the rest of what was learnt is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from caesura.induce.inference import best, count
from caesura.induce.models import Model
from caesura.induce.parameters import Ints, Parameters, add, normalise
from caesura.induce.sentences import Sentences

__all__ = ["TRANSFORMS", "rerooted", "transformed"]

TRANSFORMS = ("symmetric", "simple", "join")


def rerooted(sentences: Sentences, heads: Ints, seed: int = 0) -> Ints:
    """Each tree with the same arcs, undirected, and a root drawn uniformly from its words."""
    rng = np.random.default_rng(seed)
    found = heads.copy()
    for a, b in pairwise(sentences.starts.tolist()):
        if a == b:
            continue
        tree = heads[a:b].tolist()
        word, above = int(rng.integers(b - a)), -1
        while word >= 0:  # turn the arcs between the new root and the old one
            tree[word], above, word = above, word, tree[word]
        found[a:b] = tree
    return found


def transformed(
    name: str,
    sentences: Sentences,
    grammars: Sequence[Parameters],
    model: Model,
    classes: int,
    *,
    seen: Sequence[Sentences] = (),
    constraint: str | None = None,
    smoothing: float = 0.1,
    seed: int = 0,
    workers: int = 1,
) -> Parameters:
    """The grammar of transformed parses, from which EM starts again.

    `seen` are the sentences over the classes of each grammar, where these are not all the same.
    """
    parts = []
    for grammar, view in zip(grammars, seen or [sentences] * len(grammars), strict=True):
        words, heads = sentences, best(view, grammar, constraint, workers=workers).heads
        if name == "symmetric":
            heads = rerooted(words, heads, seed)
        elif name == "simple":
            whole = ~words.inner & (words.comps > 0)
            if whole.any():
                heads, words = heads[words.words_of(whole)], words.select(whole)
        parts.append(count(words, heads, model, classes, workers))
    return normalise(add(parts), model, smoothing)
