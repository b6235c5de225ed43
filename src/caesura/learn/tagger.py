"""Trains a tagger epoch by epoch: the chain, and each column that is given the chain's label.

`train_tagger` runs it to the end; `tagger_loop` is for whoever watches, scores and interrupts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura._core import ChainLearner, chain_keys
from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.language.lexicon import Lexicon, guessed_lexicon, read_lexicon
from caesura.learn.checkpoint import pack_state, unpack_state
from caesura.learn.conditional import ConditionalTrainer
from caesura.learn.loop import Event, Loop, Report, silent
from caesura.learn.shuffle import epoch_order, pieces
from caesura.learn.tagger_labels import check_documents, choose_columns, label_names
from caesura.learn.tagger_scores import accuracies
from caesura.learn.updates import average
from caesura.models.file import Part
from caesura.models.packing import SparseRows
from caesura.stages.irregular_lemmas import LABELS, irregular_forms
from caesura.stages.tag_attributes import attributes_of, edge_attributes
from caesura.stages.tag_corpus import Corpus, column_values, corpus_of
from caesura.stages.tag_tables import (
    Transitions,
    moves_arrays,
    part_moves,
    table_arrays,
    table_of,
    transition_sizes,
)
from caesura.stages.tag_templates import parse_templates
from caesura.stages.tagger import Regime, Tagger
from caesura.stages.tagger_options import TaggerOptions

__all__ = ["TaggerTrainer", "tagger_loop", "train_tagger"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
#: The perceptron's scores are no log-odds but about so many times larger.
_PERCEPTRON_SCALE = 10.0
#: Chains learned between two reports.
_PIECE = 200


class TaggerTrainer:
    """A learner for `caesura.learn.loop`."""

    def __init__(
        self,
        train: Sequence[Document],
        dev: Sequence[Document] = (),
        options: TaggerOptions | None = None,
        *,
        word_classes: Mapping[str, int] | None = None,
        init: Part | None = None,
    ) -> None:
        self.options = options = options or TaggerOptions()
        self.report: Report = silent
        self.dev = list(dev)
        check_documents(train)
        self.chain, self.given = choose_columns(train, options)
        self.word_classes = dict(word_classes or {})
        old = Tagger(init) if init is not None else None
        if old is not None:
            _check_init(old, self.chain, self.given)
            self.word_classes = self.word_classes or dict(old.word_classes or {})
        self.templates = parse_templates(
            tuple(old.part.config["templates"]) if old is not None else options.templates
        )
        corpus = corpus_of(train, breaks=self.templates.breaks)
        attributes = attributes_of(corpus.types, self.word_classes)
        attributes[0] = edge_attributes()[0]
        names, gold = label_names(train, self.chain, old.labels if old is not None else [])
        if len(names) < 2:
            raise InputError(
                f"all words have one label in {' and '.join(self.chain)}",
                file=train[0].source,
                remedy="There is nothing to learn; give data with two labels at least.",
            )
        self.labels = names
        self._irregular: list[str] = []
        if "lemma" in self.given and "xpos" in self.chain:
            self._irregular = irregular_forms(_lexicon(train, options), train)
        self._chain_data(corpus, attributes, gold, init)
        self._givens: dict[str, ConditionalTrainer] = {}
        for column in self.given:
            numbers: dict[str, int] = {}
            values = column_values(train, column, numbers)
            self._givens[column] = ConditionalTrainer(
                column,
                options,
                corpus,
                attributes,
                gold,
                len(names),
                values,
                list(numbers),
                old.part if old is not None else None,
            )

    # ---------------------------------------------------------------- data

    def _chain_data(
        self, corpus: Corpus, attributes: NDArray[np.uint64], gold: Ints, init: Part | None
    ) -> None:
        """The views of the data: windows that features may see, and the chains within them."""
        options, classes = self.options, len(self.labels)
        views: list[Longs] = []
        if options.views in ("sentences", "both"):
            views.append(corpus.sentences)
        if options.views in ("documents", "both"):
            views.append(corpus.documents)
        words = np.concatenate([corpus.words] * len(views))
        begins = [np.zeros(1, np.int64)]
        chains: list[tuple[int, int, int, int]] = []
        for number, bounds in enumerate(views):
            shifted = bounds + number * len(corpus.words)
            begins.append(shifted[1:])
            longest = options.chunk if bounds is corpus.documents else max(options.chunk, 200)
            for low, high in zip(shifted[:-1].tolist(), shifted[1:].tolist(), strict=True):
                chains += [
                    (low, high, begin, min(begin + longest, high))
                    for begin in range(low, high, longest)
                ]
        cutoff = options.cutoff if len(views) == 1 else 2 * options.cutoff - 1
        data = (attributes, words, np.concatenate(begins), *self.templates.of_chain)
        self.keys = chain_keys(*data, cutoff)
        old = None if init is None else table_of(init, "chain", _n_labels(init))
        if old is not None:
            self.keys = np.union1d(self.keys, old[0])
        self._n_words, self._n_chains = len(words), len(chains)
        self._ticks = 1
        #: Weights, sums of squared slopes and totals, of features and of transitions.
        self.weights = np.zeros((3, len(self.keys), classes), np.float32)
        pairs, triples = transition_sizes(classes, options.order)
        self.pairs = np.zeros((3, *pairs), np.float32)
        self.triples = np.zeros((3, triples), np.float32)
        self._learner = ChainLearner(
            *data, self.keys, np.array(chains, np.int64), np.concatenate([gold] * len(views)),
            self.weights, self.pairs, self.triples, options.width,
        )  # fmt: skip
        if init is not None and old is not None:
            self._start_from(init, *old)

    def _start_from(self, init: Part, keys: NDArray[np.uint32], rows: SparseRows) -> None:
        """Begin with the weights of a model whose labels come first among ours."""
        at = np.searchsorted(self.keys, keys)
        owner = np.repeat(at, np.diff(rows.begin))
        self.weights[0, owner, rows.column] = rows.weights()
        size = _n_labels(init)
        order = int(init.option("order", int, 2))
        moves = part_moves(init, size, order)
        pairs = self.pairs[0]
        pairs[:size, :size] = moves.pairs[:size]
        pairs[-1, :size] = moves.pairs[size]
        if order == 2 and self.options.order == 2 and size == len(self.labels):
            self.triples[0] = moves.triples

    # ------------------------------------------------------------ training

    def epoch(self, number: int) -> dict[str, float]:
        options = self.options
        order = epoch_order(self._n_chains, options.seed, number)
        # The chain takes about three times as long as a column that is given it.
        whole = len(order) * (1 + len(self._givens) / 3)
        loss, done = 0.0, 0
        for piece in pieces(order, _PIECE):
            loss += self._learn(piece)
            self._ticks += len(piece)
            done += len(piece)
            self.report(done / whole)
        stats = {"loss": loss / self._n_words}
        for k, (column, trainer) in enumerate(self._givens.items(), start=1):
            stats[f"{column} loss"] = trainer.epoch(number)
            self.report(len(order) * (1 + k / 3) / whole)
        return stats

    def _learn(self, order: Longs) -> float:
        options, learner = self.options, self._learner
        if options.learner == "crf":
            step = (options.rate, options.offset, options.l2, options.margin)
            return learner.crf(order, *step, self._ticks)
        return learner.perceptron(order, options.margin * _PERCEPTRON_SCALE, self._ticks)

    def score(self) -> dict[str, float]:
        if not self.dev:
            return {}
        tagger = Tagger(self.parts()["tagger"])
        regime: Regime = "document" if self.options.views == "documents" else "auto"
        return accuracies(tagger, self.dev, regime)

    def parts(self) -> dict[str, Part]:
        options = self.options
        moves = (average(table[0], table[2], self._ticks) for table in (self.pairs, self.triples))
        scale = 1.0 if options.learner == "crf" else _PERCEPTRON_SCALE
        config: dict[str, Any] = {
            "chain": list(self.chain),
            "given": list(self.given),
            "order": options.order,
            "width": options.width,
            "margin": options.margin * scale,
            "narrow_width": options.narrow_width,
            "narrow_margin": options.narrow_margin * scale,
            "clear": options.clear * scale,
            "templates": list(self.templates.names),
        }
        labels = {"chain": ["\t".join(label) for label in self.labels]}
        arrays = table_arrays(
            "chain", self.keys, self.weights, self._ticks, options.bits, options.floor
        )
        arrays |= moves_arrays(Transitions(*moves), options.bits, options.floor)
        for column, trainer in self._givens.items():
            config[f"templates-{column}"] = list(trainer.templates.names)
            labels[column] = trainer.values
            arrays |= trainer.arrays()
        if self._irregular:
            labels[LABELS] = self._irregular
        if self.word_classes:
            labels["class_words"] = list(self.word_classes)
            arrays["class_numbers"] = np.array(list(self.word_classes.values()), np.int32)
        return {"tagger": Part("tagger", config, labels, arrays)}

    def state(self) -> dict[str, NDArray[Any]]:
        state = {"ticks": np.array([self._ticks], np.int64)}
        for name, tables in self._tables():
            state |= pack_state(name, *tables)
        for column, trainer in self._givens.items():
            state |= {f"{column}.{name}": array for name, array in trainer.state().items()}
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self._ticks = int(state["ticks"][0])
        for name, tables in self._tables():
            unpack_state(state, name, *tables)
        for column, trainer in self._givens.items():
            prefix = f"{column}."
            own = {n.removeprefix(prefix): a for n, a in state.items() if n.startswith(prefix)}
            trainer.restore(own)

    def _tables(self) -> Iterable[tuple[str, NDArray[np.float32]]]:
        return (("chain", self.weights), ("pairs", self.pairs), ("triples", self.triples))


def tagger_loop(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TaggerOptions | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
    init: Part | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    fingerprint: str = "",
) -> Loop:
    """A training loop over a tagger; iterate over it, then take `best`."""
    options = options or TaggerOptions()
    return Loop(
        TaggerTrainer(train, dev, options, word_classes=word_classes, init=init),
        options.epochs,
        metric="mean",
        patience=options.patience,
        checkpoint=checkpoint,
        resume=resume,
        fingerprint=fingerprint,
    )


def train_tagger(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TaggerOptions | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Tagger:
    """Train a tagger to the end.

    Further copies of the documents, such as lower-cased ones without punctuation, make it robust;
    they are simply more documents.
    """
    if not dev and on_event is None:
        options = options or TaggerOptions()
        trainer = TaggerTrainer(train, (), options, word_classes=word_classes)
        for number in range(1, options.epochs + 1):
            trainer.epoch(number)
        return Tagger(trainer.parts()["tagger"])
    loop = tagger_loop(train, dev, options, word_classes=word_classes)
    for event in loop:
        if on_event is not None:
            on_event(event)
    return Tagger(loop.best["tagger"])


def _lexicon(docs: Sequence[Document], options: TaggerOptions) -> Lexicon:
    """The language file that the options name, or that of the language that the texts look like."""
    if options.language_file:
        return read_lexicon(options.language_file)
    return guessed_lexicon(doc.text for doc in docs)


def _n_labels(part: Part) -> int:
    return len(part.labels["chain"])


def _check_init(old: Tagger, chain: tuple[str, ...], given: tuple[str, ...]) -> None:
    if old.chain != chain or old.given != given:
        raise UsageError(
            f"the model to start from has columns {', '.join(old.columns)}; "
            f"the new one has {', '.join(chain + given)}",
            remedy="Start from a model with the same columns.",
        )
