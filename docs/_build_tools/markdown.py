"""Tables in Markdown and the formats of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["cell", "chosen", "difference", "markdown", "number", "p_value"]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first column contains names, the others contain numbers."""
    lines = [head, *rows]
    shown = ["|" + "".join(f" {one} |" if one else " |" for one in line) for line in lines]
    return "\n".join([shown[0], "|---" + "|---:" * (len(head) - 1) + "|", *shown[1:]])


def chosen(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """The table of some columns, under titles of their own."""
    return markdown([*columns.values()], [[cell(row.get(c, "")) for c in columns] for row in rows])


def cell(value: Any) -> str:
    """A float with one decimal, an integer with commas, a name with its stars escaped."""
    if isinstance(value, float):
        return f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("*", r"\*")


def number(value: Any, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def p_value(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def difference(points: float | None, p: float | None) -> str:
    """A difference with its p-value; empty without a difference."""
    return "" if points is None else f"{points:+.2f} ({p_value(p)})"
