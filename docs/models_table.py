"""Writes the table of the English models into README.md, from what their cards say.

python docs/models_table.py           write it anew
python docs/models_table.py --check   exit with status 1 if the page shows something else

Scores are those of the dev split from raw text, speeds those of `benchmarks/card_speed.py`; what a
file does not say is a dash.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caesura.models.file import load

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "README.md"
MODELS = {
    "en-fast": ROOT / "src" / "caesura" / "models" / "en-fast.caesura",
    "en": ROOT / "src" / "caesura" / "models" / "en.caesura",
    "en-large": ROOT / "packages" / "en-large" / "src" / "caesura_en_large" / "en-large.caesura",
}
SCORES = ("Sentences", "Words", "UPOS", "Lemmas", "LAS")
#: As outputs of a fully trained pipeline score, and as the speeds of others are compared with it.
SPACY = "| spaCy 3.8 (small CNN, stopped early) | 87.2 | 97.2 | 91.9 | | 79.0 | 1 | |"
BEGIN, END = "<!-- models -->\n", "<!-- end of models -->\n"


def row(name: str, path: Path) -> str:
    """What the file of a model says of itself."""
    meta = load(path, arrays=False).meta
    said = meta.get("scores")
    scores: Mapping[str, Any] = said if isinstance(said, dict) else {}
    if isinstance(scores.get("accurate"), dict):  # of files that knew modes
        scores = scores["accurate"]
    cells = [f"{scores[one]:.1f}" if one in scores else "–" for one in SCORES]
    times = meta.get("speed_measured", {}).get("times spaCy")
    cells.append("–" if times is None else f"{times:.1f}×")
    cells.append(f"{path.stat().st_size / 1e6:.0f} MB")
    return f"| `{name}` | " + " | ".join(cells) + " |"


def table() -> str:
    head = ["", *SCORES, "words per CPU second, against spaCy", "size"]
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += [row(name, path) for name, path in MODELS.items() if path.exists()]
    return "\n".join([*lines, SPACY]) + "\n"


def fresh(page: str) -> str:
    """The page with the table as it should be."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    new = fresh(page)
    if "--check" in sys.argv:
        return int(new != page)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
