"""The table of addresses: what each takes, gives and may answer.

The router, the workers' endpoints and the OpenAPI description are made of it, so that no address
can be served that is not described.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from caesura.serve.accept import CONLLU, FORM, JSON, JSONL, MULTIPART
from caesura.serve.forms import INPUTS, OUTPUTS, ProcessAnswer, ProcessForm
from caesura.serve.messages import (
    CompleteRequest,
    ConvertRequest,
    DrawAnswer,
    DrawRequest,
    EvaluateAnswer,
    EvaluateRequest,
    FindAnswer,
    FindRequest,
    Health,
    Index,
    ModelsAnswer,
    ParseAnswer,
    ParseRequest,
    Ready,
    UDPipeModels,
)
from caesura.serve.options import VERSION

__all__ = ["ANY", "ENDPOINTS", "Endpoint", "Parameter"]

#: What every address may answer: no token, another host name, a bug.
ANY: Final = (401, 421, 500)
#: What may become of a body, and of work.
_BODY: Final = (400, 408, 413, 415)
_WORK: Final = (422, 429, 503)
#: Text that is no JSON, in OpenAPI's words.
TEXT: Final = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that may be said in the query of an address."""

    name: str
    does: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address, or one under several names."""

    name: str
    does: str
    paths: tuple[str, ...]
    #: What its body and its answer may be: types of messages by types of content.
    takes: Mapping[str, Any] = field(default_factory=dict)
    gives: Mapping[str, Any] = field(default_factory=lambda: {JSON: TEXT})
    statuses: tuple[int, ...] = ()
    methods: tuple[str, ...] = ("GET",)
    query: tuple[Parameter, ...] = ()
    #: Whether it needs no token.
    public: bool = False
    #: Whether the client chooses among what it gives by the header Accept.
    negotiated: bool = False
    #: Whether a worker answers it.
    work: bool = False


def _post(name: str, does: str, takes: Any, gives: Mapping[str, Any], **more: Any) -> Endpoint:
    bodies = takes if isinstance(takes, dict) else {JSON: takes}
    statuses = (*_BODY, *_WORK, *more.pop("statuses", ()))
    return Endpoint(name, does, _api(name), bodies, gives, statuses, ("POST",), work=True, **more)


def _api(name: str) -> tuple[str, ...]:
    return f"/api/v{VERSION}/{name}", f"/api/{name}"


ENDPOINTS: Final = (
    _post(
        "parse",
        "Sentences with trees of a text, or of several.",
        ParseRequest,
        {JSON: ParseAnswer, JSONL: TEXT, CONLLU: TEXT},
        statuses=(404, 406),
        negotiated=True,
    ),
    _post(
        "complete",
        "Sentences of which something is fixed, with all the rest found.",
        CompleteRequest,
        {JSON: ParseAnswer},
        statuses=(404,),
    ),
    _post("draw", "A picture of each sentence.", DrawRequest, {JSON: DrawAnswer}),
    _post(
        "convert",
        "A file of what `parse` answered, in whichever format.",
        {JSON: ConvertRequest, JSONL: TEXT, CONLLU: TEXT},
        {
            "text/plain; charset=utf-8": TEXT,
            JSONL: TEXT,
            "image/svg+xml": TEXT,
            "text/html; charset=utf-8": TEXT,
        },
        query=(
            Parameter("to", "The format of the file.", ("conllu", "jsonl", "svg", "html", "text")),
        ),
    ),
    _post(
        "evaluate", "Scores of a system file against gold.", EvaluateRequest, {JSON: EvaluateAnswer}
    ),
    _post(
        "find",
        "Words and arcs of a text or a document that a pattern describes.",
        FindRequest,
        {JSON: FindAnswer},
        statuses=(404,),
    ),
    Endpoint(
        "process",
        "A text to CoNLL-U, asked and answered as UDPipe's service does.",
        ("/process",),
        {FORM: ProcessForm, MULTIPART: ProcessForm},
        {JSON: ProcessAnswer},
        (*_BODY, *_WORK, 403, 404),
        ("GET", "POST"),
        (
            Parameter("data", "The text, or a file in the format of the input."),
            Parameter("model", "The name of a model."),
            Parameter("tokenizer", "Make tokens; `ranges`, `presegmented`."),
            Parameter("tagger", "Find tags and lemmas."),
            Parameter("parser", "Find trees."),
            Parameter("input", "The format of data without a tokenizer.", tuple(INPUTS)),
            Parameter("output", "The format of the result.", tuple(OUTPUTS)),
        ),
        work=True,
    ),
    Endpoint(
        "udpipe_models",
        "The models here, as UDPipe's service tells them.",
        ("/models",),
        gives={JSON: UDPipeModels},
        methods=("GET", "POST"),
    ),
    Endpoint("models", "The models here.", _api("models"), gives={JSON: ModelsAnswer}),
    Endpoint(
        "index",
        "What the API offers, and its limits.",
        (f"/api/v{VERSION}", "/api"),
        gives={JSON: Index},
    ),
    Endpoint("health", "Whether it lives.", ("/health",), gives={JSON: Health}, public=True),
    Endpoint(
        "ready",
        "Whether a worker is there for the next request.",
        ("/ready",),
        gives={JSON: Ready},
        statuses=(503,),
        public=True,
    ),
    Endpoint(
        "metrics",
        "Counts, times and memory for Prometheus.",
        ("/metrics",),
        gives={"text/plain; version=0.0.4; charset=utf-8": TEXT},
    ),
    Endpoint("openapi", "This description.", ("/openapi.json",), gives={JSON: {"type": "object"}}),
    Endpoint(
        "icon",
        "What browsers show beside whatever they look at here.",
        ("/favicon.ico",),
        gives={"image/svg+xml": TEXT},
        public=True,
    ),
    Endpoint("page", "The page.", ("/",), gives={"text/html; charset=utf-8": TEXT}),
    Endpoint(
        "file",
        "A file of the page.",
        ("/static/{name}",),
        gives={
            "text/html; charset=utf-8": TEXT,
            "text/css; charset=utf-8": TEXT,
            "text/javascript; charset=utf-8": TEXT,
            "image/svg+xml": TEXT,
        },
        statuses=(404,),
    ),
)
