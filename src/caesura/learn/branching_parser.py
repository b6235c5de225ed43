"""Trains a branching parser: oracle states first, then the states of its own sequences.

The first model follows gold. Each bootstrap (Choi & McCallum 2013, section 3.3) lets the last model
parse the training data and learns anew, in every state of its one-best sequence and of its
sequence with most right arcs, what the oracle would do there, until dev stops improving. With
`folds` each part of the data is parsed by a model of the other parts, which makes the mistakes that
a parser makes on new text.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import BranchingExamples, ParserRows, derive_transitions
from caesura.cluster.classes import load_classes
from caesura.document import Document
from caesura.errors import InputError, UsageError, WarningSink
from caesura.learn.fingerprint import digest, file_digest
from caesura.learn.folds import epoch_order, in_turn, pieces
from caesura.learn.gold_trees import Repairs, gold_tree, tags_in
from caesura.learn.joint_parser import next_command
from caesura.learn.loop import Loop, Progress, silent
from caesura.learn.run import Result, Run, card, follow, say_some, score_table
from caesura.learn.tuning import calibrate, scores
from caesura.learn.weights import average, pack_state, to_bytes, unpack_state
from caesura.models.file import Part
from caesura.options import check_options
from caesura.stages.branching_features import DEFAULT_TEMPLATES, templates_for
from caesura.stages.branching_parser import (
    COUNTERS,
    BranchingParser,
    BranchOptions,
    HybridInventory,
)
from caesura.stages.tree_parser import padded
from caesura.stages.word_table import Hasher, cut, words_of

#: States learned between two reports.
_PIECE = 20_000
#: The columns of examples in a checkpoint.
_STORED = ("rows", "gold", "legal", "sentence", "row_of")


class Gold(NamedTuple):
    """Trees of all sentences: heads and labels with one place more for each root; bounds."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    bounds: NDArray[np.int64]


