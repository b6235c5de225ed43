"""Jobs of Choi & McCallum (2013): a parser is trained and measured as in tables 4 and 5."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from branching import (
    SEVERAL_ROOTS,
    Bench,
    best_time,
    by_length,
    by_margin,
    counted_words,
    load_treebank,
    training_lengths,
)
from data import find_folder

from caesura._core import ParserRows
from caesura.document import YES, Document
from caesura.learn.branching_parser import BEAMS, MARGINS, BranchTraining, branching_loop
from caesura.stages.branching_parser import BranchingParser, BranchOptions
from caesura.stages.parse_constraints import label_numbers
from caesura.stages.tree_parser import Parse
from papers_study.templates import BRANCHING_TEMPLATES

Write = Callable[[dict[str, Any]], None]
#: What is counted of a search, for a sentence.
COUNTED = ("evaluations", "remembered", "unsure", "sequences", "one_best", "bound", "steps")


def by_sentence(
    docs: Sequence[Document], parses: Sequence[Parse], labels: Sequence[str]
) -> np.ndarray:
    """By sentence: words that are not punctuation, right heads, right arcs."""
    rows = []
    for doc, parse in zip(docs, parses, strict=True):
        words = counted_words(doc, punctuation=False)
        same = words & (parse.heads == doc.head)
        right = same & (label_numbers(doc.strings, labels)[doc.deprel] == parse.labels)
        starts = np.flatnonzero(doc.word_sent_start == YES)
        columns = [np.add.reduceat(c.astype(np.int64), starts) for c in (words, same, right)]
        rows.append(np.stack(columns, axis=1))
    return np.concatenate(rows)


def accuracy(counts: np.ndarray) -> dict[str, float]:
    words, heads, both = counts.sum(axis=0).tolist()
    return {"LAS": round(100 * both / words, 3), "UAS": round(100 * heads / words, 3)}


class Measure:
    """Rows of a trained parser on dev sentences; right arcs by sentence for the tests."""

    def __init__(self, parser: BranchingParser, dev: Sequence[Document]) -> None:
        self.bench = Bench(parser, dev, False, 1)
        self.parser, self.dev = parser, dev
        self.rows: list[dict[str, Any]] = []
        self.right: dict[str, list[int]] = {}

    def add(self, name: str, found: np.ndarray, counters: dict[str, int], begin: float) -> None:
        number = max(1, counters["sentences"])
        told = {key: round(counters[key] / number, 3) for key in COUNTED if key in counters}
        seconds = round(time.process_time() - begin, 2)
        self.rows.append({"search": name, **accuracy(found), **told, "seconds": seconds})
        self.right[name] = found[:, 2].tolist()
        self.right["words"] = found[:, 0].tolist()

    def branching(self, name: str, **search: Any) -> None:
        parser = self.parser.with_search(**search)
        begin = time.process_time()
        parses = parser.analyse(self.dev)
        found = by_sentence(self.dev, parses, parser.inventory.labels)
        self.add(name, found, parser.counters, begin)

    def beam(self, name: str, width: int, score: str, memory: bool) -> None:
        begin = time.process_time()
        parses, counters = self.bench.beam_parses(width, score, memory)
        found = by_sentence(self.dev, parses, self.parser.inventory.labels)
        self.add(name, found, counters, begin)


def train(
    write: Write,
    cache: Path,
    data: Path,
    *,
    treebank: str,
    rounds: tuple[int, ...],
    beam: int = 80,
    sentences: int | None = None,
    searches: str = "table5",
    paper_templates: bool = False,
    explore: int | None = None,
    cutoff: int = 0,
    figures: bool = False,
    **changes: Any,
) -> None:
    """Train, and measure the best epoch.

    Bootstraps look at the states of the best model of the round before, or of that after the epoch
    `explore`, or of one without the features that were seen fewer than `cutoff` times. With
    `figures` transitions are counted by length of the sentence (figures 1 and 6), and LAS is
    measured by margin (figure 3).
    """
    roots = "root" if treebank in SEVERAL_ROOTS else "single-root"
    search = BranchOptions(beam=beam, headless=roots)  # type: ignore[arg-type]
    options = BranchTraining(search=search, rounds=tuple(rounds), **changes)
    if paper_templates:
        options = replace(options, templates=BRANCHING_TEMPLATES)
    docs, dev = load_treebank(find_folder(treebank, data), sentences)
    loop = branching_loop(docs, dev, options)
    trainer: Any = loop.trainer
    told: dict[str, Any] = {"words": sum(doc.n_words for doc in docs), "iterations": []}
    told["sentences"] = len(trainer.steps)
    early: Any = None
    for event in loop:
        if event.kind != "epoch":
            continue
        parser = trainer.parser()
        row: dict[str, Any] = {"iteration": event.epoch}
        row |= {key: round(float(event.stats[key]), 3) for key in ("round", "states", "wrong")}
        for name, width in (("greedy", 1), ("branching", 80)):
            measure = Measure(parser, dev)
            measure.branching(name, beam=width)
            row |= {f"{name} {key}": measure.rows[0][key] for key in ("LAS", "UAS")}
        row["seconds"] = round(time.process_time(), 1)
        if event.epoch == explore:
            early = trainer._now
        if event.epoch == rounds[0]:
            trainer._best = early if explore else without_rare(trainer, cutoff)
        told["iterations"].append(row)
        write(told)
    measure = Measure(BranchingParser.from_part(loop.best["parser"]), dev)
    bench = measure.bench
    told["best"] = loop.best_epoch
    for name, run in SEARCHES[searches]:
        run(measure, name)
        told["rows"], told["right"] = measure.rows, measure.right
        write(told)
    if figures:
        lengths = training_lengths(trainer.steps, np.diff(trainer.gold.bounds))
        told["lengths"] = {"training": in_tens(lengths), "decoding": in_tens(by_length(bench))}
        told["margins"] = by_margin(bench, MARGINS, BEAMS)
        write(told)


def in_tens(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Transitions by length in bins of ten words, and how well a straight line fits them all."""
    length, number, steps = (
        np.array([row[key] for row in rows], float)
        for key in ("length", "sentences", "transitions")
    )
    bins = []
    for first in range(1, int(length.max()) + 1, 10):
        own = (length >= first) & (length < first + 10)
        if own.any():
            total = number[own].sum()
            row = {"length": f"{first}-{first + 9}", "sentences": int(total)}
            row |= {"words": round(float(length[own] @ number[own] / total), 2)}
            row |= {"transitions": round(float(steps[own] @ number[own] / total), 2)}
            bins.append(row)
    spread = np.cov(length, steps, aweights=number)
    slope = spread[0, 1] / spread[0, 0]
    fit = spread[0, 1] * slope / spread[1, 1]
    return {"bins": bins, "slope": round(float(slope), 3), "r2": round(float(fit), 4)}


