"""What the server answers by itself, without a worker, and how every refusal looks."""

from __future__ import annotations

import msgspec

from caesura.serve.messages import Error

__all__ = [
    "ErrorAnswer",
    "Health",
    "Index",
    "Limits",
    "ModelData",
    "ModelsAnswer",
    "Ready",
    "UDPipeModels",
]


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Why a request was refused; the status is also that of the answer."""

    error: Error


class ModelData(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model: its name, its parts once some worker has loaded it, its languages if many."""

    name: str
    default: bool
    loaded: bool
    parts: list[str] | None = None
    #: Of a model of many languages, by their codes; one of them may be asked for as `lang`.
    languages: dict[str, str] | None = None


class ModelsAnswer(msgspec.Struct, frozen=True):
    """The models here; requests that name none get the default."""

    version: int
    models: list[ModelData]


class UDPipeModels(msgspec.Struct, frozen=True):
    """The models as UDPipe's service tells them: the stages of each."""

    models: dict[str, list[str]]
    default_model: str


class Health(msgspec.Struct, frozen=True):
    """That the server lives, and how many of its places are taken."""

    status: str
    version: str
    api: int
    running: int
    places: int


class Ready(msgspec.Struct, frozen=True):
    """That there are workers to send a request to."""

    ready: bool
    workers: int


class Limits(msgspec.Struct, frozen=True):
    """What a request may hold and cost; `seconds` is the time of an answer."""

    max_body: int
    max_chars: int
    max_texts: int
    max_given: int
    seconds: float
    max_k: int
    max_drawn: int


class Index(msgspec.Struct, frozen=True):
    """What the API offers."""

    version: int
    endpoints: list[str]
    limits: Limits
