"""Writes what a word costs into docs/explanation/speed.md, from benchmarks/results/speed.json.

python docs/speed_table.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "explanation" / "speed.md"
RESULTS: Final = ROOT / "benchmarks" / "results" / "speed.json"
PLACES: Final = ("stages", "memory", "products")
FIRST: Final = ("tokens", "tags", "lemmas, features", "trees", "trees and tags", "network")


def place(name: str) -> tuple[str, str]:
    """The lines between which a table stands."""
    return f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"


def stages(found: dict[str, Any]) -> str:
    """Microseconds a word by stage and size."""
    lines = [f"Measured on {found['machine']}, load {found['load']}."]
    for model, of in found["models"].items():
        seen = {name for row in of["sizes"] for name in row}
        names = [name for name in FIRST if name in seen]
        names += ["between stages", "writing", "all"]
        lines += [
            "",
            f"| `{model}`: words | {' | '.join(names)} |",
            "|---:" * (1 + len(names)) + "|",
        ]
        for row in of["sizes"]:
            cells = [f"{row.get(name, 0.0):.2f}" for name in names]
            lines.append(f"| {row['words']:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def memory(found: dict[str, Any]) -> str:
    """What the rows of a transition ask of the memory."""
    lines = []
    for model, of in found["models"].items():
        if "memory" in of:
            lines += [f"| parser of `{model}` | |", "|---|---:|"]
            lines += [f"| {name} | {value:,} |" for name, value in of["memory"].items()]
    lines += [f"| GB a second of a copy in the same run | {found['copy GB/s']} |"]
    misses = found["cache misses"]
    if isinstance(misses, dict):
        lines += [f"| {name} | {value:,} |" for name, value in misses.items()]
        return "\n".join(lines) + "\n"
    return "\n".join(lines) + f"\n\nCache misses are {misses}.\n"


def products(found: dict[str, Any]) -> str:
    """Products of 8-bit matrices, alone and in the networks."""
    chosen = {model: of["products"] for model, of in found["models"].items() if "products" in of}
    if not chosen:
        return "\n"
    lines = [
        f"| | {' | '.join(f'`{model}`' for model in chosen)} |",
        "|---|" + "---:|" * len(chosen),
    ]
    first = next(iter(chosen.values()))
    for name, value in first.items():
        if not isinstance(value, dict):
            cells = " | ".join(f"{of[name]:,}" for of in chosen.values())
            lines.append(f"| {name} | {cells} |")
    lines += ["", "| product | GOP/s alone |", "|---|---:|"]
    for model, of in chosen.items():
        rates = of["GOP/s of products alone"].items()
        lines += [f"| `{model}`: {name} | {value} |" for name, value in rates]
    return "\n".join(lines) + "\n"


def written(page: str, found: dict[str, Any]) -> str:
    """The page with the tables in their places."""
    for name, make in zip(PLACES, (stages, memory, products), strict=True):
        begin, end = place(name)
        before, rest = page.split(begin)
        page = before + begin + make(found) + end + rest.split(end)[1]
    return page


def main() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
