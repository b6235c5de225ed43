"""The k best trees of a sentence. Only the comparison with filtered lists needs it."""

from __future__ import annotations

from caesura.induce.parameters import Floats, Ints, Parameters, logs
from caesura.induce.punctuation_constraints import code
from caesura.induce.sentences import Sentences

__all__ = ["k_best"]


def k_best(
    sentences: Sentences, index: int, parameters: Parameters, k: int, constraint: str | None = None
) -> tuple[Ints, Floats]:
    """Heads [rank, word] and scores of the k best trees of one sentence, or fewer if there are."""
    return sentences.core.k_best(logs(parameters).core, code(constraint), index, k)
