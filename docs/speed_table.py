"""Writes what a word costs into docs/explanation/speed.md, from benchmarks/results/speed.json.

Start-up and memory come from start.json, the study of sure decisions from sure.json beside it.

python docs/speed_table.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "explanation" / "speed.md"
RESULTS: Final = ROOT / "benchmarks" / "results" / "speed.json"
PLACES: Final = ("stages", "memory", "products", "start", "sure")
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
    """Products of 8-bit matrices in the networks."""
    chosen = {model: of["products"] for model, of in found["models"].items() if "products" in of}
    if not chosen:
        return "\n"
    lines = [
        f"| | {' | '.join(f'`{model}`' for model in chosen)} |",
        "|---|" + "---:|" * len(chosen),
    ]
    first = next(iter(chosen.values()))
    for name in first:
        cells = " | ".join(f"{of[name]:,}" for of in chosen.values())
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


def start(found: dict[str, Any]) -> str:
    """Start-up and memory."""
    told = found["start"]
    models = told["models"]
    lines = [
        f"Measured on {told['machine']}, load {told['load']}.",
        "",
        f"| | {' | '.join(f'`{name}`' for name in models)} |",
        "|---|" + "---:|" * len(models),
    ]
    for name in next(iter(models.values())):
        lines.append(f"| {name} | {' | '.join(f'{of[name]:,}' for of in models.values())} |")
    return "\n".join(lines) + "\n"


def sure(found: dict[str, Any]) -> str:
    """What a table of sure decisions would spare."""
    told = found["sure"]
    lines = [
        f"{told['silver transitions']:,} transitions of {told['silver words']:,} words of raw "
        f"text, {told['dev transitions']:,} of EWT dev; trees take "
        f"{told['trees, microseconds a word']} of {told['all, microseconds a word']} "
        f"microseconds a word of `{told['model']}`.",
        "",
        "| context | seen at least | entries | sure transitions | decided as by the parser | "
        "other decisions in 1,000 words | saved at most, microseconds a word |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in told["rows"]:
        saved = told["trees, microseconds a word"] * row["sure %"] / 100
        lines.append(
            f"| {row['context']} | {row['least']} | {row['entries']:,} | {row['sure %']}% | "
            f"{row['as the parser decides %']}% | {row['other decisions a thousand words']} | "
            f"{saved:.2f} |"
        )
    return "\n".join(lines) + "\n"


def figures() -> dict[str, Any]:
    """All that the page shows."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    for name in ("start", "sure"):
        found[name] = json.loads(RESULTS.with_name(f"{name}.json").read_text(encoding="utf-8"))
    return found


def written(page: str, found: dict[str, Any]) -> str:
    """The page with the tables in their places."""
    for name, make in zip(PLACES, (stages, memory, products, start, sure), strict=True):
        begin, end = place(name)
        before, rest = page.split(begin)
        page = before + begin + make(found) + end + rest.split(end)[1]
    return page


def main() -> None:
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), figures()), encoding="utf-8")


if __name__ == "__main__":
    main()
