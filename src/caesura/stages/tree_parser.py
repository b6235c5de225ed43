"""What the parsers with transitions have in common: analyses, confidences, batches, model files.

A decision is judged by its margin over the next best transition of the same state and by its share
of the beam, the part of the items that descend from it a few steps later. A logistic regression on
the two turns them into the probability of being right (Platt 1999). An arc without a rival, such as
the last one to the root, was decided by the arcs before it: its probability is the share of such
arcs that are right. Weights are integers of 8 bits times a power of two, the exponent in the last
byte of a row; the exponents count from one unit for the whole table, so that the search adds
integers only and a score is exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura._core import ParserRows
from caesura.constraints import Constraints
from caesura.document import YES, Document
from caesura.document.slicing import runs
from caesura.errors import CaesuraWarning, InputError, ModelError, UsageError, WarningSink
from caesura.models.file import Part
from caesura.models.packing import (
    DAMAGED,
    MOST_DENSE,
    SparseRows,
    pack_entries,
    packed_in,
    spread,
    unpack_sparse,
)
from caesura.options import PLAIN, Request
from caesura.stage import EVIDENCE, Stage
from caesura.stages.word_table import TAG_COLUMNS


@dataclass
class Parse:
    """One analysis of a document, by word: heads, label numbers, sentence starts, and how sure.

    A margin is the distance to the next best transition of the same state (negative for a word that
    starts no sentence); a share is how many items of the beam descend from the decision shortly
    after it.
    """

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    starts: NDArray[np.bool_]
    arc_margins: NDArray[np.float32]
    start_margins: NDArray[np.float32]
    arc_shares: NDArray[np.float32]
    start_shares: NDArray[np.float32]
    score: float = 0.0

    def part(self, a: int, b: int) -> Parse:
        """Words a..b-1."""
        return Parse(*(column[a:b] for column in self.columns()))

    @staticmethod
    def join(parts: Sequence[Parse]) -> Parse:
        """Pieces of one document, whose heads already count from its first word."""
        columns: list[Any] = [
            np.concatenate(column)
            for column in zip(*(part.columns() for part in parts), strict=True)
        ]
        return Parse(*columns)

    def moved(self, by: int) -> Parse:
        """The same for words that stand so much later in a document."""
        heads = np.where(self.heads >= 0, self.heads + by, self.heads).astype(np.int32)
        return replace(self, heads=heads)

    def columns(self) -> list[Any]:
        """All that is said word by word."""
        return [value for name, value in vars(self).items() if name != "score"]


Floats = NDArray[np.float64]
#: Used until the parser is calibrated: bias, margin, share; for arcs also whether none rivals it.
_UNCALIBRATED: Final = {"arcs": [-0.5, 0.7, 1.0, 1.0], "starts": [0.0, 0.9, 0.5]}
#: The margin of a decision that has no rival is larger than this.
_NO_RIVAL: Final = 1e20


def _inputs(margins: NDArray[np.float32], shares: NDArray[np.float32]) -> Floats:
    """Bias, squashed margin, and share; the sign of a boundary's margin says yes or no."""
    margin = margins.astype(np.float64)
    squashed = np.sign(margin) * np.log1p(np.minimum(np.abs(margin), 1e6))
    sided = np.where(margin < 0, -1.0, 1.0) * shares
    return np.stack([np.ones(len(margin)), squashed, sided], axis=1)


def _arc_inputs(parse: Parse) -> Floats:
    """Those of arcs; without a rival only the last one counts."""
    alone = parse.arc_margins > _NO_RIVAL
    inputs = _inputs(parse.arc_margins, parse.arc_shares)
    inputs[alone] = 0.0
    return np.column_stack([inputs, alone])


def _sigmoid(x: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(x, -30, 30)))
    return result


