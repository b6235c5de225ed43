"""All there is to say about one system: scores, what was left out, and where the loss lies.

A report reads as a table in a terminal, as JSON for a script and as a page of HTML for a browser;
what takes longer (breakdowns, confusions) is computed when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from caesura.document.punctuation import Marks
from caesura.evaluate.align import Comparison
from caesura.evaluate.breakdown import Row, breakdown
from caesura.evaluate.calibration import Calibration, calibrations
from caesura.evaluate.confusions import Confusion, confusions
from caesura.evaluate.conll import METRICS
from caesura.evaluate.html import report_html, scores_html
from caesura.evaluate.loss import Losses, attribute
from caesura.evaluate.score import Score
from caesura.evaluate.spans import LEVELS, Level, SpanOptions, compare_levels
from caesura.evaluate.svg import scores_svg
from caesura.evaluate.tables import report_text
from caesura.formats.io import open_write

__all__ = ["Report"]


@dataclass
class Report:
    """The comparison of a system with gold; `report["LAS"].f1` is in per cent."""

    name: str
    comparison: Comparison
    #: Scores by name: those of CoNLL 2018 first.
    scores: dict[str, Score]
    #: How spans are compared, and which levels of them.
    options: SpanOptions = field(default_factory=SpanOptions)
    wanted: tuple[str, ...] = LEVELS
    #: What was left out or is odd, each in one sentence.
    notes: list[str] = field(default_factory=list)
    #: What each layer costs, where outputs from better input were given.
    losses: Losses | None = None
    #: The definition of punctuation of the scores without it.
    marks: Marks = field(default_factory=Marks)

    def __getitem__(self, metric: str) -> Score:
        try:
            return self.scores[metric]
        except KeyError:
            raise KeyError(f"{metric!r}; there are: {', '.join(self.scores)}") from None

    def __contains__(self, metric: str) -> bool:
        return metric in self.scores

    @property
    def unaligned(self) -> dict[str, int]:
        """Tokens of either side that were not found in the text."""
        comparison = self.comparison
        return {
            "gold": int(np.count_nonzero(comparison.gold.lost)),
            "system": int(np.count_nonzero(comparison.system.lost)),
        }

    @cached_property
    def levels(self) -> dict[str, Level]:
        """Spans level by level: SENT, TOK, WORD, POS, PS, DEP, as far as both sides have them."""
        return compare_levels(self.comparison, self.options, self.wanted)

    @cached_property
    def attribution(self) -> dict[str, int]:
        """Gold words by the layer that failed them; empty without trees."""
        pairs = self.comparison.pairs
        both = pairs.gold.known("head") and pairs.system.known("head")
        return attribute(pairs) if both else {}

    @cached_property
    def calibration(self) -> dict[str, Calibration]:
        """How far the confidences of the system can be trusted, where it gives them."""
        return calibrations(self.comparison.pairs)

    def breakdown(self, by: str) -> list[Row]:
        """Scores by document, genre, sentence length, arc length, label or tag."""
        return breakdown(self.comparison, by)

    def confusions(self, what: str, limit: int = 20) -> list[Confusion]:
        """The most frequent confusions of relations or tags."""
        return confusions(self.comparison, what, limit)

    @cached_property
    def conll(self) -> dict[str, Score]:
        """The scores of CoNLL 2018 that could be computed."""
        return {name: self.scores[name] for name in METRICS if name in self.scores}

    # ------------------------------------------------------------------ shapes

    def as_dict(self, *, breakdowns: tuple[str, ...] = ()) -> dict[str, Any]:
        """What the JSON holds: the scores by name, and the rest under names of its own."""
        found: dict[str, Any] = {name: score.as_dict() for name, score in self.scores.items()}
        found["levels"] = {
            name: {**level.score.as_dict(), "exact_sentences": level.exact.recall}
            for name, level in self.levels.items()
        }
        found["unaligned"] = self.unaligned
        found["matched_loosely"] = self.comparison.loose.as_dict()
        if self.attribution:
            found["attribution"] = self.attribution
        if self.calibration:
            found["calibration"] = {name: c.as_dict() for name, c in self.calibration.items()}
        if self.losses is not None:
            found["losses"] = self.losses.as_dict()
        if breakdowns:
            found["breakdowns"] = {
                by: [row.as_dict() for row in self.breakdown(by)] for by in breakdowns
            }
        found["marks"] = str(self.marks)
        found["notes"] = list(self.notes)
        return found

    def __str__(self) -> str:
        return report_text(self)

    def html(self) -> str:
        """A page of HTML that needs nothing else."""
        return report_html(self)

    def save_html(self, path: str | Path) -> None:
        """Write the page to a file."""
        with open_write(path) as file:
            file.write(self.html().encode("utf-8"))

    def _repr_html_(self) -> str:
        return scores_html(self)

    def _repr_svg_(self) -> str:
        return scores_svg(self)
