"""The table of splitters in the docs, from what `benchmarks/splitting.py` measured.

python docs/splitting_table.py           write the table of the page anew
python docs/splitting_table.py --check   exit with status 1 if the page shows another one
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results" / "splitting.json"
PAGE = DOCS / "howto" / "split-sentences.md"
BEGIN, END = "<!-- splitters -->\n", "<!-- end of splitters -->\n"
#: The sets that are shown, and what the head of the table calls them.
SHOWN = {
    "EWT": "EWT",
    "GUM": "GUM",
    "WSJ-sample": "WSJ",
    "EWT-speech": "EWT as speech",
    "GUM-speech": "GUM as speech",
    "Switchboard turns": "Switchboard",
    "texts": "raw texts",
    "cases": "cases",
}


def results() -> dict[str, Any]:
    """What the benchmark measured."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def table(found: dict[str, Any]) -> str:
    """Boundary F1 of every system on every set, cases that are right, speed and memory."""
    rows = found["systems"]
    names = [name for name in SHOWN if name in rows[0]["scores"]]
    head = ["", *(SHOWN[name] for name in names), "words/s", "MB"]
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for row in rows:
        cells = []
        for name in names:
            scores = row["scores"][name]
            right = 100 * scores["right"] / scores["texts"]
            cells.append(f"{right if name == 'cases' else scores['boundaries']:.1f}")
        model, _, quick = row["system"].partition("/")
        own = f"`{model}`" if model.startswith("en") else model
        name = own + (", `--quick`" if quick else "")
        cells += [f"{row['words_per_second']:,}", f"{row['megabytes']:,}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def fresh(page: str) -> str:
    """The page with the table as it should be."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table(results())}{END}{after}"


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    new = fresh(page)
    if "--check" in sys.argv:
        return int(new != page)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
