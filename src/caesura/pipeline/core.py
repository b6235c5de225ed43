"""The pipeline: tokeniser, tagger and parser of one model file, for texts, files and streams."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from caesura import constraints
from caesura.blocks import annotate_whole, in_blocks
from caesura.constraints import Constraints
from caesura.document import Document, Strings
from caesura.errors import UsageError
from caesura.language import language_of_model, watch_for
from caesura.models.file import ModelFile, Part
from caesura.parse.load import biased, load_parser, take_evidence

if TYPE_CHECKING:
    from caesura.neural.stage import NeuralParser
    from caesura.parse.branching import BranchingParser
    from caesura.parse.parser import Parser
    from caesura.parse.recipes import Reparsed
    from caesura.tag.tagger import Tagger
    from caesura.tokenize.tokenizer import Tokenizer

__all__ = ["MODES", "Mode", "Pipeline", "load", "split"]

Mode = Literal["accurate", "fast"]
MODES: Final[tuple[Mode, ...]] = ("accurate", "fast")
#: A longer text of a file is streamed.
LONG: Final = 60_000
#: Characters of small texts that are done in one call of the kernels.
_BATCH: Final = 60_000
#: Characters that a stream takes at a time.
_CHUNK: Final = 1 << 15


class Pipeline:
    """Texts in, documents out. It does not change in use, so threads may share one.

    `mode` chooses between two speeds: `accurate` (beam search) and `fast`.
    """

    def __init__(
        self,
        file: ModelFile,
        *,
        mode: Mode = "accurate",
        threads: int = 1,
        release: bool = False,
    ) -> None:
        """With `release` the arrays of the file are let go, which spares memory."""
        if mode not in MODES:
            raise UsageError(f"there is no mode {mode!r}", remedy=f"Modes: {', '.join(MODES)}.")
        self.file = file
        self.mode = mode
        #: Warns once of text in another language; None: nobody does.
        self.watch = watch_for(file.meta)
        self._tokenizer = _tokenizer(file) if "tokenizer" in file.parts else None
        if release:
            _let_go(file, "tokenizer")
        self.neural: NeuralParser | None = None
        self.tagger: Tagger | None = None
        self.parser: Parser | BranchingParser | Reparsed | None = None
        if "neural" in file.parts:
            self.neural = _neural(file, mode, threads)
        else:
            self.parser = load_parser(file, fast=mode == "fast")
            if release:
                for name in ("parser", "boundaries"):
                    _let_go(file, name)
                for parser in (self.parser, *vars(self.parser).values()):
                    if hasattr(parser, "packed"):
                        parser.packed = None
            self.tagger = _tagger(file)
            if release and self.tagger is not None:
                _let_go(file, "tagger")
                self.tagger.part = file.parts["tagger"]

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokeniser; a model trained on a treebank without text has none."""
        if self._tokenizer is None:
            return _tokenizer(self.file)  # which says what is missing
        return self._tokenizer

    @property
    def has_tokenizer(self) -> bool:
        return self._tokenizer is not None

    @property
    def name(self) -> str:
        return str(self.file.meta.get("name", "")) or os.path.basename(self.file.path)

    @property
    def language(self) -> str | None:
        """The code of the model's language, where it is known."""
        return language_of_model(self.file.meta)

    def __repr__(self) -> str:
        return f"<Pipeline {self.name!r}, {self.mode}: {', '.join(sorted(self.file.parts))}>"

    def with_search(self, **changes: Any) -> Pipeline:
        """The same pipeline with other options of the search, such as `beam` and `bias`."""
        if not changes:
            return self
        if "bias" in changes and not self.finds_boundaries:
            other = copy(self)  # its sentences are the tokeniser's, and so is the bias
            other._tokenizer = biased(self._tokenizer, changes.pop("bias"))
            return other.with_search(**changes)
        stage = self.neural or self.parser
        assert stage is not None, "a pipeline has one of the two"
        known = list(type(stage.search).__dataclass_fields__)
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise UsageError(
                f"the parser of this model has no {unknown[0]}",
                remedy=f"What can be changed: {', '.join(known)}.",
            )
        other = copy(self)
        if self.neural is not None:
            other.neural = self.neural.with_search(**changes)
        elif self.parser is not None:
            other.parser = self.parser.with_search(**changes)
        return other

    @property
    def finds_boundaries(self) -> bool:
        """Whether the parser decides where sentences start; else the tokeniser or the caller."""
        return self.parser is None or self.parser.inventory.sb

    # ----------------------------------------------------------------- one

    def __call__(
        self,
        source: str | Document,
        *,
        tokens: Sequence[tuple[int, int]] | None = None,
        sentence_starts: Iterable[int] | None = None,
        no_boundary: Iterable[int] | None = None,
        newline_is_boundary: bool = False,
        keep: Iterable[str] = (),
        confidence: bool = False,
    ) -> Document:
        """Parse one text or document.

        Of a text, `tokens` gives the spans of its tokens; a sentence starts at each offset in
        `sentence_starts` and at none in `no_boundary`. Of a document, what `keep` names (tokens,
        sentences, tags, lemmas, heads) is kept and obeyed, whether some or all of it is known.
        With `confidence` the columns of confidences are filled.
        """
        starts = None if sentence_starts is None else list(sentence_starts)
        others = None if no_boundary is None else list(no_boundary)
        if isinstance(source, Document):
            if tokens is not None or starts is not None or others is not None:
                raise UsageError(
                    "tokens and boundaries by offset go with a text, not with a document",
                    remedy="Set them in the document and name them in `keep`.",
                )
            doc = self._tokenise(
                constraints.keep(source, keep, newline_is_boundary), newline_is_boundary
            )
        else:
            if newline_is_boundary:
                starts = [*(starts or []), *_line_starts(source)]
            doc = self.tokenizer.tokenize(
                source,
                sentences=False,
                tokens=tokens,
                sentence_starts=None if starts is None else sorted(set(starts)),
                no_boundary=others,
            )
            if not len(doc.paragraph_start):
                doc.paragraph_start = _paragraphs(source)
            if starts is not None or others is not None:
                constraints.fix_starts(doc, starts or (), others or ())
        self.annotate([doc], confidence=confidence)
        doc.fixed = frozenset()
        return doc

    def annotate(self, docs: Sequence[Document], *, confidence: bool = False) -> None:
        """Tag and parse documents that have tokens, in place.

        A long one goes in the blocks in which it would come out of a stream.
        """
        # Given arcs may not be cut, and never come by a stream.
        whole = [doc for doc in docs if "heads" in doc.fixed]
        self._annotate(whole, confidence)
        others = [doc for doc in docs if "heads" not in doc.fixed]
        annotate_whole(others, lambda some: self._annotate(some, confidence))

    def _annotate(self, docs: Sequence[Document], confidence: bool) -> None:
        full = [doc for doc in docs if doc.n_words]
        if not full:
            return
        if self.watch is not None:
            self.watch.warn(doc.text for doc in full)
        if self.neural is not None:
            self.neural.annotate(full, confidence=confidence)
            return
        assert self.parser is not None
        if self.tagger is not None:
            self._tag(full, confidence)
        if not self.finds_boundaries:
            take_evidence(full, self._tokenizer)
        self.parser.parse(full, confidence=confidence)
        for doc in full:
            doc.tag_options = None

    @property
    def choices(self) -> int:
        """The number of tags that the parser may choose from; 1: it takes the tagger's."""
        inventory = self.parser.inventory if self.parser is not None else None
        return int(getattr(inventory, "choices", 1))

    def _tag(self, docs: Sequence[Document], confidence: bool) -> None:
        """Tag; columns that are given and known stay as they are."""
        assert self.tagger is not None
        given = [(doc, Constraints.of(doc)) for doc in docs]
        choices = self.choices
        k = choices if choices > 1 else int(confidence)
        self.tagger.tag(docs, regime="document", k=k, whole=choices > 1)
        for doc, fixed in given:
            if choices == 1:
                doc.tag_options = None
            elif not confidence:
                doc.tag_conf = None
            for name in fixed.columns:
                setattr(doc, name, fixed.obeyed(name, getattr(doc, name)))

    def _tokenise(self, source: Document, newline_is_boundary: bool = False) -> Document:
        """Tokens of a document, of which it may have given some or all."""
        if source.n_tokens and "tokens" in source.fixed:
            # Without a tokeniser there is no evidence of sentence starts, and none was learned.
            doc = self.tokenizer.tokenize(source, sentences=False) if self.has_tokenizer else source
        elif newline_is_boundary:
            lines = _line_starts(source.text)
            doc = self.tokenizer.tokenize(source.text, sentences=False, sentence_starts=lines)
            constraints.keep_layout(doc, source)
            constraints.fix_starts(doc, lines)
        else:
            doc = self.tokenizer.tokenize(source, sentences=False)
        if newline_is_boundary and "tokens" in source.fixed:
            at = np.searchsorted(doc.token_start, _line_starts(doc.text))
            constraints.fix_starts(doc, doc.token_start[at[at < doc.n_tokens]])
        if not len(doc.paragraph_start) and "tokens" not in source.fixed:
            doc.paragraph_start = _paragraphs(doc.text)
        return doc

    # ---------------------------------------------------------------- many

    def pipe(
        self,
        sources: Iterable[str | Document],
        *,
        threads: int = 1,
        keep: Iterable[str] = (),
        newline_is_boundary: bool = False,
        confidence: bool = False,
    ) -> Iterator[Document]:
        """Parse many texts or documents, in their order; threads share the model."""
        wanted = tuple(keep)

        def work(batch: list[str | Document]) -> list[Document]:
            return self.batch(
                batch, keep=wanted, newline_is_boundary=newline_is_boundary, confidence=confidence
            )

        yield from _ordered(work, _batches(sources), threads)

    def batch(
        self,
        batch: Sequence[str | Document],
        *,
        keep: Iterable[str] = (),
        newline_is_boundary: bool = False,
        confidence: bool = False,
    ) -> list[Document]:
        """Parse some texts or documents in one call of the kernels, which is quicker."""
        wanted = tuple(keep)
        if len(batch) == 1:
            return [
                self(
                    batch[0],
                    keep=wanted,
                    newline_is_boundary=newline_is_boundary,
                    confidence=confidence,
                )
            ]
        strings = Strings()
        docs = []
        for source in batch:
            if isinstance(source, str):
                source = Document(text=source, strings=strings)
            elif not source.n_tokens and len(source.strings) == 1:
                source = replace(source, strings=strings)
            given = constraints.keep(source, wanted, newline_is_boundary)
            docs.append(self._tokenise(given, newline_is_boundary))
        self.annotate(docs, confidence=confidence)
        for doc in docs:
            doc.fixed = frozenset()
        return docs

    # -------------------------------------------------------------- stream

    def stream(
        self,
        source: str | os.PathLike[str] | Iterable[str],
        *,
        newline_is_boundary: bool = False,
        confidence: bool = False,
        encoding: str = "utf-8",
    ) -> Iterator[Document]:
        """Parse one endless text, a file or blocks of text, in constant memory.

        The pieces follow each other, each ends with a complete sentence, and their texts add up
        to the text.
        """
        if isinstance(source, str | os.PathLike):
            from caesura import formats

            blocks: Iterable[str] = (
                piece.text for piece in formats.read(source, "text", pieces=4000, encoding=encoding)
            )
        else:
            blocks = source
        tokens = self._tokens(blocks, newline_is_boundary)
        for piece in in_blocks(tokens, lambda some: self._annotate(some, confidence)):
            piece.fixed = frozenset()
            yield piece

    def _tokens(self, blocks: Iterable[str], newline_is_boundary: bool) -> Iterator[Document]:
        """The tokens of a text that comes in blocks, as pieces of a document."""
        stream = self.tokenizer.stream(sentences=False, newline_is_boundary=newline_is_boundary)
        for block in blocks:
            for at in range(0, len(block), _CHUNK):
                piece = stream.feed(block[at : at + _CHUNK])
                if piece.n_tokens:
                    yield piece
        piece = stream.feed("", last=True)
        if piece.n_tokens or piece.text:
            yield piece

    # -------------------------------------------------------------- k best

    def k_best(
        self,
        source: str | Document,
        k: int,
        *,
        keep: Iterable[str] = (),
        newline_is_boundary: bool = False,
    ) -> list[Document]:
        """Up to k different analyses of one text or document, the best first."""
        if isinstance(source, str):
            source = Document(text=source)
        given = constraints.keep(source, keep, newline_is_boundary)
        doc = self._tokenise(given, newline_is_boundary)
        if not doc.n_words:
            return [doc]
        if self.watch is not None:
            self.watch.warn([doc.text])
        if self.neural is not None:
            return self.neural.k_best(doc, k)
        assert self.parser is not None
        if self.tagger is not None:
            self._tag([doc], False)
        if not self.finds_boundaries:
            take_evidence([doc], self._tokenizer)
        found = []
        for parse in self.parser.k_best_parses(doc, k):
            analysis = replace(doc)
            self.parser.write(analysis, parse)
            analysis.fixed, analysis.tag_options = frozenset(), None
            found.append(analysis)
        return found


