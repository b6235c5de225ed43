"""Trains the classifier of one column that is given the chain's label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.learn.shuffle import epoch_order
from caesura.learn.updates import average
from caesura.models.file import Part
from caesura.tag.attributes import plain_form
from caesura.tag.checkpoint import pack_state, unpack_state
from caesura.tag.conditional_classifier import (
    Options,
    conditional_epoch,
    conditional_hashes,
    options_of,
)
from caesura.tag.corpus import Corpus
from caesura.tag.lemmas import rule_of
from caesura.tag.options import TaggerOptions
from caesura.tag.tables import table_arrays, table_of
from caesura.tag.templates import parse_templates

__all__ = ["ConditionalTrainer"]

Ints = NDArray[np.int32]


class ConditionalTrainer:
    """Learns `values` (numbers into `names`) of all words of a corpus, given their labels."""

    def __init__(
        self,
        column: str,
        options: TaggerOptions,
        corpus: Corpus,
        attributes: NDArray[np.uint64],
        tags: Ints,
        n_tags: int,
        values: Ints,
        names: list[str],
        init: Part | None = None,
    ) -> None:
        self.column, self.options = column, options
        names_of = options.lemma_templates if column == "lemma" else options.given_templates
        if init is not None:
            names_of = tuple(init.config[f"templates-{column}"])
        self.templates = parse_templates(names_of, labels=True)
        if column == "lemma":
            values, names = _rules(corpus, values, names)
        old_names = init.labels[column] if init is not None else []
        self.values = [*old_names, *(name for name in names if name not in set(old_names))]
        number = {name: n for n, name in enumerate(self.values)}
        values = np.array([number[name] for name in names], np.int32)[values]
        self.choices = _choices(tags, values, n_tags, init, column)
        bounds = self.choices.bounds
        hashes = np.zeros((len(tags), len(self.templates.all)), np.uint64)
        conditional_hashes(
            attributes, corpus.words, tags, corpus.sentences, self.templates.all, bounds, hashes
        )
        short = (hashes >> np.uint64(32)).astype(np.uint32)
        kinds, counts = np.unique(short[hashes != 0], return_counts=True)
        self.keys = kinds[counts >= options.cutoff]
        width = max(1, int(np.diff(bounds).max()))
        old = None
        if init is not None:
            sizes = np.diff(init.array(f"{column}.bounds"))
            old = table_of(init, column, max(1, int(sizes.max())))
            self.keys = np.union1d(self.keys, old[0])
        self._rows = _rows_of(short, hashes != 0, self.keys)
        self._sizes = np.diff(bounds)[tags].astype(np.int32)
        self._gold = _positions(self.choices, tags, values)
        self._used = np.flatnonzero((self._sizes > 1) & (self._gold >= 0))
        self._importance = np.ones(len(tags), np.float32)
        shape = (len(self.keys), width)
        self.weight = np.zeros(shape, np.float32)
        self.square = np.zeros(shape, np.float32)
        self.total = np.zeros(shape, np.float32)
        self._ticks = 1
        if old is not None:
            owner = np.repeat(np.searchsorted(self.keys, old[0]), np.diff(old[1].begin))
            self.weight[owner, old[1].column] = old[1].weights()

    def epoch(self, number: int) -> float:
        """One pass; the mean log loss."""
        if not len(self._used):
            return 0.0
        order = self._used[epoch_order(len(self._used), self.options.seed, number)]
        loss = conditional_epoch(
            self.weight,
            self.square,
            self.total,
            self._rows,
            self._sizes,
            self._gold,
            self._importance,
            order,
            self.options.rate,
            self.options.offset,
            self._ticks,
        )
        self._ticks += len(order)
        return float(loss / len(order))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the model file holds of this column."""
        averaged = average(self.weight, self.total, self._ticks)
        options = self.options
        arrays = table_arrays(self.column, self.keys, averaged, options.bits, options.floor)
        arrays[f"{self.column}.bounds"] = self.choices.bounds
        arrays[f"{self.column}.options"] = self.choices.values
        return arrays

    def state(self) -> dict[str, NDArray[Any]]:
        ticks = {"ticks": np.array([self._ticks], np.int64)}
        return ticks | pack_state("table", self.weight, self.square, self.total)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self._ticks = int(state["ticks"][0])
        unpack_state(state, "table", self.weight, self.square, self.total)


def _rules(corpus: Corpus, values: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Lemma rules instead of lemmas, worked out once for each pair of form and lemma."""
    pairs = corpus.words.astype(np.int64) * len(names) + values
    kinds, where = np.unique(pairs, return_inverse=True)
    numbers: dict[str, int] = {}
    own = np.empty(len(kinds), np.int32)
    for n, pair in enumerate(kinds.tolist()):
        rule = rule_of(plain_form(corpus.types[pair // len(names)]), names[pair % len(names)])
        own[n] = numbers.setdefault(rule, len(numbers))
    return own[where], list(numbers)


def _choices(tags: Ints, values: Ints, n_tags: int, init: Part | None, column: str) -> Options:
    found = options_of(tags, values, n_tags, cutoff=2)
    if init is None:
        return found
    # The old options keep their columns; new ones come after them.
    bounds, options = init.array(f"{column}.bounds"), init.array(f"{column}.options")
    merged: list[int] = []
    ends = [0]
    for tag in range(n_tags):
        old = options[bounds[tag] : bounds[tag + 1]].tolist() if tag + 1 < len(bounds) else []
        new = found.values[found.bounds[tag] : found.bounds[tag + 1]].tolist()
        merged += old + [value for value in new if value not in old]
        ends.append(len(merged))
    return Options(np.array(ends, np.int32), np.array(merged, np.int32))


def _rows_of(
    short: NDArray[np.uint32], present: NDArray[np.bool_], keys: NDArray[np.uint32]
) -> Ints:
    if not len(keys):
        return np.full(short.shape, -1, np.int32)
    at = np.searchsorted(keys, short)
    at[at == len(keys)] = 0
    return np.where(present & (keys[at] == short), at, -1).astype(np.int32)


def _positions(choices: Options, tags: Ints, values: Ints) -> Ints:
    """Which of its tag's options each value is; -1 where it is none."""
    size = int(choices.values.max(initial=0)) + 2
    owner = np.repeat(np.arange(len(choices.bounds) - 1), np.diff(choices.bounds))
    codes = owner.astype(np.int64) * size + choices.values
    order = np.argsort(codes)
    wanted = tags.astype(np.int64) * size + np.minimum(values, size - 1)
    at = np.searchsorted(codes[order], wanted)
    at[at == len(codes)] = 0
    found = codes[order][at] == wanted
    place = order[at] - choices.bounds[tags]
    return np.where(found, place, -1).astype(np.int32)
