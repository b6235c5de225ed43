"""Roots of plain sentences, as primers have them and treebanks of the web do not.

    python benchmarks/primer.py                             # the bundled English models
    python benchmarks/primer.py --model en-large --json

Each of the sentences in tests/cases/primer/ is a text of its own. It is right if it comes out as
one sentence with the root that its line names. Of the open half the wrong ones are shown; of the
held half nothing but the number that is right, so that nobody mends a model for one of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from caesura.document import Document
from caesura.pipeline import load

CASES = Path(__file__).resolve().parents[1] / "tests" / "cases" / "primer"


class Wrong(NamedTuple):
    """A sentence, the root that it has, and those that were found."""

    sentence: str
    root: str
    found: list[str]


def cases(half: str) -> list[tuple[str, str]]:
    """The sentences of a half, with their roots."""
    lines = (CASES / f"{half}.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return [(row[0], row[1]) for row in rows]


def wrong(parse: Callable[[str], Document], rows: list[tuple[str, str]]) -> list[Wrong]:
    """The sentences that come out otherwise."""
    found = []
    for text, root in rows:
        sentences = parse(text).sentences
        roots = [word.form for one in sentences for word in one.words if word.deprel == "root"]
        if roots != [root]:
            found.append(Wrong(text, root, roots))
    return found


def scored(parse: Callable[[str], Document]) -> dict[str, Any]:
    """How many roots are right in each half, and which of the open ones are wrong."""
    opened, held = cases("open"), cases("held")
    missed = wrong(parse, opened)
    return {
        "open": [len(opened) - len(missed), len(opened)],
        "held": [len(held) - len(wrong(parse, held)), len(held)],
        "wrong": [one._asdict() for one in missed],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", nargs="+", default=["en-fast", "en"], help="names or files")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    results = {model: scored(load(model)) for model in asked.model}
    if asked.json:
        print(json.dumps(results))
        return
    for model, said in results.items():
        halves = ", ".join(
            f"{half} {said[half][0]} of {said[half][1]}" for half in ("open", "held")
        )
        print(f"{Path(model).stem}: {halves}")
        for one in said["wrong"]:
            print(f"  {one['sentence']} root {one['root']}, found {', '.join(one['found'])}")


if __name__ == "__main__":
    main()