def probabilities(
    calibration: Mapping[str, Sequence[float]], parse: Parse
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The probability that a sentence starts at each word, and that each word's arc is right."""
    weights = {**_UNCALIBRATED, **calibration}
    # A model that was calibrated without it has no weight for arcs without a rival.
    of_arcs = [*weights["arcs"], *_UNCALIBRATED["arcs"][len(weights["arcs"]) :]]
    starts = _sigmoid(
        _inputs(parse.start_margins, parse.start_shares) @ np.array(weights["starts"])
    )
    starts[:1] = 1.0
    # What was given, or could not be otherwise, has no rival.
    sure = np.abs(parse.start_margins) > _NO_RIVAL
    starts[sure] = parse.starts[sure]
    arcs = _sigmoid(_arc_inputs(parse) @ np.array(of_arcs))
    return starts.astype(np.float32), arcs.astype(np.float32)


T = TypeVar("T")
#: Words that are decoded in one call.
BATCH: Final = 20_000


def name_of(doc: Document) -> str:
    """What messages call a document."""
    return f"document {doc.id!r}" if doc.id else "the document"


def check(doc: Document, tags: Sequence[str], warn: WarningSink | None) -> None:
    """Refuse a document without the tags that a parser was trained with."""
    for column in tags:
        # A short text may have no features though it is tagged; it always has tags.
        if column != "feats" and doc.n_words and _is_blank(getattr(doc, column)):
            raise InputError(
                f"the parser was trained with {column.upper()} tags, but {name_of(doc)} has none",
                file=doc.source,
                remedy="Tag it first, or use a parser trained without tags.",
            )
    if warn is not None and not tags and np.any(doc.upos):
        name = name_of(doc)
        warn(CaesuraWarning(f"the parser was trained without tags; those of {name} are unused"))


def _is_blank(column: NDArray[np.int32]) -> bool:
    return not (len(column) and column[0]) and not column.any()  # mostly the first one has a tag


def check_split(doc: Document, parser: str) -> None:
    """Refuse a document without sentences; `parser` says what takes only those.

    The message is the same for all documents of a file, so that a run reports it once.
    """
    if not doc.has_sentences and doc.n_tokens > 1:
        raise InputError(
            f"{parser}, but the document is not split into any",
            file=doc.source,
            remedy="Split it first, or use a parser trained on documents (recipe joint).",
        )


def sentence_bounds(doc: Document) -> NDArray[np.int64]:
    """Where the sentences of a document start, by word, and where the last one ends."""
    starts = np.flatnonzero(doc.word_sent_start == YES)
    if doc.n_words and not len(starts):
        starts = np.zeros(1, np.int64)
    return np.concatenate([starts, [doc.n_words]]).astype(np.int64)


def in_batches(
    docs: Sequence[Document], work: Callable[[Sequence[Document]], T], *, threads: int = 1
) -> list[T]:
    """What `work` makes of each batch of documents, in order."""
    groups = [docs[group.start : group.stop] for group in _groups([doc.n_words for doc in docs])]
    if threads == 1 or len(groups) <= 1:
        return [work(group) for group in groups]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, groups))


def write_trees(docs: Sequence[Document], parses: Sequence[Parse], labels: Sequence[str]) -> None:
    """Give words their heads and labels; labels that a document fixes stay as they are."""
    analyses = iter(parses)
    for run in runs(docs):
        ids = run[0].strings.ids(labels)
        for doc, parse in zip(run, analyses, strict=False):
            doc.deprel = Constraints.of(doc).with_fixed_deprels(ids[parse.labels])
            doc.head = parse.heads


def _groups(sizes: Sequence[int]) -> list[range]:
    """Runs of documents of about `BATCH` words."""
    groups: list[range] = []
    begin, words = 0, 0
    for k, size in enumerate(sizes):
        words += size
        if words >= BATCH:
            groups.append(range(begin, k + 1))
            begin, words = k + 1, 0
    if begin < len(sizes):
        groups.append(range(begin, len(sizes)))
    return groups


def padded(actions: int) -> int:
    """The width of a row: all transitions and the exponent, in whole blocks of 32 bytes."""
    return (actions + 1 + 31) // 32 * 32


def packed_rows(rows: ParserRows, columns: int) -> dict[str, NDArray[Any]]:
    """The arrays of the first columns of rows in a model file; the dense table is never made."""
    numbers, table = rows.filled()
    packed = pack_entries(*entries(table, rows.unit), (len(table), columns))
    return spread(packed, numbers, len(rows))


