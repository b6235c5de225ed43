"""From the bytes of a request to the bytes of its answer, inside a worker.

Each endpoint is a function of a request that does not depend on the network.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import msgspec

from caesura import find as search
from caesura import formats
from caesura.document import Document
from caesura.errors import InputError
from caesura.evaluate.api import evaluate as score
from caesura.find import Match, PatternError
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.render import LayoutOptions, compare, lay_out, page_html, tree_of, tree_svg
from caesura.render.svg import stacked_svg
from caesura.serve.accept import CONLLU, JSON, JSONL
from caesura.serve.forms import query_of
from caesura.serve.messages import (
    VERSION,
    CompleteRequest,
    ConvertRequest,
    DrawAnswer,
    DrawRequest,
    EvaluateAnswer,
    EvaluateRequest,
    FindAnswer,
    FindRequest,
    MatchData,
    ParseRequest,
)
from caesura.serve.options import ServeOptions
from caesura.serve.parsing import FileFormat, Task, complete, document
from caesura.serve.refusals import Refused
from caesura.serve.udpipe import process

if TYPE_CHECKING:
    from caesura.serve.models import Models
    from caesura.serve.worker import Job

__all__ = ["Made", "reply"]

T = TypeVar("T")
#: The type of each format of files.
_FILES: Final[dict[str, str]] = {"conllu": f"{CONLLU}; charset=utf-8", "jsonl": JSONL}


@dataclass(frozen=True, slots=True)
class Made:
    """An answer: what its headers say, and its bytes, which may be made while they are sent."""

    headers: list[tuple[str, str]]
    pieces: Iterable[bytes]
    stream: bool = False
    #: The form of an error after the first piece.
    tail: Literal["event", "line", "comment"] = "event"


def reply(job: Job, models: Models, options: ServeOptions) -> Made:
    """The answer to a job."""
    if job.endpoint in _FUNCTIONS:
        kind, answer = _FUNCTIONS[job.endpoint]
        return _json(answer(_read_json(job.body, kind), models, options, job))
    return _ENDPOINTS[job.endpoint](job, models, options)


def _read_json(body: bytes, type_: type[T]) -> T:
    """The body as what it must be."""
    try:
        try:
            return msgspec.json.decode(body, type=type_)
        except msgspec.DecodeError:
            if b"\\ud" not in body.lower():
                raise
            # Half of a surrogate pair, which is no JSON for some: an error of one text, not of all.
            return msgspec.convert(json.loads(body), type_)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Refused(400, f"This is not the JSON that is expected here: {error}.") from None


def _json(data: Any) -> Made:
    headers = [("content-type", JSON), ("cache-control", "no-store")]
    return Made(headers, [msgspec.json.encode(data)])


def _parse(job: Job, models: Models, options: ServeOptions) -> Made:
    task = Task(_read_json(job.body, ParseRequest), models, options, job)
    if job.format != "json" and not (job.format == "jsonl" and task.request.stream):
        return _file(task, "conllu" if job.format == "conllu" else "jsonl")
    if not task.request.stream or task.request.k > 1:
        return _json(task.answer())
    return Made(_streamed(JSONL), task.events(), stream=True)


def _streamed(kind: str) -> list[tuple[str, str]]:
    return [("content-type", kind), ("cache-control", "no-store"), ("x-accel-buffering", "no")]


def _file(task: Task, format: FileFormat) -> Made:
    pieces = task.file(format)
    headers = _streamed(_FILES[format])
    said = None if task.request.text is None else task.warning(task.request.text)
    if said is not None:
        headers.append(("x-caesura-warning", said.encode("ascii", "replace").decode("ascii")))
    tail: Literal["line", "comment"] = "line" if format == "jsonl" else "comment"
    return Made(headers, pieces, task.is_long or task.request.stream, tail)


#: Words that are tried for one sentence, and matches of it.
_STEPS: Final = 200_000
_MATCHES: Final = 1_000

#: The type and the extension of each kind of file.
FILES: Final = {
    "conllu": ("text/plain; charset=utf-8", "conllu"),
    "jsonl": (JSONL, "jsonl"),
    "svg": ("image/svg+xml", "svg"),
    "html": ("text/html; charset=utf-8", "html"),
    "text": ("text/plain; charset=utf-8", "txt"),
}


# -------------------------------------------------------------------- pictures


def _draw(request: DrawRequest, models: Models, options: ServeOptions, job: Job) -> DrawAnswer:
    """A picture of each sentence, null for one that is too long to be drawn."""
    doc = document(request.sentences, options)
    marks = None
    if request.other is not None:
        marks = compare(doc, document(request.other, options)).left_marks
    layout = LayoutOptions(width=float(request.width))
    pictures: list[str | None] = []
    for sentence in doc.sentences if doc.n_tokens else ():
        job.check()
        if len(sentence) > options.max_drawn:
            pictures.append(None)
        else:
            pictures.append(tree_svg(tree_of(sentence, marks), layout, style=False))
    return DrawAnswer(VERSION, pictures, sorted(marks or ()))


def sent(request: ConvertRequest, options: ServeOptions) -> list[Document]:
    """The documents of an answer of `parse`: of a text, of several, or several analyses."""
    given = [request.sentences, request.analyses, request.results]
    if sum(one is not None for one in given) != 1:
        raise Refused(400, "Send one of sentences, analyses and results.")
    if request.version != VERSION:
        raise Refused(422, f"These are sentences of version {request.version}, not {VERSION}.")
    if request.sentences is not None:
        return [document(request.sentences, options)]
    many = request.analyses or [
        one.sentences for one in request.results or () if one.sentences is not None
    ]
    words = sum(len(sentence.words) for one in many for sentence in one)
    if words > options.max_words:
        raise Refused(413, f"At most {options.max_words:,} words are taken.")
    return [document(one, options) for one in many]


def _convert(job: Job, models: Models, options: ServeOptions) -> Made:
    """A file of an answer of `parse` in any of its formats."""
    request = _read_json(job.body, ConvertRequest) if job.kind == JSON else None
    query = query_of(job.query)
    to = query.get("to", [request.to if request is not None else None])[-1]
    if to not in FILES:
        raise Refused(400, f"Say which file to make: to is one of {', '.join(FILES)}.")
    if request is not None:
        docs = sent(request, options)
    else:
        docs = _read_body(job.body, {CONLLU: "conllu", JSONL: "jsonl"}[job.kind])
        if sum(doc.n_words for doc in docs) > options.max_words:
            raise Refused(413, f"At most {options.max_words:,} words are taken.")
    job.words = sum(doc.n_words for doc in docs)
    if to in ("svg", "html"):
        for sentence in (sentence for doc in docs for sentence in doc.sentences):
            if len(sentence) > options.max_drawn:
                raise Refused(413, f"A sentence has more than {options.max_drawn} words.")
        data = _pictures(docs, to, 940 if request is None else request.width, job)
    else:
        stream = io.BytesIO()
        formats.write_stream(docs, stream, to, WriteOptions(file=f"caesura.{FILES[to][1]}"))
        data = stream.getvalue()
    kind, extension = FILES[to]
    headers = [
        ("content-type", kind),
        ("content-disposition", f'attachment; filename="caesura.{extension}"'),
        ("cache-control", "no-store"),
    ]
    return Made(headers, [data])


def _pictures(docs: Iterable[Document], to: str, width: int, job: Job) -> bytes:
    if to == "html":
        parts = []
        for part in page_html(docs, title="Caesura", width=width):
            job.check()
            parts.append(part)
        return "".join(parts).encode("utf-8", "replace")
    layout = LayoutOptions(width=float(width))
    pictures = []
    for sentence in (sentence for doc in docs for sentence in doc.sentences):
        job.check()
        pictures.append(lay_out(tree_of(sentence), layout))
    return stacked_svg(pictures, "Caesura", alone=True).encode("utf-8", "replace")


# ---------------------------------------------------------------------- search


def _find(request: FindRequest, models: Models, options: ServeOptions, job: Job) -> FindAnswer:
    """Words and arcs by a pattern; a sentence that costs too much is cut short, with a warning."""
    try:
        pattern = search.Pattern(request.pattern)
    except PatternError as error:
        raise Refused(422, f"{error.sentence[0].upper()}{error.sentence[1:]}") from None
    if (request.text is None) == (request.document is None):
        raise Refused(400, "Send a text or a document, and not both.")
    sentences = None
    if request.text is None:
        docs = _searched(request.document or {}, options)
    else:
        task = Task(ParseRequest(request.text, model=request.model), models, options, job)
        sentences = task.answer().sentences or []
        docs = [document(sentences, options)]
    matches: list[MatchData] = []
    found, said = 0, []
    for number, doc in enumerate(docs):
        job.check()
        result = pattern.find(doc, search.Bounds(_STEPS, max(_MATCHES, request.limit)))
        found += len(result)
        if result.cut:
            said.append(search.cut_short(result))
        for match in islice(result, request.limit - len(matches)):
            matches.append(_match(number, match))
    warning = "; ".join(said[:3])
    told = f"{warning[0].upper()}{warning[1:]}." if warning else None
    return FindAnswer(VERSION, matches, found, told, sentences)


def _searched(said: dict[str, Any], options: ServeOptions) -> list[Document]:
    """Documents as `parse` answers them, or one as JSON Lines have it."""
    if {"sentences", "analyses", "results"} & said.keys():
        try:
            return sent(msgspec.convert(said, ConvertRequest), options)
        except msgspec.ValidationError as error:
            raise Refused(400, f"This is no answer of parse: {error}.") from None
    doc = Document.from_dict(said)
    if doc.n_words > options.max_words:
        raise Refused(413, f"At most {options.max_words:,} words are taken.")
    return [doc]


def _match(number: int, match: Match) -> MatchData:
    sentence = match.sentence
    first = sentence.first_word
    nodes = {name: word - first for name, word in match.named.items()}
    words = [word - first for word in match.indices]
    return MatchData(number, sentence.index, words, nodes, sentence.text)


# ------------------------------------------------------------------ evaluation


def _evaluate(
    request: EvaluateRequest, models: Models, options: ServeOptions, job: Job
) -> EvaluateAnswer:
    """The scores of a system file against gold."""
    gold = _read(request.gold, request.format, "gold")
    job.check()
    system = _read(request.system, request.format, "system")
    job.check()
    report = score(gold, system)
    job.check()
    html = report.html() if request.html else None
    return EvaluateAnswer(VERSION, report.as_dict(), str(report), html)


def _read(text: str, format: str, name: str) -> list[Document]:
    if not text.strip():
        raise InputError(f"the {name} file is empty", remedy="Paste an annotated file.")
    return _read_body(text.encode("utf-8", "replace"), format, name)


def _read_body(body: bytes, format: str, name: str = "the body") -> list[Document]:
    return list(formats.read_stream(io.BytesIO(body), format, ReadOptions(file=name)))


#: Endpoints from JSON to JSON: what they take, and the function.
_FUNCTIONS: Final[dict[str, tuple[Any, Callable[..., Any]]]] = {
    "complete": (CompleteRequest, complete),
    "draw": (DrawRequest, _draw),
    "evaluate": (EvaluateRequest, _evaluate),
    "find": (FindRequest, _find),
}
_ENDPOINTS: Final[dict[str, Callable[[Job, Models, ServeOptions], Made]]] = {
    "parse": _parse,
    "convert": _convert,
    "process": lambda job, models, options: _json(process(job, models, options)),
}
