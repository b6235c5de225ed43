"""The branching parser: documents with sentences in, trees out (Choi & McCallum 2013).

    parser = BranchingParser.load("model.caesura")
    parser.parse(docs)

It has the methods of the joint parser and the same part of a model file, with `system` set to
`branching`; sentence boundaries must be known. Heads that a document fixes are obeyed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import Brancher, ParserRows
from caesura.constraints import Constraints
from caesura.document import UNKNOWN, Document
from caesura.errors import ModelError, UsageError, WarningSink
from caesura.models.file import Part
from caesura.models.packing import DAMAGED, refusing
from caesura.models.store import load_model
from caesura.options import check_options
from caesura.stages.branching_features import compile_templates
from caesura.stages.joint_parser import MOST_BEAM
from caesura.stages.parse_constraints import ArcLimits, WordConstraints, arc_limits_of
from caesura.stages.tree_parser import (
    Parse,
    TreeParser,
    check,
    check_split,
    in_batches,
    padded,
    probabilities,
    sentence_bounds,
    stored_in,
    write_trees,
)
from caesura.stages.word_table import Hasher, Words, batch_of, cut, pieces, words_of

#: The transitions, by their numbers (see `core/parse/hybrid.h`).
KINDS: Final = tuple(
    "LEFT-REDUCE RIGHT-SHIFT NO-SHIFT NO-REDUCE LEFT-PASS RIGHT-PASS NO-PASS".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class HybridInventory:
    """Labels of arcs, the label of root arcs, and pairs (transition, arc's label or -1)."""

    labels: tuple[str, ...]
    root: int
    actions: tuple[tuple[int, int], ...]
    #: Sentence boundaries are given, never found.
    sb: bool = False
    single_root: bool = True

    @property
    def size(self) -> int:
        return len(self.actions)

    def names(self) -> list[str]:
        """Readable transitions in the order of their ids."""
        return [
            KINDS[kind] + (f":{self.labels[label]}" if label >= 0 else "")
            for kind, label in self.actions
        ]

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Transitions and arcs' labels of all labels of the classifier."""
        pairs = np.array(self.actions, np.int32).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def numbers(self) -> NDArray[np.int32]:
        """The classifier's label for a transition (row) and an arc's label + 1 (column)."""
        table = np.full((len(KINDS), len(self.labels) + 1), -1, np.int32)
        for number, (kind, label) in enumerate(self.actions):
            table[kind, label + 1] = number
        return table

    @classmethod
    def learn(
        cls,
        labels: Sequence[str],
        roots: Iterable[int],
        pairs: Iterable[tuple[int, int]],
        single_root: bool,
    ) -> HybridInventory:
        """Pairs in the order in which the oracle's sequences have them; the commonest root."""
        counted = Counter(roots)
        root = min(counted, key=lambda label: (-counted[label], label)) if counted else 0
        return cls(tuple(labels), root, tuple(dict.fromkeys(pairs)), single_root=single_root)


_HEADLESS: Final = ("single-root", "root", "clearnlp")


@dataclass(frozen=True)
class BranchOptions:
    """How to search.

    A decision whose best label leads by no more than `margin` (0 to 1) may branch, into its `k`
    best labels; at most `beam` sequences are followed. The paper has k=2, a margin of 0.88 and a
    beam of 64 or 80.
    """

    beam: int = 64
    margin: float = 0.88
    k: int = 2
    #: A sequence is as good as the mean of its chances, or the sum of their logarithms.
    score: Literal["mean", "sum"] = "mean"
    #: What to do with words that have no head (see `core/parse/branching_trees.h`).
    headless: Literal["single-root", "root", "clearnlp"] = "single-root"
    #: Whether alternatives that differ from the best in the arc's label only do not branch.
    skip_labels: bool = False
    #: Whether a branch that attaches fewer words than the one-best sequence is refused.
    keep_attached: bool = True
    #: With more than 1 the best branch is branched from in turn until the beam is full, which the
    #: paper does not do.
    waves: int = 1
    #: Whether decisions are remembered, so that the same state is not evaluated twice.
    memory: bool = True

    def __post_init__(self) -> None:
        choices = {"score": ("mean", "sum"), "headless": _HEADLESS}
        check_options(self, choices, beam=(1, MOST_BEAM), k=(1, MOST_BEAM), waves=(1, MOST_BEAM))
        if not 0 <= self.margin <= 1:
            raise UsageError(
                f"margin is {self.margin}, but must be 0 to 1",
                remedy="A margin is a difference of two chances; the paper uses 0.88.",
            )


#: The margin of a decision that had no rival.
_CERTAIN: Final = 1e30
_NONE: Final = np.zeros(0, np.int32)
#: What is counted: sentences, steps of the one-best sequences, evaluations of the classifier, cache
#: hits, low-confidence alternatives, sequences, wins of the one-best, and the most evaluations that
#: the paper's bound d·t - e allows.
COUNTERS: Final = tuple(
    "sentences steps evaluations remembered unsure sequences one_best bound".split()  # noqa: SIM905
)


class SentenceTrees(NamedTuple):
    """By word of a batch: head (-1 for the root), label, chance of the arc's step, share of it."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    chances: NDArray[np.float32]
    shares: NDArray[np.float32]

    def part(self, first: int, last: int) -> SentenceTrees:
        columns: list[Any] = [column[first:last] for column in self]
        return SentenceTrees(*columns)


_NO_TREES: Final = SentenceTrees(_NONE, _NONE, np.zeros(0, np.float32), np.zeros(0, np.float32))
#: The options of the search that a model file has.
_KEPT: Final = tuple(name for name in BranchOptions.__dataclass_fields__ if name != "memory")


def _kept(part: Part, name: str) -> Any:
    """An option of the search that a model file has; older files lack some."""
    default = getattr(BranchOptions(), name)
    kind = (int, float) if isinstance(default, float) else type(default)
    return type(default)(part.option(name.replace("_", "-"), kind, default))


@dataclass
class BranchingParser(TreeParser):
    """A trained parser. `rows` are the 8-bit weights (see `quantised.py`)."""

    title: ClassVar[str] = "a branching parser"
    inventory: HybridInventory
    templates: tuple[str, ...]
    rows: ParserRows
    search: BranchOptions = field(default_factory=BranchOptions)
    tags: tuple[str, ...] = ()
    word_classes: Mapping[str, int] = field(default_factory=dict)
    #: Calibration of arcs: the weights of a logistic regression.
    calibration: dict[str, list[float]] = field(default_factory=dict)
    packed: Mapping[str, NDArray[Any]] | None = None

    def __post_init__(self) -> None:
        self.hasher = Hasher(self.word_classes)
        #: What the last call of `analyse` did (see `COUNTERS`).
        self.counters: dict[str, int] = {}
        search = self.search
        self.brancher = Brancher(
            self.rows,
            *compile_templates(self.templates),
            *self.inventory.arrays(),
            n_labels=len(self.inventory.labels),
            root_label=self.inventory.root,
            mean=search.score == "mean",
            **{name: value for name, value in vars(search).items() if name != "score"},
        )

    # ----------------------------------------------------------- model file

    @classmethod
    def load(cls, model: str | os.PathLike[str]) -> BranchingParser:
        """The parser of a model, by name or path."""
        return cls.from_part(load_model(model).part("parser"))

    def to_part(self) -> Part:
        search = self.search
        config: dict[str, Any] = {
            "system": "branching",
            **{name.replace("_", "-"): getattr(search, name) for name in _KEPT},
            "root": self.inventory.root,
            "tags": list(self.tags),
        }
        actions = np.array(self.inventory.actions, np.int32).reshape(-1, 2)
        return self.part_of(config, {"actions": actions})

    @classmethod
    def from_part(cls, part: Part) -> Self:
        if part.kind != "parser" or part.config.get("system") != "branching":
            raise ModelError(f"this is a {part.kind}, not a branching parser")
        labels = tuple(part.labels.get("deprel", ()))
        pairs = part.array("actions", np.int32, (None, 2))
        root = part.option("root", int, 0)
        if (
            not len(pairs)
            or pairs[:, 0].min() < 0
            or pairs[:, 0].max() > 6
            or pairs[:, 1].min() < -1
            or pairs[:, 1].max() >= len(labels)
            or not 0 <= root < len(labels)
        ):
            raise ModelError("the parser's labels do not fit its transitions", remedy=DAMAGED)
        try:
            search = BranchOptions(**{name: _kept(part, name) for name in _KEPT})
        except UsageError as error:
            raise ModelError(f"the parser's options: {error}", remedy=DAMAGED) from error
        inventory = HybridInventory(
            labels,
            root,
            tuple((int(kind), int(label)) for kind, label in pairs),
            single_root=search.headless == "single-root",
        )
        stored = stored_in(part, inventory.size)
        rows = ParserRows(*stored.weights, width=padded(inventory.size))
        return cls(inventory, rows=rows, search=search, **stored.common())

    # -------------------------------------------------------------- parsing

    def analyse(
        self, docs: Sequence[Document], *, threads: int = 1, warn: WarningSink | None = None
    ) -> list[Parse]:
        """The best analysis of each document, which is left as it is."""
        for doc in docs:
            self._check(doc, warn)
        done = in_batches(docs, self._analyse, threads=threads)
        counts = sum((own for _, own in done), np.zeros(len(COUNTERS), np.int64))
        self.counters = dict(zip(COUNTERS, counts.tolist(), strict=True))
        return [parse for parses, _ in done for parse in parses]

    def k_best_parses(self, doc: Document, k: int) -> list[Parse]:
        """Up to k different analyses of a document, made of the branches of its sentences.

        The score of an analysis is the sum of its sentences' scores.
        """
        self._check(doc, None)
        bounds = sentence_bounds(doc)
        if not doc.n_words:
            return [_parse_of(_NO_TREES, np.zeros(1, np.int64))]
        words, limits = cut(self.words(doc), bounds), self._limits(doc, bounds)
        best: list[tuple[float, tuple[SentenceTrees, ...]]] = [(0.0, ())]
        for s, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            own = limits.part(a + s, b + s + 1) if limits else None
            table = words.table[a + 2 * s : b + 2 * s + 2]
            distinct: dict[bytes, tuple[float, SentenceTrees]] = {}
            for score, tree in self.all_trees(table, own):
                key = tree.heads.tobytes() + tree.labels.tobytes()
                if key not in distinct or score > distinct[key][0]:
                    distinct[key] = (score, tree)
            choices = sorted(distinct.values(), key=lambda pair: -pair[0])[:k]
            joined = [(x + score, (*t, tree)) for x, t in best for score, tree in choices]
            best = sorted(joined, key=lambda pair: -pair[0])[:k]
        found = []
        for score, trees in best:
            columns = [np.concatenate(column) for column in zip(*trees, strict=True)]
            parse = _parse_of(SentenceTrees(*columns), bounds)
            parse.score = score
            found.append(parse)
        return found

    def write(
        self, docs: Sequence[Document], parses: Sequence[Parse], *, confidence: bool = False
    ) -> None:
        write_trees(docs, parses, self.inventory.labels)
        for doc, parse in zip(docs, parses, strict=True) if confidence else ():
            starts, doc.arc_conf = probabilities(self.calibration, parse)
            if doc.sent_conf is None:
                first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
                doc.sent_conf = starts[first]

    def words(self, doc: Document) -> Words:
        """The words of a document as the search sees them."""
        return words_of(doc, self.hasher, tags=self.tags, breaks=False)

    def decode(
        self,
        table: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        limits: ArcLimits | None = None,
        *,
        confidence: bool = False,
    ) -> tuple[SentenceTrees, NDArray[np.int64]]:
        """The trees of sentences, heads counted from each one's first word; and counts."""
        heads, labels = limits or (_NONE, _NONE)
        with refusing():
            trees, counts = self.brancher.decode(table, bounds, heads, labels, confidence)
        return SentenceTrees(*trees), counts

    def all_trees(
        self, table: NDArray[np.uint64], limits: ArcLimits | None = None
    ) -> list[tuple[float, SentenceTrees]]:
        """Scores and trees of all sequences of one sentence, in the order they were made."""
        with refusing():
            scores, *columns = self.brancher.all_trees(table, *(limits or (_NONE, _NONE)))
        ones = np.ones_like(columns[2])
        trees = (SentenceTrees(*parts) for parts in zip(*columns, ones, strict=True))
        return list(zip(scores.tolist(), trees, strict=True))

    # ------------------------------------------------------------- internals

    def _check(self, doc: Document, warn: WarningSink | None) -> None:
        check(doc, self.tags, warn)
        check_split(doc, "a branching parser parses single sentences")

    def _analyse(self, docs: Sequence[Document]) -> tuple[list[Parse], NDArray[np.int64]]:
        """Documents without given heads are decoded in one call, the others one by one."""
        words = pieces(*batch_of(docs, self.hasher, tags=self.tags, breaks=False))
        bounds = [sentence_bounds(doc) for doc in docs]
        found: list[Parse | None] = [None] * len(docs)
        total = np.zeros(len(COUNTERS), np.int64)
        plain = []
        for k, doc in enumerate(docs):
            limits = self._limits(doc, bounds[k])
            if limits is None:
                plain.append(k)
            else:
                table = cut(words[k], bounds[k]).table
                trees, counts = self.decode(table, bounds[k], limits, confidence=True)
                found[k] = _parse_of(trees, bounds[k])
                total += counts
        if plain:
            table = np.concatenate([cut(words[k], bounds[k]).table for k in plain])
            sizes = np.concatenate([np.diff(bounds[k]) for k in plain])
            all_bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            trees, counts = self.decode(table, all_bounds, confidence=True)
            total += counts
            at = 0
            for k in plain:
                end = at + docs[k].n_words
                found[k] = _parse_of(trees.part(at, end), bounds[k])
                at = end
        return [parse for parse in found if parse is not None], total

    def _limits(self, doc: Document, bounds: NDArray[np.int64]) -> ArcLimits | None:
        """What the document fixes of its arcs, if anything."""
        heads = Constraints.of(doc).heads
        if heads is None or not np.any(heads != UNKNOWN):
            return None
        given = WordConstraints.of(doc, self.inventory.labels)
        single_root = self.search.headless == "single-root"
        return arc_limits_of(given, doc, bounds, single_root=single_root)


def _parse_of(trees: SentenceTrees, bounds: NDArray[np.int64]) -> Parse:
    """Heads counted from the document's first word; a chance becomes log odds."""
    offset = np.repeat(bounds[:-1], np.diff(bounds)).astype(np.int32)
    heads = np.where(trees.heads >= 0, trees.heads + offset, trees.heads).astype(np.int32)
    n = len(heads)
    starts = np.zeros(n, np.bool_)
    starts[bounds[:-1][bounds[:-1] < n]] = True
    chance = np.clip(trees.chances.astype(np.float64), 1e-6, 1 - 1e-6)
    odds = np.log(chance / (1 - chance)).astype(np.float32)
    certain = np.full(n, _CERTAIN, np.float32)
    return Parse(
        heads,
        trees.labels.copy(),
        starts,
        odds,
        np.where(starts, certain, -certain).astype(np.float32),
        trees.shares.copy(),
        np.ones(n, np.float32),
    )
