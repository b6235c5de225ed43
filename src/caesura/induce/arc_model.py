"""An arc model: which head a word has, by what can be seen of the two and around them.

A grammar sees classes, first dependents and fringes. Here an arc is seen with its length, the
neighbours of both ends, what lies between them, and the words themselves; each word chooses its
head by itself (log-linear), and the best projective tree over the choices is the parse. The model
learns from the posteriors of a grammar, and sees more than the grammar could say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.errors import ModelError
from caesura.induce.arcs import arc_places
from caesura.induce.parameters import Floats, Ints
from caesura.induce.sentences import Sentences
from caesura.models.file import Part

__all__ = ["ArcModel", "frequent_words", "get_arcs", "learn_arc_model", "put_arcs"]

#: Places in the table of weights: a power of two.
SIZE = 1 << 20
#: Words seen less often are told by their classes alone.
RARE = 3
PASSES = 2
RATE = 0.1
DECAY = 1e-3


@dataclass(frozen=True)
class ArcModel:
    """Weights of features, and the words that it knows, written small."""

    weights: Floats
    words: Mapping[str, int]

    def numbers(self, forms: Sequence[str]) -> Ints:
        """Words as numbers; -1 is any word that it does not know."""
        return np.array([self.words.get(form.lower(), -1) for form in forms], dtype=np.int32)

    def chances(self, sentences: Sentences, numbers: Ints) -> Floats:
        """The probability of each arc, by dependents, as `arcs` has them."""
        places = arc_places(sentences)
        found = np.zeros(int(places[-1]))
        sentences.core.score_arcs(numbers, places, self.weights, found)
        return found


def frequent_words(forms: Sequence[str]) -> dict[str, int]:
    """The words that are known to a model of this text."""
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
