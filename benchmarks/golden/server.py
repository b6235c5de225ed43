"""What the server answers, asked in this process."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.golden.calls import MODELS, Entry, Named
from benchmarks.golden.work import Work, without


def serving() -> Named:
    def ask(work: Work, name: str, body: dict[str, Any]) -> Any:
        client = _client(work)
        answer = client.post(f"/api/v1/{name}", json=body)
        if answer.headers["content-type"].startswith("application/json"):
            return {"status": answer.status_code, **without(answer.json(), "seconds")}
        lines = answer.text.split("\n")
        if "ndjson" in answer.headers["content-type"] and body.get("stream"):
            return [without(json.loads(line), "seconds") for line in lines if line]
        return {"status": answer.status_code, "type": answer.headers["content-type"], "is": lines}

    def answered(name: str, **body: Any) -> Entry:
        def entry(work: Work) -> bytes:
            filled = {
                key: work.text(value[1:]) if isinstance(value, str) and value[:1] == "@" else value
                for key, value in body.items()
            }
            return _pretty(ask(work, name, filled))

        return entry

    for model in MODELS:
        yield f"serve/parse/{model}", answered("parse", text="@written.txt", model=model)
        yield (
            f"serve/stream/{model}",
            answered("parse", text="@turns.txt", model=model, stream=True),
        )
        yield (
            f"serve/given/{model}",
            answered("parse", text="@tiny.txt", model=model, starts=[12], joins=[40]),
        )
        yield f"serve/k/{model}", answered("parse", text="@tiny.txt", model=model, k=3)
        yield f"serve/strip/{model}", answered("parse", text="@tiny.txt", model=model, strip=True)

    def on_sentences(name: str, **body: Any) -> Entry:
        def entry(work: Work) -> bytes:
            parsed = ask(work, "parse", {"text": work.text("tiny.txt")})
            return _pretty(ask(work, name, {"sentences": parsed["sentences"], **body}))

        return entry

    yield "serve/draw", on_sentences("draw", width=500)
    for to in ("conllu", "jsonl", "svg", "html", "text"):
        yield f"serve/convert/{to}", on_sentences("convert", to=to)
    yield (
        "serve/evaluate",
        answered("evaluate", gold="@dev.conllu", system="@system.conllu", html=True),
    )
    yield "serve/refused", answered("parse", text="a b", starts=[99])
    yield "serve/texts", answered("parse", texts=["They left.", 7, "Did you?"])
    yield "serve/find", answered("find", text="@tiny.txt", pattern="[upos=VERB]=v > []=x")

    def accepted(kind: str) -> Entry:
        def entry(work: Work) -> bytes:
            body = {"text": work.text("written.txt")}
            answer = _client(work).post("/api/v1/parse", json=body, headers={"accept": kind})
            lines = answer.text.split("\n")
            return _pretty([answer.status_code, answer.headers["content-type"], lines])

        return entry

    for kind in ("text/x-conllu", "application/x-ndjson"):
        yield f"serve/accept/{kind.split('-')[-1]}", accepted(kind)

    def processed(work: Work) -> bytes:
        stages = {"tokenizer": "", "tagger": "", "parser": ""}
        answer = _client(work).post("/process", data={"data": work.text("tiny.txt"), **stages})
        return _pretty({"status": answer.status_code, **answer.json()})

    yield "serve/process", processed
    for address in ("/api/v1", "/api/v1/models", "/health", "/ready", "/models", "/openapi.json"):

        def got(work: Work, address: str = address) -> bytes:
            answer = _client(work).get(address)
            said = without(answer.json(), "version")
            return _pretty({"status": answer.status_code, **said})

        yield f"serve/get{address}", got


def _client(work: Work) -> Any:
    """The application in this process, over both models; one for each folder."""
    from starlette.testclient import TestClient

    from caesura.serve.app import make_app
    from caesura.serve.server import named_models

    if not hasattr(work, "client"):
        made = TestClient(make_app(named_models(list(MODELS))), base_url="http://localhost")
        # Its workers live as long as this process, which they notice the end of.
        work.client = made.__enter__()  # type: ignore[attr-defined]
    return work.client  # type: ignore[attr-defined]


def _pretty(data: Any) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True).encode("utf-8")
