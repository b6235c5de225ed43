"""What learners of a linear pipeline are worth, from `benchmarks/learners.py`.

python docs/learners_table.py           write the table of the page anew
python docs/learners_table.py --check   exit with status 1 if the page shows another
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results" / "learners.json"
PAGE = DOCS / "howto" / "train-a-pipeline.md"
BEGIN, END = "<!-- learners -->\n", "<!-- end of learners -->\n"
#: The scores that are shown, and what the head of the table calls them.
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


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["| learner | " + " | ".join(SHOWN.values()) + " | MB |"]
    lines += ["|---|" + "---:|" * (len(SHOWN) + 1)]
    for row in rows:
        scores = " | ".join(f"{row['scores'][name]:.1f}" for name in SHOWN)
        lines += [f"| {named(row['learner'])} | {scores} | {row['megabytes']:.1f} |"]
    data = f"{rows[0]['words']:,} words of EWT's training split"
    told = f"Learned from {data}, one seed; tags and evidence in {rows[0]['folds']} folds."
    return "\n".join([*lines, "", told, ""])


def fresh(page: str) -> str:
    """The page with the table as it should be."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table(json.loads(RESULTS.read_text(encoding='utf-8')))}{END}{after}"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = fresh(page)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if made == page else "run docs/learners_table.py")
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