def _paragraphs(text: str) -> Any:
    from caesura.tokenize.paragraphs import paragraphs

    return paragraphs(text)


def _line_starts(text: str) -> list[int]:
    from caesura.tokenize.paragraphs import line_starts

    return line_starts(text)


def _batches(sources: Iterable[str | Document]) -> Iterator[list[str | Document]]:
    """Small texts together, so that a kernel is called for many of them at once."""
    batch: list[str | Document] = []
    size = 0
    for source in sources:
        length = len(source if isinstance(source, str) else source.text)
        if batch and size + length > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(source)
        size += length
    if batch:
        yield batch


def _ordered(
    work: Callable[[list[str | Document]], list[Document]],
    batches: Iterator[list[str | Document]],
    threads: int,
) -> Iterator[Document]:
    """The results of all batches in order, with at most a few of them under way."""
    if threads < 1:
        raise UsageError(f"{threads} threads", remedy="Use one thread or more.")
    if threads == 1:
        for batch in batches:
            yield from work(batch)
        return
    waiting: deque[Future[list[Document]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(work, batch))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


# ------------------------------------------------------------------- loading


def load(
    model: str | os.PathLike[str] = "en", *, mode: Mode = "accurate", threads: int = 1
) -> Pipeline:
    """The pipeline of a model: the name of an installed one, or the path of a file."""
    from caesura.models.store import load_model

    return Pipeline(load_model(model), mode=mode, threads=threads, release=True)


def split(text: str, model: str | os.PathLike[str] = "en", *, mode: Mode = "accurate") -> list[str]:
    """The sentences of a text, those that the pipeline finds."""
    doc = load(model, mode=mode)(text)
    return [sentence.text for sentence in doc.sentences]


def _let_go(file: ModelFile, name: str) -> None:
    """Drop the arrays of a part; what else it says stays."""
    part = file.parts.get(name)
    if part is not None:
        file.parts[name] = Part(part.kind, part.config, part.labels)


def _tokenizer(file: ModelFile) -> Tokenizer:
    from caesura.tokenize.tokenizer import Tokenizer

    return Tokenizer.from_part(file.part("tokenizer"))


def _tagger(file: ModelFile) -> Tagger | None:
    from caesura.tag.tagger import Tagger

    return Tagger(file.part("tagger")) if "tagger" in file.parts else None


def _neural(file: ModelFile, mode: Mode, threads: int) -> NeuralParser:
    from caesura.neural.stage import NeuralParser

    parser = NeuralParser.from_part(file.part("neural")).with_options(threads=threads)
    return parser.fast() if mode == "fast" else parser
