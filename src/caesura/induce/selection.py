"""Model selection without gold trees: bits per word, agreement, and chains.

Bits alone mislead: chains, in which every word attaches to its neighbour, explain a text well but
have no structure. So chains are discarded if there are other grammars; of the rest, the grammar
with which the others agree most is kept, and bits break ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.induce.inference import best, count, likelihood
from caesura.induce.parameters import Ints, Parameters, find_model, normalise
from caesura.induce.sentences import Sentences

#: Trees whose mean arc is shorter are chains.
CHAIN = 1.3
#: Grammars are compared on so many sentences, spread over all, of at least so many words: in
#: shorter ones every tree is nearly a chain.
SAMPLE = 1000
SHORTEST = 4
#: Of so many restarts the trees are joined.
JOINED = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A grammar without gold trees: its bits per word, its trees, their mean arc."""

    bits: float
    heads: Ints
    arc: float

    @property
    def chain(self) -> bool:
        return self.arc < CHAIN


def bits_per_word(words: Sentences, parameters: Parameters, workers: int = 1) -> float:
    """Cross-entropy of sentences in bits a word, all trees together."""
    scores = likelihood(words, parameters, workers=workers)
    return float(-scores.sum() / (np.log(2.0) * max(1, words.n_words)))


def looked_at(words: Sentences) -> npt.NDArray[np.bool_]:
    """By sentence: whether it is among those on which grammars are compared."""
    long = np.flatnonzero(words.lengths >= SHORTEST)
    chosen = np.zeros(len(words), dtype=bool)
    chosen[long[:: max(1, -(-len(long) // SAMPLE))]] = True
    return chosen


def arc_length(words: Sentences, heads: Ints) -> float:
    """The mean distance between a word and its head; 0 where there are no arcs."""
    at = np.arange(words.n_words) - np.repeat(words.starts[:-1], words.lengths)
    arcs = heads >= 0
    return float(np.abs(heads - at)[arcs].mean()) if arcs.any() else 0.0


def measure(
    words: Sentences, parameters: Parameters, bits: float, constraint: str = "sprawl"
) -> Candidate:
    """A grammar as a candidate, by its trees of these sentences."""
    heads = best(words, parameters, constraint).heads
    return Candidate(bits, heads, arc_length(words, heads) if words.n_words else np.inf)


def agreement(one: Ints, two: Ints) -> float:
    """The share of words to which two grammars give the same head."""
    return float((one == two).mean()) if len(one) else 1.0


def choose(candidates: Sequence[Candidate]) -> tuple[int, list[float]]:
    """The place of the candidate to keep, and how far each agrees with the others on average."""
    size = len(candidates)
    alike = np.ones((size, size))
    for i in range(size):
        for j in range(i):
            alike[i, j] = alike[j, i] = agreement(candidates[i].heads, candidates[j].heads)
    shared = [float((alike[i].sum() - 1.0) / (size - 1)) if size > 1 else 1.0 for i in range(size)]
    among = [i for i in range(size) if not candidates[i].chain] or list(range(size))

    def rank(i: int) -> tuple[float, float, int]:
        others = [alike[i, j] for j in among if j != i]
        mean = float(np.mean(others)) if others else 1.0
        return -round(mean, 3), candidates[i].bits, i

    return min(among, key=rank), shared


def root_entropy(classes: Ints, heads: Ints) -> float:
    """How many classes roots are of, in bits: most sentences have a verb as their root."""
    counts = np.bincount(classes[heads < 0]).astype(float)
    shares = counts[counts > 0] / max(1.0, counts.sum())
    return float(np.sum(shares * np.log2(1.0 / shares)))


def fewest_bits(restarts: Sequence[Mapping[str, Any]], number: int = JOINED) -> list[int]:
    """The places of so many restarts that are no chains, fewest bits first; chains if all are."""
    among = [i for i, record in enumerate(restarts) if not record["chain"]]
    return sorted(among or range(len(restarts)), key=lambda i: (restarts[i]["bits"], i))[:number]


def baseline_bits(
    words: Sentences, model: str, classes: int, smoothing: float = 0.1
) -> dict[str, float]:
    """Bits a word of the grammars of the two chains: every word on the next, or on the one before.

    They are the baselines of the bits of a grammar.
    """
    row = find_model(model)
    found = {}
    for name, heads in (("next", attach_right(words)), ("previous", attach_left(words))):
        parameters = normalise(count(words, heads, row, classes), row, smoothing)
        found[name] = bits_per_word(words, parameters)
    return found


def attach_right(words: Sentences) -> Ints:
    """Every word hangs from the next; the last is the root."""
    at = np.arange(words.n_words) - np.repeat(words.starts[:-1], words.lengths)
    last = np.repeat(words.lengths, words.lengths) - 1
    return np.where(at == last, -1, at + 1).astype(np.int32)


def attach_left(words: Sentences) -> Ints:
    """Every word hangs from the one before; the first is the root."""
    at = np.arange(words.n_words) - np.repeat(words.starts[:-1], words.lengths)
    return (at - 1).astype(np.int32)