class BranchingTrainer:
    """A learner for `caesura.learn.loop`; epochs run through the rounds one after another."""

    def __init__(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        options: BranchTraining | None = None,
        *,
        word_classes: Mapping[str, int] | None = None,
        warn: WarningSink | None = None,
    ) -> None:
        self.options = options = options or BranchTraining()
        self.report: Progress = silent
        docs = [doc for doc in train if doc.n_words]
        if not docs:
            raise InputError("there are no words to train on")
        self.dev = [doc for doc in dev if doc.n_words]
        if not self.dev:
            raise InputError(
                "a branching parser learns until dev stops improving, but there are no dev data",
                remedy="Give dev data, for example the last tenth of the training data.",
            )
        self.tags = tags_in(docs) if options.tags else ()
        self.templates = templates_for(self.tags, options.templates)
        self.hasher = Hasher(word_classes)
        self.repairs = Repairs()
        single = options.search.headless == "single-root"
        names: dict[str, int] = {}
        tables, heads, labels, lengths = [], [], [], []
        self.skipped = 0
        for doc in docs:
            tree = gold_tree(doc, self.repairs, chains=False, single_root=single, warn=warn)
            words = words_of(doc, self.hasher, tags=self.tags, breaks=False)
            own = np.array([names.setdefault(name, len(names)) for name in tree.names], np.int32)
            for a, b in zip(tree.bounds[:-1].tolist(), tree.bounds[1:].tolist(), strict=True):
                part = tree.heads[a:b]
                if np.any(part < -1):
                    self.skipped += 1
                    continue
                tables.append(cut(words, np.array([a, b], np.int64)).table)
                heads.append(np.concatenate([[-1], np.where(part >= 0, part - a + 1, 0)]))
                labels.append(np.concatenate([[-1], own[a:b]]))
                lengths.append(b - a)
        if not lengths:
            raise InputError(
                "no training sentence has a complete tree", remedy="Give trees with all heads."
            )
        self.table = np.concatenate(tables)
        bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.gold = Gold(
            np.concatenate(heads).astype(np.int32), np.concatenate(labels).astype(np.int32), bounds
        )
        #: The oracle's steps for each training sentence (figure 1 of the paper).
        self.steps: NDArray[np.int64]
        kinds, arcs, self.steps = derive_transitions(*self.gold, single)
        columns = len(names) + 1
        found, first = np.unique(kinds.astype(np.int64) * columns + arcs + 1, return_index=True)
        in_order = found[np.argsort(first)].tolist()
        seen = [(pair // columns, pair % columns - 1) for pair in in_order]
        roots = self.gold.labels[self.gold.heads == 0].tolist()
        self.inventory = HybridInventory.learn(tuple(names), roots, seen, single)
        self.width = padded(self.inventory.size)
        #: A row for each row of the table that occurs in the examples (`examples.row_of`).
        self.weights = np.zeros((0, 0), np.float32)
        self.more = np.zeros((0, 0), np.float32)
        self.examples: BranchingExamples | None = None
        self.ticks = 0
        self.round = -1
        #: Best dev score of each round, and the parser that had it.
        self.best_scores: list[float] = []
        self._best: ParserRows | None = None
        self._now: ParserRows | None = None
        self.counters: dict[str, int] = {}

    # --------------------------------------------------------------- learning

    def place(self, number: int) -> tuple[int, int]:
        """The round of an epoch and its number in the round, both from 0."""
        at = number - 1
        for index, epochs in enumerate(self.options.rounds):
            if at < epochs:
                return index, at
            at -= epochs
        raise ValueError(f"there is no epoch {number}")

    def over(self, done: int) -> bool:
        """Whether a bootstrap that has ended did not improve on the round before it."""
        if done == 0 or done >= self.options.epochs:
            return False
        index, at = self.place(done + 1)
        best = self.best_scores
        return at == 0 and index >= 2 and len(best) >= index and best[index - 1] <= best[index - 2]

    def epoch(self, number: int) -> Mapping[str, float]:
        index, _ = self.place(number)
        if index != self.round:
            self._begin(index)
        assert self.examples is not None
        states = len(self.examples)
        every = np.arange(states)
        loss, wrong = self._learn(every, number, self.ticks, self.report)
        self.ticks += states
        self._now = None
        stats = {
            "round": float(index),
            "states": float(states),
            "loss": loss / max(1, states),
            "wrong": 100.0 * wrong / max(1, states),
        }
        if number == 1:
            stats |= self.repairs.as_stats()
        return stats

    def _learn(
        self, states: NDArray[np.int64], number: int, ticks: int, report: Progress = silent
    ) -> tuple[float, int]:
        """One pass over some of the examples in the order of an epoch."""
        assert self.examples is not None
        options = self.options
        kinds, _ = self.inventory.arrays()
        order = states[epoch_order(len(states), options.seed, number)]
        loss, wrong, done = 0.0, 0, 0
        for piece in pieces(order, _PIECE):
            cost, errors = self.examples.learn(
                piece,
                kinds,
                options.learner,
                self.weights,
                self.more,
                options.rate,
                options.offset,
                options.least,
                float(ticks + done),
            )
            loss, wrong, done = loss + cost, wrong + errors, done + len(piece)
            report(done / len(order))
        return loss, wrong

    def _begin(self, index: int) -> None:
        """Collect the states of a round; the weights start anew."""
        every = np.ones(len(self.steps), np.bool_)
        if index == 0:
            none, size = np.zeros(0, np.uint32), 1 << self.options.bits
            empty = ParserRows.of_rows(size, none, np.zeros((0, self.width), np.int8), 1.0)
            self.examples = self._no_examples()
            self._observe(empty, self.examples, every, own=False)
        elif self.options.folds == 1:
            assert self._best is not None
            self.examples = self._no_examples()
            self._observe(self._best, self.examples, every, own=True)
        else:
            self.examples = self._explore()
        self._reset()
        self.ticks = 0
        self.round = index

    def _no_examples(self) -> BranchingExamples:
        return BranchingExamples(len(self.templates), 1 << self.options.bits)

    def _reset(self) -> None:
        assert self.examples is not None
        shape = (len(self.examples.row_of), self.width)
        self.weights, self.more = np.zeros(shape, np.float32), np.zeros(shape, np.float32)

    def _explore(self) -> BranchingExamples:
        """The states of each part, parsed by a model that learned from those of the others."""
        assert self.examples is not None
        found = self._no_examples()
        fold_of = in_turn(len(self.steps), self.options.folds)
        sentence = self.examples.sentence
        for fold in range(self.options.folds):
            known = np.flatnonzero(fold_of[sentence] != fold)
            self._reset()
            for epoch in range(self.options.fold_epochs):
                self._learn(known, epoch + 1, epoch * len(known))
            rows = self._rows(self.options.fold_epochs * len(known))
            self._observe(rows, found, fold_of == fold, own=True)
        return found

    def _observe(
        self, rows: ParserRows, examples: BranchingExamples, chosen: NDArray[np.bool_], *, own: bool
    ) -> None:
        """Add the states of the chosen sentences."""
        brancher = self._parser(rows).brancher
        examples.reserve(int(self.steps[chosen].sum() * (1.8 if own else 1.0)))
        counts = brancher.observe(
            examples,
            self.table,
            self.gold.bounds,
            self.gold.heads,
            self.gold.labels,
            chosen,
            self.inventory.numbers(),
            own,
            self.options.twice,
        )
        self.counters = dict(zip(COUNTERS, counts.tolist(), strict=True))

    # ---------------------------------------------------------------- results

    def _parser(self, rows: ParserRows) -> BranchingParser:
        return BranchingParser(
            self.inventory,
            self.templates,
            rows,
            self.options.search,
            self.tags,
            self.hasher.classes,
        )

    def parser(self) -> BranchingParser:
        """The parser as it stands now."""
        if self._now is None:
            self._now = self._rows(self.ticks)
        return self._parser(self._now)

    def _rows(self, ticks: int) -> ParserRows:
        """The weights after so many states; those of a perceptron are averaged."""
        assert self.examples is not None
        weights = self.weights
        if self.options.learner == "perceptron":
            weights = average(weights, self.more, ticks)
        table, unit = to_bytes(weights)
        numbers = self.examples.row_of
        order = np.argsort(numbers)
        return ParserRows.of_rows(1 << self.options.bits, numbers[order], table[order], unit)

    def score(self) -> Mapping[str, float]:
        """LAS and UAS on the dev documents, with branching."""
        parser = self.parser()
        parses = parser.analyse(self.dev, threads=self.options.threads)
        found = scores(self.dev, parses, self.inventory)
        told = {"LAS": found["LAS"], "UAS": found["UAS"]}
        if self.round == len(self.best_scores):
            self.best_scores.append(-1.0)
        if told["LAS"] > self.best_scores[self.round]:
            self.best_scores[self.round] = told["LAS"]
            self._best = self._now
        return told

    def parts(self) -> dict[str, Part]:
        return {"parser": self.parser().to_part()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Weights where they are not 0, and the parser that the next round will start from."""
        assert self._best is not None
        numbers, table = self._best.filled()
        return {
            **pack_state("weights", self.weights, self.more),
            "ticks": np.array([self.ticks, self.round], np.int64),
            "scores": np.array(self.best_scores, np.float64),
            "best-rows": numbers,
            "best-table": table,
            "unit": np.array([self._best.unit], np.float64),
            **self._last_round(),
        }

    def _last_round(self) -> dict[str, NDArray[Any]]:
        """The states of a bootstrap come from a parser that is gone, so they are kept."""
        if self.round == 0 or self.examples is None:
            return {}
        return {name: getattr(self.examples, name) for name in _STORED}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self.ticks, self.round = (int(value) for value in state["ticks"])
        self.best_scores = state["scores"].tolist()
        size, unit = 1 << self.options.bits, float(state["unit"][0])
        self._best = ParserRows.of_rows(size, state["best-rows"], state["best-table"], unit)
        if self.round > 0:
            self.examples = BranchingExamples(*(state[name] for name in _STORED))
            self._reset()
        else:
            ticks = self.ticks
            self._begin(0)
            self.ticks = ticks
        unpack_state(state, "weights", self.weights, self.more)


class BranchingLoop(Loop):
    """A training loop that ends when a bootstrap brought nothing."""

    def _patience_is_over(self, done: int) -> bool:
        trainer: Any = self.trainer
        return bool(trainer.over(done)) or super()._patience_is_over(done)


_LEARNERS: Final = ("logistic", "perceptron", "svm")


@dataclass(frozen=True)
class BranchTraining:
    """How to train. `rounds` has the epochs of the first model and of each bootstrap."""

    search: BranchOptions = field(default_factory=BranchOptions)
    rounds: tuple[int, ...] = (4, 4, 4)
    learner: Literal["logistic", "perceptron", "svm"] = "logistic"
    #: The α and ρ of AdaGrad.
    rate: float = 0.02
    offset: float = 0.1
    #: Labels whose chance is off by no more than this are not updated; 0: all are.
    least: float = 0.01
    #: Whether states that the one-best and the best sequence share are learned twice.
    twice: bool = True
    #: With more than 1 the data are cut into so many parts for a bootstrap, and each is parsed by a
    #: model that learned from the others for `fold_epochs`. That is worse for branching, which
    #: finds wrong sequences by the doubts of a model that knows few.
    folds: int = 1
    fold_epochs: int = 2
    tags: bool = True
    bits: int = 21
    templates: tuple[str, ...] = DEFAULT_TEMPLATES
    threads: int = 1
    seed: int = 1

    @property
    def epochs(self) -> int:
        return sum(self.rounds)

    def __post_init__(self) -> None:
        if not self.rounds or min(self.rounds) < 1:
            raise UsageError(
                f"rounds is {list(self.rounds)}, but needs one epoch or more for each round"
            )
        if not self.rate > 0 or not self.offset > 0:
            raise UsageError("rate and offset must be positive")
        if not 0 <= self.least < 1:
            raise UsageError(f"least is {self.least}, but must be from 0 to below 1")
        counts: Any = dict.fromkeys(("folds", "fold_epochs"), (1, None))
        check_options(self, {"learner": _LEARNERS}, bits=(10, 26), **counts)
        if not self.templates:
            raise UsageError("there are no templates")


#: What the paper searches: α and ρ of AdaGrad, margins, and beams.
RATES = (0.01, 0.02)
OFFSETS = (0.1, 0.2)
MARGINS = tuple(round(0.83 + 0.01 * k, 2) for k in range(10))
BEAMS = (16, 32, 64, 80)


def branching_loop(
    train: Sequence[Document],
    dev: Sequence[Document],
    options: BranchTraining | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
    warn: WarningSink | None = None,
    **kept: Any,
) -> BranchingLoop:
    """A training loop over all rounds; iterate over it, then take `best`. `kept` is for `Loop`."""
    options = options or BranchTraining()
    trainer = BranchingTrainer(train, dev, options, word_classes=word_classes, warn=warn)
    return BranchingLoop(trainer, options.epochs, metric="LAS", **kept)


def tune_steps(
    train: Sequence[Document],
    dev: Sequence[Document],
    options: BranchTraining,
    *,
    word_classes: Mapping[str, int] | None = None,
) -> BranchTraining:
    """Options with the α and ρ whose first model is best on dev."""
    values = {}
    for rate, offset in itertools.product(RATES, OFFSETS):
        tried = replace(options, rate=rate, offset=offset, rounds=options.rounds[:1])
        loop = branching_loop(train, dev, tried, word_classes=word_classes)
        loop.run()
        values[rate, offset] = max(event.scores["LAS"] for event in loop.history)
    rate, offset = max(values, key=values.__getitem__)
    return replace(options, rate=rate, offset=offset)


def tune_search(
    parser: BranchingParser,
    held_out: Sequence[Document],
    margins: Sequence[float] = MARGINS,
    beams: Sequence[int] = BEAMS,
) -> tuple[BranchingParser, dict[tuple[float, int], float]]:
    """The parser with the best margin and beam, smaller ones first, and the LAS of all of them."""
    found = {}
    for margin, beam in itertools.product(margins, beams):
        tried = parser.with_search(margin=margin, beam=beam)
        parses = tried.analyse(held_out)
        found[margin, beam] = scores(held_out, parses, parser.inventory)["LAS"]
    margin, beam = min(found, key=lambda key: (-found[key], key))
    return parser.with_search(margin=margin, beam=beam), found


def train_branching(
    run: Run, *, tune: Sequence[str] = (), classes: str | None = None, patience: int | None = None
) -> Result:
    """Train all rounds and write the model.

    With files to `tune` on, the steps of AdaGrad, the margin and the beam are searched on them.
    """
    run.kept.check()
    train, dev = run.read()
    held_out = list(run.data.read(tune, run.report))
    options = run.options(BranchTraining(), "parser")
    run.kept.begin()
    warnings: list[str] = []
    word_classes = dict(load_classes(classes)) if classes else None
    if held_out:
        options = tune_steps(train, held_out, options, word_classes=word_classes)
    loop = branching_loop(
        train,
        dev,
        options,
        word_classes=word_classes,
        warn=lambda warning: warnings.append(str(warning)),
        patience=patience,
        **run.keep("parser", digest((*train, *dev)), options, file_digest(classes)),
    )
    follow(loop, "Branching", run.report)
    parser = BranchingParser.from_part(loop.best["parser"])
    if held_out:
        parser = tune_search(parser, held_out)[0]
    parser = replace(parser, calibration=calibrate(parser, held_out or dev))
    say_some(warnings, run.report)
    best = loop.best_scores
    meta = {
        "trained_on": run.sources(),
        "system": "branching",
        "words": sum(doc.n_words for doc in train),
        "rate": options.rate,
        "offset": options.offset,
        "beam": parser.search.beam,
        "margin": parser.search.margin,
        "best_epoch": loop.best_epoch,
        "scores": best,
    }
    told = f"Selectional branching, trained on {meta['words']} words."
    parts = {"parser": parser.to_part()}
    run.save(parts, meta, card("Parser", told, score_table(("parser", "dev"), best)))
    loop.finish()
    about = {"model": run.output, "warnings": len(warnings), "epochs": len(loop.history), **meta}
    return Result(run.output, about, best, next=next_command(run.output, sentences=True))
