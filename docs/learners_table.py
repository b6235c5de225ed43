"""What learners of a linear pipeline and raw text are worth, from `benchmarks/`.

python docs/learners_table.py           write the tables of the pages anew
python docs/learners_table.py --check   exit with status 1 if a page shows another
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"
#: The scores that are shown, and what the head of a table calls them.
SHOWN = {
    "EWT Sent": "EWT Sentences",
    "EWT LAS": "EWT LAS",
    "EWT-speech starts": "EWT-speech starts",
    "EWT-speech LAS": "EWT-speech LAS",
    "GUM Sent": "GUM Sentences",
    "GUM LAS": "GUM LAS",
    "GUM-speech starts": "GUM-speech starts",
}
#: How learners are called.
NAMES = {"laso": "LaSO", "dlaso": "DLaSO, in turn"}


def named(learner: str) -> str:
    """The name of a learner for readers: `dlaso, 2 words ahead` is DLaSO with two."""
    first, *rest = learner.split(", ")
    rest = [f"2^{one.split()[0]} rows" if one.endswith(" bits") else one for one in rest]
    return ", ".join([NAMES.get(first, first), *rest])


def scored(row: dict[str, Any]) -> str:
    return " | ".join(f"{row['scores'][name]:.1f}" for name in SHOWN)


def learners(rows: list[dict[str, Any]]) -> str:
    """Learners, from `learners.py`."""
    lines = ["| learner | " + " | ".join(SHOWN.values()) + " | MB |"]
    lines += ["|---|" + "---:|" * (len(SHOWN) + 1)]
    for row in rows:
        lines += [f"| {named(row['learner'])} | {scored(row)} | {row['megabytes']:.1f} |"]
    data = f"{rows[0]['words']:,} words of EWT's training split"
    told = f"Learned from {data}, seed 1 unless it is said; tags and evidence in "
    told += f"{rows[0]['folds']} folds; 2^20 rows unless it is said."
    return "\n".join([*lines, "", told, ""])


def silver(rows: list[dict[str, Any]]) -> str:
    """Words of labelled raw text, from `silver.py`."""
    lines = ["| silver words | " + " | ".join(SHOWN.values()) + " |"]
    lines += ["|---:|" + "---:|" * len(SHOWN)]
    lines += [f"| {row['silver']:,} | {scored(row)} |" for row in rows]
    told = f"Gold: {rows[0]['gold']:,} words of EWT's training split, one seed."
    return "\n".join([*lines, "", told, ""])


class Table(NamedTuple):
    """A table of a page, between two comments that name it."""

    name: str
    page: Path
    write: Callable[[list[dict[str, Any]]], str]

    def fresh(self) -> str:
        """The page with the table as it should be."""
        begin, end = f"<!-- {self.name} -->\n", f"<!-- end of {self.name} -->\n"
        before, rest = self.page.read_text(encoding="utf-8").split(begin)
        _, after = rest.split(end)
        rows = json.loads((RESULTS / f"{self.name}.json").read_text(encoding="utf-8"))
        return f"{before}{begin}{self.write(rows)}{end}{after}"


TABLES = (
    Table("learners", DOCS / "howto" / "train-a-pipeline.md", learners),
    Table("silver", DOCS / "howto" / "learn-from-raw-text.md", silver),
)


def main() -> None:
    for table in TABLES:
        made = table.fresh()
        if "--check" not in sys.argv[1:]:
            table.page.write_text(made, encoding="utf-8")
        elif made != table.page.read_text(encoding="utf-8"):
            sys.exit("run docs/learners_table.py")


if __name__ == "__main__":
    main()
