"""What each endpoint computes, as functions of a request that know nothing of the network."""

from __future__ import annotations

import io
import re
import time
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from caesura import formats
from caesura.document import Document
from caesura.errors import CaesuraError, InputError
from caesura.evaluate.api import evaluate as score
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.language import REMEDY, notice
from caesura.render import LayoutOptions, compare, lay_out, page_html, tree_of, tree_svg
from caesura.render.svg import stacked_svg
from caesura.serve.messages import (
    VERSION,
    CompleteRequest,
    ConvertRequest,
    DrawRequest,
    EvaluateRequest,
    ParseRequest,
    SentenceData,
    document_of,
    sentences_of,
)
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused, error_line

if TYPE_CHECKING:
    from caesura.serve.models import Models
    from caesura.serve.worker import Job

__all__ = ["complete", "convert", "draw", "evaluate", "parse", "parse_lines", "strip_text"]

_ENCODER = msgspec.json.Encoder()
_SPACE = re.compile(r"\s+")
#: Characters that a stream takes at a time, so that a limit of time is noticed soon.
_BLOCK = 1 << 13
#: What is said of sentences of transcripts alone.
_OF_TURNS = ("speaker", "start_time", "end_time")
FILES = {
    "conllu": ("text/plain; charset=utf-8", "conllu"),
    "jsonl": ("application/x-ndjson", "jsonl"),
    "svg": ("image/svg+xml", "svg"),
    "html": ("text/html; charset=utf-8", "html"),
    "text": ("text/plain; charset=utf-8", "txt"),
}


def strip_text(text: str) -> str:
    """The text without case, punctuation and line breaks, as somebody would say it.

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


def _checked(request: ParseRequest, options: ServeOptions) -> str:
    text = request.text
    if len(text) > options.max_chars:
        raise Refused(
            413, f"The text has {len(text):,} characters; at most {options.max_chars:,} are taken."
        )
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise Refused(422, "The text has halves of surrogate pairs, which are no characters.")
    given = bool(request.starts or request.joins)
    if given and len(text) > options.max_given:
        raise Refused(
            413, f"With given boundaries at most {options.max_given:,} characters are taken."
        )
    if given and request.strip:
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
    return strip_text(text) if request.strip else text


def pieces(
    request: ParseRequest, models: Models, options: ServeOptions, job: Job
) -> Iterator[Document]:
    """The analysis of a text, piece by piece."""
    text = _checked(request, options)
    nlp = models.get(request.model)
    job.check()
    if request.starts or request.joins:
        yield nlp(
            text,
            sentence_starts=request.starts,
            no_boundary=request.joins,
            confidence=request.confidence,
            **_turns(request),
        )
        return
    blocks = (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))
    for piece in nlp.stream(blocks, confidence=request.confidence, **_turns(request)):
        yield piece
        job.check()


def parse(request: ParseRequest, models: Models, options: ServeOptions, job: Job) -> dict[str, Any]:
    """The whole answer at once."""
    began = time.monotonic()
    name = request.model or models.default
    answer: dict[str, Any] = {"version": VERSION, "model": name, **_warning(request, models)}
    if request.k > 1:
        text = _checked(request, options)
        found = _alternatives(request, text, models)
        answer["analyses"] = [list(sentences_of(doc)) for doc in found]
    else:
        offset, sentences = 0, []
        for piece in pieces(request, models, options, job):
            sentences += list(sentences_of(piece, offset))
            offset += len(piece.text)
        answer["sentences"] = sentences
    answer["seconds"] = round(time.monotonic() - began, 3)
    return answer


def _warning(request: ParseRequest, models: Models) -> dict[str, str]:
    """What an answer says about a text in another language than the model's, if it is."""
    said = notice(request.text, getattr(models.get(request.model), "language", None))
    return {} if said is None else {"warning": f"{said[0].upper()}{said[1:]}. {REMEDY}"}


def _alternatives(request: ParseRequest, text: str, models: Models) -> list[Document]:
    nlp = models.get(request.model)
    if request.starts or request.joins:
        best = nlp(
            text, sentence_starts=request.starts, no_boundary=request.joins, **_turns(request)
        )
        return nlp.k_best(best, request.k, keep=("tokens", "sentences"))
    return nlp.k_best(text, request.k, **_turns(request))


def _turns(request: ParseRequest) -> dict[str, Any]:
    """What is asked for beyond the usual."""
    return {"across_turns": True} if request.across_turns else {}


