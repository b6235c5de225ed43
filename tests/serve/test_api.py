"""The API: what it answers, what it refuses, and that it goes on whatever it is sent."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import numpy as np
import pytest

from caesura.cli import run
from caesura.document import NO, YES, Document
from caesura.document.schema import schema_of
from caesura.errors import CaesuraError, MissingExtra
from caesura.formats import jsonl
from caesura.serve.messages import COLUMNS, SentenceData, document_of, sentences_of
from caesura.serve.options import ServeOptions
from caesura.serve.parsing import strip_text
from caesura.serve.server import listen, named_models
from tests.pipeline.tiny import EXAMPLES, TEXT
from tests.serve.conftest import Running, fake_models, start
from tests.serve.fake import save

JSON = {"content-type": "application/json"}
POSTS = ("parse", "complete", "draw", "convert", "evaluate", "find")


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=60) as made:
        yield made
        assert made.get("/health").json()["status"] == "ok"


def test_parse_a_text(client: httpx.Client) -> None:
    answer = client.post("/api/v1/parse", json={"text": "They left. Did you?"}).json()
    assert answer["version"] == 1
    assert answer["model"] == "tiny"
    first, second = answer["sentences"]
    assert (first["start"], first["end"], second["start"]) == (0, 10, 11)
    assert [word["form"] for word in second["words"]] == ["Did", "you", "?"]
    assert second["words"][0]["head"] == 0
    assert 0 <= second["words"][0]["arc_conf"] <= 1


def test_the_unversioned_address_is_the_current_version(client: httpx.Client) -> None:
    for prefix in ("/api", "/api/v1"):
        answer = client.post(f"{prefix}/parse", json={"text": "One. Two.", "model": "other"})
        assert len(answer.json()["sentences"]) == 2
    assert "parse" in client.get("/api").json()["endpoints"]


def test_a_stream_is_lines(client: httpx.Client) -> None:
    with client.stream("POST", "/api/parse", json={"text": TEXT, "stream": True}) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in answer.iter_lines()]
    assert [lines[0]["type"], lines[-1]["type"]] == ["start", "end"]
    sentences = lines[1:-1]
    assert lines[-1]["sentences"] == len(sentences)
    parts = [s.get("before", "") + "".join(t["text"] + t.get("after", "") for t in s["tokens"])
             for s in sentences]  # fmt: skip
    assert "".join(parts) == TEXT
    for sentence in sentences:
        for token in sentence["tokens"]:
            assert TEXT[token["start"] : token["end"]] == token["text"]


def test_boundaries_that_are_given_are_obeyed(client: httpx.Client) -> None:
    asked = {"text": "They left. Did you go home?", "starts": [19], "joins": [11]}
    sentences = client.post("/api/parse", json=asked).json()["sentences"]
    assert [(s["start"], s["end"]) for s in sentences] == [(0, 18), (19, 27)]


def test_several_analyses(client: httpx.Client) -> None:
    answer = client.post("/api/parse", json={"text": "They left.", "k": 2}).json()
    assert len(answer["analyses"]) == 2


def test_strip_takes_case_and_punctuation_away(client: httpx.Client) -> None:
    assert strip_text("He's 3.5, isn't HE?\n\n-- Well-known!") == "he's 3.5 isn't he well-known"
    answer = client.post("/api/parse", json={"text": "They LEFT. Now!", "strip": True}).json()
    words = [word["form"] for s in answer["sentences"] for word in s["words"]]
    assert words == ["they", "left", "now"]


def test_sentences_become_documents_again() -> None:
    from caesura.formats import read

    doc = next(read(EXAMPLES / "harbour.conllu"))
    again = document_of(list(sentences_of(doc)))
    assert again.text == doc.text
    for name in ("form", "lemma", "upos", "xpos", "feats", "deprel"):
        assert again.column(name) == doc.column(name)
    assert again.head.tolist() == doc.head.tolist()
    assert again.sent_start.tolist() == doc.sent_start.tolist()


def parsed(client: httpx.Client, text: str = TEXT) -> list[Any]:
    return list(client.post("/api/parse", json={"text": text}).json()["sentences"])


def opened(sentences: list[Any]) -> list[Any]:
    """Sentences of which nothing is known but tokens and boundaries."""
    words = [[{"form": word["form"]} for word in sentence["words"]] for sentence in sentences]
    return [s | {"words": w} for s, w in zip(sentences, words, strict=True)]


def test_what_is_fixed_is_obeyed_and_the_rest_is_found(client: httpx.Client) -> None:
    asked = opened(parsed(client, "They left. Did you?"))
    asked[1]["words"][0] |= {"head": 2, "deprel": "aux", "upos": "AUX"}
    answer = client.post("/api/complete", json={"sentences": asked}).json()
    assert [len(sentence["words"]) for sentence in answer["sentences"]] == [3, 3]
    first, second, third = answer["sentences"][1]["words"]
    assert (first["head"], first["deprel"], first["upos"]) == (2, "aux", "AUX")
    assert (second["head"], second["deprel"], second["upos"]) == (0, "root", "X")
    assert third["head"] == 2
    # What is not to be kept is found anew.
    free = client.post(
        "/api/complete", json={"sentences": asked, "keep": ["tokens", "sentences"]}
    ).json()
    assert [word["head"] for word in free["sentences"][1]["words"]] == [0, 1, 2]
    assert client.post("/api/complete", json={"sentences": []}).json()["sentences"] == []


def test_too_much_to_complete_is_refused(client: httpx.Client) -> None:
    long = [{"start": 0, "end": 120_000, "words": [{"form": "a"}],
             "tokens": [{"text": "a" * 120_000, "start": 0, "end": 120_000}]}]  # fmt: skip
    assert client.post("/api/complete", json={"sentences": long}).status_code == 413
    asked = {"sentences": opened(parsed(client, "They left.")), "keep": ["taste"]}
    assert client.post("/api/complete", json=asked).status_code == 400
    asked = {"sentences": [], "model": "none"}
    assert client.post("/api/complete", json=asked).status_code == 404


def test_draw_and_convert(client: httpx.Client) -> None:
    sentences = parsed(client)
    drawn = client.post("/api/draw", json={"sentences": sentences, "width": 500}).json()
    assert len(drawn["pictures"]) == len(sentences)
    assert all(p.startswith("<svg") and "<style" not in p for p in drawn["pictures"])
    other = json.loads(json.dumps(sentences[:1]))
    other[0]["words"][1]["deprel"] = "else"
    marked = client.post("/api/draw", json={"sentences": sentences[:1], "other": other}).json()
    assert marked["differs"] == [1]
    for to in ("conllu", "jsonl", "svg", "html", "text"):
        answer = client.post("/api/convert", json={"sentences": sentences, "to": to})
        assert answer.status_code == 200, answer.text
        assert "attachment" in answer.headers["content-disposition"]
        assert "harbour" in answer.text


def test_evaluate(client: httpx.Client) -> None:
    gold = (EXAMPLES / "harbour.conllu").read_text(encoding="utf-8")
    answer = client.post("/api/evaluate", json={"gold": gold, "system": gold, "html": True}).json()
    assert answer["report"]["LAS"]["f1"] == 100
    assert answer["html"].startswith("<!DOCTYPE html>")
    bad = client.post("/api/evaluate", json={"gold": "1\tbroken", "system": gold})
    assert bad.status_code == 422
    assert "gold:1" in bad.json()["error"]["message"]


def test_models_and_health(client: httpx.Client) -> None:
    models = client.get("/api/models").json()["models"]
    assert [model["name"] for model in models] == ["tiny", "other"]
    health = client.get("/health").json()
    assert health["places"] == 22


def test_the_page_and_its_headers(client: httpx.Client) -> None:
    page = client.get("/")
    assert "<textarea" in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "server" not in page.headers
    assert "onclick" not in page.text
    assert "style=" not in page.text
    for name in ("main.js", "page.css", "tree.css", "icon.svg"):
        assert client.get(f"/static/{name}").status_code == 200
    icon = client.get("/favicon.ico")  # which browsers ask for beside whatever they show
    assert icon.text.startswith("<svg")
    assert icon.headers["content-type"] == "image/svg+xml"


# ---------------------------------------------------------------- hostile


@pytest.mark.parametrize("name", POSTS)
@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"7", b'"x"', b"{", b"\xff\xfe", b'{"text": 7}', b'{"text": ["a"]}',
     b'{"unknown": 1}', b'{"text": "a", "starts": "b"}', b'{"text": "a", "starts": [-1]}',
     b'{"sentences": 3, "to": "conllu"}', b'{"sentences": [{"words": []}], "to": "svg"}',
     b'{"gold": null, "system": {}}', b"[" * 100_000, b'{"text": "a", "k": 1e9}'],
)  # fmt: skip
def test_wrong_types_are_refused(client: httpx.Client, name: str, body: bytes) -> None:
    answer = client.post(f"/api/v1/{name}", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"text": "a b", "starts": [99]}, 422),
        ({"text": "a b", "starts": [2], "joins": [2]}, 422),
        ({"text": "a b", "starts": [2], "strip": True}, 422),
        ({"text": "a", "model": "../../etc/passwd"}, 404),
        ({"text": "a " * 5000, "k": 3}, 413),
        ({"text": "a\0b"}, 422),
        ({"text": "x" * 1_000_001}, 413),
        ({"text": "a " * 60_000, "starts": [2]}, 413),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_cannot_be_done_is_refused(
    client: httpx.Client, asked: dict[str, Any], status: int, stream: bool
) -> None:
    answer = client.post("/api/parse", json={**asked, "stream": stream})
    assert answer.status_code == status
    assert answer.json()["error"]["status"] == status


def test_texts_that_are_nearly_nothing(client: httpx.Client) -> None:
    for text in ("", " ", "\n", "\u202e.", "👍🏽", "a" * 5000):
        assert client.post("/api/parse", json={"text": text}).status_code == 200
    lone = client.post("/api/parse", content=b'{"text": "\\ud800"}', headers=JSON)
    assert lone.status_code in (400, 422)


@pytest.mark.parametrize("name", POSTS)
def test_large_bodies_are_refused(server: Running, name: str) -> None:
    """50 MB: told by the header, or counted as it comes."""
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(request_head(name, host, f"content-length: {50 << 20}"))
        assert b" 413 " in raw.recv(4096)
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(request_head(name, host, "transfer-encoding: chunked"))
        part = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        try:
            for _ in range(800):
                raw.sendall(part)
        except OSError:
            pass  # the server has hung up, as it may
        else:
            pytest.fail("the server took 50 MB")


def test_slow_bodies_are_refused(server: Running, client: httpx.Client) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(request_head("parse", host, "content-length: 1000") + b"{")
        # Others are served meanwhile.
        assert client.post("/api/parse", json={"text": "a"}).status_code == 200
        assert b" 408 " in raw.recv(4096)


def request_head(name: str, host: str, header: str) -> bytes:
    return (
        f"POST /api/v1/{name} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
        f"{header}\r\n\r\n"
    ).encode()


def test_only_json_is_taken(client: httpx.Client) -> None:
    """A form of another site cannot send JSON without asking first."""
    answer = client.post("/api/parse", content=b'{"text": "a"}')
    assert answer.status_code == 415
    assert client.get("/api/parse").status_code == 405
    assert client.put("/api/models").status_code == 405


def test_other_host_names_are_refused(client: httpx.Client) -> None:
    """A name of somebody else that leads here must not let a page of theirs in."""
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"host": "localhost:1"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/api/parse/", "/health/", "/static/../app.py",
     "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/", "/etc/passwd",
     "/static/main.js/..", "/static//etc/passwd", "/static/main.js%00.css", "/api/v2/parse", "/%ff",
     "/static/__init__.py"],
)  # fmt: skip
def test_paths_lead_nowhere_else(server: Running, path: str) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode())
        data = b""
        while part := raw.recv(65536):
            data += part
    assert data.split(b" ", 2)[1] in (b"404", b"400"), data[:80]
    assert b"import" not in data


def test_script_in_labels_is_drawn_as_text(client: httpx.Client) -> None:
    evil = "</text><script>alert(1)</script>\"'"
    sentence = {
        "start": 0, "end": 1, "tokens": [{"text": evil, "start": 0, "end": 1, "after": evil}],
        "words": [{"form": evil, "upos": evil, "deprel": evil, "head": 0, "arc_conf": 0.3}],
    }  # fmt: skip
    drawn = client.post("/api/draw", json={"sentences": [sentence]})
    assert drawn.status_code == 200
    assert "<script" not in drawn.json()["pictures"][0]
    for to in ("svg", "html"):
        made = client.post("/api/convert", json={"sentences": [sentence], "to": to})
        assert "<script" not in made.text


def test_heads_that_are_none_are_drawn_as_unknown(client: httpx.Client) -> None:
    word = {"form": "a", "deprel": "x"}
    words = [{**word, "head": head} for head in (99, -5, 3, None)]
    tokens = [{"text": "a", "start": i, "end": i + 1} for i in range(4)]
    sentence = {"start": 0, "end": 4, "tokens": tokens, "words": words}
    assert client.post("/api/draw", json={"sentences": [sentence]}).status_code == 200
    lying = {**sentence, "words": words[:2]}
    assert client.post("/api/draw", json={"sentences": [lying]}).status_code == 422
    long = {
        "start": 0, "end": 9, "tokens": tokens[:1] * 300,
        "words": [{"form": "a", "head": 1}] * 300,
    }  # fmt: skip
    assert client.post("/api/draw", json={"sentences": [long]}).json()["pictures"] == [None]


def test_nothing_of_a_request_is_logged_but_its_size(client: httpx.Client, server: Running) -> None:
    secret = "Xyzzyplugh"
    known = len(server.log)
    client.post("/api/parse", json={"text": secret})
    client.post("/api/parse", json={"text": secret, "model": secret})
    client.get(f"/{secret}?{secret}")
    assert not any(secret in line for line in server.log)
    until(lambda: len(server.log) >= known + 3)
    lines = server.log[known:]
    said = re.compile(r"parse: \d+ bytes in, status 200, \d+ ms, id \w+$")
    assert any(said.match(line) for line in lines)
    assert any(line.startswith("?: 0 bytes in, status 404") for line in lines)


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


# ------------------------------------------------------------- load, time


def slow_server(tmp_path: Any, delay: float, **limits: Any) -> tuple[Running, Any, Any]:
    models = fake_models(slow=save(tmp_path / "slow.caesura", delay=delay))
    return start(models, ServeOptions(port=0, **limits))


def test_beyond_its_places_the_answer_is_429(tmp_path: Any) -> None:
    running, server, thread = slow_server(tmp_path, 0.5, workers=1, waiting=1)
    statuses: list[int] = []

    def ask() -> None:
        answer = httpx.post(f"{running.address}/api/parse", json={"text": "a"}, timeout=30)
        statuses.append(answer.status_code)
        if answer.status_code == 429:
            assert answer.headers["retry-after"] == "1"

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert set(statuses) == {200, 429}
    assert statuses.count(200) >= 2
    assert httpx.get(f"{running.address}/health").json()["running"] == 0
    server.should_exit = True
    thread.join(timeout=20)


def test_a_request_that_takes_too_long_is_given_up(tmp_path: Any) -> None:
    running, server, thread = slow_server(tmp_path, 0.4, workers=1, seconds=0.2)
    answer = httpx.post(f"{running.address}/api/parse", json={"text": "a. b."}, timeout=30)
    assert answer.status_code == 503
    assert "longer than 0.2 seconds" in answer.json()["error"]["message"]
    with httpx.stream(
        "POST", f"{running.address}/api/parse", json={"text": "a. b.", "stream": True}, timeout=30
    ) as stream:
        last = json.loads(list(stream.iter_lines())[-1])
    assert last["error"]["status"] == 503
    server.should_exit = True
    thread.join(timeout=20)


def test_a_client_that_leaves_frees_its_place(tmp_path: Any) -> None:
    running, server, thread = slow_server(tmp_path, 0.0, workers=1, waiting=0)
    text = "a b c. " * 40_000
    with httpx.stream(
        "POST", f"{running.address}/api/parse", json={"text": text, "stream": True}, timeout=60
    ) as answer:
        next(answer.iter_lines())
    for _ in range(200):
        if httpx.get(f"{running.address}/health").json()["running"] == 0:
            break
        time.sleep(0.05)
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        again = httpx.post(f"{running.address}/api/parse", json={"text": "a."}, timeout=60)
        if again.status_code == 200:
            break
    assert again.status_code == 200
    server.should_exit = True
    thread.join(timeout=20)
    assert not thread.is_alive()


def test_it_stops_gently_while_it_works(tmp_path: Any) -> None:
    running, server, thread = slow_server(tmp_path, 0.3, workers=1)
    found: list[int] = []

    def ask() -> None:
        answer = httpx.post(f"{running.address}/api/parse", json={"text": "a."}, timeout=30)
        found.append(answer.status_code)

    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: running.app.application.workers.taken == 1)
    server.should_exit = True
    asking.join(timeout=20)
    thread.join(timeout=20)
    assert found == [200]
    assert not thread.is_alive()


# ---------------------------------------------------------------- starting


def test_a_port_in_use_is_told_with_the_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CaesuraError, match=rf"port {port} .* in use.*--port {port + 1}"):
            listen(ServeOptions(port=port))


def test_a_model_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "-m", "no-such-model"]) == 1
    error = capsys.readouterr().err
    assert "there is no model 'no-such-model'" in error
    assert error.count("\n") == 1


def test_an_extra_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    from caesura.serve.server import check_extra

    with pytest.raises(MissingExtra, match=r'pip install "caesura-nlp\[serve\]"'):
        check_extra()


def test_a_real_pipeline_behind_the_api(tiny_model: Any) -> None:
    running, server, thread = start(named_models([str(tiny_model)]), ServeOptions(port=0))
    with httpx.Client(base_url=running.address, timeout=120) as client:
        whole = client.post("/api/parse", json={"text": TEXT}).json()
        assert whole["model"] == "tiny"
        document_of([SentenceData(**_data(s)) for s in whole["sentences"]]).check()
        first = whole["sentences"][0]["tokens"]
        asked = {"text": TEXT, "starts": [first[3]["start"]], "joins": [first[2]["start"]]}
        fixed = client.post("/api/parse", json=asked).json()["sentences"]
        assert fixed[1]["start"] == first[3]["start"]
        asked = {"sentences": opened(fixed)}
        asked["sentences"][0]["words"][0] |= {"head": 3, "deprel": "odd", "upos": "ODD"}
        found = client.post("/api/complete", json=asked).json()["sentences"]
        assert [s["start"] for s in found] == [s["start"] for s in fixed]
        word = found[0]["words"][0]
        assert (word["head"], word["deprel"], word["upos"]) == (3, "odd", "ODD")
        asked["sentences"][0]["words"][2]["head"] = 1
        refused = client.post("/api/complete", json=asked)
        assert refused.status_code == 422
        assert "cycle" in refused.json()["error"]["message"]
        best = client.post("/api/parse", json={"text": "Nobody asks him why.", "k": 3}).json()
        assert len(best["analyses"]) >= 1
    server.should_exit = True
    thread.join(timeout=20)


def _data(sentence: dict[str, Any]) -> dict[str, Any]:
    import msgspec

    found = msgspec.convert(sentence, SentenceData)
    return {name: getattr(found, name) for name in SentenceData.__struct_fields__}


def test_messages_are_a_declared_part_of_json_lines() -> None:
    """Words travel under the names of their columns, with the values that a line would have."""
    schema = schema_of(Document)
    assert all(schema.by_name[name].level == "word" for name in COLUMNS)
    doc = Document.from_spans("Am Kai", [0, 3], [2, 6])
    doc.word_token = np.array([0, 0, 1], np.int32)
    doc.form = doc.strings.ids(["an", "dem", "Kai"])
    doc.upos = doc.strings.ids(["ADP", "", "NOUN"])
    doc.blank_words()
    doc.sent_start = np.array([YES, NO], np.int8)
    doc.arc_conf = np.array([0.5, np.nan, 0.25], np.float32)
    line = json.loads(jsonl.encode(doc))
    [sentence] = sentences_of(doc)
    for name in COLUMNS:
        unknown = None if schema.by_name[name].optional else ""
        want = line.get(name, [unknown] * doc.n_words)
        assert [getattr(word, name) for word in sentence.words] == want
    back = document_of([sentence])
    for name in COLUMNS:
        assert jsonl.said(back, name) == jsonl.said(doc, name)
