"""A text, several of them, or sentences of which something is fixed: to sentences, events, files.

JSON has sentences as `messages` say; CoNLL-U and JSON Lines are what `caesura parse` writes, by the
same functions. Of several texts each has its own result, and one that is bad costs no other.
"""

from __future__ import annotations

import contextlib
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from caesura.document import Document
from caesura.errors import CaesuraError, InternalError, UsageError
from caesura.formats import jsonl
from caesura.formats.conllu.write import rows
from caesura.formats.options import WriteOptions
from caesura.language import REMEDY, notice
from caesura.language.choice import named_language
from caesura.options import Request
from caesura.pipeline.blocks import CHECKED, LONG, batches, text_blocks
from caesura.pipeline.jobs import Source
from caesura.pipeline.loading import in_language
from caesura.pipeline.run import End, Failed, LongText, Unit, annotate_batch, annotate_long
from caesura.serve.messages import (
    VERSION,
    CompleteRequest,
    Error,
    ParseAnswer,
    ParseRequest,
    SentenceData,
    TextAnswer,
    document_of,
    sentences_of,
)
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused, error_line, message_of

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline
    from caesura.serve.models import Models
    from caesura.serve.worker import Job

__all__ = [
    "FileFormat",
    "Task",
    "checked_text",
    "complete",
    "document",
    "documents",
    "real",
    "strip_text",
    "written",
]

FileFormat = Literal["conllu", "jsonl"]
_ENCODER = msgspec.json.Encoder()
_SPACE = re.compile(r"\s+")
#: What is said of sentences of transcripts alone.
_OF_TURNS: Final = ("speaker", "start_time", "end_time")
#: The name of a document without one, as from stdin.
_NAMELESS: Final = "stdin"


def strip_text(text: str) -> str:
    """The text without case, punctuation and line breaks, as it would be spoken.

    Apostrophes and hyphens inside words stay, and so do points and commas inside numbers.
    """
    kept = []
    last = len(text) - 1
    for place, char in enumerate(text):
        if unicodedata.category(char).startswith("P"):
            before = text[place - 1] if place else " "
            after = text[place + 1] if place < last else " "
            inside = char in "'’-" and before.isalnum() and after.isalnum()
            number = char in ".,:" and before.isdigit() and after.isdigit()
            kept.append(char if inside or number else " ")
        else:
            kept.append(char)
    return _SPACE.sub(" ", "".join(kept)).strip().lower()


def checked_text(text: Any, options: ServeOptions) -> str:
    """The same, if it is a text and not too long."""
    if not isinstance(text, str):
        raise Refused(400, "This is no text but another kind of JSON.")
    if len(text) > options.max_chars:
        raise Refused(
            413, f"The text has {len(text):,} characters; at most {options.max_chars:,} are taken."
        )
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise Refused(422, "The text has halves of surrogate pairs, which are no characters.")
    if "\0" in text:
        raise Refused(422, "The text has a NUL character. Remove it.")
    return text


def document(sentences: list[SentenceData], options: ServeOptions) -> Document:
    """A document of sentences that were sent."""
    if sum(len(sentence.words) for sentence in sentences) > options.max_words:
        raise Refused(413, f"At most {options.max_words:,} words are taken.")
    try:
        doc = document_of(sentences)
    except ValueError as error:
        raise Refused(422, f"The sentences contradict themselves: {error}.") from None
    doc.check()
    return doc


def complete(
    request: CompleteRequest, models: Models, options: ServeOptions, job: Job
) -> ParseAnswer:
    """What the parser makes of sentences of which something is fixed."""
    began = time.monotonic()
    doc = document(request.sentences, options)
    if len(doc.text) > options.max_given:
        raise Refused(
            413, f"Where something is fixed at most {options.max_given:,} characters are taken."
        )
    job.model = models.called(request.model)
    nlp = _for(models.get(request.model), request.sentences)
    job.check()
    if doc.n_tokens:
        doc = nlp(doc, keep=request.keep, confidence=request.confidence)
    job.words += doc.n_words
    found = list(sentences_of(doc)) if doc.n_tokens else []
    seconds = round(time.monotonic() - began, 3)
    return ParseAnswer(VERSION, job.model, sentences=found, seconds=seconds)