def parse_lines(
    request: ParseRequest, models: Models, options: ServeOptions, job: Job
) -> Iterator[bytes]:
    """The answer line by line: start, sentences as they are decided, end or error."""
    began = time.monotonic()
    _checked(request, options)
    models.get(request.model)
    name = request.model or models.default
    start = {"type": "start", "version": VERSION, "model": name}
    yield _line(start | _warning(request, models))
    offset = sentences = words = 0
    try:
        for piece in pieces(request, models, options, job):
            lines = []
            for sentence in sentences_of(piece, offset):
                sentences += 1
                words += len(sentence.words)
                said = msgspec.structs.asdict(sentence)
                for name in _OF_TURNS if not sentence.speaker else ():
                    del said[name]
                lines.append(_line({"type": "sentence", **said}))
            offset += len(piece.text)
            if lines:
                yield b"".join(lines)
        seconds = round(time.monotonic() - began, 3)
        yield _line({"type": "end", "sentences": sentences, "words": words, "seconds": seconds})
    except (Refused, CaesuraError) as error:
        yield error_line(error)


def _line(data: Any) -> bytes:
    return _ENCODER.encode(data) + b"\n"


def complete(
    request: CompleteRequest, models: Models, options: ServeOptions, job: Job
) -> dict[str, Any]:
    """What the parser makes of sentences of which something is fixed."""
    began = time.monotonic()
    doc = _document(request.sentences, options)
    if len(doc.text) > options.max_given:
        raise Refused(
            413, f"Where something is fixed at most {options.max_given:,} characters are taken."
        )
    name = request.model or models.default
    nlp = models.get(request.model)
    job.check()
    if doc.n_tokens:
        doc = nlp(doc, keep=request.keep, confidence=request.confidence)
    seconds = round(time.monotonic() - began, 3)
    found = list(sentences_of(doc)) if doc.n_tokens else []
    return {"version": VERSION, "model": name, "sentences": found, "seconds": seconds}


# -------------------------------------------------------------------- pictures


def _document(sentences: list[SentenceData], options: ServeOptions) -> Document:
    if sum(len(sentence.words) for sentence in sentences) > options.max_words:
        raise Refused(413, f"At most {options.max_words:,} words are taken.")
    try:
        doc = document_of(sentences)
    except ValueError as error:
        raise Refused(422, f"The sentences contradict themselves: {error}.") from None
    doc.check()
    return doc


def draw(request: DrawRequest, options: ServeOptions, job: Job) -> dict[str, Any]:
    """A picture of each sentence, null for one that is too long to be drawn."""
    doc = _document(request.sentences, options)
    marks = None
    if request.other is not None:
        marks = compare(doc, _document(request.other, options)).left_marks
    layout = LayoutOptions(width=float(request.width))
    pictures: list[str | None] = []
    for sentence in doc.sentences if doc.n_tokens else ():
        job.check()
        if len(sentence) > options.max_drawn:
            pictures.append(None)
        else:
            pictures.append(tree_svg(tree_of(sentence, marks), layout, style=False))
    return {"version": VERSION, "pictures": pictures, "differs": sorted(marks or ())}


def convert(request: ConvertRequest, options: ServeOptions, job: Job) -> tuple[bytes, str, str]:
    """A file of the sentences, its type and its name."""
    doc = _document(request.sentences, options)
    kind, extension = FILES[request.to]
    if request.to in ("svg", "html"):
        for sentence in doc.sentences:
            if len(sentence) > options.max_drawn:
                raise Refused(413, f"A sentence has more than {options.max_drawn} words.")
        data = _pictures(doc, request, job)
    else:
        stream = io.BytesIO()
        file = f"caesura.{extension}"
        formats.write_stream([doc], stream, request.to, WriteOptions(file=file))
        data = stream.getvalue()
    return data, kind, f"caesura.{extension}"


def _pictures(doc: Document, request: ConvertRequest, job: Job) -> bytes:
    if request.to == "html":
        parts = []
        for part in page_html([doc], title="Caesura", width=request.width):
            job.check()
            parts.append(part)
        return "".join(parts).encode("utf-8", "replace")
    layout = LayoutOptions(width=float(request.width))
    pictures = []
    for sentence in doc.sentences:
        job.check()
        pictures.append(lay_out(tree_of(sentence), layout))
    return stacked_svg(pictures, "Caesura", alone=True).encode("utf-8", "replace")


# ------------------------------------------------------------------ evaluation


def evaluate(request: EvaluateRequest, options: ServeOptions, job: Job) -> dict[str, Any]:
    """The scores of a system file against gold."""
    gold = _read(request.gold, request.format, "gold")
    job.check()
    system = _read(request.system, request.format, "system")
    job.check()
    report = score(gold, system)
    job.check()
    answer: dict[str, Any] = {"version": VERSION, "report": report.as_dict(), "text": str(report)}
    if request.html:
        answer["html"] = report.html()
    return answer


def _read(text: str, format: str, name: str) -> list[Document]:
    if not text.strip():
        raise InputError(f"the {name} file is empty", remedy="Paste an annotated file.")
    stream = io.BytesIO(text.encode("utf-8", "replace"))
    return list(formats.read_stream(stream, format, ReadOptions(file=name)))
