"""Writes the tables of docs/explanation/hard-to-break.md from what the benchmarks have left.

python docs/hardening.py           write the page anew
python docs/hardening.py --check   exit with status 1 if it shows something else
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PAGE = DOCS / "explanation" / "hard-to-break.md"
RESULTS = DOCS.parent / "benchmarks" / "results"


def _read(name: str) -> dict[str, Any]:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _table(header: str, rows: list[str]) -> str:
    columns = header.count("|") - 1
    return "\n".join([header, "|---|" + "---:|" * (columns - 1), *rows])


def linear() -> str:
    found = _read("linear")
    if not found:
        return "Not measured yet."
    rows = [
        f"| {name} | {row['cases']:,} | {row['quick']:,} | {row['worst']:.2f} | {row['broken']} |"
        for name, row in found["readers"].items()
    ]
    header = (
        "| reader | kinds of input | too quick to compare | most, for twice the input | broken |"
    )
    said = f"From {found['size']:,} characters on, {found['mixed']} random cases a reader."
    return _table(header, rows) + f"\n\n{said}"


def fuzz() -> str:
    found = _read("fuzz")
    if not found:
        return "Not measured yet."
    doors = found["doors"]
    rows = [
        f"| {name} | {row['inputs']:,} | {row['seconds']:,.0f} | {row['megabytes']:,} "
        f"| {row['broken']} |"
        for name, row in doors.items()
    ]
    rows.append(f"| all | {sum(row['inputs'] for row in doors.values()):,} | | | |")
    return _table("| door | inputs | seconds of CPU | MB at most | broken |", rows)


def atheris() -> str:
    found = _read("atheris")
    if not found:
        return "Not measured yet."
    rows = [
        f"| {name} | {row['inputs']:,} | {row['first']:,} | {row['last']:,} |"
        for name, row in found["doors"].items()
    ]
    rows.append(f"| all | {sum(row['inputs'] for row in found['doors'].values()):,} | | |")
    return _table("| door | inputs | branches with the seeds | at the end |", rows)


def faults() -> str:
    found = _read("faults")
    if not found:
        return "Not measured yet."
    rows = [f"| {name} | {count} |" for name, count in found["kills"].items()]
    said = (
        f"{sum(found['kills'].values())} kills, {found['full disks']} full disks, "
        f"{found['short reads']} slow pipe; wrong: {len(found['wrong'])}."
    )
    return _table("| command | kills |", rows) + f"\n\n{said}"


def cluster() -> str:
    found = _read("cluster")
    if not found:
        return "Not measured yet."
    rows = [f"| {name} | {came} |" for name, came in found["cluster"].items()]
    said = f"Resumed without a cluster each time; wrong: {len(found['wrong'])}."
    return _table("| lost | the run |", rows).replace("---:|", "---|") + f"\n\n{said}"


def ranges() -> str:
    found = _read("ranges")
    if not found:
        return "Not measured yet."
    rows = [
        f"| {name} | {lowest} | {found['ceiling'][name]} |"
        for name, lowest in found["floor"].items()
    ]
    return _table("| package | lowest | highest |", rows)


_MAKERS = {
    "linear": linear,
    "fuzz": fuzz,
    "atheris": atheris,
    "faults": faults,
    "cluster": cluster,
    "ranges": ranges,
}


def fresh(text: str) -> str:
    """The page with its tables."""
    for name, make in _MAKERS.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        table = make()
        text = pattern.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)
    return text


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv[1:]:
        sys.exit(fresh(text) != text)
    PAGE.write_text(fresh(text), encoding="utf-8")


if __name__ == "__main__":
    main()
