"""One number for a training loop: boundary F1 and LAS on the tokens of gold."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.document import Document
from caesura.evaluate.align import pair
from caesura.evaluate.boundary_scores import segment_scores
from caesura.evaluate.score import Score

__all__ = ["boundaries", "las"]


def boundaries(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, Score]:
    """SentenceSpans, BoundaryPoints, StartsAll, and Starts without those that open a document."""
    return segment_scores(pair(gold, system).pairs)


def las(gold: Sequence[Document], system: Sequence[Document]) -> float:
    """Labelled attachment in per cent; on the tokens of gold, the accuracy over all words."""
    pairs = pair(gold, system).pairs
    return pairs.score(pairs.same_head & pairs.same_relation).f1
