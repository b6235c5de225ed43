"""Accuracy, training time, size and speed of the tagger.

    python -m benchmarks.accuracy.tagging                          # train on EWT, score on dev
    python -m benchmarks.accuracy.tagging --treebank UD_Greek-GDT
    python -m benchmarks.accuracy.tagging --load ewt.tagger

Speeds are words per CPU second from tokens in memory to all columns; `cold` starts with empty
caches.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import conll, cpu, fastest, file_of, options, show

from caesura.document import Document
from caesura.formats import read
from caesura.models.file import save
from caesura.tag import Tagger, TaggerOptions, train_tagger

COLUMNS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")


def tagged(tagger: Tagger, docs: Sequence[Document], regime: Any) -> list[Document]:
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    for doc in copies:
        for column in tagger.columns:
            if hasattr(doc, column):
                setattr(doc, column, np.zeros(doc.n_words, np.int32))
    tagger.tag(copies, regime=regime)
    return copies


def accuracy(tagger: Tagger, dev: Sequence[Document]) -> list[dict[str, Any]]:
    rows = []
    for regime in ("sentences", "document"):
        scores = conll(dev, tagged(tagger, dev, regime), COLUMNS)
        rows.append({"regime": regime, **scores})
    return rows


def speed(tagger: Tagger, dev: Sequence[Document], rounds: int) -> list[dict[str, Any]]:
    docs = [copy(doc) for doc in dev]

    def cold() -> None:
        tagger.forget()
        tagger.tag(docs)

    runs = {"cold": cold, "warm": lambda: tagger.tag(docs)}
    seconds = fastest(runs | {"warm, 3 best": lambda: tagger.tag(docs, k=3)}, rounds)
    words = sum(doc.n_words for doc in dev)
    return [{"run": name, "words/CPU s": words / s} for name, s in seconds.items()]


def main() -> None:
    parser = options(__doc__, "--repeat", "--json")
    parser.add_argument("--treebank", default="UD_English-EWT")
    parser.add_argument("--load", type=Path, help="a tagger; without it one is trained")
    parser.add_argument("--epochs", type=int, default=10)
    given = parser.parse_args()
    train, dev = (list(read(file_of(given.treebank, split))) for split in ("train", "dev"))
    made: list[Tagger] = []

    def make() -> None:
        settings = TaggerOptions(epochs=given.epochs)
        made.append(Tagger.load(given.load) if given.load else train_tagger(train, (), settings))

    row: dict[str, Any] = {"training or loading, CPU s": cpu(make)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tagger"
        save(file, {"tagger": made[0].part})
        row["MB"] = file.stat().st_size / 1e6
    report = {"model": [row], "accuracy": accuracy(made[0], dev)}
    show(report | {"speed": speed(made[0], dev, given.repeat)}, given.json)


if __name__ == "__main__":
    main()
