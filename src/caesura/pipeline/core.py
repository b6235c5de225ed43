"""The pipeline: tokeniser, tagger and parser of one model file, for texts, files and streams."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Final, TypeVar, Unpack

import numpy as np

from caesura import constraints, formats
from caesura.document import MAYBE, Document, Longs, Strings
from caesura.errors import ModelError, UsageError
from caesura.language import language_of_model, watch_for
from caesura.models.file import ModelFile
from caesura.options import PLAIN, Asked, AskedMarked, AskedPlain, Request, asks
from caesura.pipeline import cues
from caesura.pipeline.blocks import annotate_stream, annotate_whole, batches, ordered
from caesura.pipeline.builder import build, changed, quick_stages
from caesura.pipeline.confidence import StartMaps, maps_of
from caesura.pipeline.given import check_many, check_one, check_stream, checked_blocks
from caesura.pipeline.times import set_times
from caesura.stage import GivenText, Stage, TokenStage
from caesura.stages.token_decoder import line_starts
from caesura.turns import TurnReader, changes, label_spans, take_turns, with_turns, with_turns_of

__all__ = ["Pipeline"]

S = TypeVar("S", bound=Stage)
_NOWHERE: Final = np.zeros(0, np.int64)


class Pipeline:
    """Texts in, documents out. It is thread-safe."""

    def __init__(self, file: ModelFile, *, threads: int = 1, release: bool = False) -> None:
        """With `release`, free the arrays of the file."""
        self.file = file
        #: Threads and release, and which of the methods below changed it since: see `loading`.
        self.how: tuple[int, bool] = (threads, release)
        self.steps: tuple[tuple[str, dict[str, Any]], ...] = ()
        #: Warns once if the text is in another language. None disables the check.
        self.watch = watch_for(file.meta)
        #: Calibration maps for the boundary confidences.
        self.calibration = maps_of(file.meta, "search")
        #: Options of the search that were changed.
        self.search: dict[str, Any] = {}
        #: What is done to a document, in this order.
        self.stages = build(file, threads=threads, release=release)
        self.watch = self.watch or self.stages[0].watch()

    @property
    def tokenizer(self) -> TokenStage:
        """The tokeniser. A model trained on a treebank without text has none."""
        first = self.stages[0]
        if not isinstance(first, TokenStage):
            raise ModelError(
                f"this model has no tokenizer (it holds: {', '.join(sorted(self.file.parts))})",
                file=self.file.path or None,
                remedy="Use a model that was trained with a tokenizer.",
            )
        return first

    @property
    def has_tokenizer(self) -> bool:
        return isinstance(self.stages[0], TokenStage)

    @property
    def _rest(self) -> list[Stage]:
        """The stages that come after the tokens."""
        return self.stages[self.has_tokenizer :]

    @property
    def _main(self) -> Stage:
        """The stage that makes trees, or the last one."""
        return ([s for s in self.stages if "head" in s.adds] or self.stages)[-1]

    def stage(self, kind: type[S]) -> S | None:
        """The first stage of a class, or None."""
        return next((stage for stage in self.stages if isinstance(stage, kind)), None)

    @property
    def title(self) -> str:
        """The name of its parser, or of its last stage, in messages."""
        return self._main.title

    @property
    def adds(self) -> frozenset[str]:
        """What the stages fill."""
        return frozenset().union(*(stage.adds for stage in self.stages))

    @property
    def offers(self) -> frozenset[str]:
        """The options of the stages: see `Stage.offers`."""
        return frozenset().union(*(stage.offers for stage in self.stages))

    @property
    def name(self) -> str:
        return str(self.file.meta.get("name", "")) or os.path.basename(self.file.path)

    @property
    def language(self) -> str | None:
        """The code of the model's language, where it is known, or of the one that was fixed."""
        return self.search.get("language") or language_of_model(self.file.meta)

    def __repr__(self) -> str:
        return f"<Pipeline {self.name!r}: {', '.join(sorted(self.file.parts))}>"

    def with_search(self, **changes: Any) -> Pipeline:
        """The same pipeline with other options of the search, such as `beam` and `bias`."""
        if not changes:
            return self
        for name in changes:
            if name not in self.offers:
                self._main.with_options(**{name: changes[name]})  # which says what there is
        other = self._changed("with_search", **changes)
        other.search = self.search | changes
        other.stages = changed(self.stages, changes)
        if "language" in changes and self.watch is not None:
            other.watch = other.stages[0].watch()
        return other

    def quick(self) -> Pipeline:
        """The same pipeline for sentences alone: see `builder.quick_stages`."""
        other = self._changed("quick")
        other.stages = quick_stages(self.stages)
        other.calibration = maps_of(self.file.meta, "quick")
        found = other.with_search(**{k: v for k, v in self.search.items() if k in other.offers})
        found.steps = other.steps
        return found

    def uncalibrated(self) -> Pipeline:
        """The same pipeline with the confidences of its stages as they are."""
        other = self._changed("uncalibrated")
        other.calibration = StartMaps()
        return other

    def unwatched(self) -> Pipeline:
        """The same pipeline without the check of the language."""
        other = self._changed("unwatched")
        other.watch = None
        return other

    def _changed(self, step: str, **options: Any) -> Pipeline:
        """A copy that one of the methods above changes."""
        other = copy(self)
        other.steps = (*self.steps, (step, options))
        return other

    def __copy__(self) -> Pipeline:  # which would otherwise go the way of a pickle
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    # ----------------------------------------------------------------- one

    @asks(Asked)
    def __call__(
        self,
        source: str | Document,
        *,
        tokens: Sequence[tuple[int, int]] | None = None,
        sentence_starts: Iterable[int] | None = None,
        no_boundary: Iterable[int] | None = None,
        **keywords: Unpack[Asked],
    ) -> Document:
        """Parse one text or document.

        Of a text, `tokens` gives the spans of its tokens; a sentence starts at each offset in
        `sentence_starts` and at none in `no_boundary`. Of a document, what `keep` names (tokens,
        sentences, tags, lemmas, heads) is kept and obeyed, whether some or all of it is known.
        With `newline_is_boundary` every line ends a sentence. In a transcript no sentence runs
        over a change of speaker unless it may go `across_turns`. With `confidence` the columns of
        confidences are filled.
        """
        request = Request.of(keywords, Asked)
        check_one(source)
        if tokens is None and sentence_starts is None and no_boundary is None:
            return self.batch_of([source], request)[0]
        if isinstance(source, Document):
            raise UsageError(
                "tokens and boundaries by offset go with a text, not with a document",
                remedy="Set them in the document and name them in `keep`.",
            )
        starts = None if sentence_starts is None else list(sentence_starts)
        others = None if no_boundary is None else list(no_boundary)
        told = Document(text=source)
        if request.newline_is_boundary:
            starts = [*(starts or []), *line_starts(source)]
        if take_turns(told) and not request.across_turns:
            spoken = set(changes(told).tolist()) - set(others or ())
            starts = [*(starts or []), *spoken]
        fixed = None if starts is None else sorted(set(starts))
        doc = self.tokenizer.tokens_of(source, GivenText(tokens, fixed, others))
        with_turns_of(doc, told)
        if starts is not None or others is not None:
            constraints.fix_starts(doc, starts or (), others or ())
        self.annotate([doc], request)
        doc.fixed = frozenset()
        return doc

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        """Tag and parse documents that have tokens, in place.

        A long one goes in the blocks in which it would come out of a stream, unless its sentences
        come with its tokens.
        """
        if "sentences" in self.stages[0].adds and self.has_tokenizer:
            self._annotate(docs, request)
            return
        for doc in docs:
            speech = cues.without_sounds(doc)
            if speech is not None:
                if self.has_tokenizer and speech.start_evidence is not None:
                    speech.fixed |= {"tokens"}
                    speech.start_evidence = self.tokenizer.tokens_of(speech).start_evidence
                self.annotate([speech], replace(request, confidence=False))
                if speech.has_sentences:
                    cues.put_sounds(doc, speech)
        docs = self._with_cues(docs, request)
        with cues.as_turns(docs):
            self._annotate_whole(docs, request)

    def _annotate_whole(self, docs: Sequence[Document], request: Request) -> None:
        # Given arcs may not be cut, and never come by a stream.
        arcs = [constraints.Constraints.of(doc).heads is not None for doc in docs]
        self._annotate([doc for doc, given in zip(docs, arcs, strict=True) if given], request)
        others = [doc for doc, given in zip(docs, arcs, strict=True) if not given]
        annotate_whole(others, lambda some: self._annotate(some, request))

    def _with_cues(self, docs: Sequence[Document], request: Request) -> list[Document]:
        """Weigh the ends of cues; those documents are returned that must still be annotated."""
        cued = [doc for doc in docs if cues.are_open(doc)] if "confidence" in self.offers else []
        if not cued:
            return list(docs)
        done = []
        for doc in cued:
            first = doc.cut(0, doc.n_tokens)
            first.token_break = doc.token_break
            with cues.as_turns([first]):
                self._annotate_whole([first], replace(request, confidence=True))
            if first.sent_conf is not None and cues.decide(doc, first.sent_conf):
                continue
            for column in doc.schema.columns:
                if column.name != "fixed" and (request.confidence or not column.confidence):
                    setattr(doc, column.name, getattr(first, column.name))
            done.append(id(doc))
        return [doc for doc in docs if id(doc) not in done]

    def _annotate(self, docs: Sequence[Document], request: Request) -> None:
        full = [doc for doc in docs if doc.n_words]
        if not full:
            return
        if self.watch is not None:
            self.watch.warn(doc.text for doc in full)
        for stage in self._rest:
            stage.annotate(full, request)
        for doc in full if request.confidence else ():
            self.calibration.apply(doc)

    def tokenise(self, source: Document, request: Request = PLAIN) -> Document:
        """Tokens of a document, of which it may have given some or all."""
        given = constraints.Constraints.of(source).tokens
        by_line = request.newline_is_boundary
        source = with_turns(source)
        spoken = _NOWHERE if request.across_turns else constraints.turn_starts(source)
        # Without a tokeniser there is no evidence of sentence starts, and none was learned.
        doc = source
        if self.has_tokenizer or not given:
            starts = GivenText(sentence_starts=spoken.tolist(), by_line=by_line)
            doc = self.tokenizer.tokens_of(source, starts)
        if source.turn_kind is not None and len(doc.turn_start) == len(source.turn_start):
            doc.turn_kind = source.turn_kind
        set_times(doc, source)
        if by_line:
            lines: Longs = np.array(line_starts(doc.text), np.int64)
            if source.turn_kind is not None:
                lines = np.union1d(lines, source.turn_start)
            if not given:
                paragraphs = doc.paragraph_start
                constraints.keep_layout(doc, source)
                if not len(source.paragraph_start):
                    doc.paragraph_start = paragraphs
            at = np.searchsorted(doc.token_start, lines)
            constraints.fix_starts(doc, doc.token_start[at[at < doc.n_tokens]])
        if len(spoken):
            told = by_line or constraints.Constraints.of(source).starts is not None
            constraints.fix_turns(doc, spoken, () if told else label_spans(doc))
        return doc

    def _tokenise_many(self, sources: Sequence[Document], request: Request) -> list[Document]:
        """The same for many documents; those that have nothing but text in one call."""
        docs = [with_turns(source) for source in sources]
        plain = [
            n
            for n, doc in enumerate(docs)
            if not (request.newline_is_boundary or doc.fixed or doc.n_tokens or len(doc.turn_start))
        ]
        found = self.tokenizer.tokens_of_many([docs[n] for n in plain]) if plain else []
        done = dict(zip(plain, found, strict=True))
        return [done[n] if n in done else self.tokenise(doc, request) for n, doc in enumerate(docs)]

    # ---------------------------------------------------------------- many

    @asks(Asked)
    def pipe(
        self, sources: Iterable[str | Document], *, threads: int = 1, **keywords: Unpack[Asked]
    ) -> Iterator[Document]:
        """Parse many texts or documents, in their order; threads share the model."""
        request = Request.of(keywords, Asked)
        check_many(sources)
        found = batches(_checked(sources), _length)
        return ordered(lambda batch: self.batch_of(batch, request), found, threads)

    @asks(Asked)
    def batch(self, batch: Sequence[str | Document], **keywords: Unpack[Asked]) -> list[Document]:
        """Parse some texts or documents in one call of the core, which is faster."""
        return self.batch_of(batch, Request.of(keywords, Asked))

    def batch_of(self, batch: Sequence[str | Document], request: Request) -> list[Document]:
        """The same by a request. If documents are `added` to, all that no stage fills stays."""
        check_many(batch)
        for number, one in enumerate(batch, 1):
            check_one(one, f"number {number}")
        added = request.added
        if len(batch) == 1 and not added:
            only = batch[0] if isinstance(batch[0], Document) else Document(text=batch[0])
            doc = self.tokenise(constraints.keep(only, request.keep), request)
            self.annotate([doc], request)
            doc.fixed = frozenset()
            return [doc]
        strings = Strings()
        sources, docs = [], []
        for source in batch:
            if isinstance(source, str):
                source = Document(text=source, strings=strings)
            elif not source.n_tokens and len(source.strings) == 1:
                source = replace(source, strings=strings)
            sources.append(source)
            if added:
                docs.append(constraints.add_to(source, self.adds, request.keep))
            else:
                docs.append(constraints.keep(source, request.keep))
        if self.has_tokenizer or not added:
            docs = self._tokenise_many(docs, request)
        elif "sentences" in self.adds and not request.across_turns:
            for doc in docs:
                if len(doc.turn_start):
                    doc.sent_start = np.full(doc.n_tokens, MAYBE, np.int8)  # found anew
                    labels = () if request.newline_is_boundary else label_spans(doc)
                    constraints.fix_turns(doc, changes(doc), labels)
        for source, doc in zip(sources if added else (), docs, strict=added):
            if source.n_tokens or len(source.turn_start) or len(source.markup_start):
                doc.paragraph_start = source.paragraph_start  # whose layout is known
        if added:  # what is there is not cut
            with cues.as_turns(docs):
                self._annotate(docs, request)
            for source, doc in zip(batch, docs, strict=True):
                if isinstance(source, Document) and constraints.Constraints.of(doc).tokens:
                    constraints.forget_moved(doc, source.sentence_bounds)
        else:
            self.annotate(docs, request)
        for doc in docs:
            doc.fixed = frozenset()
        return docs

    # -------------------------------------------------------------- stream

    @asks(AskedPlain)
    def stream(
        self,
        source: str | os.PathLike[str] | Iterable[str],
        *,
        encoding: str = "utf-8",
        **keywords: Unpack[AskedPlain],
    ) -> Iterator[Document]:
        """Parse one endless text, a file or blocks of text, in constant memory.

        The pieces follow each other, each ends with a complete sentence, and their texts add up
        to the text.
        """
        request = Request.of(keywords, AskedPlain)
        check_stream(source)
        if isinstance(source, str | os.PathLike):
            found = formats.read(source, "text", pieces=4000, encoding=encoding)
            return self.stream_of((piece.text for piece in found), request)
        return self.stream_of(checked_blocks(source), request)

    def stream_of(self, blocks: Iterable[str], request: Request) -> Iterator[Document]:
        """The same by a request, of blocks of text."""
        first = self.tokenizer
        turns = TurnReader(boundaries=not request.across_turns)
        pieces = first.pieces(
            turns.blocks(blocks), by_line=request.newline_is_boundary, turns=turns
        )
        if "sentences" in first.adds:
            pieces = self._annotated(pieces, request)
        else:
            pieces = annotate_stream(pieces, lambda some: self._annotate(some, request))
        for piece in pieces:
            piece.fixed = frozenset()
            yield piece

    def _annotated(self, pieces: Iterable[Document], request: Request) -> Iterator[Document]:
        for piece in pieces:
            self._annotate([piece], request)
            yield piece

    # -------------------------------------------------------------- k best

    @asks(AskedMarked)
    def k_best(
        self, source: str | Document, k: int, **keywords: Unpack[AskedMarked]
    ) -> list[Document]:
        """Up to k different analyses of one text or document, the best first."""
        return self.k_best_of(source, replace(Request.of(keywords, AskedMarked), k_best=k))

    def k_best_of(self, source: str | Document, request: Request) -> list[Document]:
        """The same by a request."""
        check_one(source)
        if isinstance(source, str):
            source = Document(text=source)
        doc = self.tokenise(constraints.keep(source, request.keep), request)
        if not doc.n_words:
            return [doc]
        if self.watch is not None:
            self.watch.warn([doc.text])
        main = self._main
        at = next(n for n, stage in enumerate(self.stages) if stage is main)
        plain = replace(request, confidence=False)
        with cues.as_turns([doc]):
            for stage in self.stages[int(self.has_tokenizer) : at]:
                stage.annotate([doc], plain)
            found = main.k_best(doc, request.k_best or 1)
        for analysis in found:
            cues.take_turns(analysis, doc)
        for stage in self.stages[at + 1 :]:
            stage.annotate(found, plain)
        for analysis in found:
            analysis.fixed = frozenset()
        return found


def _length(source: str | Document) -> int:
    return len(source.text if isinstance(source, Document) else source)


def _checked(sources: Iterable[str | Document]) -> Iterator[str | Document]:
    for number, source in enumerate(sources, 1):
        check_one(source, f"number {number}")
        yield source
