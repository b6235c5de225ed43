"""Trains the classifier of one column that is given the chain's label.

FEATS and lemma rules nearly follow from the word and its label, so they need no chain of their own:
a value is chosen from those seen with the label.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import ConditionalLearner, conditional_keys
from caesura.learn.checkpoint import pack_state, unpack_state
from caesura.learn.shuffle import epoch_order
from caesura.models.file import Part
from caesura.stages.lemmas import rule_of
from caesura.stages.tag_attributes import plain_form
from caesura.stages.tag_corpus import Corpus
from caesura.stages.tag_tables import table_arrays, table_of
from caesura.stages.tag_templates import parse_templates
from caesura.stages.tagger_options import TaggerOptions

__all__ = ["ConditionalTrainer"]

Ints = NDArray[np.int32]


class Choices(NamedTuple):
    """The values of each label, `values[bounds[tag]:bounds[tag + 1]]`, most frequent first."""

    bounds: Ints
    values: Ints


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
        data = (attributes, corpus.words, corpus.sentences, tags, bounds, self.templates.all)
        self.keys = conditional_keys(*data, options.cutoff)
        old = None
        if init is not None:
            sizes = np.diff(init.array(f"{column}.bounds"))
            old = table_of(init, column, max(1, int(sizes.max())))
            self.keys = np.union1d(self.keys, old[0])
        gold = _positions(self.choices, tags, values)
        self._used = np.flatnonzero((np.diff(bounds)[tags] > 1) & (gold >= 0))
        self._ticks = 1
        width = max(1, int(np.diff(bounds).max()))
        #: Weights, sums of squared slopes and totals.
        self.weights = np.zeros((3, len(self.keys), width), np.float32)
        self._learner = ConditionalLearner(*data, self.keys, gold, self.weights)
        if old is not None:
            owner = np.repeat(np.searchsorted(self.keys, old[0]), np.diff(old[1].begin))
            self.weights[0, owner, old[1].column] = old[1].weights()

    def epoch(self, number: int) -> float:
        """One pass; the mean log loss."""
        if not len(self._used):
            return 0.0
        order = self._used[epoch_order(len(self._used), self.options.seed, number)]
        options = self.options
        loss = self._learner.learn(order, options.rate, options.offset, self._ticks)
        self._ticks += len(order)
        return loss / len(order)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the model file holds of this column."""
        options = self.options
        arrays = table_arrays(
            self.column, self.keys, self.weights, self._ticks, options.bits, options.floor
        )
        arrays[f"{self.column}.bounds"] = self.choices.bounds
        arrays[f"{self.column}.options"] = self.choices.values
        return arrays

    def state(self) -> dict[str, NDArray[Any]]:
        ticks = {"ticks": np.array([self._ticks], np.int64)}
        return ticks | pack_state("table", *self.weights)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self._ticks = int(state["ticks"][0])
        unpack_state(state, "table", *self.weights)


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


def _choices(tags: Ints, values: Ints, n_tags: int, init: Part | None, column: str) -> Choices:
    found = _choices_of(tags, values, n_tags, cutoff=2)
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
    return Choices(np.array(ends, np.int32), np.array(merged, np.int32))


def _choices_of(tags: Ints, values: Ints, n_tags: int, cutoff: int) -> Choices:
    """The values seen with each tag; ties go to the lower value. The first needs no cutoff."""
    size = int(values.max()) + 1 if len(values) else 1
    pairs, counts = np.unique(tags.astype(np.int64) * size + values, return_counts=True)
    order = np.lexsort((pairs % size, -counts, pairs // size))
    tag, value, count = (pairs // size)[order], (pairs % size)[order], counts[order]
    first = np.ones(len(tag), bool)
    first[1:] = tag[1:] != tag[:-1]
    keep = first | (count >= cutoff)
    bounds = np.searchsorted(tag[keep], np.arange(n_tags + 1)).astype(np.int32)
    return Choices(bounds, value[keep].astype(np.int32))


def _positions(choices: Choices, tags: Ints, values: Ints) -> Ints:
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