def speed(write: Write, cache: Path, data: Path, *, treebank: str, epochs: int) -> None:
    """Words a second of CPU time, one thread, best of three: branching and beams of one parser."""
    roots = "root" if treebank in SEVERAL_ROOTS else "single-root"
    search = BranchOptions(headless=roots)  # type: ignore[arg-type]
    docs, dev = load_treebank(find_folder(treebank, data), None)
    loop = branching_loop(docs, dev, BranchTraining(search=search, rounds=(epochs,)))
    loop.run()
    bench = Bench(BranchingParser.from_part(loop.best["parser"]), dev, False, 3)
    rows = []
    for width in (1, 16, 80):
        told = bench.row(beam=width)
        rows.append({"search": f"branching {width}", "words/s": told["words/s"]})
    for width, memory in ((16, True), (16, False), (64, True)):
        seconds = best_time(partial(bench.beam, width, "sum", memory), 3)
        name = f"beam {width}{'' if memory else ', no memory'}"
        rows.append({"search": name, "words/s": bench.speed(seconds)["words/s"]})
    write({"rows": rows})


def without_rare(trainer: Any, cutoff: int) -> Any:
    """The best model of the first round without features that few training states have."""
    if not cutoff:
        return trainer._best
    examples, rows = trainer.examples, trainer._best
    seen = np.bincount(examples.rows.ravel(), minlength=len(examples.row_of))
    numbers, table = rows.filled()
    kept = ~np.isin(numbers, examples.row_of[seen < cutoff])
    return ParserRows.of_rows(len(rows), numbers[kept], table[kept], rows.unit)


def _branch(**search: Any) -> Callable[[Measure, str], None]:
    return lambda measure, name: measure.branching(name, **search)


def _beam(width: int, score: str, memory: bool = True) -> Callable[[Measure, str], None]:
    return lambda measure, name: measure.beam(name, width, score, memory)


_PAIR = (
    ("greedy", _branch(beam=1)),
    ("branching 80", _branch(beam=80)),
    ("branching 16", _branch(beam=16)),
    ("beam 16", _beam(16, "sum")),
    ("beam 16, by mean", _beam(16, "mean")),
)
_DIFFERENCES = (
    ("no memory", _branch(beam=80, memory=False)),
    ("keep_attached off", _branch(beam=80, keep_attached=False)),
    ("sum of logarithms", _branch(beam=80, score="sum")),
    ("sum, keep_attached off", _branch(beam=80, score="sum", keep_attached=False)),
    ("labels do not branch", _branch(beam=80, skip_labels=True)),
    ("k = 3", _branch(beam=80, k=3)),
)
_WIDTHS = tuple((f"branching {w}", _branch(beam=w)) for w in (1, 2, 4, 8, 16, 32, 64, 80))
_WAVES = (_WIDTHS[6], ("branching 64, two waves", _branch(beam=64, waves=2)))
#: What is measured of a parser, by name.
SEARCHES: dict[str, Sequence[tuple[str, Callable[[Measure, str], None]]]] = {
    "table5": _PAIR,
    "table4": _WIDTHS,
    "waves": _WAVES,
    "full": (*_PAIR, *_WAVES),
    "all": (
        *_PAIR,
        *_WIDTHS[1:4],
        *_WIDTHS[5:7],
        *_DIFFERENCES,
        ("beam 64", _beam(64, "sum")),
        ("beam 16, no memory", _beam(16, "sum", memory=False)),
    ),
}
KINDS = {"branching": train, "speed": speed}
