"""Whether the search reaches what a network knows.

    python -m benchmarks.accuracy.decoding --model en
    python -m benchmarks.accuracy.decoding --model en-large --treebank GUM --json

Tokens are given. Three ways of choosing heads are compared by UAS and LAS, relations without
subtypes: the pipeline with its own sentences, the pipeline with the gold sentences, and the best
head of each word in its gold sentence, without a tree constraint, with the best label for it. The
first loses against the second by wrong boundaries, the second against the third by the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.common import dev_docs, options, show
from numpy.typing import NDArray

import caesura
from caesura.document import YES, Document
from caesura.stages.network import NeuralParser


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
    given = options(__doc__, "--model", "--treebank", "--json").parse_args()
    rows: list[dict[str, Any]] = []
    for model in given.model or ["en"]:
        nlp = caesura.load(model)
        parser = nlp.stages[-1]
        if not isinstance(parser, NeuralParser):
            raise SystemExit(f"{model} has no network")
        for treebank in given.treebank or ["EWT"]:
            gold = dev_docs(treebank)
            about = {"model": model, "treebank": treebank}
            for name, kept in (
                ("own sentences", ("tokens",)),
                ("gold sentences", ("tokens", "sentences")),
            ):
                docs = [nlp(doc, keep=kept) for doc in gold]
                found = score(gold, [d.head for d in docs], [d.column("deprel") for d in docs])
                rows.append({**about, "heads": name, **found})
            best = [best_heads(parser, doc) for doc in gold]
            found = score(gold, [b[0] for b in best], [b[1] for b in best])
            rows.append({**about, "heads": "best heads", **found})
    show(rows, given.json)


if __name__ == "__main__":
    main()
