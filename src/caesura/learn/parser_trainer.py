"""Trains a joint parser epoch by epoch: a learner for `caesura.learn.loop`.

With several shards the data are learned in parts side by side, and weights are averaged after each
epoch (iterative parameter mixing, McDonald et al. 2010); the result depends on the number of
shards and not on the number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura._core import LearnedWeights
from caesura.document import UNKNOWN, Document
from caesura.errors import CaesuraWarning, InputError, WarningSink
from caesura.learn.gold_trees import (
    Instance,
    Repairs,
    Tree,
    chunks,
    gold_tree,
    tags_in,
)
from caesura.learn.loop import Report, silent
from caesura.learn.parser_learner import Learner, Tally
from caesura.learn.shuffle import epoch_order, generator
from caesura.models.file import Part
from caesura.stages.joint_features import compile_templates, without
from caesura.stages.joint_inventory import Inventory
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_rows import entries, padded, rounded
from caesura.stages.parse_scores import scores
from caesura.stages.parser_options import TrainOptions
from caesura.stages.word_table import TAG_COLUMNS, Hasher, Words, cut, words_of

__all__ = ["ParserTrainer"]


class ParserTrainer:
    """Learns from documents with trees; `unedited` are the same documents for the dropout."""

    def __init__(
        self,
        train: Sequence[Document],
        dev: Sequence[Document] = (),
        options: TrainOptions | None = None,
        *,
        unedited: Sequence[Document] = (),
        word_classes: Mapping[str, int] | None = None,
        init: Parser | None = None,
        warn: WarningSink | None = None,
    ) -> None:
        """With `init` training goes on from that parser, with its templates and table."""
        options = options or TrainOptions()
        if init is not None:
            bits = len(init.rows).bit_length() - 1
            options = replace(options, bits=bits, templates=init.templates, breaks=init.breaks)
            word_classes = word_classes or init.word_classes
        self.options = options
        self.report: Report = silent
        self._warn = warn
        self.dev = list(dev)
        docs = [doc for doc in train if doc.n_words]
        if not docs:
            raise InputError("there are no words to train on")
        if unedited and len(unedited) != len(train):
            raise InputError(f"{len(unedited)} unedited documents for {len(train)} edited ones")
        self.repairs = Repairs()
        self.tags = tags_in(docs) if options.tags else ()
        if init is not None:
            self.tags = tuple(tag for tag in self.tags if tag in init.tags)
        self.hasher = Hasher(word_classes)
        self._data = self._prepare(docs, warn)
        self._unedited = self._prepare(
            [d for d, e in zip(unedited, train, strict=False) if e.n_words], None
        )
        trees = [tree for _, tree in (*self._data, *self._unedited)]
        self.inventory = Inventory.learn(
            [(tree.heads, tree.names) for tree in trees],
            single_root=options.single_root,
            sb=options.boundaries != "none",
            known=init.inventory if init is not None else None,
        )
        number = {name: i for i, name in enumerate(self.inventory.labels)}
        for tree in trees:
            tree.number(number)
        #: Templates that name something which the training data do not have would tell nothing.
        self.chosen = without(options.templates, self._absent()) or options.templates
        if init is not None:
            self.chosen = init.templates
        self.templates = compile_templates(self.chosen)
        self.width = padded(self.inventory.size)
        self._system = self.inventory.transitions
        self.learner = self._learner()
        #: From which document on there are so many parts, of which an epoch reads one.
        self._turns = (len(self._data), 1)
        self._more: list[Learner] = []
        if init is not None:
            self._go_on(init)

    def _go_on(self, init: Parser) -> None:
        """Take over the weights; transitions that the parser did not know start with none."""
        column = {name: at for at, name in enumerate(self.inventory.names())}
        columns = np.array([column.get(name, -1) for name in init.inventory.names()])
        numbers, table = init.rows.filled()
        rows, old, weights = entries(table, init.unit)
        kept = columns[old] >= 0
        places = numbers[rows[kept]].astype(np.int64) * self.width + columns[old[kept]]
        weights = weights[kept]
        self.learner.weights.set_entries(places.astype(np.uint64), weights, np.zeros_like(weights))

    def _learner(self) -> Learner:
        return Learner(self.options, self._system, self.templates, self.width)

    def _prepare(
        self, docs: Sequence[Document], warn: WarningSink | None
    ) -> list[tuple[Words, Tree]]:
        options = self.options
        found = []
        for doc in docs:
            words = words_of(doc, self.hasher, tags=self.tags, breaks=options.breaks)
            tree = gold_tree(
                doc,
                self.repairs,
                chains=options.chains,
                single_root=options.single_root,
                warn=warn,
            )
            found.append((words, tree))
        return found

    def _absent(self) -> list[str]:
        """Columns that no training document has."""
        absent = [atom for name, atom in TAG_COLUMNS.items() if name not in self.tags]
        if "xpos" in self.tags and "upos" not in self.tags:
            absent = [atom for atom in absent if atom != "p"]
        absent += [] if self.hasher.classes else ["c"]
        there = [words.context.any(axis=0) for words, _ in (*self._data, *self._unedited)]
        context = np.any(there, axis=0).tolist()
        names = ("break", "speaker", "evidence", "layout")
        learned = context[: len(names)]
        absent += [name for name, any_ in zip(names, learned, strict=True) if not any_]
        absent += ["wp"] if "p" in absent else []
        return absent

    # --------------------------------------------------------------- learning

    def take_turns(self, first: int, parts: int) -> None:
        """Let an epoch read one of so many parts of the documents from the first one named on."""
        self._turns = (first, parts)

    def instances(self, epoch: int) -> list[Instance]:
        """The instances of an epoch in the order in which they are learned."""
        options = self.options
        data = list(self._data)
        if self._unedited and options.dropout > 0:
            chosen = generator(options.seed, epoch, 2).random(len(data)) < options.dropout
            data = [self._unedited[k] if chosen[k] else data[k] for k in range(len(data))]
        trees = [tree for _, tree in data]
        alone = not self.inventory.sb
        found = chunks(trees, options.chunk, options.seed, epoch, sentences=alone)
        first, parts = self._turns
        found = [one for one in found if one[0] < first or (one[0] - epoch) % parts == 0]
        order = epoch_order(len(found), options.seed, epoch)
        return [self._instance(data, *found[k]) for k in order.tolist()]

    def _instance(
        self, data: Sequence[tuple[Words, Tree]], document: int, a: int, b: int
    ) -> Instance:
        words, tree = data[document]
        heads, labels = tree.heads[a:b], tree.labels[a:b]
        # What is unknown is found by a search, which would parse the words ahead, too.
        known = not np.any(heads == UNKNOWN) and not np.any(labels < 0)
        ahead = min(self.options.ahead, len(words.context) - b) if known else 0
        inside = tree.bounds[(tree.bounds >= a) & (tree.bounds < b)] - a
        starts = np.zeros(b - a, np.bool_)
        starts[inside] = True
        return Instance(
            cut(words, np.array([a, b + ahead], np.int64)),
            np.where(heads >= 0, heads - a, heads).astype(np.int32),
            labels.copy(),
            starts,
            ahead,
        )

    def epoch(self, number: int) -> Mapping[str, float]:
        instances = self.instances(number)
        if self.options.shards == 1:
            tally = self.learner.run(instances, self.report)
        else:
            tally = self._mixed(instances)
        if tally.dropped and self._warn is not None:
            self._warn(
                CaesuraWarning(
                    f"epoch {number} had no room for {tally.dropped:,} features of its updates",
                    remedy="Learn from chunks, or make delayed updates in turn.",
                )
            )
        return tally.as_stats() | (self.repairs.as_stats() if number == 1 else {})

    def _mixed(self, instances: Sequence[Instance]) -> Any:
        """Every shard learns from the same weights on; then all are averaged, in a fixed order."""
        shards, main = self.options.shards, self.learner
        while len(self._more) < min(self.options.threads, shards):
            self._more.append(self._learner())
        mixed = LearnedWeights(self.options.bits, self.width)
        tally = Tally()
        ticks = main.ticks

        def work(learner: Learner, shard: int) -> Tally:
            learner.weights = main.weights.copy()
            learner.ticks = ticks
            return learner.run(instances[shard::shards])

        for first in range(0, shards, len(self._more)):
            wave = range(first, min(first + len(self._more), shards))
            with ThreadPoolExecutor(len(wave)) as pool:
                done = list(pool.map(work, self._more, wave))
            for learner, one in zip(self._more, done, strict=False):
                tally += one
                mixed.add(learner.weights, 1.0 / shards)
            self.report(min(first + len(wave), shards) / shards)
        main.weights = mixed
        # Shards differ by one instance at most; the longest sets the clock.
        main.ticks = ticks + -(-len(instances) // shards)
        return tally

    # ---------------------------------------------------------------- results

    def parser(self) -> Parser:
        """The parser as it stands now, with averaged weights."""
        learner = self.learner
        return Parser(
            self.inventory,
            self.chosen,
            rounded(learner.weights, learner.ticks),
            self.options.in_use(),
            self.tags,
            self.options.breaks,
            self.hasher.classes,
        )

    def score(self) -> Mapping[str, float]:
        """LAS, UAS and F1 of sentence starts on the dev documents, and the mean of LAS and F1."""
        if not self.dev:
            return {}
        parses = self.parser().analyse(self.dev, threads=self.options.threads)
        return scores(self.dev, parses, self.inventory, trees=not self.options.chains)

    def parts(self) -> dict[str, Part]:
        return {"parser": self.parser().to_part()}

    def state(self) -> dict[str, NDArray[Any]]:
        learner = self.learner
        places, weights, totals = learner.weights.entries()
        size = len(learner.weights) * self.width
        return {
            "places": places.astype(np.uint32 if size <= 1 << 32 else np.uint64),
            "weights": weights,
            "summed": totals,
            "ticks": np.array([learner.ticks], np.int64),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        learner = self.learner
        learner.weights = LearnedWeights(self.options.bits, self.width)
        places = state["places"].astype(np.uint64)
        learner.weights.set_entries(places, state["weights"], state["summed"])
        learner.ticks = int(state["ticks"][0])
