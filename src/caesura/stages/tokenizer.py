"""The tokeniser: text to tokens, words and sentence starts, as it learned them from a treebank.

    tokenizer = Tokenizer.load("my.caesura")
    doc = tokenizer.tokenize("Don't panic. It works.")

Given tokens and given sentences are obeyed, each on its own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenModel
from caesura.constraints import Constraints, inside_arcs, with_fixed_starts, with_layout
from caesura.document import MAYBE, NO, YES, Document, Longs, Strings
from caesura.document.characters import code_points, packed, signs_of
from caesura.errors import ModelError, UsageError
from caesura.language import language_of_model
from caesura.language.guess import plain_code
from caesura.layout import breaks
from caesura.models.file import Part, save
from caesura.models.packing import pack_codes, unpack_codes
from caesura.models.store import load_model
from caesura.options import EPOCHS, PLAIN, SEED, Request, option
from caesura.stage import NOTHING_GIVEN, GivenText, ReaderOf, Stage, StartStage, TokenStage
from caesura.stages.bias import BiasScale
from caesura.stages.multiword_tokens import Splitter
from caesura.stages.token_decoder import (
    Decided,
    Decoder,
    OffsetConstraints,
    Reader,
    SplitCache,
    Stream,
    build,
    line_starts,
    paragraphs,
    split_forms,
)
from caesura.stages.token_knowledge import (
    DEGREES_APART,
    LONGEST,
    LONGEST_NAMED,
    LONGEST_TYPE,
    NO_HABITS,
    CodedWeights,
    Habits,
    known_cuts,
    known_words,
    vocabulary_of,
    word_classes,
)
from caesura.turns import TurnReader


@dataclass(frozen=True)
class TokenizerOptions:
    """What can be set when a tokeniser is trained."""

    #: The tables have 2**bits rows.
    bits: int = 24
    #: Features seen less often are not learned: of token boundaries, and of sentence starts.
    rare_cut: int = 3
    rare_start: int = 4
    #: White-space chunks seen so often, and always cut the same way, are remembered.
    rare_chunk: int = 3
    epochs: int = option(8, **EPOCHS)
    patience: int = 4
    rate: float = 0.15
    #: The rate of epoch n is rate / (1 + decay * (n - 1)).
    decay: float = 0.3
    #: From this epoch on the history is the model's own, as in use.
    own_from: int = 4
    #: A sentence starts where the probability is above this.
    threshold: float = 0.5
    #: Weights smaller than this are left out of the model file.
    prune: float = 0.02
    #: Also learn from copies in lower case and without punctuation, as transcripts are.
    speech: bool = True
    #: For each document also learn from so many copies that are laid out anew: wrapped at some
    #: width, a sentence a line, as a list, double-spaced, without blank lines.
    relaid: float = option(
        1.0, "Copies of each document with other line breaks to learn from.", least=0, most=100
    )
    #: Look at what the layout says where a line begins.
    layout: bool = True
    #: Also learn from copies with the items of the language file, and from such as are written in
    #: another manner (quotation marks, dashes, spaces, case).
    exchange: bool = True
    roughen: bool = True
    #: Know the kinds of abbreviations and the case of words.
    types: bool = True
    #: The code of the language whose file is taken; empty: what the text looks like.
    language: str = ""
    #: A language file of one's own, instead.
    language_file: str = ""
    #: A file of raw text that shows more abbreviations than the treebank does.
    raw_text: str = ""
    seed: int = option(1, **SEED)

    def __post_init__(self) -> None:
        if not 0 <= self.relaid <= 100:
            raise UsageError(f"relaid is {self.relaid}, but must be 0 to 100")


KIND: Final = "tokenizer"
#: A longer text is taken block by block, so that its tables need little memory.
_BLOCK: Final = 1 << 18
#: Characters that a stream takes at a time.
_CHUNK: Final = 1 << 15
_NONE: Final = np.zeros(0, dtype=np.int64)
#: The bonus of each bias for a tokeniser that was not measured: see `benchmarks/accuracy/bias.py`.
SCALE: Final = BiasScale((-9.362, -7.68, -5.781, -3.84, 0.0, 2.116, 3.46, 5.303, 7.653))


class Tokenizer(TokenStage):
    """A trained tokeniser. It does not change in use, so threads may share one."""

    kind: ClassVar[str] = "tokenizer"
    title: ClassVar[str] = "a tokeniser"

    def __init__(
        self,
        options: TokenizerOptions,
        cuts: CodedWeights,
        begins: CodedWeights,
        splitter: Splitter,
        lexicon: Sequence[str] = (),
        chunks: Sequence[str] = (),
        scale: BiasScale = SCALE,
        types: Mapping[str, int] | None = None,
        named: Sequence[str] = (),
        habits: Habits = NO_HABITS,
    ) -> None:
        self.options = options
        #: Whether starts are taken from its evidence, which depends on the starts before.
        self.starts = True
        #: Whether a later stage reads the evidence; else it is not computed.
        self.weighs = True
        #: What else says where tokens begin, in text without blanks: see `TokenStage.open`.
        self.reader: Reader | None = None
        #: The bonus of each bias, in logarithms of odds.
        self.scale = scale
        #: What stays whole, whatever the scores say.
        self.habits = self._spoken = habits
        self.cuts = cuts
        self.begins = begins
        self.splitter = splitter
        #: Words of a language that has no spaces between them, and those of a dictionary of it.
        self.lexicon = list(lexicon)
        self.named = list(named)
        #: Chunks that are always cut the same way; tabs separate their tokens.
        self.chunks = list(chunks)
        #: What is known of word types: see `word_types`.
        self.types = dict(types or {})
        vocabulary = vocabulary_of(
            self.lexicon, self.named, self.types, self.chunks, list(known_words(self.chunks))
        )
        self._model = TokenModel(vocabulary, cuts.core, begins.core, options.layout)
        self._cache = SplitCache(splitter)

    # ----------------------------------------------------------- as a stage

    def set_language(self, language: str) -> None:
        # What is known of the language is not written to the file of the model.
        if plain_code(language) in DEGREES_APART:
            self._spoken = self.habits._replace(degrees=True)

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"bias"} if self.starts else ())

    def with_options(self, **changes: Any) -> Self:
        self.refuse(changes, ["bias"])
        return self.with_bias(**changes) if changes else self

    def weighing(self) -> Self:
        other = copy(self)
        other.weighs = True
        return other

    def open(self, *, decided: bool, weigh: bool = True, reader_of: ReaderOf | None = None) -> Self:
        other = copy(self)
        other.decides = False
        if decided:
            other.starts, other.weighs = False, weigh
        return other

    def evidence_starts(self) -> Stage:
        return EvidenceStarts(self)

    def tokens_of(self, source: str | Document, given: GivenText = NOTHING_GIVEN) -> Document:
        """As `tokenize`; every line starts a sentence if it shall."""
        starts = given.sentence_starts
        text = source if isinstance(source, str) else source.text
        fixed = isinstance(source, Document) and Constraints.of(source).tokens
        if given.by_line and not fixed:
            starts = sorted({*(starts or ()), *line_starts(text)})
            source = text
        doc = self.tokenize(
            source,
            sentences=self.decides,
            tokens=given.tokens,
            sentence_starts=starts,
            no_boundary=given.no_boundary,
        )
        if not len(doc.paragraph_start) and not fixed:
            doc.paragraph_start = paragraphs(text)
        return doc

    def tokens_of_many(self, sources: Sequence[Document]) -> list[Document]:
        strings = sources[0].strings if sources else None
        plain = [n for n, doc in enumerate(sources) if _is_plain(doc) and doc.strings is strings]
        if len(plain) < 2 or self.reader is not None:
            return super().tokens_of_many(sources)
        docs = list(sources)
        own = [
            Document(
                text=doc.text,
                strings=doc.strings,
                id=doc.id,
                source=doc.source,
                continues=doc.continues,
                before=doc.before,
                trailer=doc.trailer,
                paragraph_start=paragraphs(doc.text),
            )
            for doc in (sources[n] for n in plain)
        ]
        self._tokenize_many(own)
        for n, doc in zip(plain, own, strict=True):
            docs[n] = doc
        for n in {*range(len(docs))}.difference(plain):
            docs[n] = self.tokens_of(docs[n])
        return docs

    def pieces(
        self, blocks: Iterable[str], *, by_line: bool = False, turns: TurnReader | None = None
    ) -> Iterator[Document]:
        """Pieces with tokens; where it decides about sentences, each ends with one."""
        stream = self.stream(
            sentences=self.decides,
            whole_sentences=self.decides,
            newline_is_boundary=by_line,
            turns=turns,
        )
        for block in blocks:
            for at in range(0, len(block), _CHUNK):
                piece = stream.feed(block[at : at + _CHUNK])
                if piece.n_tokens:
                    yield piece
        piece = stream.feed("", last=True)
        if piece.n_tokens or piece.text:
            yield piece

    # ------------------------------------------------------------------ use

    def tokenize(
        self,
        source: str | Document,
        *,
        sentences: bool = True,
        tokens: Sequence[tuple[int, int]] | None = None,
        sentence_starts: Iterable[int] | None = None,
        no_boundary: Iterable[int] | None = None,
        strings: Strings | None = None,
    ) -> Document:
        """Tokens, words and evidence of sentence starts of a text or a document.

        Without `sentences` the evidence is given and the decision left to a later stage. `tokens`
        are spans that are taken as they are; a sentence starts at each offset in
        `sentence_starts` and at none in `no_boundary`. Of a document, what its `fixed` names is
        obeyed: its tokens and words, its sentence starts, or both.
        """
        if isinstance(source, Document):
            return self._document(source, sentences, sentence_starts)
        given = OffsetConstraints(
            _offsets(sentence_starts, len(source), "sentence_starts"),
            _offsets(no_boundary, len(source), "no_boundary"),
        )
        table = strings if strings is not None else Strings()
        if tokens is None:
            decided = self._decide(source, given, sentences)
            return self._build(
                source, decided, sentences, table, paragraph_start=paragraphs(source)
            )
        spans = np.array(list(tokens), dtype=np.int64).reshape(-1, 2)
        doc = Document.from_spans(source, spans[:, 0], spans[:, 1], strings=table)
        doc.check()
        doc.fixed = frozenset({"tokens"})
        doc.paragraph_start = paragraphs(source)
        ids, kinds = np.unique(doc.form, return_inverse=True)
        forms, ends = table.take(ids), np.array([doc.n_tokens])
        doc.form, counts = split_forms(
            doc.form, forms, kinds.astype(np.int32), ends, table, self._cache
        )
        doc.word_token = np.repeat(doc.word_token, counts)
        doc.blank_words()
        self._evidence(doc, given, sentences)
        return doc

    def with_bias(self, bias: float) -> Self:
        """The same tokeniser with more sentence starts (1: about twice as many), or fewer."""
        return self.with_bonus(self.scale.bonus(bias))

    def with_bonus(self, bonus: float) -> Self:
        """The same tokeniser; the bonus is added to the logarithm of the odds of every start."""
        other = copy(self)
        if bonus:
            threshold = min(max(self.options.threshold, 1e-9), 1.0 - 1e-9)
            odds = math.log(threshold / (1.0 - threshold))
            other.options = replace(self.options, threshold=1.0 / (1.0 + math.exp(bonus - odds)))
        return other

    def stream(self, **options: Any) -> Stream:
        """A document that comes in blocks, with the options of `Stream`: see `Stream.feed`."""
        return Stream(self, **options)

    def decoder(self, given: OffsetConstraints | None = None, *, sentences: bool = True) -> Decoder:
        """What decides about one text, block by block."""
        return Decoder(
            self._model,
            self.options.threshold,
            given,
            weigh=sentences or self.weighs,
            reader=self.reader,
            habits=self._spoken,
        )

    def _decide(self, text: str, given: OffsetConstraints, sentences: bool) -> Decided:
        decoder = self.decoder(given, sentences=sentences)
        if len(text) <= _BLOCK:
            return decoder.feed(text, last=True)
        parts = [decoder.feed(text[at : at + _BLOCK]) for at in range(0, len(text), _BLOCK)]
        parts.append(decoder.feed("", last=True))
        return Decided.join(parts)

    def _tokenize_many(self, docs: Sequence[Document]) -> None:
        """Give documents of short texts, which have the same strings, their tokens."""
        codes, ends = packed(doc.text for doc in docs)
        signs = signs_of(codes, ends)
        known = np.zeros(0, np.int8)
        for n in np.flatnonzero(signs).tolist():
            start, end = int(ends[n - 1]) if n else 0, int(ends[n])
            cuts = known_cuts(codes[start:end], self._spoken)
            if cuts is not None:
                known = known if len(known) else np.zeros(len(codes), np.int8)
                known[start:end] = cuts
        token_ends, columns = self._model.decode(
            codes,
            ends,
            known,
            self.options.threshold,
            self.decides or self.weighs,
            self._spoken.numbers,
        )
        self._fill(docs, token_ends, Decided(*columns), self.decides)

    def _build(
        self, text: str, decided: Decided, sentences: bool, strings: Strings, **columns: Any
    ) -> Document:
        doc = Document(text=text, strings=strings, **columns)
        self._fill([doc], np.array([len(decided.starts)]), decided, sentences)
        return doc

    def _fill(
        self, docs: Sequence[Document], ends: Longs, decided: Decided, sentences: bool
    ) -> None:
        build(
            docs,
            ends,
            decided,
            self._cache,
            sentences=sentences,
            threshold=self.options.threshold,
            weighed=sentences or self.weighs,
        )

    def _document(
        self, source: Document, sentences: bool, starts: Iterable[int] | None
    ) -> Document:
        given, fixed = OffsetConstraints.of(source), Constraints.of(source)
        if starts and not given.all_starts:
            more = _offsets(starts, len(source.text), "sentence_starts")
            given = given._replace(
                starts=np.union1d(given.starts, np.setdiff1d(more, given.no_starts))
            )
        if fixed.tokens:
            doc = replace(source)
            self._evidence(doc, given, sentences)
            return doc
        decided = self._decide(source.text, given, sentences)
        kept = {
            name: getattr(source, name)
            for name in ("id", "source", "continues", "paragraph_start", "fixed", "trailer")
        }
        for name in ("turn", "markup"):
            for column in ("start", "end"):
                kept[f"{name}_{column}"] = getattr(source, f"{name}_{column}")
        strings = source.strings
        doc = self._build(source.text, decided, sentences, strings, **kept)
        doc.before = source.before
        doc.turn_speaker, doc.turn_time = source.turn_speaker, source.turn_time
        doc.markup_label = source.markup_label
        if fixed.starts is not None:
            obeyed = given.at(doc.token_start)
            doc.sent_start = np.where(obeyed >= 0, obeyed, doc.sent_start).astype(np.int8)
        return doc

    def evidence(self, doc: Document) -> NDArray[np.float32]:
        """The probability that a sentence starts at each token of a document, whatever it says."""
        return self._probabilities(doc, OffsetConstraints(paragraphs=doc.paragraph_start))

    def _probabilities(self, doc: Document, given: OffsetConstraints) -> NDArray[np.float32]:
        codes = code_points(doc.text)
        signs_of(codes, np.array([len(codes)], np.int64))
        columns = (doc.token_start, doc.token_end, given.paragraphs)
        begins, ends, paragraphs = (np.ascontiguousarray(column, np.int64) for column in columns)
        shown = breaks(doc) if self.options.layout else np.zeros(0, np.uint8)
        known = with_layout(doc, given.at(doc.token_start))
        threshold = self.options.threshold
        return self._model.start_evidence(codes, begins, ends, paragraphs, shown, known, threshold)

    def _evidence(self, doc: Document, given: OffsetConstraints, sentences: bool) -> None:
        evidence = self._probabilities(doc, given) if sentences or self.weighs else None
        if evidence is not None:
            doc.start_evidence = evidence
        known = given.at(doc.token_start)
        if sentences and evidence is not None:
            decided = np.where(evidence > self.options.threshold, YES, NO)
            doc.sent_start = decided.astype(np.int8)
        else:
            doc.sent_start = np.where(known >= 0, known, MAYBE).astype(np.int8)

    # -------------------------------------------------------------- storing

    def to_part(self) -> Part:
        arrays: dict[str, NDArray[Any]] = {}
        arrays |= pack_codes("cut", self.cuts.coded())
        arrays |= pack_codes("start", self.begins.coded())
        arrays |= self.splitter.to_arrays()
        labels = self.splitter.to_labels() | {"lexicon": self.lexicon}
        labels["chunks"] = self.chunks
        if self.named:
            labels["named"] = self.named
        if self.types:
            labels["types"] = list(self.types)
            arrays["type_bits"] = np.array(list(self.types.values()), dtype=np.int32)
        # The model keeps the names of the language file and the raw text, without their folders.
        files = {
            name: Path(getattr(self.options, name)).name for name in ("language_file", "raw_text")
        }
        config = asdict(self.options) | files | {"bias-scale": self.scale.as_config()}
        if any(self.habits):
            config["habits"] = self.habits._asdict()
        return Part(KIND, config, labels, arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        if part.kind != KIND:
            raise ModelError(
                f"this is a {part.kind}, not a tokenizer", remedy="Name a tokeniser's model."
            )
        known = {
            field.name: part.option(
                field.name,
                str if isinstance(field.default, str) else (bool, int, float),
                field.default,
            )
            for field in fields(TokenizerOptions)
        }
        known["layout"] = bool(part.option("layout", bool, False))  # which older files lack
        options = TokenizerOptions(**known)
        if not 8 <= options.bits <= 28:
            raise ModelError(f"the model's tokenizer has tables of 2**{options.bits} rows")
        splitter = Splitter.from_parts(
            part.labels,
            part.array("doubtful_odds", np.float32, (None,)),
            part.array("doubtful_rows", np.int32, (None,)),
            part.array("doubtful_weights", np.float32, (None,)),
        )
        cuts, begins = (
            CodedWeights(options.bits, unpack_codes(part, name, 1 << options.bits))
            for name in ("cut", "start")
        )
        lexicon = part.labels.get("lexicon", [])
        named = part.labels.get("named", [])
        if not (_fit(lexicon, LONGEST) and _fit(named, LONGEST_NAMED)):
            raise ModelError("the model's tokenizer has words that are too long in its lexicon")
        chunks = part.labels.get("chunks", [])
        scale = BiasScale.from_config(part.option("bias-scale", dict, {}), SCALE)
        types: dict[str, int] = {}
        if part.labels.get("types"):
            forms = part.labels["types"]
            bits = part.array("type_bits", np.int32, (len(forms),))
            if not _fit(forms, LONGEST_TYPE):
                raise ModelError("the model's tokenizer knows types that are too long")
            types = dict(zip(forms, bits.tolist(), strict=True))
            splitter.classes = word_classes(types)
        habits = Habits.from_config(part.option("habits", dict, {}))
        return cls(options, cuts, begins, splitter, lexicon, chunks, scale, types, named, habits)

    @classmethod
    def load(cls, model: str | os.PathLike[str]) -> Tokenizer:
        """The tokeniser of a model, by name or path."""
        file = load_model(model)
        tokenizer = cls.from_part(file.part(KIND))
        tokenizer.set_language(language_of_model(file.meta) or "")
        return tokenizer

    def save(self, path: str | os.PathLike[str]) -> None:
        save(path, {KIND: self.to_part()})


def _is_plain(doc: Document) -> bool:
    """Whether a document has nothing but text."""
    columns = (doc.token_start, doc.paragraph_start, doc.turn_start, doc.markup_start)
    return not doc.fixed and not any(map(len, columns))


def _offsets(given: Iterable[int] | None, size: int, name: str) -> NDArray[np.int64]:
    if given is None:
        return _NONE
    offsets = np.unique(np.array(list(given), dtype=np.int64))
    if len(offsets) and not 0 <= offsets[0] <= offsets[-1] <= size:
        raise UsageError(f"{name}: an offset lies outside the text of {size} characters")
    return offsets


def _fit(strings: Sequence[str], longest: int) -> bool:
    """Whether no string is empty or too long."""
    return all(0 < length <= longest for length in set(map(len, strings)))


@dataclass
class EvidenceStarts(StartStage):
    """Sets the sentence starts that a tokeniser had left open."""

    tokenizer: Tokenizer
    kind: ClassVar[str] = "tokenizer"
    title: ClassVar[str] = "a tokeniser"

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"bias"})

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        take_evidence(docs, self.tokenizer.options.threshold)

    def with_options(self, **changes: Any) -> Self:
        return type(self)(self.tokenizer.with_options(**changes))

    def to_part(self) -> Part:
        return self.tokenizer.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(Tokenizer.from_part(part))


def take_evidence(docs: Iterable[Document], threshold: float = 0.5) -> None:
    """Open sentence starts become those that are as likely as the threshold, or likelier.

    No sentence starts inside an arc that is given; without evidence nothing is decided.
    """
    for doc in docs:
        if doc.has_sentences or doc.start_evidence is None or not doc.n_tokens:
            continue
        starts = np.where(doc.start_evidence >= threshold, YES, NO).astype(np.int8)
        starts[inside_arcs(doc)] = NO
        starts = with_fixed_starts(doc, starts)
        starts[0] = YES
        doc.sent_start = starts
