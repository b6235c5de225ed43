"""Jobs of Choi & McCallum (2013): a parser is trained and measured as in tables 4 and 5.

A treebank without a dev set gives the last tenth of its training sentences. Scores are on gold
sentences with the tags of the files and, as in the paper, without words that are punctuation only;
the epoch is chosen by the LAS of all dev words.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import fastest, file_of, find_file, find_folder
from benchmarks.papers.templates import BRANCHING_TEMPLATES
from research import hybrid_beam

from caesura._core import ParserRows
from caesura.document import YES, Document
from caesura.formats import read
from caesura.learn.branching_parser import BEAMS, MARGINS, BranchTraining, branching_loop
from caesura.stages.branching_parser import COUNTERS, BranchingParser, BranchOptions
from caesura.stages.parse_constraints import label_numbers
from caesura.stages.tree_parser import Parse
from caesura.stages.word_table import cut

#: Treebanks whose sentences may have several roots.
SEVERAL_ROOTS = ("CDT-Danish", "CoNLL2007-Basque")
Row = dict[str, Any]


# ------------------------------------------------------------------------ data


def documents(path: Path) -> list[Document]:
    return [plain_features(doc) for doc in read(str(path)) if doc.n_words]


def plain_features(doc: Document) -> Document:
    """Without features that number the words, which some treebanks have."""
    features = doc.column("feats")
    if any("id=" in f for f in features):
        kept = ("|".join(p for p in f.split("|") if not p.startswith("id=")) for f in features)
        doc.set_column("feats", list(kept))
    return doc


def sentences(docs: Sequence[Document]) -> list[Document]:
    """Every sentence as a document of its own."""
    found = []
    for doc in docs:
        starts = [*np.flatnonzero(doc.sent_start == YES).tolist(), doc.n_tokens]
        found += [doc.cut(a, b) for a, b in itertools.pairwise(starts)]
    return found


def load_treebank(folder: Path, limit: int | None) -> tuple[list[Document], list[Document]]:
    train, held = documents(file_of(folder, "train")), find_file(folder, "dev")
    if held is not None:
        dev = documents(held)
    else:
        every = sentences(train)
        cut_at = len(every) * 9 // 10
        train, dev = every[:cut_at], every[cut_at:]
    if limit:
        train = sentences(train)[:limit]
    return train, dev


# --------------------------------------------------------------------- scoring


def counted_words(doc: Document) -> np.ndarray:
    """The words that are not punctuation only."""
    return np.array([any(c.isalnum() for c in form) for form in doc.column("form")], bool)


class Bench:
    """A parser and the dev data, prepared once."""

    def __init__(self, parser: BranchingParser, dev: Sequence[Document]) -> None:
        self.parser, self.dev = parser, dev
        bounds, tables = [np.zeros(1, np.int64)], []
        for doc in dev:
            own = np.append(np.flatnonzero(doc.word_sent_start == YES), doc.n_words)
            tables.append(cut(parser.words(doc), own.astype(np.int64)).table)
            bounds.append(own[1:] + bounds[-1][-1])
        self.table = np.concatenate(tables)
        self.bounds = np.concatenate(bounds).astype(np.int64)

    def beam(self, width: int, score: str, memory: bool = True) -> hybrid_beam.Found:
        """What an ordinary beam search finds, by the sum of logarithms or the mean chance."""
        parser = self.parser.with_search(beam=width, score=score, memory=memory)
        return hybrid_beam.decode(parser, self.table, self.bounds)

    def beam_parses(
        self, width: int, score: str, memory: bool = True
    ) -> tuple[list[Parse], dict[str, int]]:
        """The same as parses of the documents, and its counters."""
        trees = self.beam(width, score, memory)
        offset = np.repeat(self.bounds[:-1], np.diff(self.bounds))
        heads = np.where(trees.heads >= 0, trees.heads + offset, -1)
        parses, at = [], 0
        for doc, found in zip(self.dev, self.parser.analyse(self.dev), strict=True):
            own = heads[at : at + doc.n_words]
            found.heads = np.where(own >= 0, own - at, -1).astype(np.int32)
            found.labels = trees.labels[at : at + doc.n_words]
            parses.append(found)
            at += doc.n_words
        return parses, trees.counters

    def las(self, **search: Any) -> float:
        """LAS with these options of the search."""
        parser = self.parser.with_search(**search)
        found = by_sentence(self.dev, parser.analyse(self.dev), parser.inventory.labels)
        return accuracy(found)["LAS"]

    def lengths(self) -> Iterator[tuple[int, int]]:
        """The length of each sentence and the transitions of greedy decoding (figure 6)."""
        parser = self.parser.with_search(beam=1)
        for k, (a, b) in enumerate(itertools.pairwise(self.bounds.tolist())):
            rows = self.table[a + 2 * k : b + 2 * k + 2]
            yield b - a, int(parser.decode(rows, np.array([0, b - a]))[1][COUNTERS.index("steps")])


def by_length(pairs: Iterable[tuple[int, int]]) -> list[Row]:
    """Transitions by length of the sentence (figures 1 and 6)."""
    found: dict[int, list[int]] = {}
    for n, count in pairs:
        found.setdefault(n, []).append(count)
    return [
        {"length": n, "sentences": len(found[n]), "transitions": float(np.mean(found[n]))}
        for n in sorted(found)
    ]


Write = Callable[[dict[str, Any]], None]
#: What is counted of a search, for a sentence.
COUNTED = ("evaluations", "remembered", "unsure", "sequences", "one_best", "bound", "steps")


def by_sentence(
    docs: Sequence[Document], parses: Sequence[Parse], labels: Sequence[str]
) -> np.ndarray:
    """By sentence: words that are not punctuation, right heads, right arcs."""
    rows = []
    for doc, parse in zip(docs, parses, strict=True):
        words = counted_words(doc)
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
        self.bench = Bench(parser, dev)
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
        sizes = np.diff(trainer.gold.bounds).tolist()
        lengths = by_length(zip(sizes, trainer.steps.tolist(), strict=True))
        told["lengths"] = {
            "training": in_tens(lengths),
            "decoding": in_tens(by_length(bench.lengths())),
        }
        told["margins"] = [
            {"margin": margin} | {f"beam {b}": bench.las(margin=margin, beam=b) for b in BEAMS}
            for margin in MARGINS
        ]
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
    bench = Bench(BranchingParser.from_part(loop.best["parser"]), dev)
    works: dict[str, Callable[[], Any]] = {}
    for width in (1, 16, 80):
        parser = bench.parser.with_search(beam=width)
        works[f"branching {width}"] = partial(parser.decode, bench.table, bench.bounds)
    for width, memory in ((16, True), (16, False), (64, True)):
        name = f"beam {width}{'' if memory else ', no memory'}"
        works[name] = partial(bench.beam, width, "sum", memory)
    seconds, words = fastest(works, 3), int(bench.bounds[-1])
    write({"rows": [{"search": n, "words/s": int(words / s)} for n, s in seconds.items()]})


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
