"""Trains a branching parser: oracle states first, then the states of its own sequences.

The first model follows gold. Each bootstrap (Choi & McCallum 2013, section 3.3) lets the last model
parse the training data and learns anew, in every state of its one-best sequence and of its
sequence with most right arcs, what the oracle would do there, until dev stops improving. With
`folds` each part of the data is parsed by a model of the other parts, which makes the mistakes that
a parser makes on new text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import InputError, WarningSink
from caesura.learn.folds import in_turn
from caesura.learn.loop import Loop, Report, silent
from caesura.learn.shuffle import epoch_order, pieces
from caesura.learn.updates import average
from caesura.models.file import Part
from caesura.parse.branching import BranchingParser
from caesura.parse.branching_options import BranchTraining
from caesura.parse.gold_trees import Repairs, gold_tree, tags_in
from caesura.parse.learning.branching_examples import (
    Examples,
    Gold,
    derive,
    new_examples,
    observe_all,
)
from caesura.parse.learning.branching_updates import LEARNERS, learn
from caesura.parse.quantised import padded, to_bytes
from caesura.parse.scorers.hybrid_features import compile_templates, templates_for
from caesura.parse.scores import scores
from caesura.parse.transitions.hybrid import new_state, no_arc_limits
from caesura.parse.transitions.hybrid_inventory import HybridInventory
from caesura.parse.word_table import Hasher, cut, words_of

__all__ = ["BranchingLoop", "BranchingTrainer"]

#: States learned between two reports.
_PIECE = 20_000


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
        self.report: Report = silent
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
        self.compiled = compile_templates(self.templates)
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
            np.concatenate(heads).astype(np.int32),
            np.concatenate(labels).astype(np.int32),
            bounds,
        )
        self.longest = max(lengths)
        state = new_state(self.longest)
        most = self.longest * (self.longest + 1) // 2
        kinds, arcs = np.zeros(most, np.int32), np.zeros(most, np.int32)
        seen: dict[tuple[int, int], None] = {}
        #: The oracle's steps for each training sentence (figure 1 of the paper).
        self.steps = np.zeros(len(lengths), np.int64)
        roots = []
        for k in range(len(lengths)):
            a, b = int(bounds[k]) + k, int(bounds[k + 1]) + k + 1
            count = derive(
                self.gold.heads[a:b],
                self.gold.labels[a:b],
                no_arc_limits(),
                single,
                state,
                kinds,
                arcs,
            )
            self.steps[k] = count
            seen.update(
                dict.fromkeys(zip(kinds[:count].tolist(), arcs[:count].tolist(), strict=True))
            )
            roots += self.gold.labels[a:b][self.gold.heads[a:b] == 0].tolist()
        self.inventory = HybridInventory.learn(tuple(names), roots, seen, single)
        self.width = padded(self.inventory.size)
        self.weights = np.zeros((0, 0), np.float32)
        self.more = np.zeros((0, 0), np.float32)
        self.examples: Examples | None = None
        self.ticks = 0
        self.round = -1
        #: Best dev score of each round, and the parser that had it.
        self.best_scores: list[float] = []
        self._best: tuple[NDArray[np.int8], float] | None = None
        self._now: tuple[NDArray[np.int8], float] | None = None
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
        states = len(self.examples.gold)
        loss, wrong = self._learn(
            self.examples, number, self.weights, self.more, self.ticks, self.report
        )
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
        self,
        examples: Examples,
        number: int,
        weights: NDArray[np.float32],
        more: NDArray[np.float32],
        ticks: int,
        report: Report = silent,
    ) -> tuple[float, int]:
        """One pass over the examples in the order of an epoch."""
        options = self.options
        kinds, _ = self.inventory.arrays()
        order = epoch_order(len(examples.gold), options.seed, number).astype(np.int64)
        loss, wrong, done = 0.0, 0, 0
        for piece in pieces(order, _PIECE):
            cost, errors = learn(
                examples,
                piece,
                kinds,
                LEARNERS[options.learner],
                weights,
                more,
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
        rows = 1 << self.options.bits
        if index == 0:
            table, unit = np.zeros((rows, self.width), np.int8), 1.0
            self.examples = None
            self.examples = self._observe(self._parser(table, unit), own=False)
        elif self.options.folds == 1:
            assert self._best is not None
            self.examples = None
            self.examples = self._observe(self._parser(*self._best), own=True)
        else:
            self.examples = self._explore()
        self.weights = np.zeros((rows, self.width), np.float32)
        self.more = np.zeros((rows, self.width), np.float32)
        self.ticks = 0
        self.round = index

    def _explore(self) -> Examples:
        """The states of each part, parsed by a model that learned from those of the others."""
        assert self.examples is not None
        found = []
        fold_of = in_turn(len(self.steps), self.options.folds)
        for fold in range(self.options.folds):
            others = fold_of[self.examples.sentence] != fold
            columns: list[Any] = [column[others] for column in self.examples]
            known = Examples(*columns)
            self.weights[:], self.more[:] = 0, 0
            for epoch in range(self.options.fold_epochs):
                ticks = epoch * len(known.gold)
                self._learn(known, epoch + 1, self.weights, self.more, ticks)
            weights = self._final(self.options.fold_epochs * len(known.gold))
            del known, columns
            parser = self._parser(*to_bytes(weights))
            found.append(self._observe(parser, own=True, asked=fold_of == fold))
        pairs: Any = zip(*found, strict=True)
        return Examples(*(np.concatenate(pair) for pair in pairs))

    def _observe(
        self, parser: BranchingParser, *, own: bool, asked: NDArray[np.bool_] | None = None
    ) -> Examples:
        """The states of all sentences, or of those asked for."""
        brancher = parser.brancher(self.longest)
        if asked is None:
            asked = np.ones(len(self.steps), np.bool_)
        size = int(self.steps[asked].sum() * (1.8 if own else 1.0)) + 16
        out = new_examples(size, len(self.templates))
        sentence, at = 0, 0
        while True:
            sentence, at, narrow = observe_all(
                brancher.classifier,
                self.table,
                self.gold,
                sentence,
                asked,
                own,
                self.options.twice,
                no_arc_limits(),
                brancher.search,
                self.inventory.numbers(),
                brancher.state,
                brancher.scratch,
                brancher.memo,
                brancher.forks,
                brancher.paths,
                brancher.counts,
                out,
                at,
            )
            if sentence == len(self.steps):
                break
            if narrow:
                brancher.grow()
            else:
                spare = new_examples(len(out.gold) // 2, len(self.templates))
                pairs: Any = zip(out, spare, strict=True)
                out = Examples(*(np.concatenate(pair) for pair in pairs))
        self.counters = brancher.counters()
        columns: list[Any] = [column[:at] for column in out]
        return Examples(*columns)

    # ---------------------------------------------------------------- results

    def _parser(self, table: NDArray[np.int8], unit: float) -> BranchingParser:
        return BranchingParser(
            self.inventory,
            self.templates,
            table,
            unit,
            self.options.search,
            self.tags,
            self.hasher.classes,
        )

    def parser(self) -> BranchingParser:
        """The parser as it stands now."""
        if self._now is None:
            self._now = to_bytes(self._final(self.ticks))
        return self._parser(*self._now)

    def _final(self, ticks: int) -> NDArray[np.float32]:
        """The weights after so many states; those of a perceptron are averaged."""
        if self.options.learner == "perceptron":
            return average(self.weights, self.more, ticks)
        return self.weights

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
        flat, more = self.weights.ravel(), self.more.ravel()
        places = np.flatnonzero((flat != 0) | (more != 0))
        assert self._best is not None
        table, unit = self._best
        kept = np.flatnonzero(table)
        return {
            "places": places.astype(np.uint32 if flat.size <= 1 << 32 else np.uint64),
            "weights": flat[places],
            "more": more[places],
            "ticks": np.array([self.ticks, self.round], np.int64),
            "scores": np.array(self.best_scores, np.float64),
            "best-places": kept.astype(np.uint32 if table.size <= 1 << 32 else np.uint64),
            "best-values": table.ravel()[kept],
            "unit": np.array([unit], np.float64),
        } | self._last_round()

    def _last_round(self) -> dict[str, NDArray[Any]]:
        """The states of a bootstrap come from a parser that is gone, so they are kept."""
        if self.round == 0 or self.examples is None:
            return {}
        return {
            "rows": self.examples.rows,
            "gold": self.examples.gold,
            "legal": self.examples.legal,
            "sentence": self.examples.sentence,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self._begin(0)
        for name, table in (("weights", self.weights), ("more", self.more)):
            table.ravel()[state["places"].astype(np.int64)] = state[name]
        self.ticks, self.round = (int(value) for value in state["ticks"])
        self.best_scores = state["scores"].tolist()
        best = np.zeros((1 << self.options.bits, self.width), np.int8)
        best.ravel()[state["best-places"].astype(np.int64)] = state["best-values"]
        self._best = (best, float(state["unit"][0]))
        if self.round > 0:
            names = ("rows", "gold", "legal", "sentence")
            self.examples = Examples(*(state[name] for name in names))


class BranchingLoop(Loop):
    """A training loop that ends when a bootstrap brought nothing."""

    def _patience_is_over(self, done: int) -> bool:
        trainer: Any = self.trainer
        return bool(trainer.over(done)) or super()._patience_is_over(done)