def entries(
    table: NDArray[np.int8], unit: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Rows, columns and values of the weights of an 8-bit table that are not 0."""
    at, column = np.nonzero(table[:, :-1])
    scales = np.ldexp(np.float32(unit), table[:, -1].astype(np.int32))
    return at, column, table[at, column].astype(np.float32) * scales[at]


#: What scores are counted in: the integers of a row of transitions, and their labels.
_MOST_TRANSITIONS: Final = 8192
#: The numbers of weights that a calibration may have (see `confidence.py`).
_CALIBRATED: Final = {"arcs": (3, 4), "starts": (3,)}


class Stored(NamedTuple):
    """What was read; `weights` are rows of bytes, as many as a power of two."""

    weights: SparseRows
    templates: tuple[str, ...]
    tags: tuple[str, ...]
    word_classes: Mapping[str, int]
    calibration: dict[str, list[float]]
    packed: Mapping[str, NDArray[Any]]

    def common(self) -> dict[str, Any]:
        """All but the weights, which each parser lays out in its own way."""
        return {name: value for name, value in self._asdict().items() if name != "weights"}


def stored_in(part: Part, size: int) -> Stored:
    """What a part keeps of a parser with so many labelled transitions, checked."""
    if size > _MOST_TRANSITIONS:
        what = f"the parser has {size:,} transitions, more than {_MOST_TRANSITIONS:,}"
        raise ModelError(what, remedy=DAMAGED)
    packed = packed_in(part)
    weights = unpack_sparse(packed, size)
    rows = len(weights.exponents)
    if weights.values.dtype != np.int8 or rows & (rows - 1) or not rows:
        raise ModelError("the parser's weights are not a table of bytes", remedy=DAMAGED)
    if rows * padded(size) > MOST_DENSE:
        raise ModelError("a table of the model is too large", remedy=DAMAGED)
    tags = tuple(part.option("tags", list, []))
    if not set(tags) <= set(TAG_COLUMNS):
        raise ModelError(f"the parser wants tags {tags}, which are unknown", remedy=DAMAGED)
    forms = part.labels.get("word-class-forms", [])
    numbers = part.array("word-classes", np.int32, (len(forms),)).tolist() if forms else []
    calibration = {
        name: list(map(float, values))
        for name, values in part.option("calibration", dict, {}).items()
    }
    if any(
        len(calibration.get(name, range(3))) not in sizes for name, sizes in _CALIBRATED.items()
    ):
        raise ModelError("the parser's calibration has the wrong length", remedy=DAMAGED)
    return Stored(
        weights,
        tuple(part.option("templates", list, [])),
        tags,
        dict(zip(forms, numbers, strict=True)),
        calibration,
        packed,
    )


class TreeParser(Stage):
    """A parser that finds trees, and sentences too if it was trained on documents."""

    kind: ClassVar[str] = "parser"
    #: Its labelled transitions, and options of its search (a dataclass).
    inventory: Any
    search: Any
    templates: tuple[str, ...]
    #: The 8-bit weights.
    rows: ParserRows
    #: The columns of tags that it was trained with.
    tags: tuple[str, ...]
    word_classes: Mapping[str, int]
    #: Calibration of arcs and boundaries: the weights of a logistic regression.
    calibration: dict[str, list[float]]
    #: The weights as its model file has them, which only `to_part` needs.
    packed: Mapping[str, NDArray[Any]] | None

    @property
    def finds_boundaries(self) -> bool:
        """Whether it decides where sentences start; else they must be known."""
        return bool(self.inventory.sb)

    @property
    def search_options(self) -> tuple[str, ...]:
        """The names of the options of its search."""
        return tuple(self.search.__dataclass_fields__)

    def with_search(self, **changes: Any) -> Self:
        """The same parser with other search options; the weights are shared."""
        self.refuse(changes, self.search_options)
        parser: Any = self  # each parser is a dataclass
        return cast(Self, replace(parser, search=replace(self.search, **changes)))

    @abstractmethod
    def analyse(
        self, docs: Sequence[Document], *, threads: int = 1, warn: WarningSink | None = None
    ) -> list[Parse]:
        """The best analysis of each document, which is left as it is."""

    @abstractmethod
    def k_best_parses(self, doc: Document, k: int) -> list[Parse]:
        """Up to k different analyses, best first; the document is left as it is."""

    @abstractmethod
    def write(
        self, docs: Sequence[Document], parses: Sequence[Parse], *, confidence: bool = False
    ) -> None:
        """Put analyses into their documents; what a document fixes stays as it is."""

    def parse(
        self,
        docs: Document | Iterable[Document],
        *,
        threads: int = 1,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """Fill head and deprel of documents, in place, and sentence starts if it finds them.

        With `confidence` also `sent_conf` and `arc_conf`: the calibrated probability that a
        sentence starts at a token, and that a word's head and label are right.
        """
        batch = [docs] if isinstance(docs, Document) else list(docs)
        self.write(batch, self.analyse(batch, threads=threads, warn=warn), confidence=confidence)

    # ----------------------------------------------------------------- as a stage

    @property
    def needs(self) -> frozenset[str]:
        open_ = (EVIDENCE,) if self.finds_boundaries else ("sentences",)
        return frozenset({"tokens", *self.tags, *open_})

    @property
    def adds(self) -> frozenset[str]:
        found = ("sentences",) if self.finds_boundaries else ()
        return frozenset({"head", "deprel", *found})

    @property
    def offers(self) -> frozenset[str]:
        open_ = set() if self.finds_boundaries else {"bias"}
        return frozenset({"confidence", "k_best", *self.search_options}) - open_

    def with_options(self, **changes: Any) -> Self:
        if "bias" in changes and not self.finds_boundaries:
            raise UsageError(
                "the parser of this model has no bias: it takes sentences as they are given",
                remedy="Leave the bias out.",
            )
        return self.with_search(**changes)

    def part_of(self, config: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Part:
        """The part of a parser: what all have, and what its own transitions and search need."""
        packed = self.packed
        if packed is None:
            packed = packed_rows(self.rows, self.inventory.size)
        labels = {"deprel": list(self.inventory.labels)}
        kept = {**packed, **arrays}
        if self.word_classes:
            labels["word-class-forms"] = list(self.word_classes)
            kept["word-classes"] = np.array(list(self.word_classes.values()), np.int32)
        options = {
            "templates": list(self.templates),
            "calibration": {name: list(values) for name, values in self.calibration.items()},
        }
        return Part("parser", {**config, **options}, labels, kept)

    def release(self, again: Callable[[], Part] | None = None) -> None:
        self.packed = None

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        """Parse."""
        self.parse(docs, confidence=request.confidence)

    def k_best(self, doc: Document, k: int) -> list[Document]:
        """Up to k different analyses, the best first."""
        found = []
        for parse in self.k_best_parses(doc, k):
            analysis = replace(doc)
            self.write([analysis], [parse])
            analysis.fixed = frozenset()
            found.append(analysis)
        return found
