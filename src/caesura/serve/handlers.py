"""What each endpoint computes, as functions of a request that know nothing of the network."""

from __future__ import annotations

import io
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

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
from caesura.serve.accept import CONLLU, JSONL
from caesura.serve.forms import query_of
from caesura.serve.messages import (
    VERSION,
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
from caesura.serve.parsing import Task, document
from caesura.serve.refusals import Refused

if TYPE_CHECKING:
    from caesura.serve.models import Models
    from caesura.serve.worker import Job

__all__ = ["FILES", "convert", "draw", "evaluate", "find", "sent"]

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


def draw(request: DrawRequest, options: ServeOptions, job: Job) -> DrawAnswer:
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


def convert(job: Job, options: ServeOptions, request: ConvertRequest | None) -> tuple[bytes, str]:
    """A file of what was sent, and the name of its format.

    What was sent is an answer of `parse` in any of its formats; if it is no JSON there is no
    `request`, and the body has the documents.
    """
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
        return _pictures(docs, to, 940 if request is None else request.width, job), to
    stream = io.BytesIO()
    formats.write_stream(docs, stream, to, WriteOptions(file=f"caesura.{FILES[to][1]}"))
    return stream.getvalue(), to


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


def find(request: FindRequest, models: Models, options: ServeOptions, job: Job) -> FindAnswer:
    """Words and arcs by a pattern; a sentence that costs too much is cut short, which is told."""
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


def evaluate(request: EvaluateRequest, options: ServeOptions, job: Job) -> EvaluateAnswer:
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