def _for(nlp: Pipeline, sentences: list[SentenceData]) -> Pipeline:
    """A pipeline for the language that all the sentences say they are in, if it knows that one."""
    said = {sentence.lang for sentence in sentences}
    if len(said) == 1 and "language" in getattr(nlp, "offers", ()):
        with contextlib.suppress(UsageError):
            return in_language(nlp, said.pop())
    return nlp


def documents(text: str, name: str, nlp: Pipeline, how: Request, job: Job) -> Iterator[Document]:
    """The analysis of a text as a run over files makes it: a long one in pieces."""
    if len(text) <= LONG:
        unit = Unit(Document(text=text, id=name, source=name), ())
        events: Iterable[Any] = annotate_batch(nlp, [unit], how)
    else:
        long = LongText(Source("-", "text", name), text_blocks(text))
        events = annotate_long(nlp, long, how)
    for event in events:
        if isinstance(event, Failed | End) and event.error is not None:
            raise real(event.error)
        yield event
        job.check()


def real(error: CaesuraError) -> BaseException:
    """The cause of an internal error, so that it is reported as a bug."""
    if isinstance(error, InternalError) and error.__cause__ is not None:
        return error.__cause__
    return error


def _size(unit: Unit | BaseException) -> int | None:
    """The characters of a text; None if it is annotated alone."""
    size = len(unit.document.text) if isinstance(unit, Unit) else 0
    return size if size <= LONG else None


def written(found: Iterable[Document], format: FileFormat, how: WriteOptions) -> Iterator[bytes]:
    """The bytes of a file, document by document."""
    if format == "conllu":
        yield from rows(found, how, x=False)
        return
    for doc in found:
        yield jsonl.encode(doc) + b"\n"


def _line(data: Any) -> bytes:
    return _ENCODER.encode(data) + b"\n"


