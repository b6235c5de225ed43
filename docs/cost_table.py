"""Writes what a billion words cost into docs/howto/scale-out.md, from benchmarks/results/cost.json,
and what threads, processes and Ray make of two cores, from benchmarks/results/workers.json.

python docs/cost_table.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "howto" / "scale-out.md"
RESULTS: Final = ROOT / "benchmarks" / "results" / "cost.json"
WORKERS: Final = RESULTS.with_name("workers.json")
BEGIN, END = "<!-- cost -->\n", "<!-- end of cost -->\n"
FIRST, LAST = "<!-- workers -->\n", "<!-- end of workers -->\n"
BILLION: Final = 1_000_000_000


def table(found: dict[str, Any]) -> str:
    """Microseconds a word by stage, then core hours of a billion words."""
    lines = [
        f"Measured on {found['machine']}, load {found['load']}, device {found['device']}; a copy "
        f"of a large array moves {found['copy GB/s']} GB a second there. Cache misses are "
        f"{found['cache misses']}.",
        "",
        "| model | words | CPU microseconds a word, by stage |",
        "|---|---:|---|",
    ]
    for model, of in found["models"].items():
        for row in of["sizes"]:
            spent = ", ".join(f"{name} {value}" for name, value in row.items() if name != "words")
            lines.append(f"| `{model}` | {row['words']:,} | {spent} |")
    lines += [
        "",
        "| model | threads | words a second | words a CPU second | "
        "core hours of a billion words (extrapolation) | days on 16 cores (extrapolation) |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for model, of in found["models"].items():
        for row in of["threads"]:
            hours = BILLION / row["words/CPU s"] / 3600
            lines.append(
                f"| `{model}` | {row['threads']} | {row['words/s']:,} | {row['words/CPU s']:,} | "
                f"{hours:,.1f} | {hours / 16 / 24:,.2f} |"
            )
    return "\n".join(lines) + "\n"


def written(page: str, found: dict[str, Any]) -> str:
    """The page with the table in its place."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + table(found) + END + rest.split(END)[1]


def workers(found: dict[str, Any]) -> str:
    """Words a second of each way, and its share of what processes make."""
    lines = [
        f"Measured on {found['machine']}, load {found['load']}.",
        "",
        "| model | how | words a second | words a CPU second | of that of processes |",
        "|---|---|---:|---:|---:|",
    ]
    for model, rows in found["models"].items():
        alone = next(row for row in rows if "processes" in row["how"])["words/CPU s"]
        for row in rows:
            share = row["words/CPU s"] / alone
            lines.append(
                f"| `{model}` | {row['how']} | {row['words/s']:,} | {row['words/CPU s']:,} | "
                f"{share:.2f} |"
            )
    return "\n".join(lines) + "\n"


def with_workers(page: str, found: dict[str, Any]) -> str:
    """The page with the table of workers in its place."""
    before, rest = page.split(FIRST)
    return before + FIRST + workers(found) + LAST + rest.split(LAST)[1]


def main() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    page = written(PAGE.read_text(encoding="utf-8"), found)
    PAGE.write_text(
        with_workers(page, json.loads(WORKERS.read_text(encoding="utf-8"))), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
