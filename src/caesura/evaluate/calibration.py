"""Whether a confidence of 90% is right nine times out of ten.

Confidences of boundaries, tags and arcs are put into ten bins; each has its mean confidence and its
share of right ones. The expected calibration error is the mean distance of the two, weighted by
size (Guo et al. 2017); the Brier score is the mean squared distance to what is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.evaluate.pairs import Pairs

__all__ = ["Bin", "Calibration", "calibrate", "calibrations"]

BINS = 10


@dataclass(frozen=True)
class Bin:
    """A range of confidences: how many there are, their mean, and the share that is right."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Calibration:
    """How far confidences can be trusted; all figures between 0 and 1."""

    bins: tuple[Bin, ...]
    count: int
    ece: float
    brier: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "count": self.count,
            "ece": self.ece,
            "brier": self.brier,
            "bins": [
                {
                    "low": found.low,
                    "high": found.high,
                    "count": found.count,
                    "confidence": found.confidence,
                    "accuracy": found.accuracy,
                }
                for found in self.bins
            ],
        }


def calibrate(
    confidence: NDArray[np.floating[Any]], right: NDArray[np.bool_], bins: int = BINS
) -> Calibration:
    """Compare confidences between 0 and 1 with what was right."""
    known = np.isfinite(confidence)
    sure = np.clip(confidence[known].astype(np.float64), 0.0, 1.0)
    hit = right[known].astype(np.float64)
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    mean = np.bincount(place, weights=sure, minlength=bins) / np.maximum(count, 1)
    share = np.bincount(place, weights=hit, minlength=bins) / np.maximum(count, 1)
    total = len(sure)
    found = tuple(
        Bin(i / bins, (i + 1) / bins, int(count[i]), float(mean[i]), float(share[i]))
        for i in range(bins)
        if count[i]
    )
    if not total:
        return Calibration((), 0, 0.0, 0.0)
    ece = float((count * np.abs(mean - share)).sum() / total)
    return Calibration(found, total, ece, float(((sure - hit) ** 2).mean()))


def calibrations(pairs: Pairs) -> dict[str, Calibration]:
    """Calibration of whatever the system is confident of: sentences, tags, arcs."""
    system = pairs.system
    found: dict[str, Calibration] = {}
    by_token = _joined(system.docs, "sent_conf", "n_tokens")
    if by_token is not None:
        starts = np.zeros(system.n_tokens, dtype=bool)
        starts[system.sent_first] = True
        gold_starts = pairs.gold.token_start[pairs.gold.sent_first]
        is_start = np.isin(system.token_start, gold_starts)
        # The column is the probability of a start; judged is the decision taken, a start or none.
        sure = np.where(starts, by_token, 1 - by_token).astype(np.float32)
        found["sentences"] = calibrate(sure, is_start == starts)
    right = np.zeros(system.n_words, dtype=bool)
    column = "upos" if pairs.gold.known("upos") and system.known("upos") else "xpos"
    by_word = _joined(system.docs, "tag_conf", "n_words")
    if by_word is not None:
        right[pairs.s] = pairs.same(column)
        found["tags"] = calibrate(by_word, right)
    by_arc = _joined(system.docs, "arc_conf", "n_words")
    if by_arc is not None:
        right = np.zeros(system.n_words, dtype=bool)
        right[pairs.s] = pairs.same_head & pairs.same_relation
        found["arcs"] = calibrate(by_arc, right)
    return found


def _joined(docs: Sequence[Document], column: str, size: str) -> NDArray[np.float32] | None:
    """A column of confidences over all documents, NaN where a document has none."""
    found = [getattr(doc, column) for doc in docs]
    if all(values is None for values in found):
        return None
    return np.concatenate(
        [
            np.full(getattr(doc, size), np.nan, dtype=np.float32) if values is None else values
            for doc, values in zip(docs, found, strict=True)
        ]
    )
