"""What search and templates of a linear parser are worth, from `benchmarks/templates.py`.

python docs/templates_tables.py           write the tables of the page anew
python docs/templates_tables.py --check   exit with status 1 if the page shows others
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results" / "templates.json"
PAGE = DOCS / "explanation" / "joint-parsing.md"
#: The columns that are shown of each table, and what its head calls them.
SHOWN = {
    "search": {
        "what": "beam",
        "states/word": "states a word",
        "rows/state": "rows a state",
        "bytes/state": "bytes a state",
        "µs/word": "µs a word",
        "EWT LAS": "EWT LAS",
        "GUM LAS": "GUM LAS",
        "EWT-speech starts": "EWT-speech starts",
        "GUM-speech starts": "GUM-speech starts",
    },
    "templates": {
        "what": "without",
        "templates": "templates",
        "µs/word": "µs a word",
        "EWT LAS": "EWT LAS",
        "GUM LAS": "GUM LAS",
        "EWT-speech LAS": "EWT-speech LAS",
        "EWT-speech starts": "EWT-speech starts",
        "GUM-speech starts": "GUM-speech starts",
    },
}


def results() -> dict[str, Any]:
    """What the benchmark measured."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def cell(value: Any) -> str:
    if isinstance(value, str):
        text = value.replace("all templates", "nothing")
        return f"`{text}`" if text[:1].isdigit() else text
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"


def table(rows: list[dict[str, Any]], shown: dict[str, str]) -> str:
    lines = ["| " + " | ".join(shown.values()) + " |", "|---" + "|---:" * (len(shown) - 1) + "|"]
    lines += ["| " + " | ".join(cell(row[name]) for name in shown) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def fresh(page: str) -> str:
    """The page with the tables as they should be."""
    found = results()
    for name, shown in SHOWN.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}{table(found[name], shown)}{end}{after}"
    return page


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = fresh(page)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if made == page else "run docs/templates_tables.py")
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
