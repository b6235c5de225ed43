"""Whether the search reaches what a network knows.

    python benchmarks/decoding.py --model en
    python benchmarks/decoding.py --model en-large --treebank GUM --json

Tokens are given, and three ways of choosing heads are compared by UAS and LAS, relations without
their subtypes: the pipeline with sentences of its own, the pipeline with the true sentences, and
the best head of each word in its true sentence, tree or no tree, with the best label for that head.
The third knows more than any parser of raw text does; what the first loses against the second are
wrong boundaries, what the second loses against the third is the search.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from data import file_of
from numpy.typing import NDArray

import caesura
from caesura.document import YES, Document
from caesura.formats import read
from caesura.neural.parser import NeuralParser


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en", help="a neural model")
    parser.add_argument("--treebank", default="EWT", help="EWT, GUM, or a file")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def universal(names: Sequence[str]) -> list[str]:
    return [name.split(":")[0] for name in names]


def score(
    gold: Sequence[Document], heads: Sequence[Any], labels: Sequence[Any]
) -> dict[str, float]:
    """UAS and LAS of heads (-1: root) and relations of all words."""
    words = right = both = 0
    for doc, head, label in zip(gold, heads, labels, strict=True):
        same = np.asarray(doc.head) == np.asarray(head)
        named = np.array(universal(doc.column("deprel"))) == np.array(universal(label))
        words += doc.n_words
        right += int(same.sum())
        both += int((same & named).sum())
    return {"UAS": round(100 * right / words, 2), "LAS": round(100 * both / words, 2)}


def best_heads(parser: NeuralParser, doc: Document) -> tuple[NDArray[np.int32], list[str]]:
    """The best head of each word within its true sentence, and the best label for it."""
    scores = parser.encoder.scores(doc)
    starts = np.flatnonzero(doc.word_sent_start == YES)
    number = np.searchsorted(starts, np.arange(doc.n_words), side="right")
    first = np.concatenate(([0], starts))[number]
    last = np.append(starts, doc.n_words)[number]
    place = np.arange(scores.arcs.shape[1])[None, :]
    head = scores.base[:, None] + place - 1
    inside = (place == 0) | ((head >= first[:, None]) & (head < last[:, None]))
    inside &= (head != np.arange(doc.n_words)[:, None]) | (place == 0)
    inside &= place < scores.sizes[:, None]
    best = np.where(inside, scores.arcs, -np.inf).argmax(1)
    heads = np.where(best == 0, -1, scores.base + best - 1).astype(np.int32)
    names = parser.labels["deprel"]
    return heads, [names[n] for n in parser.label_chances(scores, heads).argmax(1).tolist()]


def main() -> None:
    asked = arguments()
    path = file_of(asked.treebank, "dev") if asked.treebank in ("EWT", "GUM") else asked.treebank
    gold = [doc for doc in read(path) if doc.n_words]
    nlp = caesura.load(asked.model)
    parser = nlp.stages[-1]
    if not isinstance(parser, NeuralParser):
        raise SystemExit(f"{asked.model} has no network: its transitions alone know its heads")
    found: dict[str, dict[str, float]] = {}
    for name, kept in (("own sentences", ("tokens",)), ("true sentences", ("tokens", "sentences"))):
        docs = [nlp(doc, keep=kept) for doc in gold]
        found[name] = score(gold, [d.head for d in docs], [d.column("deprel") for d in docs])
    best = [best_heads(parser, doc) for doc in gold]
    found["best heads"] = score(gold, [b[0] for b in best], [b[1] for b in best])
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{asked.model}, {asked.treebank} dev, given tokens")
    for name, scores in found.items():
        print(f"{name:16} UAS {scores['UAS']:.2f}  LAS {scores['LAS']:.2f}")


if __name__ == "__main__":
    main()
