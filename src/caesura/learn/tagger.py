"""Trains a tagger epoch by epoch: the chain, and each column that is given the chain's label.

FEATS and lemma rules nearly follow from the word and its label, so they need no chain of their own:
a value is chosen from those seen with the label. `train_tagger` runs the loop to its end;
`jackknife` tags training data with taggers that have not seen them, fold by fold, so that a parser
meets in training the errors that it will meet later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura import formats
from caesura._core import ChainLearner, ConditionalLearner, chain_keys, conditional_keys
from caesura.cluster.classes import load_classes
from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.language.lexicon import Lexicon, guessed_lexicon, read_lexicon
from caesura.learn.fingerprint import digest, file_digest
from caesura.learn.folds import epoch_order, of_equal_size, pieces
from caesura.learn.loop import Loop, Progress, silent
from caesura.learn.run import Result, Run, card, follow, score_table, transcripts
from caesura.learn.tagger_data import (
    TaggerCorpus,
    TaggerOptions,
    check_documents,
    choose_columns,
    column_values,
    corpus_of,
    label_names,
    labeller_options,
)
from caesura.learn.weights import average, moves_arrays, pack_state, table_arrays, unpack_state
from caesura.models.file import Part
from caesura.models.packing import SparseRows
from caesura.models.store import find, load_model
from caesura.stages.labeller import START
from caesura.stages.lemmas import LABELS, irregular_forms, rule_of
from caesura.stages.tagger import Regime, Tagger
from caesura.stages.tagger_features import (
    Ints,
    Longs,
    attributes_of,
    edge_attributes,
    parse_templates,
    plain_form,
)
from caesura.stages.tagger_tables import Transitions, part_moves, table_of, transition_sizes


class ColumnChoices(NamedTuple):
    """The values of each label, `values[bounds[tag]:bounds[tag + 1]]`, most frequent first."""

    bounds: Ints
    values: Ints


class ConditionalTrainer:
    """Learns `values` (numbers into `names`) of all words of a corpus, given their labels."""

    def __init__(
        self,
        column: str,
        options: TaggerOptions,
        corpus: TaggerCorpus,
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
            owner = np.repeat(np.searchsorted(self.keys, old[0]), old[1].counts)
            self.weights[0, owner, old[1].columns] = old[1].weights()

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


def _rules(corpus: TaggerCorpus, values: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Lemma rules instead of lemmas, worked out once for each pair of form and lemma."""
    pairs = corpus.words.astype(np.int64) * len(names) + values
    kinds, where = np.unique(pairs, return_inverse=True)
    numbers: dict[str, int] = {}
    own = np.empty(len(kinds), np.int32)
    for n, pair in enumerate(kinds.tolist()):
        rule = rule_of(plain_form(corpus.types[pair // len(names)]), names[pair % len(names)])
        own[n] = numbers.setdefault(rule, len(numbers))
    return own[where], list(numbers)


def _choices(
    tags: Ints, values: Ints, n_tags: int, init: Part | None, column: str
) -> ColumnChoices:
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
    return ColumnChoices(np.array(ends, np.int32), np.array(merged, np.int32))


def _choices_of(tags: Ints, values: Ints, n_tags: int, cutoff: int) -> ColumnChoices:
    """The values seen with each tag; ties go to the lower value. The first needs no cutoff."""
    size = int(values.max()) + 1 if len(values) else 1
    pairs, counts = np.unique(tags.astype(np.int64) * size + values, return_counts=True)
    order = np.lexsort((pairs % size, -counts, pairs // size))
    tag, value, count = (pairs // size)[order], (pairs % size)[order], counts[order]
    first = np.ones(len(tag), bool)
    first[1:] = tag[1:] != tag[:-1]
    keep = first | (count >= cutoff)
    bounds = np.searchsorted(tag[keep], np.arange(n_tags + 1)).astype(np.int32)
    return ColumnChoices(bounds, value[keep].astype(np.int32))


def _positions(choices: ColumnChoices, tags: Ints, values: Ints) -> Ints:
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


def accuracies(
    tagger: Tagger, gold: Sequence[Document], regime: Regime = "auto"
) -> dict[str, float]:
    """Per cent of right values by column (F1 for inner sentence starts), and the mean."""
    tagged = [replace(doc) for doc in gold]
    for doc in tagged:
        doc.fixed = frozenset()
    tagger.tag(tagged, regime=regime)
    scores: dict[str, float] = {}
    for column in tagger.columns:
        numbers: dict[str, int] = {}
        right = column_values(gold, column, numbers)
        said = column_values(tagged, column, numbers)
        if column == START:
            inner = np.concatenate([np.arange(doc.n_words) > 0 for doc in gold])
            yes = numbers.get("B", -1)
            a, b = (said == yes) & inner, (right == yes) & inner
            scores[column] = 200.0 * float((a & b).sum()) / max(1, int(a.sum() + b.sum()))
        else:
            scores[column] = 100.0 * float(np.mean(said == right)) if len(right) else 0.0
    scores["mean"] = float(np.mean(list(scores.values())))
    return scores


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
        self.report: Progress = silent
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
        self, corpus: TaggerCorpus, attributes: NDArray[np.uint64], gold: Ints, init: Part | None
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
        owner = np.repeat(at, rows.counts)
        self.weights[0, owner, rows.columns] = rows.weights()
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
    **kept: Any,
) -> Loop:
    """A training loop over a tagger; iterate over it, then take `best`. `kept` is for `Loop`."""
    options = options or TaggerOptions()
    trainer = TaggerTrainer(train, dev, options, word_classes=word_classes, init=init)
    return Loop(trainer, options.epochs, metric="mean", patience=options.patience, **kept)


def train_tagger(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TaggerOptions | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
) -> Tagger:
    """Train a tagger to the end.

    Further copies of the documents, such as lower-cased ones without punctuation, make it robust;
    they are simply more documents.
    """
    return Tagger(tagger_loop(train, dev, options, word_classes=word_classes).run()["tagger"])


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


def jackknife(
    docs: Sequence[Document],
    options: TaggerOptions | None = None,
    folds: int = 10,
    *,
    regime: Regime = "auto",
    variant: Callable[[Document], Document] | None = None,
    on_fold: Callable[[int, int], None] | None = None,
) -> list[Document]:
    """The documents with predicted columns instead of gold ones; all else is shared with them.

    With a `variant`, such as `transform.speech`, the taggers also learn from the variants of their
    documents, and the variants of all documents follow, tagged in the same way. Taggers are
    trained for `options.epochs`, as there are no dev data to stop them.
    """
    options = replace(options or TaggerOptions(), patience=0)
    parts = of_equal_size(docs, folds, options.seed)
    sets = [parts.pieces]
    if variant is not None:
        sets.append([variant(piece) for piece in parts.pieces])
    tagged = [[replace(piece) for piece in one] for one in sets]
    for fold, held, rest in parts:
        tagger = train_tagger([one[k] for one in sets for k in rest], (), options)
        tagger.tag([one[k] for one in tagged for k in held], regime=regime)
        columns = tagger.columns
        if on_fold is not None:
            on_fold(fold + 1, folds)
    originals = [list(docs)] + ([] if variant is None else [list(map(variant, docs))])
    found = []
    for whole, cut in zip(originals, tagged, strict=True):
        for doc, own in zip(whole, parts.by_document(cut, len(docs)), strict=True):
            found.append(replace(doc))
            for column in columns if own else ():
                if hasattr(doc, column):
                    joined = np.concatenate([getattr(piece, column) for piece in own])
                    setattr(found[-1], column, joined.astype(np.int32))
    return found


#: What a tagger learns from.
LEARNED = ("form", "lemma", "upos", "xpos", "feats")


def _options(run: Run, train: Sequence[Document], boundaries: bool) -> TaggerOptions:
    return run.options(labeller_options(train) if boundaries else TaggerOptions(), "tagger")


def run_tagger(
    run: Run,
    *,
    init: str | None = None,
    classes: str | None = None,
    speech: bool = False,
    boundaries: bool = False,
) -> Result:
    """Train a tagger, or with `boundaries` a labeller of tags and sentence starts in one."""
    run.kept.check()
    train = list(run.data.read(run.data.train, run.report))
    options = _options(run, train, boundaries)
    dev = list(run.data.read(run.data.dev, run.report))
    run.kept.begin()
    if speech:
        train += transcripts(train)
    known = (file_digest(find(init)) if init else "", file_digest(classes))
    loop = tagger_loop(
        train,
        dev,
        options,
        word_classes=dict(load_classes(classes)) if classes else None,
        init=load_model(init).part("tagger") if init else None,
        **run.keep("", digest((*train, *dev)), options, known),
    )
    follow(loop, "Tagger", run.report)
    scores = loop.best_scores
    meta = {
        "trained_on": run.sources(),
        "data_sha256": digest(train, LEARNED, ("sent_start",), text=False),
        "scores": scores,
        "words": sum(doc.n_words for doc in train),
    }
    told = f"Trained on {meta['words']} words."
    run.save(loop.best, meta, card("Tagger", told, score_table(("column", "dev accuracy"), scores)))
    loop.finish()
    about = {
        "model": run.output,
        "epochs": len(loop.history),
        "best_epoch": loop.best_epoch,
        "scores": scores,
    }
    return Result(run.output, about, scores, next=("tag", "-m", run.output, "tokens.conllu"))


def jackknife_treebank(
    run: Run, folds: int, *, regime: Regime = "auto", boundaries: bool = False
) -> Result:
    """Write the training data with tags by taggers that have not seen them."""
    train = list(run.data.read(run.data.train, run.report))
    options = _options(run, train, boundaries)
    with run.report.counting("Jackknifing", unit="folds", total=folds) as progress:
        tagged = jackknife(
            train, options, folds, regime=regime, on_fold=lambda fold, of: progress.advance()
        )
    formats.write(tagged, run.output)
    about = {"output": run.output, "folds": folds, "documents": len(tagged)}
    following = ("train", "parser", run.output, "-o", "parser.caesura")
    return Result(run.output, about, what="Treebank", next=following)