@dataclass(frozen=True, slots=True)
class Task:
    """A request to parse, and what is needed to do so."""

    request: ParseRequest
    models: Models
    options: ServeOptions
    job: Job

    # --------------------------------------------------------------- checks

    def check(self) -> None:
        """Refuse what contradicts itself, before anything is done."""
        request = self.request
        if (request.text is None) == (request.texts is None):
            raise Refused(400, "Send a text or texts, and not both.")
        bounds = bool(request.starts or request.joins)
        if request.text is not None:
            self._check_text(checked_text(request.text, self.options), bounds)
            return
        for name in ("starts", "joins", "stream"):
            if getattr(request, name):
                raise Refused(422, f"With several texts there is no {name}.")
        if request.k > 1:
            raise Refused(422, "Of several texts there is one analysis each.")
        self._check_texts(request.texts or [])

    def _check_text(self, text: str, bounds: bool) -> None:
        request, options = self.request, self.options
        if bounds and len(text) > options.max_given:
            raise Refused(
                413, f"With given boundaries at most {options.max_given:,} characters are taken."
            )
        if bounds and request.strip:
            raise Refused(422, "Boundaries are given for one text, and strip would make another.")
        if set(request.starts) & set(request.joins):
            raise Refused(422, "An offset cannot be both in starts and in joins.")
        if max([*request.starts, *request.joins], default=0) > len(text):
            raise Refused(422, "An offset lies beyond the end of the text.")
        if request.k > 1 and (len(text) > options.max_alternatives or request.k > options.max_k):
            raise Refused(
                413,
                f"Of up to {options.max_alternatives:,} characters, "
                f"up to {options.max_k} analyses can be asked.",
            )

    def _check_texts(self, texts: list[Any]) -> None:
        options = self.options
        if len(texts) > options.max_texts:
            raise Refused(
                413, f"There are {len(texts):,} texts; at most {options.max_texts:,} are taken."
            )
        most = options.max_chars
        size = sum(len(one) for one in texts if isinstance(one, str) and len(one) <= most)
        if size > most:
            raise Refused(413, f"The texts have {size:,} characters; at most {most:,} are taken.")

    # ----------------------------------------------------------------- work

    @property
    def name(self) -> str:
        return self.models.called(self.request.model)

    @property
    def nlp(self) -> Pipeline:
        found = self.models.get(self.request.model)
        self.job.model = self.name
        if not self.request.lang:
            return found
        try:
            return in_language(found, named_language(self.request.lang))
        except UsageError as error:
            raise Refused(422, f"{str(error)[0].upper()}{str(error)[1:]}") from None

    @property
    def text(self) -> str:
        text = self.request.text or ""
        return strip_text(text) if self.request.strip else text

    def warning(self, text: str) -> str | None:
        """What an answer says about a text in another language than the model's, if it is."""
        many = self.nlp.stages[0].watch() if getattr(self.nlp, "stages", None) else None
        if many is not None:
            said, remedy = many.look(text), many.remedy
        else:
            said, remedy = notice(text, getattr(self.nlp, "language", None)), REMEDY
        return None if said is None else f"{said[0].upper()}{said[1:]}. {remedy}"

    def _asked(self, confidence: bool) -> Request:
        """The request for a pipeline; `confidence` is the default of the answer's format."""
        own = self.request
        sure = confidence if own.confidence is None else own.confidence
        return Request(confidence=sure, across_turns=own.across_turns)

    def _whole(self, confidence: bool) -> Document | None:
        """The analysis with the boundaries that the client fixed, if it fixed any."""
        request = self.request
        if not (request.starts or request.joins):
            return None
        asked = self._asked(confidence)
        return self.nlp(
            self.text,
            sentence_starts=request.starts,
            no_boundary=request.joins,
            across_turns=asked.across_turns,
            confidence=asked.confidence,
        )

    def _pieces(self) -> Iterator[Document]:
        """The analysis, piece by piece, with confidences."""
        text, nlp = self.text, self.nlp
        self.job.check()
        whole = self._whole(confidence=True)
        if whole is not None:
            yield self._counted(whole)
            return
        for piece in nlp.stream_of(text_blocks(text), self._asked(confidence=True)):
            yield self._counted(piece)
            self.job.check()

    def _counted(self, doc: Document) -> Document:
        self.job.words += doc.n_words
        return doc

    def _alternatives(self) -> list[Document]:
        best = self._whole(confidence=False)
        asked = Request(across_turns=self.request.across_turns, k_best=self.request.k)
        if best is None:
            return self.nlp.k_best_of(self.text, asked)
        return self.nlp.k_best_of(best, replace(asked, keep=("tokens", "sentences")))

    def _results(self, confidence: bool) -> Iterator[list[Document] | BaseException]:
        """The documents of each text, or its error; short ones are annotated together."""
        nlp, how = self.nlp, self._asked(confidence)
        for group in batches(self._units(), _size, **CHECKED):
            first = group[0]
            if isinstance(first, Unit) and len(first.document.text) > LONG:
                yield self._alone(first.document, nlp, how)
            else:
                yield from self._together(group, nlp, how)

    def _units(self) -> Iterator[Unit | BaseException]:
        for number, text in enumerate(self.request.texts or [], 1):
            name = f"{self.request.id or 'text'}-{number}"
            try:
                text = checked_text(text, self.options)
            except Refused as error:
                yield error
                continue
            text = strip_text(text) if self.request.strip else text
            yield Unit(Document(text=text, id=name, source=name), ())

    def _alone(self, doc: Document, nlp: Pipeline, how: Request) -> list[Document] | BaseException:
        found = documents(doc.text, doc.id or "", nlp, how, self.job)
        try:
            return [self._counted(piece) for piece in found]
        except Refused:
            raise  # its time is up, and so is that of the others
        except Exception as error:
            return error

    def _together(
        self, wait: list[Unit | BaseException], nlp: Pipeline, how: Request
    ) -> Iterator[list[Document] | BaseException]:
        self.job.check()
        units = [one for one in wait if isinstance(one, Unit)]
        found = iter(annotate_batch(nlp, units, how))
        for one in wait:
            if not isinstance(one, Unit):
                yield one
                continue
            event = next(found)
            if isinstance(event, Document):
                yield [self._counted(event)]
            else:
                assert isinstance(event, Failed)
                yield real(event.error)

    def _said(self, error: BaseException) -> Error:
        """An error of one text among several; a bug is noted for the log."""
        status, message = message_of(error)
        if status == 500:
            self.job.error = type(error).__name__
        return Error(status, message)

    # -------------------------------------------------------------- answers

    def answer(self) -> ParseAnswer:
        """The whole answer at once."""
        began = time.monotonic()
        self.check()
        answer = ParseAnswer(VERSION, self.name)
        if self.request.texts is not None:
            self.nlp  # noqa: B018  (a model that is not there is an error of the request)
            answer.results = list(self._answers())
        else:
            answer.warning = self.warning(self.request.text or "")
        if self.request.k > 1:
            answer.analyses = [list(sentences_of(doc)) for doc in self._alternatives()]
        elif answer.results is None:
            offset, answer.sentences = 0, []
            for piece in self._pieces():
                answer.sentences += sentences_of(piece, offset)
                offset += len(piece.text)
        answer.seconds = round(time.monotonic() - began, 3)
        return answer

    def _answers(self) -> Iterator[TextAnswer]:
        texts = self.request.texts or []
        for text, found in zip(texts, self._results(confidence=True), strict=True):
            if isinstance(found, BaseException):
                yield TextAnswer(error=self._said(found))
                continue
            offset, sentences = 0, []
            for doc in found:
                sentences += list(sentences_of(doc, offset))
                offset += len(doc.text)
            yield TextAnswer(sentences, self.warning(text))

    def events(self) -> Iterator[bytes]:
        """The answer line by line: start, sentences as they are decided, end or error."""
        began = time.monotonic()
        self.check()
        said = self.warning(self.request.text or "")
        start = {"type": "start", "version": VERSION, "model": self.name}
        yield _line(start if said is None else {**start, "warning": said})
        offset = sentences = words = 0
        try:
            for piece in self._pieces():
                lines = []
                for sentence in sentences_of(piece, offset):
                    sentences += 1
                    words += len(sentence.words)
                    row = msgspec.structs.asdict(sentence)
                    for name in _OF_TURNS if not sentence.speaker else ():
                        del row[name]
                    if not sentence.lang:
                        del row["lang"]
                    lines.append(_line({"type": "sentence", **row}))
                offset += len(piece.text)
                if lines:
                    yield b"".join(lines)
            seconds = round(time.monotonic() - began, 3)
            yield _line({"type": "end", "sentences": sentences, "words": words, "seconds": seconds})
        except (Refused, CaesuraError) as error:
            yield error_line(error)

    def file(self, format: FileFormat) -> Iterator[bytes]:
        """The answer as `caesura parse` would write it; long texts as they are parsed."""
        self.check()
        how = WriteOptions(file=_NAMELESS)
        if self.request.texts is None:
            return written(self._found(), format, how)
        self.nlp  # noqa: B018  (a model that is not there is an error of the request)
        return self._files(format, how)

    @property
    def is_long(self) -> bool:
        """Whether a file should be sent while it is made."""
        texts = self.request.texts or ()
        size = sum(len(text) for text in texts if isinstance(text, str))
        return len(self.request.text or "") + size > LONG

    def _found(self) -> Iterator[Document]:
        name = self.request.id or _NAMELESS
        if self.request.k > 1:
            for rank, doc in enumerate(self._alternatives(), 1):
                doc.id, doc.comments = f"{name}.{rank}", {}
                yield self._counted(doc)
            return
        whole = self._whole(confidence=False)
        if whole is not None:
            whole.id = name
            yield self._counted(whole)
            return
        how = self._asked(confidence=False)
        for doc in documents(self.text, name, self.nlp, how, self.job):
            yield self._counted(doc)

    def _files(self, format: FileFormat, how: WriteOptions) -> Iterator[bytes]:
        for number, found in enumerate(self._results(confidence=False), 1):
            name = f"{self.request.id or 'text'}-{number}"
            if not isinstance(found, BaseException):
                yield b"".join(written(found, format, how))
                continue
            error = self._said(found)
            if format == "jsonl":
                yield _line({"id": name, "error": error})
            else:
                said = (f"# newdoc id = {name}", f"# error = {error.status} {error.message}")
                yield b"".join(written([Document(trailer=said)], format, how))
