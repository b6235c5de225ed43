"""Starts of clauses inside sentences beside the discourse units of GUM.

    python -m benchmarks.accuracy.clauses                     # dev: gold trees, en-fast and en
    python -m benchmarks.accuracy.clauses --split train --gold-only

A discourse unit starts at a word with `Discourse=` in MISC; `same-unit` continues one and does not
count, nor does the first word of a sentence. A clause starts where its first part does. Models
parse the gold tokens and sentences. Without `--split`, the rules have not seen the trees.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.common import f1, find_file, find_folder, keep_json, machine, options, show

from caesura.document import Document, misc_items
from caesura.find.clauses import clauses
from caesura.formats import read
from caesura.pipeline import load


def inside(doc: Document, words: Iterable[int]) -> set[int]:
    """Those of the words that are not the first of a sentence."""
    return set(words) - {sentence.first_word for sentence in doc.sentences}


def units(doc: Document) -> set[int]:
    """The words that start a discourse unit inside a sentence."""
    relations = (misc_items(misc).get("Discourse", "same-unit") for misc in doc.column("misc"))
    starts = (word for word, one in enumerate(relations) if not one.startswith("same-unit"))
    return inside(doc, starts)


def starts(doc: Document) -> set[int]:
    """The words that start a clause inside a sentence."""
    return inside(doc, (one.parts[0].first_word for one in clauses(doc) if one.parts))


def row(trees: str, gold: list[set[int]], docs: Iterable[Document]) -> dict[str, Any]:
    """Precision, recall and F1 of the starts of clauses of some trees."""
    found = [starts(doc) for doc in docs]
    right = sum(len(one & other) for one, other in zip(gold, found, strict=True))
    total, units = sum(map(len, found)), sum(map(len, gold))
    scores = {"precision": 100 * right / max(total, 1), "recall": 100 * right / max(units, 1)}
    return {"trees": trees, "units": units, **scores, "F1": f1(right, total, units)}


def main() -> None:
    parser = options(__doc__, "--model", "--json", "--output")
    parser.add_argument("--split", default="dev", help="the split of GUM")
    parser.add_argument("--gold-only", action="store_true", help="score gold trees alone")
    chosen = parser.parse_args()
    path = find_file(find_folder("GUM"), chosen.split)
    if path is None:
        raise SystemExit(f"there is no {chosen.split} split of GUM")
    docs = [doc for doc in read(path) if doc.n_words]
    gold = [units(doc) for doc in docs]
    rows = [row("gold", gold, docs)]
    for name in [] if chosen.gold_only else chosen.model or ["en-fast", "en"]:
        parsed = load(name).batch(docs, keep=["tokens", "sentences"])
        rows.append(row(name, gold, parsed))
    if chosen.output:
        keep_json(chosen.output, {"machine": machine(), "rows": rows})
    show(rows, chosen.json)


if __name__ == "__main__":
    main()
