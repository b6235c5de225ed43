"""Tables and cells in Markdown, which the pages of all papers share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["difference", "markdown", "number", "p_value"]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first column is names, the others are numbers."""
    lines = [list(head), ["---", *["---:"] * (len(head) - 1)], *map(list, rows)]
    return "\n".join(
        "|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines
    )


def number(value: Any, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def p_value(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def difference(points: float | None, p: float | None) -> str:
    """A difference with its p-value, or nothing where there is none."""
    return "" if points is None else f"{points:+.2f} ({p_value(p)})"
