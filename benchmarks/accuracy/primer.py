"""Roots of plain sentences, which treebanks of the web lack.

    python -m benchmarks.accuracy.primer                             # bundled English models
    python -m benchmarks.accuracy.primer --model en-large --json

Each of the sentences in tests/cases/primer/ is a text of its own. It is correct if it is one
sentence with the root that its line names. Wrong sentences of the open half are shown; of the held
half only the number of correct ones, so that no model is changed for one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.common import ROOT, options, show

from caesura.document import Document
from caesura.pipeline import load

CASES = ROOT / "tests" / "cases" / "primer"


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
    given = options(__doc__, "--model", "--json").parse_args()
    rows = [{"model": model, **scored(load(model))} for model in given.model or ["en-fast", "en"]]
    show(rows, given.json)


if __name__ == "__main__":
    main()
