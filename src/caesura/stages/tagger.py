"""The tagger: documents in, UPOS, XPOS, FEATS and lemma columns out.

A document with sentences is tagged sentence by sentence, one without as one chain; `regime`
overrules that. Values that a document declares fixed are obeyed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import Chain, ConditionalClassifier
from caesura.constraints import Constraints
from caesura.document import Document
from caesura.errors import ModelError, UsageError, WarningSink
from caesura.language import language_of_model
from caesura.language.closed import Closed, closed_words
from caesura.models.file import Part
from caesura.models.store import load_model
from caesura.stage import Stage
from caesura.stages.irregular_lemmas import LABELS, read_irregular
from caesura.stages.labeller import mark_starts
from caesura.stages.lemma_cache import LemmaCache
from caesura.stages.tag_alternatives import alternatives, write_readings, write_values
from caesura.stages.tag_cache import TypeCache
from caesura.stages.tag_columns import (
    Posteriors,
    Regime,
    chain_bounds,
    collapse,
    runs,
    write_all_starts,
    write_column,
)
from caesura.stages.tag_corpus import distinct, typed
from caesura.stages.tag_limits import AllowedLabels, allowed_labels, as_symbols, labels_with
from caesura.stages.tag_tables import part_moves, part_table, refusing
from caesura.stages.tag_templates import parse_templates
from caesura.stages.tagger_options import COLUMNS, START

__all__ = ["Posteriors", "Regime", "Tagger"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
#: The weights of pairs of labels need the square of this.
_MOST_LABELS: Final = 8192
_SMILE: Final = ":)"
_DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."


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
        #: Options of use: how documents are cut into chains, the tags that a parser chooses from,
        #: and, for a boundary labeller, the probability at which a sentence starts.
        self.regime: Regime = "auto"
        self.alternatives = 1
        self.threshold: float | None = None
        self.chain: tuple[str, ...] = tuple(part.option("chain", list, []))
        self.given: tuple[str, ...] = tuple(part.option("given", list, []))
        names = part.labels.get("chain", [])
        self.labels = [tuple(name.split("\t")) for name in names]
        if len(names) > _MOST_LABELS:
            what = f"the tagger has {len(names):,} labels, more than {_MOST_LABELS:,}"
            raise ModelError(what, remedy=_DAMAGED)
        bad = not self.chain or not names or not set(self.chain) | set(self.given) <= set(COLUMNS)
        if bad or any(len(label) != len(self.chain) for label in self.labels):
            raise ModelError("the tagger's labels do not fit its columns", remedy=_DAMAGED)
        self.width = min(127, max(1, int(part.option("width", int, 8))))
        templates = parse_templates(part.option("templates", list, []))
        classes = len(names)
        order = part.option("order", int, 2)
        if order not in (1, 2):
            raise ModelError(f"the tagger's order is {order}, not 1 or 2", remedy=_DAMAGED)
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
        tagger.speaks(language_of_model(file.meta) or "")
        return tagger

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(part)

    def to_part(self) -> Part:
        return self.part

    def release(self, again: Callable[[], Part] | None = None) -> None:
        self.part = Part(self.part.kind, self.part.config, self.part.labels)

    # ----------------------------------------------------------- as a stage

    def speaks(self, language: str) -> None:
        if "xpos" not in self.chain:
            return
        tags, _ = self.label_values("xpos")
        self._closed = closed_words(language, tags, self.part.labels.get("feats", []))
        self.forget()

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset("sentences" if column == START else column for column in self.columns)

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"confidence", "regime", *(["threshold"] if START in self.chain else [])})

    def with_options(self, **changes: Any) -> Self:
        self.refuse(changes, self.offers - {"confidence"})
        return self._changed(**changes)

    def _changed(self, **changes: Any) -> Self:
        other = copy(self)
        vars(other).update(changes)
        return other

    def placed(self, later: Sequence[Stage]) -> list[Stage]:
        """Parsers were trained with the tags of whole documents, and may choose from several."""
        if not any("head" in stage.adds for stage in later):
            return [self, *later]
        choices = max(stage.readings for stage in later)
        return [self._changed(regime="document", alternatives=choices), *later]

    def annotate(
        self,
        docs: Sequence[Document],
        *,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """Tag; `tag_options` are left for a parser that chooses from them."""
        choices = self.alternatives
        k = choices if choices > 1 else int(confidence)
        if self.threshold is not None:
            self.tag(docs, regime="document", k=k)
            mark_starts(self, docs, self.threshold)
        else:
            self.tag(docs, regime=self.regime, k=k, whole=choices > 1)
        for doc in docs:
            if choices == 1:
                doc.tag_options = None
            elif not confidence:
                doc.tag_conf = None

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
            raise ModelError(f"the tagger's options for {column} are broken", remedy=_DAMAGED)
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
        k: int = 0,
        options_column: str | None = None,
        whole: bool = False,
    ) -> None:
        """Fill the label columns of documents, in place.

        With `k`, also `tag_options`: the k likeliest values of one column (the first of the
        chain unless said otherwise) with their probabilities, and `tag_conf`. If `whole`, they
        are the k likeliest labels with all columns that go with them, the chosen one first.
        """
        batch = [docs] if isinstance(docs, Document) else list(docs)
        if not batch:
            return
        words, seen = self.encode(batch)
        begins, offsets = chain_bounds(batch, regime)
        limits = self._limits(batch, words, seen)
        known = [Constraints.of(doc).columns for doc in batch] if whole else []
        path = self.decoder.decode(
            seen.attributes, seen.vectors, words, begins, *limits, self.narrow_width,
            self.narrow_margin,
        )  # fmt: skip
        self._write_chain(batch, offsets, path)
        if self.given:
            self._write_given(batch, offsets, words, path, begins, seen)
        if k > 0:
            found = self._posteriors(words, seen, begins, limits)
            if whole:
                labels = alternatives(found, path, k)
                self._write_whole(batch, offsets, words, path, begins, seen, labels, known)
            else:
                column = options_column or self.chain[0]
                self._write_options(batch, offsets, path, found, k, column)

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
        self,
        words: Ints,
        seen: Seen,
        begins: Longs,
        limits: AllowedLabels,
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

    # ------------------------------------------------------------- writing

    def _write_chain(self, docs: Sequence[Document], offsets: list[int], path: Ints) -> None:
        for column in self.chain:
            values, number = self.label_values(column)
            if column == START:
                write_all_starts(docs, offsets, np.array([v == "B" for v in values])[number[path]])
            else:
                write_column(docs, offsets, column, values, number[path])

    def _write_given(
        self,
        docs: Sequence[Document],
        offsets: list[int],
        words: Ints,
        path: Ints,
        begins: Longs,
        seen: Seen,
    ) -> None:
        for column, values, chosen in self._choose_given(words, path, path, begins, seen):
            write_column(docs, offsets, column, values, chosen)

    def _choose_given(
        self, words: Ints, own: Ints, path: Ints, begins: Longs, seen: Seen
    ) -> list[tuple[str, list[str], Ints]]:
        """The columns given the label: for each its values, and which of them each word has.

        `own` are the labels of words, `path` those that their neighbours see of them.
        What depends on type and label only comes from the cache.
        """
        memory = seen.pairs
        with self._lock:
            pairs = memory.numbers(words, own, seen.types, seen.attributes)
            alone, settled = dict(memory.alone), dict(memory.settled)
        found = []
        for column in self.given:
            if column == "lemma":
                found.append((column, memory.lemmas, pairs))
                continue
            chosen = self._given[column].choose(
                seen.attributes, words, own, path, begins, pairs, alone[column], settled[column]
            )
            found.append((column, self.part.labels[column], chosen))
        return found

    def spell(self, words: Ints, path: Ints, seen: Seen) -> list[tuple[str, ...]]:
        """The values of `columns` for the words of one window whose labels are known."""
        own = {c: [self.labels[y][n] for y in path.tolist()] for n, c in enumerate(self.chain)}
        if self.given:
            window = np.array([0, len(words)], np.int64)
            for column, values, chosen in self._choose_given(words, path, path, window, seen):
                own[column] = [values[n] if n >= 0 else "" for n in chosen.tolist()]
        return list(zip(*(own[column] for column in self.columns), strict=True))

    def _write_options(
        self,
        docs: Sequence[Document],
        offsets: list[int],
        path: Ints,
        found: Posteriors,
        k: int,
        column: str,
    ) -> None:
        values, number = self.label_values(column)
        labels, masses = collapse(found, number, len(values), k)
        chosen = number[path]
        write_values(docs, offsets, column, values, labels, masses, chosen)

    def _write_whole(
        self,
        docs: Sequence[Document],
        offsets: list[int],
        words: Ints,
        path: Ints,
        begins: Longs,
        seen: Seen,
        found: Posteriors,
        known: Sequence[Mapping[str, Ints]],
    ) -> None:
        """The likeliest labels as options, each with its lemma and features."""
        columns: dict[str, list[tuple[list[str], Ints]]] = {}
        for own in np.where(found.labels >= 0, found.labels, path[:, None]).T:
            labels = np.ascontiguousarray(own)
            for column in self.chain:
                if column != START:
                    values, number = self.label_values(column)
                    columns.setdefault(column, []).append((values, number[labels]))
            for name, spelled, chosen in self._choose_given(words, labels, path, begins, seen):
                columns.setdefault(name, []).append((spelled, chosen))
        masses = np.where(found.labels >= 0, found.masses, 0.0).astype(np.float32)
        write_readings(docs, offsets, columns, masses, known)


def _word_classes(part: Part) -> dict[str, int] | None:
    words = part.labels.get("class_words")
    if not words:
        return None
    numbers = part.array("class_numbers", np.int32, (len(words),))
    return dict(zip(words, numbers.tolist(), strict=True))
