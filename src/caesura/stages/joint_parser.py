"""The joint parser: documents in, sentence boundaries and trees out, decided together.

    parser = Parser.load("model.caesura")
    parser.parse(docs)

What a document declares fixed (`Document.fixed`: sentences, heads) is obeyed, whether some or all
of it is given. A parser trained on single sentences takes the boundaries that it is given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import JointDecoder, ParserRows
from caesura.constraints import Constraints
from caesura.document import Document
from caesura.errors import ModelError, WarningSink
from caesura.models.file import Part
from caesura.models.store import load_model
from caesura.stages.bias import BiasScale
from caesura.stages.joint_decode import Result, result_of, settings_of
from caesura.stages.joint_features import compile_templates
from caesura.stages.joint_inventory import Inventory
from caesura.stages.joint_kbest import analyses
from caesura.stages.parse_analysis import Parse
from caesura.stages.parse_confidence import probabilities
from caesura.stages.parse_constraints import WordConstraints, decode_given, limits_of_starts
from caesura.stages.parse_documents import (
    check,
    check_split,
    in_batches,
    sentence_bounds,
    write_trees,
)
from caesura.stages.parse_limits import no_limits
from caesura.stages.parse_rows import lean_rows, padded
from caesura.stages.parse_stored import DAMAGED, as_part, options_of, stored_in
from caesura.stages.parser_options import SearchOptions
from caesura.stages.templates import Templates
from caesura.stages.tree_parser import TreeParser
from caesura.stages.word_table import (
    EVIDENCE_ODDS,
    LAYOUT_ODDS,
    Hasher,
    Words,
    batch_of,
    cut,
)

__all__ = ["Parser"]

#: What a bias is worth to a parser that was not measured: see `benchmarks/bias.py`.
SCALE: Final = BiasScale(
    edited=(-0.8345, -0.7185, -0.6176, -0.5159, 0.0, 0.4, 0.5693, 0.7157, 0.8824),
    unedited=(-0.416, -0.2756, -0.1734, -0.1, 0.0, 0.1373, 0.2583, 0.4621, 0.6912),
)
#: Options of the search that are counted in margins, and what they are unless a file says more.
_SHARES: Final = ("labels", "starts", "behind")
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
    #: What a bias is worth in scores.
    scale: BiasScale = SCALE

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

    @property
    def finds_boundaries(self) -> bool:
        return self.inventory.sb

    @property
    def search_options(self) -> tuple[str, ...]:
        return tuple(SearchOptions.__dataclass_fields__)

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
                f"margin-{name}": getattr(search, name)
                for name in _SHARES
                if getattr(search, name) != getattr(_PLAIN, name)
            },
            "bonus": search.bonus,
            "bias-scale": self.scale.as_config(),
            "patience": search.patience,
            **({"trust-evidence": search.evidence} if search.evidence else {}),
            **({"trust-layout": search.layout} if search.layout else {}),
            **({"unedited": search.unedited} if search.unedited else {}),
            "tags": list(self.tags),
            "breaks": self.breaks,
            **options_of(self),
        }
        kinds = ("left", "right", "root")
        arrays = {kind: np.array(getattr(inventory, kind), np.int32) for kind in kinds}
        return as_part(self, config, arrays)

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
        search = SearchOptions(
            beam=part.option("beam", int, 8),
            margin=margin if margin >= 0 else math.inf,
            **{
                name: float(part.option(f"margin-{name}", (int, float), getattr(_PLAIN, name)))
                for name in _SHARES
            },
            # Older files call it a bias.
            bonus=float(part.option("bonus", (int, float), part.option("bias", (int, float), 0))),
            unedited=float(part.option("unedited", (int, float), 0.0)),
            evidence=float(part.option("trust-evidence", (int, float), 0.0)),
            layout=float(part.option("trust-layout", (int, float), 0.0)),
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

    def with_search(self, **changes: Any) -> Self:
        """The same parser with other search options; the weights are shared."""
        return replace(self, search=replace(self.search, **changes))

    def lean(self, share: float) -> Parser:
        """The same parser without the given share of its weights, the smallest of them."""
        return replace(self, rows=lean_rows(self.rows, share), packed=None)

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
        return analyses(self, doc, k)

    def write(
        self, docs: Sequence[Document], parses: Sequence[Parse], *, confidence: bool = False
    ) -> None:
        write_trees(docs, parses, self.inventory.labels)
        for doc, parse in zip(docs, parses, strict=True):
            self._write_starts(doc, parse, confidence)

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
        return batch_of(docs, self.hasher, tags=self.tags, breaks=self.breaks)

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
            self.inventory.transitions,
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
                found[k] = Parse.of(result, a, b)
        return [found[k] for k in range(len(docs))]

    def _given(self, doc: Document) -> Parse:
        given = WordConstraints.of(doc, self.inventory.labels)
        return self._decode_given(doc, self.words(doc), given)

    def _decode_given(self, doc: Document, words: Words, given: WordConstraints) -> Parse:
        single = self.inventory.single_root or not self.inventory.sb
        bounds = np.array([0, len(given.heads)], np.int64)
        result: Result = decode_given(
            lambda limits: self.decoder.decode(*words, bounds, limits),
            doc,
            given,
            single_root=single,
        )
        return Parse.of(result, 0, len(given.heads))

    def _sentences(self, doc: Document) -> Parse:
        """A document by sentences, for a parser without SB."""
        bounds, words = sentence_bounds(doc), self.words(doc)
        given = WordConstraints.of(doc, self.inventory.labels)
        if not given.any_arc:
            pieces_of = cut(words, bounds)
            result = result_of(self.decoder.decode(*pieces_of, bounds, no_limits()), no_limits())
            assert result is not None
            parse = Parse.of(result, 0, doc.n_words)
            offset = np.repeat(bounds[:-1], np.diff(bounds)).astype(np.int32)
            parse.heads = np.where(parse.heads >= 0, parse.heads + offset, parse.heads)
            return parse
        pieces = []
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            local = given.sentence(a, b, doc)
            part = self._decode_given(doc, cut(words, np.array([a, b], np.int64)), local)
            pieces.append(part.moved(a))
        return Parse.join(pieces)
