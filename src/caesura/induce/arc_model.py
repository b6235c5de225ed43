"""A log-linear model of arcs, and trees by weights of arcs.

A grammar sees classes, first dependents and fringes. This model scores an arc by its length, the
neighbours of both ends, the words between them, and the words themselves; each word chooses its
head independently, and the parse is the best projective tree. It learns from the posteriors of a
grammar.

Weights of all arcs are a flat array: a sentence of n words has n times n places, head by dependent,
with the root on the diagonal. So posteriors of several grammars can be added: the tree with the
largest sum is their vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.errors import ModelError
from caesura.induce.parameters import Floats, Ints, Longs, Parameters
from caesura.induce.punctuation_constraints import code
from caesura.induce.sentences import Sentences
from caesura.models.file import Part

#: Places in the table of weights: a power of two.
SIZE = 1 << 20
#: Rarer words are represented by their classes only.
RARE = 3
PASSES = 2
RATE = 0.1
DECAY = 1e-3


@dataclass(frozen=True)
class ArcModel:
    """Weights of features, and the known words in lower case."""

    weights: Floats
    words: Mapping[str, int]

    def numbers(self, forms: Sequence[str]) -> Ints:
        """Words as numbers; -1 for unknown words."""
        return np.array([self.words.get(form.lower(), -1) for form in forms], dtype=np.int32)

    def chances(self, sentences: Sentences, numbers: Ints) -> Floats:
        """The probability of each arc, by dependents, as `arcs` has them."""
        places = arc_places(sentences)
        found = np.zeros(int(places[-1]))
        sentences.core.score_arcs(numbers, places, self.weights, found)
        return found


def frequent_words(forms: Sequence[str]) -> dict[str, int]:
    """The words that a model of this text has weights for."""
    seen = Counter(form.lower() for form in forms)
    return {word: at for at, word in enumerate(sorted(w for w, n in seen.items() if n >= RARE))}


def learn_arc_model(
    sentences: Sentences, forms: Sequence[str], aims: Floats, seed: int = 0
) -> ArcModel:
    """A model that gives arcs the probabilities that are aimed at, as far as it can."""
    weights, squares = np.zeros(SIZE), np.ones(SIZE)
    model = ArcModel(weights, frequent_words(forms))
    numbers, places = model.numbers(forms), arc_places(sentences)
    order = np.arange(len(sentences), dtype=np.int64)
    words, rng = sentences.core, np.random.default_rng(seed)
    for _ in range(PASSES):
        rng.shuffle(order)
        words.learn_arcs(order, numbers, places, aims, weights, squares, RATE, DECAY)
    return model


def put_arcs(part: Part, model: ArcModel) -> None:
    """Add the model to a part of a file: the weights that are not nothing, and their places."""
    at = np.flatnonzero(model.weights)
    part.labels["arc words"] = list(model.words)
    part.arrays["arc places"] = at.astype(np.int32)
    part.arrays["arc weights"] = model.weights[at].astype(np.float32)


def get_arcs(part: Part) -> ArcModel | None:
    """The model in a part of a file, checked; none where there is none."""
    words = part.labels.get("arc words")
    if words is None:
        return None
    at = part.array("arc places", np.int32, (None,))
    values = part.array("arc weights", np.float32, (len(at),))
    if len(at) and not (at.min() >= 0 and at.max() < SIZE and np.isfinite(values).all()):
        raise ModelError("the grammar's weights of arcs are no weights, or outside their table")
    weights = np.zeros(SIZE)
    weights[at] = values
    return ArcModel(weights, {word: number for number, word in enumerate(words)})


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
