"""The joint parser: documents in, sentence boundaries and trees out, decided together.

    parser = Parser.load("model.caesura")
    parser.parse(docs)

What a document declares fixed (`Document.fixed`: sentences, heads) is obeyed, whether some or all
of it is given. A parser trained on single sentences takes the boundaries that it is given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import BeamSettings, Guide, JointDecoder, JointSystem, ParserRows, SearchReport
from caesura.constraints import Constraints
from caesura.document import UNKNOWN, Document
from caesura.errors import InputError, ModelError, UsageError, WarningSink
from caesura.guidelines.decoding import Rules
from caesura.guidelines.table import Tables
from caesura.models.file import Part
from caesura.models.packing import DAMAGED
from caesura.models.store import load_model
from caesura.options import GUIDELINES, check_options, option
from caesura.stages.bias import BiasScale, check_bias
from caesura.stages.joint_features import compile_templates
from caesura.stages.parse_constraints import (
    Limits,
    WordConstraints,
    completed,
    limits_of,
    limits_of_starts,
    no_limits,
)
from caesura.stages.templates import Templates
from caesura.stages.tree_parser import (
    Parse,
    TreeParser,
    check,
    check_split,
    in_batches,
    name_of,
    padded,
    probabilities,
    sentence_bounds,
    stored_in,
    write_trees,
)
from caesura.stages.word_table import EVIDENCE_ODDS, LAYOUT_ODDS, Hasher, Words, batch_of, cut

#: Beams wider than this gain nothing and cost memory without end; more words than any text has.
MOST_BEAM: Final = 1024
MOST_PATIENCE: Final = 1 << 30


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    With a `margin` the beam is narrow where the choice is clear: a state offers only transitions
    that score less than the margin below its best one, states that are farther behind the best are
    dropped, and so is a state with the same future as a better one. How many margins a boundary may
    score below the best transition is `starts` (often only what follows proves it right), another
    label of the same arc `labels` (what follows rarely depends on it), and how many a state may be
    behind is `behind`. A `bias`
    of 1 asks for about twice as many sentence boundaries, one of -1 for half as many; what it is
    worth in scores the parser knows. `bonus` is in scores: it is added to that of a boundary, and
    is what is tuned on held-out documents; in a text without capitals and punctuation `unedited` is
    added to it. In edited text the log-odds of the tokeniser's
    evidence for a sentence start count `evidence` times at a boundary, and everywhere those of the
    layout `layout` times, beside what the parser has learned of them. After `patience` words on
    which the beam does not agree, the best item decides. Trees obey the `guidelines` of UD (on,
    off) where the model knows them.
    """

    beam: int = option(8, "Width of the beam.", least=1, most=MOST_BEAM)
    margin: float = option(
        math.inf, "Open the beam where the best choice leads by no more than this."
    )
    labels: float = 1.0
    starts: float = 2.0
    behind: float = 2.0
    bias: float = 0.0
    bonus: float = 0.0
    unedited: float = 0.0
    evidence: float = 0.0
    layout: float = 0.0
    patience: int = 400
    guidelines: str = "on"

    def __post_init__(self) -> None:
        check_options(
            self,
            {"guidelines": GUIDELINES["choices"]},
            beam=(1, MOST_BEAM),
            patience=(8, MOST_PATIENCE),
        )
        if not self.margin >= 0:
            raise UsageError(f"margin is {self.margin}, but must not be negative")
        check_bias(self.bias)
        for name in ("bonus", "unedited"):
            if not math.isfinite(value := getattr(self, name)):
                raise UsageError(f"{name} is {value}, but must be a finite number")
        for name in ("evidence", "layout", "labels", "starts", "behind"):
            if not ((value := getattr(self, name)) >= 0 and math.isfinite(value)):
                raise UsageError(f"{name} is {value}, but must be a number from 0 on")


SHIFT: Final = 0
SWAP: Final = 1
SB: Final = 2
FIRST_ARC: Final = 3


