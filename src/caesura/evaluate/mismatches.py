"""Spans that only one side has, in the order of the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.evaluate.report import Report
from caesura.evaluate.spans import Table

__all__ = ["Mismatch", "mismatches"]


@dataclass(frozen=True)
class Mismatch:
    """A span that gold has and the system lacks (missed), or the other way round (wrong)."""

    level: str
    side: str
    start: int
    end: int
    label: str
    text: str
    #: The span of the head of a dependency; None for a root and on the other levels.
    head: tuple[int, int] | None = None

    def __str__(self) -> str:
        mark = "-" if self.side == "gold" else "+"
        shown = self.text.replace("\n", " ")
        if len(shown) > 60:
            shown = f"{shown[:40]} … {shown[-15:]}"
        head = f"\t{self.head[0]}\t{self.head[1]}" if self.head else ""
        return f"{mark}\t{self.start}\t{self.end}\t{self.label}{head}\t{shown}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "side": self.side,
            "start": self.start,
            "end": self.end,
            "label": self.label,
            "head": list(self.head) if self.head else None,
            "text": self.text,
        }


def mismatches(report: Report) -> list[Mismatch]:
    """All spans that differ, level by level, by their place in the text."""
    found: list[Mismatch] = []
    for name, level in report.levels.items():
        rows = [
            *_rows(report, name, "gold", level.gold, ~level.gold_matched),
            *_rows(report, name, "system", level.system, ~level.system_matched),
        ]
        found += sorted(rows, key=lambda row: (row.start, row.end, row.side))
    return found


def _rows(
    report: Report, level: str, side: str, table: Table, chosen: np.ndarray[Any, Any]
) -> Iterator[Mismatch]:
    comparison = report.comparison
    strings = comparison.gold.strings
    start, end = comparison.offsets(table.start[chosen], table.end[chosen])
    heads: list[tuple[int, int] | None] = [None] * len(start)
    if table.head_start is not None and table.head_end is not None:
        first, last = table.head_start[chosen], table.head_end[chosen]
        low, high = comparison.offsets(np.maximum(first, 0), np.maximum(last, 0))
        heads = [
            None if root else (a, b)
            for root, a, b in zip((first < 0).tolist(), low.tolist(), high.tolist(), strict=True)
        ]
    labels = table.label[chosen].tolist()
    for a, b, label, head in zip(start.tolist(), end.tolist(), labels, heads, strict=True):
        yield Mismatch(level, side, a, b, strings[label], comparison.text[a:b], head)
