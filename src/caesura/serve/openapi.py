"""The description of the API (OpenAPI 3.1), made of the table of addresses and the messages."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import msgspec

import caesura
from caesura.serve.accept import JSON
from caesura.serve.messages import ErrorAnswer
from caesura.serve.options import ServeOptions
from caesura.serve.routes import ANY, ENDPOINTS, Endpoint

__all__ = ["describe"]

_REFERENCE: Final = "#/components/schemas/{name}"
_ID: Final = {
    "description": "The id of the request: its own X-Request-Id, or a new one.",
    "schema": {"type": "string"},
}


def describe(options: ServeOptions) -> dict[str, Any]:
    """The whole description, as JSON has it."""
    types = [
        kind
        for endpoint in ENDPOINTS
        for kind in (*endpoint.takes.values(), *endpoint.gives.values())
        if isinstance(kind, type)
    ]
    _, schemas = msgspec.json.schema_components([*types, ErrorAnswer], ref_template=_REFERENCE)
    paths: dict[str, Any] = {}
    for endpoint in ENDPOINTS:
        for number, path in enumerate(endpoint.paths):
            paths[path] = {
                method.lower(): _operation(endpoint, method, number) for method in endpoint.methods
            }
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Caesura",
            "version": caesura.__version__,
            "description": "Raw text to sentences, tokens, tags and dependency trees.",
        },
        "servers": [{"url": options.root_path or "/"}],
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if options.token:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
    return described


def _operation(endpoint: Endpoint, method: str, number: int) -> dict[str, Any]:
    alone = len(endpoint.methods) == 1
    name = endpoint.name if alone else f"{endpoint.name}_{method.lower()}"
    made: dict[str, Any] = {
        "operationId": name if number == 0 else f"{name}_{number + 1}",
        "summary": endpoint.does,
    }
    parameters: list[dict[str, Any]] = [
        {"name": one, "in": "path", "required": True, "schema": {"type": "string"}}
        for one in ("name",)
        if f"{{{one}}}" in endpoint.paths[number]
    ]
    for parameter in endpoint.query:
        schema: dict[str, Any] = {"type": "string"}
        if parameter.choices:
            schema["enum"] = list(parameter.choices)
        parameters.append(
            {"name": parameter.name, "in": "query", "description": parameter.does, "schema": schema}
        )
    if parameters:
        made["parameters"] = parameters
    if endpoint.takes and method == "POST":
        made["requestBody"] = {"required": True, "content": _content(endpoint.takes)}
    answers: dict[str, Any] = {"200": _answer(200, endpoint.gives)}
    for status in sorted({*endpoint.statuses, *ANY}):
        answers[str(status)] = _answer(status, {JSON: ErrorAnswer})
    made["responses"] = answers
    if endpoint.public:
        made["security"] = []
    return made


def _answer(status: int, gives: Any) -> dict[str, Any]:
    phrase = HTTPStatus(status).phrase
    return {"description": phrase, "headers": {"X-Request-Id": _ID}, "content": _content(gives)}


def _content(kinds: Any) -> dict[str, Any]:
    return {name: {"schema": _schema(kind)} for name, kind in kinds.items()}


def _schema(kind: Any) -> dict[str, Any]:
    if isinstance(kind, dict):
        return kind
    return {"$ref": _REFERENCE.format(name=kind.__name__)}