@dataclass(frozen=True)
class Inventory:
    """Labels, those that each kind of arc may carry, and the switches of the system."""

    labels: tuple[str, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    root: tuple[int, ...]
    single_root: bool = True
    sb: bool = True

    @property
    def size(self) -> int:
        return FIRST_ARC + len(self.left) + len(self.right) + len(self.root)

    def names(self) -> list[str]:
        """Readable transitions in the order of their ids."""
        arcs = [("LA", self.left), ("RA", self.right), ("RA0", self.root)]
        named = [f"{kind}:{self.labels[label]}" for kind, ids in arcs for label in ids]
        return ["SHIFT", "SWAP", "SB", *named]

    @cached_property
    def transitions(self) -> JointSystem:
        """The transition system of the core."""
        return self.guided(None)

    def guided(self, guide: Guide | None) -> JointSystem:
        """The same under the rules of a guide."""
        left, right, root = (
            np.array(kind, np.int32) for kind in (self.left, self.right, self.root)
        )
        return JointSystem(len(self.labels), left, right, root, self.single_root, self.sb, guide)

    @classmethod
    def learn(
        cls,
        trees: Iterable[tuple[NDArray[np.int32], Sequence[str]]],
        *,
        single_root: bool = True,
        sb: bool = True,
        known: Inventory | None = None,
    ) -> Inventory:
        """Collect the labels of each kind of arc from pairs of heads and labels.

        What is `known` is kept; its labels keep their numbers, which features are made of.
        """
        seen: tuple[dict[str, int], ...] = ({}, {}, {})
        if known is not None:
            for names_of, ids in zip(seen, (known.left, known.right, known.root), strict=True):
                names_of.update((known.labels[label], 0) for label in ids)
        for heads, names in trees:
            for dependent, (head, name) in enumerate(zip(heads.tolist(), names, strict=True)):
                if head >= -1 and name:
                    kind = 2 if head == -1 else (0 if head > dependent else 1)
                    seen[kind][name] = seen[kind].get(name, 0) + 1
        old = known.labels if known is not None else ()
        labels = old + tuple(sorted(set().union(*seen).difference(old)))
        if not seen[2]:
            raise InputError(
                "the training trees have no root", remedy="Give trees whose HEAD column is filled."
            )
        number = {name: i for i, name in enumerate(labels)}
        left, right, root = (tuple(sorted(number[name] for name in kind)) for kind in seen)
        # A tree of one word needs no other label, yet a longer text must still be parsed.
        left = left or right or root
        right = right or left
        return cls(labels, left, right, root, single_root, sb)


#: A finite number that stands for no margin: infinite minus infinite is no number.
_NO_MARGIN: Final = 1e20


def settings_of(options: SearchOptions) -> BeamSettings:
    """How the core searches with these options."""
    margin = min(options.margin, _NO_MARGIN)

    def margins(share: float) -> float:
        return margin * share if margin < _NO_MARGIN else _NO_MARGIN

    return BeamSettings(
        options.beam,
        margin,
        margins(options.labels),
        margins(options.starts),
        margins(options.behind),
        options.bonus,
        options.bonus + options.unedited,
        options.evidence,
        options.layout,
        options.patience,
    )


#: What the core returns: the columns of a result, and how the search went.
Found = tuple[tuple[Any, ...], SearchReport]


def stopped(report: SearchReport) -> ModelError:
    """What is wrong with a parser that finds no way through words of which nothing is given."""
    what = (
        f"the parser makes {report.steps:,} transitions for {report.words:,} words and goes nowhere"
    )
    if report.dead:
        what = f"the parser finds no transition after {report.steps:,}: its scores are no numbers"
    return ModelError(what, remedy=DAMAGED)


def result_of(found: Found, limits: Limits) -> Parse | None:
    """The trees that were found; None if no derivation that was found keeps the limits."""
    columns, report = found
    if report.done:
        return _parse(columns)
    if not report.dead or not (len(limits.starts) or len(limits.heads)):
        raise stopped(report)
    return None


def analyses_of(
    found: tuple[Sequence[tuple[tuple[Any, ...], float]], SearchReport], limits: Limits
) -> list[Parse]:
    """The k best analyses that were found; none if no derivation keeps the limits."""
    analyses, report = found
    if not report.done and (not report.dead or not np.any(limits.heads != UNKNOWN)):
        raise stopped(report)
    return [_parse(columns, score) for columns, score in analyses]


def _parse(columns: Sequence[Any], score: float = 0.0) -> Parse:
    heads, labels, starts, *sure = columns
    parse = Parse(heads, labels, starts == 1, *sure)
    parse.score = score
    return parse


def decode_given(
    decode: Callable[[Limits], Found], doc: Document, given: WordConstraints, *, single_root: bool
) -> Parse:
    """The best analysis that contradicts nothing given; refuses what cannot hold together."""
    n = len(given.heads)
    name = name_of(doc)
    limits = limits_of(given, single_root=single_root, name=name) if given.anything else no_limits()
    found = decode(limits)
    reach = 32
    while (result := result_of(found, limits)) is None:
        # No item of the beam could go on: fill open heads around the place where it stopped.
        at = found[1].next
        limits = completed(limits, at - reach, at + reach)
        found = decode(limits)
        if reach > 2 * n and not found[1].done:
            if not given.any_arc:  # boundaries alone can always be kept
                raise stopped(found[1])
            raise InputError(
                f"the given heads and boundaries of {name} cannot hold together",
                file=doc.source,
                remedy="Leave some of them open.",
            )
        reach *= 4
    return result


#: The bonus of each bias for a parser that was not measured: see `benchmarks/accuracy/bias.py`.
SCALE: Final = BiasScale(
    edited=(-0.8345, -0.7185, -0.6176, -0.5159, 0.0, 0.4, 0.5693, 0.7157, 0.8824),
    unedited=(-0.416, -0.2756, -0.1734, -0.1, 0.0, 0.1373, 0.2583, 0.4621, 0.6912),
)
#: Options of the search that a model file has where they differ from the default, with their keys.
_OPTIONAL: Final = {
    **{name: f"margin-{name}" for name in ("labels", "starts", "behind")},
    **{name: f"trust-{name}" for name in ("evidence", "layout")},
    "unedited": "unedited",
}
_PLAIN: Final = SearchOptions()
#: The last version that reads parsers that choose among tags.
_LAST_WITH_CHOICE: Final = "at commit 43828f9"


@dataclass
class Parser(TreeParser):
    """A trained parser. `rows` are the 8-bit weights."""

    title: ClassVar[str] = "a joint parser"
    inventory: Inventory
    templates: tuple[str, ...]
    rows: ParserRows
    search: SearchOptions = field(default_factory=SearchOptions)
    tags: tuple[str, ...] = ()
    breaks: bool = True
    word_classes: Mapping[str, int] = field(default_factory=dict)
    #: Calibration of arcs and of boundaries: the weights of a logistic regression.
    calibration: dict[str, list[float]] = field(default_factory=dict)
    packed: Mapping[str, NDArray[Any]] | None = None
    #: The bonus of each bias, in scores.
    scale: BiasScale = SCALE
    #: The rules of the guidelines, if there are any.
    rules: Rules | None = None

    def __post_init__(self) -> None:
        self.compiled: Templates = compile_templates(self.templates, decoding=True)
        self.hasher = Hasher(self.word_classes)

    @property
    def table(self) -> NDArray[np.int8]:
        """The weights as a whole table (see `quantised.py`), made anew at each call."""
        return self.rows.table()

    @property
    def unit(self) -> float:
        """What the integers of the table count in."""
        return self.rows.unit

    # ----------------------------------------------------------- model file

    @classmethod
    def load(cls, model: str | os.PathLike[str]) -> Parser:
        """The parser of a model, by name or path, if that is all it has (else `caesura.load`)."""
        file = load_model(model)
        if "boundaries" in file.parts:
            raise ModelError(
                "this model has two parsers, of which the first finds the boundaries",
                file=file.path,
                remedy="Load both of them: caesura.load(model).",
            )
        return cls.from_part(file.part("parser"))

    def to_part(self) -> Part:
        inventory = self.inventory
        search = self.search
        config: dict[str, Any] = {
            "system": "joint",
            "single-root": inventory.single_root,
            "sb": inventory.sb,
            "beam": search.beam,
            "margin": search.margin if math.isfinite(search.margin) else -1.0,
            **{
                key: getattr(search, name)
                for name, key in _OPTIONAL.items()
                if getattr(search, name) != getattr(_PLAIN, name)
            },
            "bonus": search.bonus,
            "bias-scale": self.scale.as_config(),
            "patience": search.patience,
            "tags": list(self.tags),
            "breaks": self.breaks,
        }
        kinds = ("left", "right", "root")
        arrays = {kind: np.array(getattr(inventory, kind), np.int32) for kind in kinds}
        return self.part_of(config, arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        if part.kind != "parser" or part.config.get("system") != "joint":
            raise ModelError(f"this is a {part.kind}, not a joint parser")
        labels = tuple(part.labels.get("deprel", ()))
        kinds = {}
        for kind in ("left", "right", "root"):
            ids = part.array(kind, np.int32, (None,))
            if not len(ids) or ids.min() < 0 or ids.max() >= len(labels):
                raise ModelError("the parser's labels do not fit its transitions", remedy=DAMAGED)
            kinds[kind] = tuple(ids.tolist())
        if part.option("choices", int, 1) != 1:
            raise ModelError(
                "this parser chooses among several tags of each word, which is no longer supported",
                remedy=f"Caesura {_LAST_WITH_CHOICE} reads it. Or train it again.",
            )
        inventory = Inventory(
            labels,
            single_root=bool(part.option("single-root", bool, True)),
            sb=bool(part.option("sb", bool, True)),
            **kinds,
        )
        stored = stored_in(part, inventory.size)
        rows = ParserRows(*stored.weights, padded(inventory.size))
        margin = float(part.option("margin", (int, float), -1.0))
        stored_options: dict[str, Any] = {
            name: float(part.option(key, (int, float), getattr(_PLAIN, name)))
            for name, key in _OPTIONAL.items()
        }
        search = SearchOptions(
            beam=part.option("beam", int, 8),
            margin=margin if margin >= 0 else math.inf,
            **stored_options,
            # Older files call it a bias.
            bonus=float(part.option("bonus", (int, float), part.option("bias", (int, float), 0))),
            patience=part.option("patience", int, 400),
        )
        return cls(
            inventory,
            rows=rows,
            search=search,
            breaks=bool(part.option("breaks", bool, True)),
            scale=BiasScale.from_config(part.option("bias-scale", dict, {}), SCALE),
            **stored.common(),
        )

    # -------------------------------------------------------------- parsing

    def obey(self, tables: Tables, language: str | None) -> None:
        table = tables.of_model(language)
        self.rules = None if table is None else Rules(table, self.inventory.labels)

    @property
    def _obeyed(self) -> Rules | None:
        """The rules that trees obey; None: no rules."""
        return self.rules if self.search.guidelines == "on" else None

    def analyse(
        self, docs: Sequence[Document], *, threads: int = 1, warn: WarningSink | None = None
    ) -> list[Parse]:
        """The best analysis of each document, which is left as it is."""
        for doc in docs:
            self._check(doc, warn)
        found = in_batches(docs, self._analyse, threads=threads)
        return [parse for group in found for parse in group]

    def k_best_parses(self, doc: Document, k: int) -> list[Parse]:
        """The k best analyses that the beam holds at the end, best first, all different.

        In a long document they differ near its end, since the beam has agreed on what came before.
        Those of a parser of single sentences are made of the best trees of the sentences.
        """
        self._check(doc, None)
        given = WordConstraints.of(doc, self.inventory.labels)
        single = self.inventory.single_root or not self.inventory.sb
        # States that are merged would take their trees with them.
        decoder = self.with_search(margin=math.inf).decoder

        def best(words: Words, told: WordConstraints) -> list[Parse]:
            limits = limits_of(told, single_root=single) if told.anything else no_limits()
            return analyses_of(decoder.k_best(*words, limits, k), limits)

        words = self.words(doc)
        if self.inventory.sb or not doc.n_words:
            return best(words, given)
        found: list[tuple[float, tuple[Parse, ...]]] = [(0.0, ())]
        for a, b in pairwise(sentence_bounds(doc).tolist()):
            trees = best(cut(words, np.array([a, b], np.int64)), given.sentence(a, b, doc))
            joined = [(x + tree.score, (*t, tree.moved(a))) for x, t in found for tree in trees]
            found = sorted(joined, key=lambda pair: -pair[0])[:k]
        return [replace(Parse.join(trees), score=score) for score, trees in found]

    def write(
        self, docs: Sequence[Document], parses: Sequence[Parse], *, confidence: bool = False
    ) -> None:
        write_trees(docs, parses, self.inventory.labels)
        for doc, parse in zip(docs, parses, strict=True):
            self._write_starts(doc, parse, confidence)
        if (rules := self._obeyed) is not None:
            rules.finish(docs)

    def _write_starts(self, doc: Document, parse: Parse, confidence: bool) -> None:
        first: Any = slice(None)
        if doc.n_words != doc.n_tokens:
            first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
        doc.sent_start = parse.starts[first].astype(np.int8)  # YES is 1, NO is 0
        if confidence:
            given = Constraints.of(doc).has_head(doc.n_words)
            starts, arcs = probabilities(self.calibration, parse)
            doc.arc_conf = np.where(given, np.float32(1), arcs)
            if self.inventory.sb or doc.sent_conf is None:  # else it is known who found them
                doc.sent_conf = starts[first]

    def words(self, doc: Document) -> Words:
        """The words of a document as the search sees them."""
        return self.batch([doc])[0]

    def batch(self, docs: Sequence[Document]) -> tuple[Words, NDArray[np.int64]]:
        """The words of documents, and where those of each begin and end."""
        words, bounds = batch_of(docs, self.hasher, tags=self.tags, breaks=self.breaks)
        if (rules := self._obeyed) is not None:
            rules.retag(docs)
            words = words._replace(types=rules.types(docs))
        return words, bounds

    @cached_property
    def decoder(self) -> JointDecoder:
        """The decoder of the core; a bias counts as much as edited text and other text need."""
        search = self.search
        if search.bias:
            edited, plain = (self.scale.bonus(search.bias, kind) for kind in (True, False))
            search = replace(
                search, bonus=search.bonus + edited, unedited=search.unedited + plain - edited
            )
        return JointDecoder(
            self.rows,
            self.inventory.guided(rules.guide if (rules := self._obeyed) is not None else None),
            *self.compiled,
            settings_of(search),
            EVIDENCE_ODDS,
            LAYOUT_ODDS,
        )

    # ------------------------------------------------------------- internals

    def _check(self, doc: Document, warn: WarningSink | None) -> None:
        check(doc, self.tags, warn)
        if not self.inventory.sb:
            check_split(doc, "this parser was trained on single sentences")

    def _analyse(self, docs: Sequence[Document]) -> list[Parse]:
        """Documents without given trees are decoded in one call, the others one by one."""
        labels = self.inventory.labels
        if not self.inventory.sb:
            return [self._sentences(doc) for doc in docs]
        told = {k: WordConstraints.of(doc, labels) for k, doc in enumerate(docs) if doc.fixed}
        plain = [k for k in range(len(docs)) if k not in told or not told[k].any_arc]
        found = {k: self._given(docs[k]) for k in told if told[k].any_arc}
        rest = [docs[k] for k in plain]
        batch, bounds = self.batch(rest)
        limits = limits_of_starts(rest, bounds)
        result = result_of(self.decoder.decode(*batch, bounds, limits), limits)
        for k, (a, b) in zip(plain, pairwise(bounds.tolist()), strict=True):
            if result is None:  # the beam ran dry before a given boundary, of which of them?
                found[k] = self._given(docs[k])
            else:
                found[k] = result.part(a, b)
        return [found[k] for k in range(len(docs))]

    def _given(self, doc: Document) -> Parse:
        given = WordConstraints.of(doc, self.inventory.labels)
        return self._decode_given(doc, self.words(doc), given)

    def _decode_given(self, doc: Document, words: Words, given: WordConstraints) -> Parse:
        single = self.inventory.single_root or not self.inventory.sb
        bounds = np.array([0, len(given.heads)], np.int64)

        def decode(limits: Limits) -> Found:
            return self.decoder.decode(*words, bounds, limits)

        return decode_given(decode, doc, given, single_root=single)

    def _sentences(self, doc: Document) -> Parse:
        """A document by sentences, for a parser without SB."""
        bounds, words = sentence_bounds(doc), self.words(doc)
        given = WordConstraints.of(doc, self.inventory.labels)
        if not given.any_arc:
            pieces_of = cut(words, bounds)
            parse = result_of(self.decoder.decode(*pieces_of, bounds, no_limits()), no_limits())
            assert parse is not None
            offset = np.repeat(bounds[:-1], np.diff(bounds)).astype(np.int32)
            parse.heads = np.where(parse.heads >= 0, parse.heads + offset, parse.heads)
            return parse
        pieces = []
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            local = given.sentence(a, b, doc)
            part = self._decode_given(doc, cut(words, np.array([a, b], np.int64)), local)
            pieces.append(part.moved(a))
        return Parse.join(pieces)
