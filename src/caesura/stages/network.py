"""The neural stage of a pipeline: scores of a network, and a joint search for boundaries and trees.

Tags and lemmas are chosen by the network. Boundaries and trees are searched with the transitions,
constraints and beam of the linear parser, by the scores of arcs; then the best trees of the found
sentences are taken. Labels are chosen for their arcs; only roots have root labels.

`NetworkStarts` sets sentence starts by the network without a search through trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura._core import ArcDecoder
from caesura.constraints import Constraints, inside_arcs, with_fixed_starts
from caesura.document import NO, YES, Document
from caesura.errors import ModelError
from caesura.guidelines.decoding import Guided, Rules, Second
from caesura.guidelines.table import Tables
from caesura.layout import SAME
from caesura.models.file import Part
from caesura.options import PLAIN, Request
from caesura.stage import EVIDENCE, Stage, StartStage, stage_of
from caesura.stages.bias import BiasScale
from caesura.stages.joint_parser import (
    Inventory,
    SearchOptions,
    analyses_of,
    decode_given,
    settings_of,
)
from caesura.stages.network_encoder import LIMIT, Encoder, Scores
from caesura.stages.network_labels import FEATS_BY_XPOS, Languages, feats_by_xpos
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_onnx import network_of
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_reading import evidence_odds, groups, joined, layout_codes, split_column
from caesura.stages.network_subwords import Subwords
from caesura.stages.network_tagging import Tagging, softmax
from caesura.stages.network_tags import TagLexicon
from caesura.stages.network_weights import TAGS, Network
from caesura.stages.network_word_boundaries import WordBoundaries
from caesura.stages.parse_constraints import WordConstraints, limits_of, no_limits
from caesura.stages.word_table import AT_LINES, LAYOUT_ODDS, edited_tokens, edited_words

if TYPE_CHECKING:
    from caesura.stages.tree_parser import Parse


Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Heads = NDArray[np.int32]

#: Items of the beam for each of the k best trees.
_WIDER: Final = 16
_ARCS: Final = ("left", "right", "root")
#: Arcs whose labels are scored together: each needs 20 KB for it.
_ARCS_AT_ONCE: Final = 128
#: The bonus of a bias for a network without measurements: see `benchmarks/accuracy/bias.py`.
SCALE: Final = BiasScale(
    edited=(-11.82, -9.742, -7.424, -5.428, 0.0, 7.68, 11.35, 15.36, 20.98),
    unedited=(-5.383, -3.594, -2.416, -1.354, 0.0, 1.92, 3.84, 7.424, 15.24),
)

#: Columns that tagging fills; the last one only with confidences.
_TAGGED: Final = ("upos", "xpos", "feats", "lemma", "tag_conf")
_SETTINGS: Final = tuple(SearchSettings.__dataclass_fields__)
#: For starts alone, the network decides where the tokeniser's probability lies between these, and
#: reads so many words to each side: on EWT dev a fifth of all words, on GUM a twelfth.
_UNSURE: Final = (0.12, 0.88)
_BEFORE, _AFTER = 12, 12


class NeuralParser(Stage):
    """A network with its vocabulary and labels. Threads may share one."""

    kind: ClassVar[str] = "neural"
    title: ClassVar[str] = "a neural parser"

    def __init__(
        self,
        network: Network,
        subwords: Subwords,
        labels: dict[str, list[str]],
        label_weights: Floats,
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
        #: Finds words in text without blanks.
        self.word_boundaries: WordBoundaries | None = None
        #: The tags and FEATS of words, in a network of many languages.
        self.tags = tags
        #: [XPOS, FEATS]: which are allowed together.
        self.features = features
        self.lexicon = lexicon
        self.languages = languages
        #: The longest window in training, in sub-words.
        self.limit = limit
        self.labels = labels
        self.label_weights = label_weights
        self.settings = settings
        self.inventory = Inventory(_ARCS, (0,), (1,), (2,))
        self._network = network
        #: Reads the part of the model file again if the arrays were freed.
        self._again: Callable[[], Part] | None = None
        size, _, other = label_weights.shape
        widths = {name: len(labels[name]) for name in TAGS}
        widths |= {"label_dep": size - 1, "label_head": other - 1}
        if languages is not None:
            widths["feats"] = languages.attributes.total
        self.encoder = Encoder(
            network,
            subwords,
            limit=limit,
            threads=threads,
            layout=layout,
            widths=widths,
            languages=languages,
        )
        self._label_scorer = _label_scorer(label_weights)
        self._roots = np.array([name.split(":")[0] == "root" for name in labels["deprel"]])
        #: The rules of each language; None: no rules.
        self.guided: Guided | None = None
        self._tagging = Tagging(labels, lexicon, languages, features, tags)

    @property
    def network(self) -> Network:
        """The arrays of the network; freed ones are read from the model file again."""
        return self._network if self._again is None else network_of(self._again())

    def release(self, again: Callable[[], Part] | None = None) -> None:
        """Free the arrays, of which the core has a copy."""
        if again is not None:
            self._network, self._again = replace(self._network, arrays={}), again

    def word_reader(self, language: str) -> Callable[[str], NDArray[np.float32]] | None:
        return self.word_boundaries.reader(language) if self.word_boundaries is not None else None

    def set_language(self, language: str) -> None:
        self._tagging.set_language(language)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens", EVIDENCE} if self.settings.evidence else {"tokens"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({*TAGS, "sentences", "head", "deprel"})

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"confidence", "device", "k_best", "threads", *_SETTINGS})

    def with_options(self, **changes: Any) -> Self:
        self.refuse(changes, {"device", "threads", *_SETTINGS})
        threads = changes.pop("threads", self.encoder.threads)
        device = changes.pop("device", self.encoder.device)
        other = self.with_search(**changes)
        if device != self.encoder.device:
            other.encoder = self.encoder.on_device(self.network, device)
        elif threads != self.encoder.threads:
            other.encoder = copy(self.encoder)
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
            arrays[FEATS_BY_XPOS] = np.packbits(self.features, axis=1)
        labels = dict(self.labels)
        for more in (self.languages, self.tags, self.word_boundaries):
            if more is not None:
                arrays |= more.arrays()
                labels |= more.labels()
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
            config |= self.word_boundaries.config()
        return Part("neural", config, labels, arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls.for_threads(part, 1)

    @classmethod
    def for_threads(cls, part: Part, threads: int) -> Self:
        """The stage of a part; its windows are divided among threads."""
        if part.kind != "neural":
            raise ModelError(f"this is a {part.kind}, not a neural parser")
        for name in (*TAGS, "deprel"):
            if not part.labels.get(name):
                raise ModelError(f"the neural parser has no labels for {name}")

        def number(name: str, default: float) -> float:
            return float(part.option(name, (int, float), default))

        margin = number("margin", -1.0)
        settings = SearchSettings(
            margin=margin if margin >= 0 else math.inf,
            beam=int(part.option("beam", int, 8)),
            swap=number("swap", 1.0),
            crossing=number("crossing", 0.5),
            # Older files call it a bias.
            bonus=number("bonus", number("bias", 0.0)),
            unedited=number("unedited", 0.0),
            layout=number("trust-layout", 0.0),
            evidence=number("trust-evidence", 0.0),
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
            features=feats_by_xpos(part.arrays, *(len(part.labels[n]) for n in ("xpos", "feats"))),
            layout=bool(part.option("layout", bool, False)),
            languages=languages,
            tags=tags,
        )
        parser.word_boundaries = WordBoundaries.from_part(part, parser.encoder.engine, subwords)
        return parser

    @property
    def search(self) -> SearchSettings:
        """The settings, by the name that other parsers use."""
        return self.settings

    def with_search(self, **changes: Any) -> Self:
        """The same network with other settings of the search."""
        other = copy(self)
        other.settings = replace(self.settings, **changes)
        return other

    # --------------------------------------------------------------- parsing

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        """Fill tags, lemmas, boundaries and trees of documents with tokens, in place.

        Memory is proportional to the words of the longest document.
        """
        for group in groups(docs):
            self._annotate(group, request.confidence)

    def _annotate(self, docs: Sequence[Document], confidence: bool) -> None:
        """Fill documents that can be joined; only the search is done for each separately."""
        whole, bounds = joined(docs)
        scores = self.encoder.scores(whole, bounds)
        second = self.write_tags(whole, scores, confidence)
        scores.tags.clear()  # by far the largest arrays
        if len(docs) > 1:
            for name in _TAGGED if confidence else _TAGGED[:-1]:
                for doc, column in zip(
                    docs, split_column(getattr(whole, name), bounds), strict=True
                ):
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
            other = None if second is None else second.part(a, b)
            self.write_tree(doc, *self._obeying(doc, some, result, labels[a:b], other))
            if confidence:
                self.write_confidences(doc, some, result)

    def k_best(self, doc: Document, k: int) -> list[Document]:
        """Up to k different analyses, the best first."""
        scores = self.encoder.scores(doc)
        second = self.write_tags(doc, scores, False)
        # Several orders of transitions build the same tree, so k trees need a wider beam.
        # Merged states would lose trees, so there is no margin.
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
                own = self._obeying(found[key], scores, parse, labels, second)
                self.write_tree(found[key], *own)
        return list(found.values())

    def decide(self, doc: Document, scores: Scores, bonus: Floats | None = None) -> Parse:
        """Boundaries and heads of a document, by its scores and the bonus of boundaries."""
        decoder, given = self._decoder(doc, scores, bonus)
        result = decode_given(decoder.decode, doc, given, single_root=True)
        return replace(result, heads=_best_heads(decoder, result, given))

    def _decoder(
        self, doc: Document, scores: Scores, bonus: Floats | None = None
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

    def _bonus(self, doc: Document, bounds: Ints | None = None) -> Floats:
        """The evidence for a boundary before each word besides that of the network."""
        settings = self.settings
        edited = edited_words(doc, bounds=bounds)
        kinds = (settings.unedited, 0.0)
        bonus = [more + self.scale.bonus(settings.bias, bool(k)) for k, more in enumerate(kinds)]
        found = np.array(bonus, np.float32)[edited.astype(np.int64)] + np.float32(settings.bonus)
        if self.languages is not None and self.languages.bonus is not None:
            found += self.languages.bonus[self.languages.numbers(doc), edited.astype(np.int64)]
        if settings.layout:
            found += self._layout_odds(doc)
        if settings.evidence and doc.start_evidence is not None:
            # At line starts the tokeniser, which was trained on more layouts, counts for more.
            lines = np.where(layout_codes(doc) == SAME, 1, AT_LINES)
            odds = (evidence_odds(doc) * lines).astype(np.float32)
            found += np.where(edited, np.float32(settings.evidence) * odds, np.float32(0))
        return found

    def _layout_odds(self, doc: Document) -> Floats:
        """The evidence of the layout before each word."""
        return np.float32(self.settings.layout) * LAYOUT_ODDS[layout_codes(doc, raw=True)]

    # --------------------------------------------------------------- writing

    def write_tags(self, doc: Document, scores: Scores, confidence: bool) -> Second | None:
        return self._tagging.write(doc, scores, confidence, self._guided)

    def _rules(self, doc: Document) -> Rules | None:
        """The rules of the language of a document."""
        guided = self._guided
        if guided is None or not doc.n_words:
            return None
        if self.languages is None:
            return guided.rules("")
        number = int(self.languages.numbers(doc)[0])
        return guided.rules(self.languages.codes[number - 1]) if number else None

    def obey(self, tables: Tables, language: str | None) -> None:
        labels, languages = self.labels, self.languages
        feats = labels["feats"] if languages is None else languages.attributes.named_columns
        self.guided = Guided(tables, language, labels["deprel"], labels["upos"], feats)

    @property
    def _guided(self) -> Guided | None:
        """The rules that are obeyed; None: no rules."""
        return self.guided if self.settings.guidelines == "on" else None

    def _obeying(
        self,
        doc: Document,
        scores: Scores,
        result: Parse,
        points: Floats,
        second: Second | None,
    ) -> tuple[Parse, Ints]:
        """Heads and labels of a document by the scores of labels, under the rules."""
        rules = self._rules(doc)
        if rules is None:
            return result, points.argmax(1)
        heads, labels = rules.choose(doc, points, scores.arcs, scores.base, result, second)
        return replace(result, heads=heads), labels

    def write_tree(self, doc: Document, result: Parse, labels: Ints) -> None:
        """Write boundaries, heads, and the labels with these numbers."""
        deprel = doc.strings.ids(self.labels["deprel"])[labels]
        doc.deprel = Constraints.of(doc).with_fixed_deprels(deprel.astype(np.int32))
        doc.head = np.asarray(result.heads, np.int32)
        starts = np.asarray(result.starts)[_first_words(doc)] == 1
        doc.sent_start = np.where(starts, YES, 0).astype(np.int8)
        if (rules := self._rules(doc)) is not None:
            rules.finish([doc])

    def _labels(self, doc: Document, scores: Scores, heads: Heads) -> Floats:
        """The scores of the labels of each arc."""
        return self._tagging.relations(doc, self._label_points(scores, heads))

    def label_chances(self, scores: Scores, heads: Heads) -> Floats:
        """The probability of each label of each arc."""
        found = [softmax(points) for points in self._label_points(scores, heads)]
        return np.concatenate(found) if found else np.zeros((0, len(self._roots)), np.float32)

    def _label_points(self, scores: Scores, heads: Heads) -> Iterator[Floats]:
        """The score of each label of each arc, in batches to limit the memory."""
        allowed = self._tagging.allowed(scores, "deprel")
        kept = self._relations(scores)
        root = (heads < 0)[:, None]
        for a in range(0, len(heads), _ARCS_AT_ONCE):
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

    def _relations(self, scores: Scores) -> Ints | None:
        """The relations of the languages of a document, and roots; None: all of them."""
        if self.languages is None or scores.languages is None:
            return None
        may = self.languages.relations(scores.languages)
        if may.all() or not (may & ~self._roots).any():
            return None
        return np.flatnonzero(may | self._roots)

    def write_confidences(self, doc: Document, scores: Scores, result: Parse) -> None:
        heads = np.asarray(result.heads)
        place = np.where(heads < 0, 0, heads - scores.base + 1)
        inside = (place >= 0) & (place < scores.arcs.shape[1])
        chances = softmax(scores.arcs)
        rows = np.arange(len(heads))
        doc.arc_conf = np.where(inside, chances[rows, np.where(inside, place, 0)], 0).astype(
            np.float32
        )
        doc.sent_conf = self.start_chances(doc, scores.start)

    def start_chances(self, doc: Document, scores: Floats) -> Floats:
        """The probability that a sentence starts at each token, by the scores of its words."""
        return _start_chances(doc, scores + self._bonus(doc))

    def evidence_chances(self, doc: Document) -> Floats:
        """The same by tokeniser and layout, without the network."""
        return _start_chances(doc, evidence_odds(doc) + self._layout_odds(doc))

    def starts_alone(self) -> Stage:
        """The network without its tags and arcs."""
        return NetworkStarts(self)


@dataclass
class NetworkStarts(StartStage):
    """Sets the sentence starts with a probability above one half.

    In edited text the tokeniser decides where it is sure, and the network reads a few words around
    each of the other gaps. In text without capitals and punctuation it reads everything.
    """

    parser: NeuralParser
    kind: ClassVar[str] = "neural"
    title: ClassVar[str] = "a network for sentence starts"

    @property
    def offers(self) -> frozenset[str]:
        return self.parser.offers - {"k_best"}

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        for doc in docs:
            chances = self._chances(doc)
            starts = np.where(chances > 0.5, YES, NO).astype(np.int8)
            starts[inside_arcs(doc)] = NO
            starts = with_fixed_starts(doc, starts)
            starts[:1] = YES
            doc.sent_start = starts
            if request.confidence:
                doc.sent_conf = chances

    def _chances(self, doc: Document) -> Floats:
        """The probability of a start at each token."""
        parser = self.parser
        evidence = doc.start_evidence
        if evidence is None or parser.settings.bias:
            return parser.start_chances(doc, parser.encoder.starts(doc))
        low, high = _UNSURE
        unsure = (evidence >= low) & (evidence <= high) | ~edited_tokens(doc)
        unsure[:1] = False
        words = np.searchsorted(doc.word_token, np.flatnonzero(unsure))
        scores = parser.encoder.starts(doc, _spans(words, doc.n_words))
        return np.where(unsure, parser.start_chances(doc, scores), parser.evidence_chances(doc))

    def with_options(self, **changes: Any) -> Self:
        return replace(self, parser=self.parser.with_options(**changes))

    def to_part(self) -> Part:
        return self.parser.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(cast("NeuralParser", stage_of(part)))


def _spans(words: Ints, n: int) -> list[tuple[int, int]]:
    """The words around some; spans that meet are merged."""
    spans: list[tuple[int, int]] = []
    for word in words.tolist():
        first, last = max(0, word - _BEFORE), min(n, word + _AFTER)
        if spans and first <= spans[-1][1]:
            first = spans.pop()[0]
        spans.append((first, last))
    return spans


def _first_words(doc: Document) -> Ints:
    """The first word of each token."""
    return np.searchsorted(doc.word_token, np.arange(doc.n_tokens))


def _start_chances(doc: Document, odds: Floats) -> Floats:
    """The probability of a start at each token, by the log-odds of its words."""
    start = 1.0 / (1.0 + np.exp(-odds))
    start[:1] = 1.0
    return start[_first_words(doc)].astype(np.float32)


def _label_scorer(weights: Floats) -> _core.LabelScorer:
    """The scorer of labels of arcs, from weights [dependent, label, head]."""
    try:
        return _core.LabelScorer(np.ascontiguousarray(weights, np.float32))
    except _core.DamagedModel as error:
        raise ModelError(f"its weights of labels cannot be used: {error}") from error


def _best_heads(decoder: ArcDecoder, result: Parse, given: WordConstraints) -> Heads:
    """The best trees of the sentences of a search."""
    starts, heads = np.asarray(result.starts, np.int8), np.asarray(result.heads, np.int32)
    return decoder.best_trees(starts, given.heads.astype(np.int32), heads)


def _text(array: NDArray[Any]) -> str:
    try:
        return array.tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError("its sub-word vocabulary is damaged") from error
