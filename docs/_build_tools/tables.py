"""Write the tables of the documentation from the results of the benchmarks.

    python -m docs._build_tools.tables           write the pages
    python -m docs._build_tools.tables --check   exit with status 1 if a page is stale

A table stands between `<!-- table NAME -->` and `<!-- end -->`. Its text comes from
benchmarks/results/ only, so a page cannot show other figures than those that were measured. The
table of models in README.md comes from the cards of the model files.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from docs._build_tools import boundaries, branching, documents, induction, joint, measured

ROOT: Final = Path(__file__).parents[2]
RESULTS: Final = ROOT / "benchmarks" / "results"
BLOCK: Final = re.compile(r"<!-- table (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


class Results(dict[str, Any]):
    """The results of the benchmarks by the names of their files, read on first use."""

    def __missing__(self, name: str) -> Any:
        found = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        return self.setdefault(name, found)


#: Makes a table from the results.
Make = Callable[[Results], str]


def _of(source: str, tables: Mapping[str, Callable[[Any], str]]) -> dict[str, Make]:
    """Tables that read one file of results."""

    def make(table: Callable[[Any], str], results: Results) -> str:
        return table(results[source])

    return {name: partial(make, table) for name, table in tables.items()}


def _induction() -> dict[str, Make]:
    """A table for each list of rows of the study of grammar induction."""

    def make(name: str, results: Results) -> str:
        return induction.table(name, results["induction"][name])

    return {name: partial(make, name) for name in Results()["induction"]}


#: The tables of each page, by name.
PAGES: Final[dict[str, dict[str, Make]]] = {
    "README.md": measured.MODELS,
    "docs/explanation/evaluation.md": _of("loss", documents.TABLES),
    "docs/explanation/hard-to-break.md": measured.HARDENING,
    "docs/explanation/induction-results.md": _induction(),
    "docs/explanation/joint-parsing.md": _of("templates", measured.TEMPLATES),
    "docs/explanation/joint-results.md": _of("joint", joint.TABLES),
    "docs/explanation/papers.md": _of("boundaries", boundaries.TABLES),
    "docs/explanation/selectional-branching.md": _of("branching", branching.TABLES),
    "docs/explanation/speed.md": measured.SPEED,
    "docs/howto/learn-from-raw-text.md": _of("silver", {"silver": measured.silver}),
    "docs/howto/scale-out.md": measured.SCALE_OUT,
    "docs/howto/serve.md": measured.SERVING,
    "docs/howto/split-sentences.md": _of("splitting", {"splitters": measured.splitters}),
    "docs/howto/validate.md": _of("validity", {"validity": measured.validity}),
    "docs/howto/train-a-pipeline.md": _of("learners", {"learners": measured.learners}),
}


def fresh(page: str, text: str, results: Results | None = None) -> str:
    """A page with every table as it was measured last."""
    known = Results() if results is None else results

    def block(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- table {name} -->\n\n{PAGES[page][name](known)}\n\n<!-- end -->\n"

    return BLOCK.sub(block, text)


def main() -> int:
    stale = []
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        if (made := fresh(page, text)) != text:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                path.write_text(made, encoding="utf-8")
    print("".join(f"{page} was stale\n" for page in stale), end="")
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
