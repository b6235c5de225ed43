"""The description of the API says what the handlers do: every address, status and field."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import msgspec
import pytest

from caesura.serve.accept import CONLLU, FORM, JSON, JSONL, MULTIPART
from caesura.serve.forms import ProcessForm
from caesura.serve.handlers import _ENDPOINTS, _FUNCTIONS
from caesura.serve.openapi import describe
from caesura.serve.options import ServeOptions
from caesura.serve.routes import ENDPOINTS
from tests.serve.conftest import Running, fake_models, start
from tests.serve.fake import save

POSTED = [one for one in ENDPOINTS if one.work and JSON in one.takes]
TOKEN = "correct-horse"
#: Which status is tried with what: address, method, and what goes with it. Those of every address
#: are tried at each; those that need a server under stress have tests of their own.
ELSEWHERE = {408, 421, 429, 500, 503}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("models")
    models = fake_models(fake=save(folder / "fake.caesura"))
    options = ServeOptions(port=0, token=TOKEN, max_body=1 << 20, max_chars=1000, max_words=100)
    running, server, thread = start(models, options)
    yield running
    server.should_exit = True
    thread.join(timeout=20)


@pytest.fixture
def client(guarded: Running) -> Iterator[httpx.Client]:
    headers = {"authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=guarded.address, headers=headers, timeout=60) as made:
        yield made


@pytest.fixture
def described(client: httpx.Client) -> dict[str, Any]:
    found = client.get("/openapi.json").json()
    assert isinstance(found, dict)
    return found


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


# ------------------------------------------------------------------------------ addresses


def test_every_route_is_described_and_every_description_a_route(
    guarded: Running, described: dict[str, Any]
) -> None:
    served = {
        (route.path, method.lower())
        for route in guarded.app.app.routes
        for method in route.methods - {"HEAD"}
    }
    assert served == {(path, method) for path, method, _ in operations(described)}


def test_every_handler_has_an_address() -> None:
    assert {*_ENDPOINTS, *_FUNCTIONS} == {one.name for one in ENDPOINTS if one.work}


def test_the_description_is_one(described: dict[str, Any]) -> None:
    """As OpenAPI 3.1 wants it: references lead somewhere, ids are unique, schemas are schemas."""
    assert described["openapi"] == "3.1.0"
    assert {"title", "version"} <= set(described["info"])
    names = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(names) == len(set(names))
    for schema in described["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    told = json.dumps(described)
    for part in told.split('"$ref": "#/')[1:]:
        found: Any = described
        for step in part.split('"')[0].split("/"):
            found = found[step]
    for path, _, operation in operations(described):
        named = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"}
        assert named == ({"name"} if "{name}" in path else set())
        assert "200" in operation["responses"]
        for answer in operation["responses"].values():
            assert answer["description"]
    assert described["security"] == [{"token": []}]
    assert "security" not in describe(ServeOptions())


# ---------------------------------------------------------------------------------- fields


def test_every_field_of_a_message_is_described(described: dict[str, Any]) -> None:
    """With its type and its default, and no other."""
    schemas = described["components"]["schemas"]
    for endpoint in ENDPOINTS:
        for kind in (*endpoint.takes.values(), *endpoint.gives.values()):
            if isinstance(kind, type):
                schema = schemas[kind.__name__]
                fields = {field.name: field for field in msgspec.structs.fields(kind)}
                assert set(schema["properties"]) == set(fields)
                required = {name for name, field in fields.items() if field.required}
                assert set(schema["required"]) == required
    asked = described["paths"]["/process"]["get"]["parameters"]
    assert {one["name"] for one in asked} == set(ProcessForm.__struct_fields__)


@pytest.mark.parametrize("endpoint", POSTED, ids=lambda one: one.name)
def test_fields_that_are_not_described_are_refused(
    client: httpx.Client, described: dict[str, Any], endpoint: Any
) -> None:
    schema = described["components"]["schemas"][endpoint.takes[JSON].__name__]
    assert schema["additionalProperties"] is False
    answer = client.post(endpoint.paths[0], json={"nobody_described_this": 1})
    assert answer.status_code == 400
    assert "nobody_described_this" in answer.json()["error"]["message"]


# -------------------------------------------------------------------- statuses and answers

SENTENCE = {
    "start": 0, "end": 5, "tokens": [{"text": "Birds", "start": 0, "end": 5}],
    "words": [{"form": "Birds", "head": 0, "deprel": "root"}],
}  # fmt: skip
CONLL = "1\tBirds\tbird\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
MANY = {**SENTENCE, "tokens": SENTENCE["tokens"] * 101, "words": SENTENCE["words"] * 101}  # type: ignore[operator]
GOOD: dict[str, list[tuple[Any, str]]] = {
    "parse": [
        ({"text": "They left."}, JSON),
        ({"texts": ["One.", 7]}, JSON),
        ({"text": "One.", "k": 2}, JSON),
        ({"text": "One."}, JSONL),
        ({"text": "One."}, CONLLU),
    ],
    "complete": [({"sentences": [SENTENCE]}, JSON)],
    "draw": [({"sentences": [SENTENCE]}, JSON)],
    "convert": [
        ({"sentences": [SENTENCE], "to": to}, JSON)
        for to in ("conllu", "jsonl", "svg", "html", "text")
    ],
    "evaluate": [({"gold": CONLL, "system": CONLL, "html": True}, JSON)],
    "find": [
        ({"pattern": "[]", "document": {"sentences": [SENTENCE]}}, JSON),
        ({"pattern": "[]=x", "text": "They left."}, JSON),
    ],
}
BAD: dict[str, list[tuple[int, Any]]] = {
    "parse": [(400, {}), (404, {"text": "a", "model": "?"}), (413, {"text": "a" * 1001}),
              (422, {"text": "a", "starts": [9]})],
    "complete": [(400, {}), (404, {"sentences": [], "model": "?"}), (413, {"sentences": [MANY]}),
                 (422, {"sentences": [{**SENTENCE, "words": []}]})],
    "draw": [(400, {}), (413, {"sentences": [MANY]}),
             (422, {"sentences": [{**SENTENCE, "words": []}]})],
    "convert": [(400, {}), (413, {"sentences": [MANY], "to": "text"}),
                (422, {"sentences": [{**SENTENCE, "words": []}], "to": "text"})],
    "evaluate": [(400, {}), (422, {"gold": "x", "system": "x"})],
    "find": [(400, {"pattern": "[]"}), (404, {"pattern": "[]", "text": "a", "model": "?"}),
             (413, {"pattern": "[]", "text": "a" * 1001}), (422, {"pattern": "[", "text": "a"})],
}  # fmt: skip


def judged(answer: httpx.Response, described: dict[str, Any], path: str) -> int:
    """The status of an answer that is as the description says."""
    operation = described["paths"][path][answer.request.method.lower()]
    told = operation["responses"].get(str(answer.status_code))
    assert told is not None, f"{path} answers {answer.status_code}, which is not described"
    assert answer.headers["x-request-id"]
    kind = answer.headers["content-type"]
    content = {name.split(";")[0]: what for name, what in told["content"].items()}
    assert kind.split(";")[0] in content, kind
    if kind == JSON:
        schema = content[JSON]["schema"]
        whole = {**schema, "components": described["components"]}
        jsonschema.validate(answer.json(), whole, cls=jsonschema.Draft202012Validator)
    return answer.status_code


def large(client: httpx.Client, path: str) -> int:
    """The status of a body that is told to be too large, which is not waited for."""
    with socket.create_connection((client.base_url.host, client.base_url.port)) as raw:
        head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: {JSON}\r\n"
        head += f"authorization: Bearer {TOKEN}\r\ncontent-length: {2 << 20}\r\n\r\n"
        raw.sendall(head.encode())
        return int(raw.recv(4096).split()[1])


@pytest.mark.parametrize("endpoint", POSTED, ids=lambda one: one.name)
def test_every_status_of_what_is_posted(
    client: httpx.Client, described: dict[str, Any], endpoint: Any
) -> None:
    seen = set()
    for path in endpoint.paths:
        for body, accept in GOOD[endpoint.name]:
            answer = client.post(path, json=body, headers={"accept": accept})
            assert judged(answer, described, path) == 200, answer.text
            seen.add(200)
        for status, body in BAD[endpoint.name]:
            assert judged(client.post(path, json=body), described, path) == status
            seen.add(status)
        assert large(client, path) == 413
        plain = client.post(path, content=b"{}", headers={"content-type": "text/plain"})
        assert judged(plain, described, path) == 415
        nobody = client.post(path, json={}, headers={"authorization": ""})
        assert judged(nobody, described, path) == 401
        seen |= {413, 415, 401}
        if endpoint.negotiated:
            wanted = client.post(path, json={"text": "a"}, headers={"accept": "image/png"})
            assert judged(wanted, described, path) == 406
            seen.add(406)
    operation = described["paths"][endpoint.paths[0]]["post"]
    assert {int(status) for status in operation["responses"]} - ELSEWHERE == seen


def test_every_status_of_what_is_fetched(client: httpx.Client, described: dict[str, Any]) -> None:
    for endpoint in ENDPOINTS:
        for path in endpoint.paths if not endpoint.work else ():
            address = path.replace("{name}", "main.js")
            for method in endpoint.methods:
                seen = {judged(client.request(method, address), described, path)}
                assert seen == {200}
                headers = {"authorization": ""}
                seen.add(judged(client.request(method, address, headers=headers), described, path))
                if "{name}" in path:
                    seen.add(judged(client.get("/static/none.js"), described, path))
                if not endpoint.public:
                    told = described["paths"][path][method.lower()]["responses"]
                    assert {int(status) for status in told} - ELSEWHERE == seen


def test_every_status_of_a_form(client: httpx.Client, described: dict[str, Any]) -> None:
    stages = {"tokenizer": "", "tagger": "", "parser": ""}
    tries: list[tuple[int, dict[str, Any]]] = [
        (200, {"data": {"data": "They left.", **stages}}),
        (200, {"data": stages, "files": {"data": ("a.txt", b"They left.")}}),
        (400, {"data": stages}),
        (401, {"headers": {"authorization": ""}}),
        (403, {"data": stages, "headers": {"origin": "https://evil.example"}}),
        (404, {"data": {"data": "a", "model": "none"}}),
        (413, {"data": {"data": "a" * 1001, **stages}}),
        (415, {"json": {}}),
        (422, {"data": {"data": "a", "output": "none"}}),
    ]
    for status, how in tries:
        assert judged(client.post("/process", **how), described, "/process") == status
    told = described["paths"]["/process"]["post"]
    assert {int(one) for one in told["responses"]} - ELSEWHERE == {status for status, _ in tries}
    assert set(told["requestBody"]["content"]) == {FORM, MULTIPART}
    asked = client.get("/process", params={"data": "They left.", **stages})
    assert judged(asked, described, "/process") == 200
