"""Write the tables of the pages on joint parsing, branching, evaluation and papers from results/.

    python benchmarks/papers.py collect --out papers/       # results of jobs into those files
    python benchmarks/papers_pages.py                       # write the pages anew

A table stands between two comments that name it, as in `induction_pages.py`; what is in between is
made here, so a figure of a page cannot drift from what was measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from induction_pages import BLOCK
from papers_study import boundary_tables, branching_tables, joint_tables, loss_tables

ROOT = Path(__file__).parent.parent
SOURCES = ("joint", "branching", "loss", "boundaries")
RESULTS = {name: ROOT / "benchmarks" / "results" / f"{name}.json" for name in SOURCES}
FOLDER = ROOT / "docs" / "explanation"
#: By page: the results that it shows, and what makes each of its tables of them.
PAGES: dict[str, tuple[str, dict[str, Callable[[Any], str]]]] = {
    "joint-results.md": ("joint", joint_tables.TABLES),
    "selectional-branching.md": ("branching", branching_tables.TABLES),
    "papers.md": ("boundaries", boundary_tables.TABLES),
    "evaluation.md": ("loss", loss_tables.TABLES),
}


def fresh(page: str, text: str) -> str:
    """A page with every table as it was measured last."""
    source, tables = PAGES[page]
    results = json.loads(RESULTS[source].read_text(encoding="utf-8"))

    def block(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- table {name} -->\n\n{tables[name](results)}\n\n<!-- end -->\n"

    return BLOCK.sub(block, text)


def main() -> None:
    for page in PAGES:
        path = FOLDER / page
        path.write_text(fresh(page, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
