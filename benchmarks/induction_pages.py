"""Write the tables of docs/explanation/induction-results.md from benchmarks/results/induction.json.

    python benchmarks/induction.py --table rules --write    # measure
    python benchmarks/induction_pages.py                    # write the page anew

A table stands between two comments that name it; what is in between is made here, so a figure of
the page cannot drift from what was measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "induction.json"
PAGE = ROOT / "docs" / "explanation" / "induction-results.md"
#: Columns in the order of the page; others follow. Seconds vary with the machine and are left out.
ORDER = (
    "treebank",
    "left",
    "right",
    "short-first",
    "recombine",
    "joined",
    "rules",
    "rules@10",
    "no rules",
    "default",
    "of",
    *(name + mark for name in ("start", "short", "lexical", "loose") for mark in ("", "+")),
    *(name + mark for name in ("basic", "basic, long only") for mark in ("", "+", ", undirected")),
    "undirected",
)
LEFT_OUT = ("seconds",)
BLOCK = re.compile(r"<!-- table (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a table of Markdown; the treebank is in the first column."""
    found = {column for row in rows for column in row} - set(LEFT_OUT)
    columns = [*(c for c in ORDER if c in found), *sorted(found - set(ORDER))]
    titles = ["" if column == "treebank" else column for column in columns]
    lines = [titles, ["---"] * len(titles)]
    lines += [[cell(row.get(column, "")) for column in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("|  |", "| |")


def cell(value: Any) -> str:
    """A number with one decimal, a name as it is; a star is no emphasis."""
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value).replace("*", r"\*")


def page(text: str, results: dict[str, list[dict[str, Any]]]) -> str:
    """The page with every table as it was measured last."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- table {name} -->\n\n{table(results[name])}\n\n<!-- end -->\n"

    return BLOCK.sub(block, text)


def main() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
