"""The tagger: documents in, UPOS, XPOS, FEATS and lemma columns out.

A document with sentences is tagged sentence by sentence, one without as one chain; `regime`
overrules that. Values that a document declares fixed are obeyed. Neighbouring documents that share
a table of strings are tagged together, so that strings are touched once for each distinct value.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import accumulate
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import Chain, ConditionalClassifier
from caesura.constraints import Constraints
from caesura.document import YES, Document
from caesura.document.slicing import runs
from caesura.errors import ModelError, UsageError
from caesura.language import language_of_model
from caesura.language.closed import Closed, closed_words
from caesura.models.file import Part
from caesura.models.packing import DAMAGED, refusing
from caesura.models.store import load_model
from caesura.options import PLAIN, Request
from caesura.stage import EVIDENCE, Stage
from caesura.stages.labeller import START, mark_starts, write_starts
from caesura.stages.lemmas import LABELS, LemmaCache, read_irregular
from caesura.stages.tagger_features import distinct, parse_templates, typed
from caesura.stages.tagger_tables import TypeCache, part_moves, part_table

#: Columns that a tagger can learn.
COLUMNS: Final = ("upos", "xpos", "feats", "lemma", "deprel", "misc", START)
Regime = Literal["auto", "sentences", "document"]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class Posteriors(NamedTuple):
    """The labels of each word with their probabilities, the likeliest first; -1 is none."""

    labels: Ints
    masses: NDArray[np.float32]


def _chances(found: Posteriors, number: Ints, chosen: Ints) -> NDArray[np.float32]:
    """The probability of the chosen value of each word; 0 where another value is likelier.

    `number` says which value each label has; labels that share a value are summed.
    """
    values = np.where(found.labels >= 0, number[np.maximum(found.labels, 0)], -1)
    masses = found.masses.copy()
    for b in range(1, values.shape[1]):
        for a in range(b):
            same = (values[:, b] == values[:, a]) & (values[:, b] >= 0)
            masses[same, a] += masses[same, b]
            values[same, b] = -1
            masses[same, b] = 0.0
    best = np.arange(len(values)), masses.argmax(axis=1)
    return np.where(values[best] == chosen, masses[best], 0.0).astype(np.float32)


def chain_bounds(docs: Sequence[Document], regime: Regime) -> tuple[Longs, list[int]]:
    """Where chains begin, and where documents do."""
    offsets = [0, *accumulate(doc.n_words for doc in docs)]
    if regime == "document":
        return np.array(sorted({*offsets}), np.int64), offsets
    begins = [np.zeros(1, np.int64)]
    for doc, first, end in zip(docs, offsets, offsets[1:], strict=False):
        n = end - first
        if n and (regime != "auto" or doc.has_sentences):
            # Without multi-word tokens the starts of words are those of tokens.
            marks = doc.sent_start if n == doc.n_tokens else doc.word_sent_start
            starts = np.flatnonzero(marks[1:] == YES) + 1
            begins.append(np.append(starts, n) + first)
        elif n:
            begins.append(np.array([end], np.int64))
    return np.concatenate(begins), offsets


def write_column(
    docs: Sequence[Document], offsets: list[int], column: str, values: list[str], chosen: Ints
) -> None:
    """Set a column to the chosen values (-1: the empty one); known values that are fixed stay."""
    done = 0
    for run in runs(docs):
        first = done
        done += len(run)
        low = offsets[first]
        kinds, where = distinct(chosen[low : offsets[done]] + np.int32(1))
        ids = run[0].strings.ids([values[n - 1] if n else "" for n in kinds.tolist()])
        found = ids[where] if len(ids) else ids
        for doc, begin, end in zip(run, offsets[first:], offsets[first + 1 :], strict=False):
            own = found[begin - low : end - low]
            setattr(doc, column, Constraints.of(doc).with_fixed(column, own) if doc.fixed else own)


class AllowedLabels(NamedTuple):
    """The group of labels that a word is restricted to (-1: none), and the groups."""

    group: NDArray[np.int32]
    allowed: NDArray[np.bool_]


def allowed_labels(
    docs: Sequence[Document], chain: Sequence[str], labels: Sequence[tuple[str, ...]]
) -> AllowedLabels:
    """Words whose columns are fixed get labels that agree with them, if there is such a label."""
    fixed = [Constraints.of(doc).columns for doc in docs]
    columns = [column for column in chain if any(column in known for known in fixed)]
    if not columns:
        return AllowedLabels(np.zeros(0, np.int32), np.zeros((1, len(labels)), np.bool_))
    numbers: dict[tuple[str, ...], int] = {}
    masks: list[list[bool]] = []
    groups = []
    for doc, known in zip(docs, fixed, strict=True):
        group = np.full(doc.n_words, -1, np.int32)
        if known:
            open_column = np.zeros(doc.n_words, np.int32)
            rows = np.stack([known.get(column, open_column) for column in columns], axis=1)
            kinds, where = np.unique(rows, axis=0, return_inverse=True)
            own = np.full(len(kinds), -1, np.int32)
            for n, row in enumerate(kinds.tolist()):
                wanted = tuple(doc.strings[value] for value in row)
                if wanted not in numbers:
                    told = dict(zip(columns, wanted, strict=True))
                    mask = [_agrees(dict(zip(chain, label, strict=True)), told) for label in labels]
                    numbers[wanted] = len(masks) if any(wanted) and any(mask) else -1
                    if numbers[wanted] >= 0:
                        masks.append(mask)
                own[n] = numbers[wanted]
            group = own[where.ravel()]
        groups.append(group)
    allowed = np.array(masks or [[True] * len(labels)], np.bool_)
    return AllowedLabels(np.concatenate(groups), allowed)


def labels_with(
    told: Mapping[str, str], chain: Sequence[str], labels: Sequence[tuple[str, ...]]
) -> NDArray[np.bool_]:
    """Which labels have such values; none if they have no such columns."""
    there = told.keys() <= {*chain}
    rows = (dict(zip(chain, label, strict=True)) for label in labels)
    return np.array([there and _agrees(row, told) for row in rows], np.bool_)


def as_symbols(
    limits: AllowedLabels, words: NDArray[np.bool_], symbols: NDArray[np.bool_]
) -> AllowedLabels:
    """The same limits, and some words, unless they have others, are symbols."""
    group = limits.group if len(limits.group) else np.full(len(words), -1, np.int32)
    group = np.where(words & (group < 0), np.int32(len(limits.allowed)), group).astype(np.int32)
    return AllowedLabels(group, np.concatenate((limits.allowed, symbols[None, :])))


def _agrees(label: Mapping[str, str], told: Mapping[str, str]) -> bool:
    return all(not value or label[column] == value for column, value in told.items())


#: The weights of pairs of labels need the square of this.
_MOST_LABELS: Final = 8192
_SMILE: Final = ":)"


class Seen(NamedTuple):
    """What is known of word types, as it was when a batch was encoded."""

    attributes: NDArray[np.uint64]
    vectors: NDArray[np.float32]
    types: list[str]
    pairs: LemmaCache
    #: The types that are emoji.
    pictures: list[int]


class Tagger(Stage):
    """Predicts label columns; see `Tagger.tag`."""

    kind: ClassVar[str] = "tagger"
    title: ClassVar[str] = "a tagger"

    def __init__(self, part: Part) -> None:
        if part.kind != "tagger":
            raise ModelError(f"this is a {part.kind}, not a tagger", remedy="Use a tagger's model.")
        self.part = part
        #: Options of use: how documents are cut into chains and, for a boundary labeller, the
        #: probability at which a sentence starts.
        self.regime: Regime = "auto"
        self.threshold: float | None = None
        self.chain: tuple[str, ...] = tuple(part.option("chain", list, []))
        self.given: tuple[str, ...] = tuple(part.option("given", list, []))
        names = part.labels.get("chain", [])
        self.labels = [tuple(name.split("\t")) for name in names]
        if len(names) > _MOST_LABELS:
            what = f"the tagger has {len(names):,} labels, more than {_MOST_LABELS:,}"
            raise ModelError(what, remedy=DAMAGED)
        bad = not self.chain or not names or not set(self.chain) | set(self.given) <= set(COLUMNS)
        if bad or any(len(label) != len(self.chain) for label in self.labels):
            raise ModelError("the tagger's labels do not fit its columns", remedy=DAMAGED)
        self.width = min(127, max(1, int(part.option("width", int, 8))))
        templates = parse_templates(part.option("templates", list, []))
        classes = len(names)
        order = part.option("order", int, 2)
        if order not in (1, 2):
            raise ModelError(f"the tagger's order is {order}, not 1 or 2", remedy=DAMAGED)
        self.narrow_width = min(self.width, max(1, int(part.option("narrow_width", int, 6))))
        self.margin = float(part.option("margin", (int, float), 6.0))
        self.narrow_margin = float(part.option("narrow_margin", (int, float), 3.5))
        table = part_table(part, "chain", classes)
        moves = part_moves(part, classes, order)
        clear = float(part.option("clear", (int, float), 4.0))
        with refusing():
            self.decoder = Chain(table, *templates.of_chain, *moves, clear)
        #: Whether it looks at what the layout says.
        self.breaks = templates.breaks
        self.word_classes = _word_classes(part)
        self._given = {column: self._classifier(column) for column in self.given}
        self._irregular = read_irregular(part.labels.get(LABELS, []))
        self._closed: Closed = {}
        self._symbols: NDArray[np.bool_] | None = None
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Start the caches of word types again; results do not depend on them."""
        self._cache = TypeCache(self.decoder, self.word_classes)
        at = self.chain.index("xpos") if "xpos" in self.chain else None
        tags = ["" if at is None else label[at] for label in self.labels]
        names = {column: self.part.labels.get(column, []) for column in ("lemma", "feats")}
        self._pairs = LemmaCache(
            self._given, names["lemma"], tags, self._irregular, names["feats"], self._closed
        )

    @classmethod
    def load(cls, model: str | os.PathLike[str]) -> Tagger:
        """The tagger of a model, by name or path."""
        file = load_model(model)
        tagger = cls(file.part("tagger"))
        tagger.set_language(language_of_model(file.meta) or "")
        return tagger

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(part)

    def to_part(self) -> Part:
        return self.part

    def release(self, again: Callable[[], Part] | None = None) -> None:
        self.part = Part(self.part.kind, self.part.config, self.part.labels)

    # ----------------------------------------------------------- as a stage

    def set_language(self, language: str) -> None:
        if "xpos" not in self.chain:
            return
        tags, _ = self.label_values("xpos")
        self._closed = closed_words(language, tags, self.part.labels.get("feats", []))
        self.forget()

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens", EVIDENCE} if START in self.chain else {"tokens"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset("sentences" if column == START else column for column in self.columns)

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"confidence", "regime", *(["threshold"] if START in self.chain else [])})

    def with_options(self, **changes: Any) -> Self:
        self.refuse(changes, self.offers - {"confidence"})
        other = copy(self)
        vars(other).update(changes)
        return other

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        regime = self.regime if self.threshold is None else "document"
        self.tag(docs, regime=regime, confidence=request.confidence)
        if self.threshold is not None:
            mark_starts(self, docs, self.threshold)
        for doc in docs:
            doc.tag_options = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it predicts."""
        return self.chain + self.given

    def _classifier(self, column: str) -> ConditionalClassifier:
        part = self.part
        bounds = part.array(f"{column}.bounds", np.int32, (len(self.labels) + 1,))
        values = part.array(f"{column}.options", np.int32, (None,))
        names = part.labels.get(column, [])
        sizes = np.diff(bounds)
        fits = bounds[0] == 0 and bounds[-1] == len(values) and np.all(sizes >= 0)
        if not fits or (len(values) and not 0 <= values.min() <= values.max() < len(names)):
            raise ModelError(f"the tagger's options for {column} are broken", remedy=DAMAGED)
        table = part_table(part, column, max(1, int(sizes.max())))
        templates = parse_templates(part.option(f"templates-{column}", list, []), True)
        clear = float(part.option("clear", (int, float), 4.0))
        with refusing():
            return ConditionalClassifier(
                table, bounds, values, templates.own, templates.context, clear
            )

    # ------------------------------------------------------------- tagging

    def tag(
        self,
        docs: Document | Iterable[Document],
        *,
        regime: Regime = "auto",
        confidence: bool = False,
    ) -> None:
        """Fill the label columns of documents, in place.

        With `confidence` also `tag_conf`, the probability of the first column of the chain.
        """
        batch = [docs] if isinstance(docs, Document) else list(docs)
        if not batch:
            return
        words, seen = self.encode(batch)
        begins, offsets = chain_bounds(batch, regime)
        limits = self._limits(batch, words, seen)
        path = self.decoder.decode(
            seen.attributes, seen.vectors, words, begins, *limits, self.narrow_width,
            self.narrow_margin,
        )  # fmt: skip
        for column in self.chain:
            values, number = self.label_values(column)
            if column == START:
                starts = np.array([value == "B" for value in values])[number[path]]
                for doc, low, high in zip(batch, offsets, offsets[1:], strict=False):
                    write_starts(doc, starts[low:high])
            else:
                write_column(batch, offsets, column, values, number[path])
        self._write_given(batch, offsets, words, path, begins, seen)
        if confidence:
            _, number = self.label_values(self.chain[0])
            found = self._posteriors(words, seen, begins, limits)
            chances = _chances(found, number, number[path])
            for doc, low, high in zip(batch, offsets, offsets[1:], strict=False):
                doc.tag_conf = chances[low:high]

    def posteriors(self, docs: Sequence[Document], regime: Regime = "auto") -> Posteriors:
        """The probabilities of labels for all words of the documents, one after the other."""
        words, seen = self.encode(docs)
        begins, _ = chain_bounds(docs, regime)
        limits = self._limits(docs, words, seen)
        return self._posteriors(words, seen, begins, limits)

    def _limits(self, docs: Sequence[Document], words: Ints, seen: Seen) -> AllowedLabels:
        """The labels that words may get, by what is fixed and by what they are."""
        limits = allowed_labels(docs, self.chain, self.labels)
        pictures = np.isin(words, seen.pictures) if seen.pictures else np.zeros(0, np.bool_)
        if not pictures.any():
            return limits
        if self._symbols is None:
            self._symbols = self._symbol_labels()
        return as_symbols(limits, pictures, self._symbols) if self._symbols.any() else limits

    def _symbol_labels(self) -> NDArray[np.bool_]:
        """The labels of emoji: that of an emoticon, which treebanks show, or of any symbol."""
        smile = Document.from_spans(_SMILE, [0], [len(_SMILE)])
        self.tag(smile, regime="document")
        columns = [column for column in self.chain if column != START]
        same = {column: smile.column(column)[0] for column in columns}
        symbols = labels_with({"upos": "SYM"}, self.chain, self.labels)
        own = symbols & labels_with(same, self.chain, self.labels)
        return own if own.any() else symbols

    def _posteriors(
        self, words: Ints, seen: Seen, begins: Longs, limits: AllowedLabels
    ) -> Posteriors:
        found = self.decoder.marginals(
            seen.attributes, seen.vectors, words, begins, *limits, self.width, self.margin
        )
        return Posteriors(*found)

    def label_values(self, column: str) -> tuple[list[str], Ints]:
        """The values of a chain column, and which of them each label has."""
        if column not in self.chain:
            raise UsageError(
                f"this tagger has no labels for {column!r}",
                remedy=f"Its chain is over: {', '.join(self.chain)}.",
            )
        at = self.chain.index(column)
        values = list(dict.fromkeys(label[at] for label in self.labels))
        number = {value: n for n, value in enumerate(values)}
        return values, np.array([number[label[at]] for label in self.labels], np.int32)

    # ------------------------------------------------------------ encoding

    def encode(self, docs: Sequence[Document]) -> tuple[Ints, Seen]:
        """The types of all words, and what is known of the types."""
        with self._lock:
            if self._cache.full or self._pairs.full:
                self.forget()
            parts = []
            for doc in docs if self.breaks else ():
                types, where = typed(doc, breaks=True)
                parts.append(self._cache.numbers(types)[where])
            for run in runs(docs) if not self.breaks else ():
                forms = [doc.form for doc in run]
                kinds, where = distinct(np.concatenate(forms) if len(forms) > 1 else forms[0])
                parts.append(self._cache.numbers(run[0].strings.take(kinds))[where])
            words = np.concatenate(parts) if len(parts) > 1 else parts[0]
            cache = self._cache
            return words, Seen(
                cache.attributes, cache.vectors, cache.types, self._pairs, cache.pictures
            )

    def _write_given(
        self,
        docs: Sequence[Document],
        offsets: list[int],
        words: Ints,
        path: Ints,
        begins: Longs,
        seen: Seen,
    ) -> None:
        """Fill the columns given the label; what depends on type and label only is cached."""
        if not self.given:
            return
        with self._lock:
            pairs = seen.pairs.numbers(words, path, seen.types, seen.attributes)
            alone, settled = dict(seen.pairs.alone), dict(seen.pairs.settled)
        for column in self.given:
            values, chosen = seen.pairs.lemmas, pairs
            if column != "lemma":
                values = self.part.labels[column]
                chosen = self._given[column].choose(
                    seen.attributes, words, path, path, begins, pairs, alone[column],
                    settled[column],
                )  # fmt: skip
            write_column(docs, offsets, column, values, chosen)


def _word_classes(part: Part) -> dict[str, int] | None:
    words = part.labels.get("class_words")
    if not words:
        return None
    numbers = part.array("class_numbers", np.int32, (len(words),))
    return dict(zip(words, numbers.tolist(), strict=True))
