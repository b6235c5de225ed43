"""From the bytes of a request to the bytes of its answer, inside a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from caesura.serve import handlers
from caesura.serve.messages import (
    CompleteRequest,
    ConvertRequest,
    DrawRequest,
    EvaluateRequest,
    ParseRequest,
)
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused

if TYPE_CHECKING:
    from caesura.serve.models import Models
    from caesura.serve.worker import Job

__all__ = ["Made", "reply"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made:
    """An answer: what its headers say, and its bytes, which may be made while they are sent."""

    headers: list[tuple[str, str]]
    pieces: Iterable[bytes]
    stream: bool = False


def reply(job: Job, models: Models, options: ServeOptions) -> Made:
    """The answer to a job."""
    return _ENDPOINTS[job.endpoint](job, models, options)


def _read(body: bytes, type_: type[T]) -> T:
    """The body as what it must be."""
    try:
        return msgspec.json.decode(body, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, f"This is not the JSON that is expected here: {error}.") from None


def _json(data: Any) -> Made:
    headers = [("content-type", "application/json"), ("cache-control", "no-store")]
    return Made(headers, [msgspec.json.encode(data)])


def _parse(job: Job, models: Models, options: ServeOptions) -> Made:
    asked = _read(job.body, ParseRequest)
    if not asked.stream or asked.k > 1:
        return _json(handlers.parse(asked, models, options, job))
    headers = [
        ("content-type", "application/x-ndjson"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ]
    return Made(headers, handlers.parse_lines(asked, models, options, job), stream=True)


def _complete(job: Job, models: Models, options: ServeOptions) -> Made:
    asked = _read(job.body, CompleteRequest)
    return _json(handlers.complete(asked, models, options, job))


def _draw(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(handlers.draw(_read(job.body, DrawRequest), options, job))


def _convert(job: Job, models: Models, options: ServeOptions) -> Made:
    data, kind, name = handlers.convert(_read(job.body, ConvertRequest), options, job)
    headers = [
        ("content-type", kind),
        ("content-disposition", f'attachment; filename="{name}"'),
        ("cache-control", "no-store"),
    ]
    return Made(headers, [data])


def _evaluate(job: Job, models: Models, options: ServeOptions) -> Made:
    return _json(handlers.evaluate(_read(job.body, EvaluateRequest), options, job))


_ENDPOINTS: Final[dict[str, Callable[[Job, Models, ServeOptions], Made]]] = {
    "parse": _parse,
    "complete": _complete,
    "draw": _draw,
    "convert": _convert,
    "evaluate": _evaluate,
}
