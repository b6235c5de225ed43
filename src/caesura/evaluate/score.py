"""A score: how many things gold has, how many the system has, and how many they share.

Precision, recall and F1 are in per cent everywhere, as in the tables of the literature. A score
over aligned words also knows how many words were aligned, which gives the accuracy on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Score", "total"]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one metric; the rates are properties, in per cent."""

    gold: int
    system: int
    correct: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return 100 * self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return 100 * self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.system + self.gold
        return 100 * (2 * self.correct / both) if both else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Correct ones among the aligned words, or None where words are not aligned."""
        if self.aligned is None:
            return None
        return 100 * self.correct / self.aligned if self.aligned else 0.0

    def __add__(self, other: Score) -> Score:
        aligned = None
        if self.aligned is not None and other.aligned is not None:
            aligned = self.aligned + other.aligned
        return Score(
            self.gold + other.gold,
            self.system + other.system,
            self.correct + other.correct,
            aligned,
        )

    def as_dict(self) -> dict[str, Any]:
        """What the JSON holds of it."""
        found: dict[str, Any] = {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold": self.gold,
            "system": self.system,
            "correct": self.correct,
        }
        if self.aligned is not None:
            found["aligned"] = self.aligned
            found["aligned_accuracy"] = self.aligned_accuracy
        return found

    def __str__(self) -> str:
        return f"P {self.precision:.2f} R {self.recall:.2f} F1 {self.f1:.2f}"


def total(scores: list[Score]) -> Score:
    """The micro-average: the counts added up."""
    start = Score(0, 0, 0, 0 if scores and scores[0].aligned is not None else None)
    return sum(scores, start)
