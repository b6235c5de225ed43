"""What is taken for what, most frequent first, with examples in context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.evaluate.align import Comparison
from caesura.evaluate.pairs import Pairs

__all__ = ["Confusion", "Example", "confusions"]

#: Characters of context on either side of an example.
CONTEXT = 40


@dataclass(frozen=True)
class Example:
    """A word in its context; offsets are those of the text that was compared."""

    start: int
    end: int
    before: str
    form: str
    after: str
    document: str


@dataclass(frozen=True)
class Confusion:
    """Gold says one thing, the system another, so many times."""

    gold: str
    system: str
    count: int
    examples: tuple[Example, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "gold": self.gold,
            "system": self.system,
            "count": self.count,
            "examples": [
                {
                    "start": found.start,
                    "end": found.end,
                    "context": f"{found.before}[{found.form}]{found.after}",
                    "document": found.document,
                }
                for found in self.examples
            ],
        }


def _columns(pairs: Pairs, what: str) -> tuple[NDArray[Any], NDArray[Any]]:
    if what == "relations":
        return pairs.relations
    if what == "tags":
        column = "upos" if pairs.gold.known("upos") else "xpos"
        return getattr(pairs.gold, column), getattr(pairs.system, column)
    raise ValueError(f"no confusions of {what!r}; there are: relations, tags")


def confusions(
    comparison: Comparison, what: str, limit: int = 20, examples: int = 3
) -> list[Confusion]:
    """The most frequent confusions of relations or tags among aligned words."""
    pairs = comparison.pairs
    gold, system = _columns(pairs, what)
    left, right = gold[pairs.g].astype(np.int64), system[pairs.s].astype(np.int64)
    wrong = np.flatnonzero(left != right)
    base = len(pairs.gold.strings) + 1
    keys, first, counts = np.unique(
        left[wrong] * base + right[wrong], return_index=True, return_counts=True
    )
    strings = pairs.gold.strings
    found = []
    for row in sorted(range(len(keys)), key=lambda i: (-counts[i], first[i]))[:limit]:
        one, other = divmod(int(keys[row]), base)
        hits = wrong[(left[wrong] == one) & (right[wrong] == other)][:examples]
        shown = tuple(_example(comparison, int(pairs.g[hit])) for hit in hits.tolist())
        found.append(Confusion(strings[one] or "_", strings[other] or "_", int(counts[row]), shown))
    return found


def _example(comparison: Comparison, word: int) -> Example:
    gold = comparison.gold
    token = int(gold.word_token[word])
    start, end = comparison.offsets(gold.token_start[[token]], gold.token_end[[token]])
    first, last = int(start[0]), int(end[0])
    number = int(np.searchsorted(gold.doc_first_word, word, side="right")) - 1
    text = comparison.text
    before = text[max(first - CONTEXT, 0) : first]
    return Example(
        first,
        last,
        before.replace("\n", " "),
        gold.strings[gold.form[word]],
        text[last : last + CONTEXT].replace("\n", " "),
        gold.docs[number].id or f"document {number + 1}",
    )
