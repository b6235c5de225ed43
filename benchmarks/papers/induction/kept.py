"""Which of two grammars is kept: the recipe's own, or what is learnt from restarts together.

Both are learnt, reparsed and scored, so that any measure by which one of them could be kept is
judged on the same runs.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.papers.induction.treebanks import Bench

from caesura.document import Document
from caesura.induce import Grammar, InduceOptions, Inducer
from caesura.induce.corpus import Corpus
from caesura.induce.induction import Event
from caesura.induce.recipes import TrainingStage
from caesura.induce.reparse import taught
from caesura.induce.training import Learnt

__all__ = ["chosen", "first_sentences", "rivals", "turned", "unseen"]

#: Sentences that are learnt from, and restarts, where there are many treebanks.
MOST = 2000
RESTARTS = 4


def first_sentences(documents: Sequence[Document], most: int) -> list[Document]:
    """The documents up to so many sentences."""
    found: list[Document] = []
    for doc in documents:
        bounds = doc.sentence_bounds
        number = len(bounds) - 1
        if number > most:
            doc = doc.cut(0, int(bounds[most]))
        found.append(doc)
        most -= min(number, most)
        if not most:
            break
    return found


class Rivals(Inducer):
    """An induction that remembers both grammars between which it chooses by their roots."""

    found: list[tuple[dict[str, Any], Learnt]]
    words: Corpus

    def _again(
        self, words: Corpus, used: np.ndarray, stages: tuple[TrainingStage, ...], **more: Any
    ) -> Generator[Event, None, tuple[dict[str, Any], Learnt]]:
        record, learnt = yield from super()._again(words, used, stages, **more)
        self.words = words
        self.found = [*getattr(self, "found", []), (record, learnt)]
        return record, learnt

    def grammars(self, record: dict[str, Any], learnt: Learnt) -> tuple[Grammar, Grammar, float]:
        """A grammar, the same after reparsing, and the share of arcs that the first round kept."""
        plain = self._grammar(self.words, learnt, record["bits"], record["seed"])
        options = replace(self.options, reparse=None, recipe="auto")
        rounds = taught(plain, self.words, learnt, self._guidance, options)
        changed = []
        while True:
            try:
                changed.append(next(rounds))
            except StopIteration as end:
                return plain, end.value, 1.0 - changed[0]


def rivals(bench: Bench, most: int | None, restarts: int) -> dict[str, Any]:
    """Accuracies of both, before and after reparsing, and what could choose between them."""
    options = InduceOptions(
        classes=bench.column,
        marks=bench.marks,
        rules="none",
        heads=bench.style,
        restarts=restarts,
        keep="roots",
        reparse=0,
    )
    clock = time.process_time()
    text = bench.train if most is None else first_sentences(bench.train, most)
    inducer = Rivals(text, options)
    inducer.run()
    row: dict[str, Any] = bench.chains()
    for name, (record, learnt) in zip(("joined", "own"), inducer.found, strict=True):
        plain, grammar, stable = inducer.grammars(record, learnt)
        row[name] = bench.score(grammar, "sprawl")[0]
        row[f"{name}, undirected"] = bench.undirected(grammar)
        row[f"{name}, without reparse"] = bench.score(plain, "sprawl")[0]
        for what in ("roots", "bits", "arc", "agreement"):
            row[f"{name}, {what}"] = round(record[what], 3)
        row[f"{name}, stable"] = round(stable, 3)
    joined, own = (record["roots"] for record, _ in inducer.found)
    row["kept"] = "joined" if joined < own else "own"
    row["chosen"] = row[row["kept"]]
    row["undirected"] = row[f"{row['kept']}, undirected"]
    row["seconds"] = round(time.process_time() - clock, 1)
    return row


def chosen(bench: Bench) -> dict[str, Any]:
    """All text and eight restarts."""
    return rivals(bench, None, 8)


def unseen(bench: Bench) -> dict[str, Any]:
    """Universal tags without rules, in a hurry."""
    return rivals(bench, MOST, RESTARTS)


def turned(bench: Bench) -> dict[str, Any]:
    """The same, with function words as heads."""
    bench.turn()
    return rivals(bench, MOST, RESTARTS)
