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

from induction_study.page_tables import TABLES, plain

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "induction.json"
PAGE = ROOT / "docs" / "explanation" / "induction-results.md"
BLOCK = re.compile(r"<!-- table (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def table(name: str, rows: list[dict[str, Any]]) -> str:
    """The table of this name."""
    return TABLES.get(name, plain)(rows)


def page(text: str, results: dict[str, list[dict[str, Any]]]) -> str:
    """The page with every table as it was measured last."""

    def block(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- table {name} -->\n\n{table(name, results[name])}\n\n<!-- end -->\n"

    return BLOCK.sub(block, text)


def main() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
