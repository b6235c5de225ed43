"""Tables in Markdown."""

from __future__ import annotations

from typing import Any

from joint_study.data import Rows


def table(rows: Rows) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names] + [[_cell(name, row.get(name, "")) for name in names] for row in rows]
    lines = ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join([lines[0], "|" + "---|" * len(names), *lines[1:]])


def _cell(name: str, value: Any) -> str:
    if isinstance(value, float) and name.endswith(" p"):
        return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)
