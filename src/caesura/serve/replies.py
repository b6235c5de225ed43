"""From the bytes of a request to the bytes of its answer, inside a worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import msgspec

from caesura.serve import handlers
from caesura.serve.accept import CONLLU, JSON, JSONL
from caesura.serve.messages import (
    CompleteRequest,
    ConvertRequest,
    DrawRequest,
    EvaluateRequest,
    FindRequest,
    ParseRequest,
)
from caesura.serve.options import ServeOptions
from caesura.serve.parsing import FileFormat, Task, complete
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
    #: How an error is told that comes after the first piece.
    tail: Literal["event", "line", "comment"] = "event"


def reply(job: Job, models: Models, options: ServeOptions) -> Made:
    """The answer to a job."""
    return _ENDPOINTS[job.endpoint](job, models, options)


def _read(body: bytes, type_: type[T]) -> T:
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
    task = Task(_read(job.body, ParseRequest), models, options, job)
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


def _complete(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(complete(_read(job.body, CompleteRequest), models, options, job))


def _draw(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(handlers.draw(_read(job.body, DrawRequest), options, job))


def _convert(job: Job, models: Models, options: ServeOptions) -> Made:
    request = _read(job.body, ConvertRequest) if job.kind == JSON else None
    data, to = handlers.convert(job, options, request)
    kind, extension = handlers.FILES[to]
    headers = [
        ("content-type", kind),
        ("content-disposition", f'attachment; filename="caesura.{extension}"'),
        ("cache-control", "no-store"),
    ]
    return Made(headers, [data])


def _find(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(handlers.find(_read(job.body, FindRequest), models, options, job))


def _process(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(process(job, models, options))


def _evaluate(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(handlers.evaluate(_read(job.body, EvaluateRequest), options, job))


_ENDPOINTS: Final[dict[str, Callable[[Job, Models, ServeOptions], Made]]] = {
    "parse": _parse,
    "complete": _complete,
    "draw": _draw,
    "convert": _convert,
    "evaluate": _evaluate,
    "find": _find,
    "process": _process,
}
