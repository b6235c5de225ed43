"""The neural stage of a pipeline: the network scores, the joint search decides.

Tags and lemmas are the network's own; boundaries and trees are searched with the same transitions,
constraints and beam as by the linear parser, by the scores of arcs. In the sentences
that are found the best trees are taken. Labels are chosen for their arcs, root labels for roots
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura._core import ArcDecoder
from caesura.constraints import Constraints
from caesura.document import YES, Document
from caesura.errors import ModelError, WarningSink
from caesura.models.file import Part
from caesura.neural import feats_of_xpos
from caesura.neural.evidence import evidence_odds, log_odds
from caesura.neural.examples import layout_codes
from caesura.neural.graph import network_of
from caesura.neural.joined import groups, joined, parts
from caesura.neural.languages import Languages
from caesura.neural.lemmas import LemmaLexicon
from caesura.neural.scores import LIMIT, Encoder, Scores
from caesura.neural.settings import SearchSettings
from caesura.neural.starts import NetworkStarts
from caesura.neural.subwords import Subwords
from caesura.neural.tag_lexicon import TagLexicon
from caesura.neural.tagging import Tagging, softmax
from caesura.neural.weights import TAGS, Network
from caesura.neural.word_boundaries import WordBoundaries
from caesura.stage import Stage
from caesura.stages.bias import BiasScale
from caesura.stages.joint_parser import (
    Inventory,
    Result,
    SearchOptions,
    analyses_of,
    decode_given,
    settings_of,
)
from caesura.stages.parse_constraints import WordConstraints, limits_of, no_limits
from caesura.stages.word_table import LAYOUT_ODDS, edited_words

if TYPE_CHECKING:
    from caesura.stages.tree_parser import Parse

__all__ = ["NeuralParser", "SearchSettings"]

#: Items of the beam for each tree that is asked for.
_WIDER: Final = 16
_ARCS: Final = ("left", "right", "root")
#: Arcs whose labels are scored together: each needs 20 KB for it.
_ARCS_AT_ONCE: Final = 128
#: What a bias is worth to a network that was not measured: see `benchmarks/accuracy/bias.py`.
SCALE: Final = BiasScale(
    edited=(-11.82, -9.742, -7.424, -5.428, 0.0, 7.68, 11.35, 15.36, 20.98),
    unedited=(-5.383, -3.594, -2.416, -1.354, 0.0, 1.92, 3.84, 7.424, 15.24),
)

#: Columns of words that tagging fills, the last with confidences.
_TAGGED: Final = ("upos", "xpos", "feats", "lemma", "tag_conf")
_SETTINGS: Final = tuple(SearchSettings.__dataclass_fields__)


class NeuralParser(Stage):
    """A network with its vocabulary and labels. Threads may share one."""

    kind: ClassVar[str] = "neural"
    title: ClassVar[str] = "a neural parser"

    def __init__(
        self,
        network: Network,
        subwords: Subwords,
        labels: dict[str, list[str]],
        label_weights: NDArray[np.float32],
        settings: SearchSettings,
        *,
        limit: int = LIMIT,
        threads: int = 1,
        scale: BiasScale = SCALE,
        lexicon: LemmaLexicon | None = None,
        layout: bool = True,
        languages: Languages | None = None,
        features: NDArray[np.bool_] | None = None,
        tags: TagLexicon | None = None,
    ) -> None:
        self.scale = scale
        #: What it says of words in text without blanks.
        self.word_boundaries: WordBoundaries | None = None
        #: What tags and features words had, in a network of many languages.
        self.tags = tags
        #: Which FEATS each XPOS may have.
        self.features = features
        self.lexicon = lexicon
        self._network = network
        #: Reads the part of the model file again, if the arrays were let go.
        self._again: Callable[[], Part] | None = None
        self.languages = languages
        size, _, other = label_weights.shape
        widths = {name: len(labels[name]) for name in TAGS}
        widths |= {"label_dep": size - 1, "label_head": other - 1}
        if languages is not None:
            widths["feats"] = languages.attributes.total
        self._widths = widths
        self.encoder = Encoder(
            network,
            subwords,
            limit=limit,
            threads=threads,
            layout=layout,
            widths=widths,
            languages=languages,
        )
        #: The longest window that was learned from, in sub-words.
        self.limit = limit
        self.labels = labels
        self.label_weights = label_weights
        self._label_scorer = label_scorer(label_weights)
        self.settings = settings
        self.inventory = Inventory(_ARCS, (0,), (1,), (2,))
        self._roots = np.array([name.split(":")[0] == "root" for name in labels["deprel"]])
        self._tagging = Tagging(labels, lexicon, languages, features, tags)

    @property
    def network(self) -> Network:
        """The arrays of the network; of a loaded model they are read again when asked for."""
        if self._again is None:
            return self._network
        return network_of(self._again())

    def release(self, again: Callable[[], Part] | None = None) -> None:
        """The core has all that the arrays hold, so they need not stay as well."""
        if again is not None:
            self._network, self._again = replace(self._network, arrays={}), again

    def cutter(self, language: str) -> Callable[[str], NDArray[np.float32]] | None:
        return self.word_boundaries.reader(language) if self.word_boundaries is not None else None

    def speaks(self, language: str) -> None:
        self._tagging.speaks(language)

    @property
    def reads_evidence(self) -> bool:
        return bool(self.settings.evidence)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({*TAGS, "sentences", "head", "deprel"})

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"confidence", "device", "k_best", "threads", *_SETTINGS})

    def with_options(self, **changes: Any) -> Self:
        self.refuse(changes, {"device", "threads", *_SETTINGS})
        known = self.encoder
        threads = changes.pop("threads", known.threads)
        device = changes.pop("device", known.device)
        other = self.with_search(**changes)
        if device != known.device:
            other.encoder = Encoder(
                self.network,
                known.subwords,
                limit=self.limit,
                threads=threads,
                layout=known.layout,
                widths=self._widths,
                languages=self.languages,
                device=device,
            )
        elif threads != known.threads:
            other.encoder = copy(known)
            other.encoder.threads = threads
        return other

    # ------------------------------------------------------------ model file

    def to_part(self) -> Part:
        network = self.network
        arrays: dict[str, NDArray[Any]] = {
            **network.part_arrays(),
            "subwords": np.frombuffer(self.encoder.subwords.definition.encode(), np.uint8),
            "label": self.label_weights.astype(np.float16),
        }
        if self.lexicon is not None:
            arrays |= self.lexicon.arrays()
        if self.features is not None:
            arrays[feats_of_xpos.NAME] = feats_of_xpos.packed(self.features)
        labels = dict(self.labels)
        if self.languages is not None:
            arrays |= self.languages.arrays()
            labels |= self.languages.labels()
        if self.tags is not None:
            arrays |= self.tags.arrays()
            labels |= self.tags.labels()
        settings = self.settings
        config: dict[str, Any] = {
            **network.part_option(),
            "beam": settings.beam,
            "margin": settings.margin if math.isfinite(settings.margin) else -1.0,
            "swap": settings.swap,
            "crossing": settings.crossing,
            "bonus": settings.bonus,
            "bias-scale": self.scale.as_config(),
            "unedited": settings.unedited,
            "trust-layout": settings.layout,
            "trust-evidence": settings.evidence,
            "window": self.limit,
            "layout": self.encoder.layout,
        }
        if self.word_boundaries is not None:
            arrays |= self.word_boundaries.arrays()
            labels |= self.word_boundaries.labels()
            config |= self.word_boundaries.config()
        return Part("neural", config, labels, arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls.for_threads(part, 1)

    @classmethod
    def for_threads(cls, part: Part, threads: int) -> Self:
        """The network, whose windows so many threads read."""
        if part.kind != "neural":
            raise ModelError(f"this is a {part.kind}, not a neural parser")
        for name in (*TAGS, "deprel"):
            if not part.labels.get(name):
                raise ModelError(f"the neural parser has no labels for {name}")
        margin = float(part.option("margin", (int, float), -1.0))
        settings = SearchSettings(
            margin=margin if margin >= 0 else math.inf,
            beam=int(part.option("beam", int, 8)),
            swap=float(part.option("swap", (int, float), 1.0)),
            crossing=float(part.option("crossing", (int, float), 0.5)),
            # Older files call it a bias.
            bonus=float(part.option("bonus", (int, float), part.option("bias", (int, float), 0))),
            unedited=float(part.option("unedited", (int, float), 0.0)),
            layout=float(part.option("trust-layout", (int, float), 0.0)),
            evidence=float(part.option("trust-evidence", (int, float), 0.0)),
        )
        n = len(part.labels["deprel"])
        network = network_of(part)
        languages = Languages.from_part(part)
        tags = None
        if languages is not None:
            tags = TagLexicon.from_part(part.labels, part.arrays, languages.attributes)
        subwords = Subwords.from_json(_text(part.array("subwords", np.uint8, (None,))))
        parser = cls(
            network,
            subwords,
            part.labels,
            part.array("label", np.float16, (None, n, None)).astype(np.float32),
            settings,
            limit=min(max(int(part.option("window", int, LIMIT)), 64), 1 << 16),
            threads=threads,
            scale=BiasScale.from_config(part.option("bias-scale", dict, {}), SCALE),
            lexicon=LemmaLexicon.from_arrays(part.labels["lemma"], part.arrays),
            features=feats_of_xpos.from_arrays(
                part.arrays, len(part.labels["xpos"]), len(part.labels["feats"])
            ),
            layout=bool(part.option("layout", bool, False)),
            languages=languages,
            tags=tags,
        )
        parser.word_boundaries = WordBoundaries.from_part(part, parser.encoder.engine, subwords)
        return parser

    @property
    def search(self) -> SearchSettings:
        """The same name as in the other parsers."""
        return self.settings

    def with_search(self, **changes: Any) -> Self:
        """The same network with other settings of the search."""
        other = object.__new__(type(self))
        other.__dict__ = dict(self.__dict__)
        other.settings = replace(self.settings, **changes)
        return other

    # --------------------------------------------------------------- parsing

    def annotate(
        self,
        docs: Sequence[Document],
        *,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """Fill tags, lemmas, boundaries and trees of documents with tokens, in place.

        Memory is needed in proportion to the words of the longest one.
        """
        for group in groups(docs):
            self._annotate(group, confidence)

    def _annotate(self, docs: Sequence[Document], confidence: bool) -> None:
        """Fill documents that can be joined: all but the search is done for all at once."""
        whole, bounds = joined(docs)
        scores = self.encoder.scores(whole, bounds)
        self.write_tags(whole, scores, confidence)
        scores.tags.clear()  # by far the largest of them
        if len(docs) > 1:
            for name in _TAGGED if confidence else _TAGGED[:-1]:
                for doc, column in zip(docs, parts(getattr(whole, name), bounds), strict=True):
                    setattr(doc, name, column)
        bonus = self._bonus(whole, bounds)
        spans = list(pairwise(bounds.tolist()))
        own = [scores] if len(docs) == 1 else [scores.part(a, b) for a, b in spans]
        results = [
            self.decide(doc, some, bonus[a:b])
            for doc, some, (a, b) in zip(docs, own, spans, strict=True)
        ]
        heads = [
            np.where(np.asarray(result.heads) < 0, result.heads, result.heads + a)
            for result, (a, _) in zip(results, spans, strict=True)
        ]
        labels = self._labels(whole, scores, np.concatenate(heads).astype(np.int32))
        for doc, some, result, (a, b) in zip(docs, own, results, spans, strict=True):
            self.write_tree(doc, result, labels[a:b])
            if confidence:
                self.write_confidences(doc, some, result)

    def k_best(self, doc: Document, k: int) -> list[Document]:
        """Up to k different analyses, the best first."""
        scores = self.encoder.scores(doc)
        self.write_tags(doc, scores, False)
        # Several orders of transitions build one tree, so a wider beam is needed for k trees.
        # States that are merged would take their trees with them.
        wide = self.with_search(beam=max(self.settings.beam, _WIDER * k), margin=math.inf)
        decoder, given = wide._decoder(doc, scores)
        limits = limits_of(given, single_root=True) if given.anything else no_limits()
        found: dict[bytes, Document] = {}
        for parse in analyses_of(decoder.k_best(limits, _WIDER * k), limits):
            if not found:
                parse.heads = _best_heads(decoder, parse, given)
            key = parse.heads.tobytes() + parse.starts.tobytes()
            if key not in found and len(found) < k:
                found[key] = replace(doc)
                labels = self._labels(doc, scores, np.asarray(parse.heads, np.int32))
                self.write_tree(found[key], parse, labels)
        return list(found.values())

    def decide(
        self, doc: Document, scores: Scores, bonus: NDArray[np.float32] | None = None
    ) -> Result:
        """Boundaries and heads of a document whose scores are known, and perhaps the bonus."""
        decoder, given = self._decoder(doc, scores, bonus)
        result = decode_given(decoder.decode, doc, given, single_root=True)
        return result._replace(heads=_best_heads(decoder, result, given))

    def _decoder(
        self, doc: Document, scores: Scores, bonus: NDArray[np.float32] | None = None
    ) -> tuple[ArcDecoder, WordConstraints]:
        settings = self.settings
        start = scores.start + (self._bonus(doc) if bonus is None else bonus)
        decoder = ArcDecoder(
            scores.arcs,
            scores.base,
            scores.sizes,
            start.astype(np.float32),
            settings.swap,
            settings.crossing,
            self.inventory.transitions,
            settings_of(SearchOptions(beam=settings.beam, margin=settings.margin)),
        )
        given = WordConstraints.of(doc, ())
        given.labels[:] = -1  # labels are written afterwards
        return decoder, given

    def _bonus(self, doc: Document, bounds: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """What speaks for a boundary before each word, besides the network."""
        settings = self.settings
        edited = edited_words(doc, bounds=bounds)
        kinds = (settings.unedited, 0.0)
        bonus = [more + self.scale.bonus(settings.bias, bool(k)) for k, more in enumerate(kinds)]
        found = np.array(bonus, np.float32)[edited.astype(np.int64)] + np.float32(settings.bonus)
        if self.languages is not None and self.languages.bonus is not None:
            found += self.languages.bonus[self.languages.numbers(doc), edited.astype(np.int64)]
        if settings.layout:
            found += np.float32(settings.layout) * LAYOUT_ODDS[layout_codes(doc, raw=True)]
        if settings.evidence and doc.start_evidence is not None:
            found += np.where(
                edited, np.float32(settings.evidence) * evidence_odds(doc), np.float32(0)
            )
        return found

    # --------------------------------------------------------------- writing

    def write_tags(self, doc: Document, scores: Scores, confidence: bool) -> None:
        self._tagging.write(doc, scores, confidence)

    def write_tree(self, doc: Document, result: Any, labels: NDArray[np.int64]) -> None:
        """Boundaries and heads that were decided, with the numbers of their labels."""
        heads = np.asarray(result.heads, np.int32)
        deprel = doc.strings.ids(self.labels["deprel"])[labels]
        doc.deprel = Constraints.of(doc).obeyed_deprels(deprel.astype(np.int32))
        doc.head = heads
        first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
        starts = np.asarray(result.starts)[first] == 1
        doc.sent_start = np.where(starts, YES, 0).astype(np.int8)

    def _labels(self, doc: Document, scores: Scores, heads: NDArray[np.int32]) -> NDArray[np.int64]:
        """The best label of each arc."""
        return self._tagging.relations(doc, self._label_points(scores, heads))

    def label_chances(self, scores: Scores, heads: NDArray[np.int32]) -> NDArray[np.float32]:
        """The probability of each label of each arc."""
        found = [softmax(points) for points in self._label_points(scores, heads)]
        return np.concatenate(found) if found else np.zeros((0, len(self._roots)), np.float32)

    def _label_points(
        self, scores: Scores, heads: NDArray[np.int32]
    ) -> Iterator[NDArray[np.float32]]:
        """The score of each label of each arc, a batch at a time for the sake of memory."""
        allowed = self._tagging.allowed(scores, "deprel")
        n = len(heads)
        kept = self._relations(scores)
        root = (heads < 0)[:, None]
        for a in range(0, n, _ARCS_AT_ONCE):
            b = slice(a, a + _ARCS_AT_ONCE)
            points = self._label_scorer.scores(
                scores.label_dep[b], scores.label_head, scores.label_root, heads[b], kept
            )
            if kept is not None:
                few = points
                points = np.full((len(few), len(self._roots)), np.float32(-1e9))
                points[:, kept] = few
            if allowed is not None:
                points = np.where(allowed[b] | root[b], points, points - np.float32(1e9))
            yield np.where(root[b] == self._roots[None, :], points, -np.inf)

    def _relations(self, scores: Scores) -> NDArray[np.int64] | None:
        """Those that the languages of a document may have, and roots; None: all of them."""
        if self.languages is None or scores.languages is None:
            return None
        may = self.languages.relations(scores.languages)
        if may.all() or not (may & ~self._roots).any():
            return None
        return np.flatnonzero(may | self._roots)

    def write_confidences(self, doc: Document, scores: Scores, result: Result) -> None:
        heads = np.asarray(result.heads)
        place = np.where(heads < 0, 0, heads - scores.base + 1)
        inside = (place >= 0) & (place < scores.arcs.shape[1])
        chances = softmax(scores.arcs)
        rows = np.arange(len(heads))
        doc.arc_conf = np.where(inside, chances[rows, np.where(inside, place, 0)], 0).astype(
            np.float32
        )
        doc.sent_conf = self.start_chances(doc, scores.start)

    def start_chances(self, doc: Document, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability that a sentence starts at each token, by the scores of its words."""
        first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
        start = 1.0 / (1.0 + np.exp(-(scores + self._bonus(doc))))
        start[:1] = 1.0
        return start[first].astype(np.float32)

    def told_chances(self, doc: Document) -> NDArray[np.float32]:
        """The same by what tokeniser and layout say, without the network."""
        first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
        told = (
            log_odds(doc)
            + np.float32(self.settings.layout) * LAYOUT_ODDS[layout_codes(doc, raw=True)]
        )
        start = 1.0 / (1.0 + np.exp(-told))
        start[:1] = 1.0
        return start[first].astype(np.float32)

    def starts_alone(self) -> Stage:
        """The network without its tags and arcs."""
        return NetworkStarts(self)


def label_scorer(weights: NDArray[np.float32]) -> _core.LabelScorer:
    """What scores the labels of arcs with these weights, [dependent, label, head]."""
    try:
        return _core.LabelScorer(np.ascontiguousarray(weights, np.float32))
    except _core.DamagedModel as error:
        raise ModelError(f"its weights of labels cannot be used: {error}") from error


def _best_heads(
    decoder: ArcDecoder, result: Result | Parse, given: WordConstraints
) -> NDArray[np.int32]:
    """The best trees of the sentences that a search found."""
    starts, heads = np.asarray(result.starts, np.int8), np.asarray(result.heads, np.int32)
    return decoder.best_trees(starts, given.heads.astype(np.int32), heads)


def _text(array: NDArray[Any]) -> str:
    try:
        return array.tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError("its sub-word vocabulary is damaged") from error
