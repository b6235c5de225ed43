"""A client of UDPipe's service, pointed here, and what it finds."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from caesura import cli
from caesura.serve.accept import FORM
from caesura.serve.forms import form_of
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused
from caesura.serve.server import named_models
from tests.pipeline.tiny import EXAMPLES, TEXT
from tests.serve.conftest import start


class Client:
    """Asks as the clients of UDPipe's service do: the standard library, forms, JSON back."""

    def __init__(self, service: str) -> None:
        self.service = service

    def request(self, method: str, parts: dict[str, str] | None = None) -> dict[str, Any]:
        """One call; fields go as the parts of a form."""
        data, headers = None, {}
        if parts:
            boundary = uuid.uuid4().hex
            pieces = []
            for name, value in parts.items():
                pieces.append(
                    f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n'
                    "Content-Type: text/plain; charset=utf-8\r\n"
                    "Content-Transfer-Encoding: 8bit\r\n\r\n".encode()
                    + value.replace("\n", "\r\n").encode()
                    + b"\r\n"
                )
            data = b"".join(pieces) + f"--{boundary}--\r\n".encode()
            headers = {"Content-Type": f'multipart/form-data; boundary="{boundary}"'}
        asked = urllib.request.Request(f"{self.service}/{method}", data=data, headers=headers)
        with urllib.request.urlopen(asked, timeout=300) as answer:
            found = json.loads(answer.read())
        assert isinstance(found, dict)
        return found

    def models(self) -> tuple[dict[str, list[str]], str]:
        found = self.request("models")
        return found["models"], found["default_model"]

    def process(self, data: str, **asked: str) -> str:
        found = self.request("process", {"data": data, **asked})
        assert set(found) == {"model", "acknowledgements", "result"}
        return str(found["result"])


ALL = {"tokenizer": "", "tagger": "", "parser": ""}


@pytest.fixture(scope="module")
def service(tiny_model: Path) -> Iterator[str]:
    running, server, thread = start(named_models([str(tiny_model)]), ServeOptions(port=0))
    yield running.address
    server.should_exit = True
    thread.join(timeout=20)


def command(model: Path, file: Path, *more: str) -> str:
    """What `caesura parse` writes."""
    out = file.with_suffix(".out")
    call = ["parse", str(file), "-m", str(model), "--to", "conllu", "-o", str(out), "-q", *more]
    assert cli.run(call) == 0
    return out.read_bytes().decode("utf-8")


def named(text: str, name: str) -> str:
    """A result of stdin as that of a file."""
    return text.replace("= stdin", f"= {name}")


def test_a_client_of_udpipe_is_served(service: str) -> None:
    client = Client(service)
    models, default = client.models()
    assert models == {"tiny": ["tokenizer", "tagger", "parser"]}
    assert default == "tiny"
    result = client.process(TEXT, model="tiny", **ALL)
    lines = [line.split("\t") for line in result.splitlines() if line and line[0] != "#"]
    assert all(len(line) == 10 for line in lines)
    assert all(line[3] != "_" and line[6].isdigit() for line in lines if line[0].isdigit())


@pytest.mark.parametrize("size", [1, 70_000])
def test_the_result_is_that_of_the_command(
    service: str, tiny_model: Path, tmp_path: Path, size: int
) -> None:
    """Byte for byte, however the text comes."""
    text = TEXT * (1 + size // len(TEXT))
    file = tmp_path / "letter.txt"
    file.write_text(text, encoding="utf-8")
    want = command(tiny_model, file)
    assert named(Client(service).process(text, **ALL), "letter") == want
    with httpx.Client(base_url=service, timeout=300) as client:
        form = client.post("/process", data={"data": text, **ALL}).json()
        assert named(form["result"], "letter") == want
        # As `curl -F data=@letter.txt` sends a file.
        sent = client.post(
            "/process",
            data=ALL,
            files={"data": ("letter.txt", text.encode(), "application/octet-stream")},
        ).json()
        assert sent["result"] == want
        if size == 1:
            asked = client.get("/process", params={"data": text, **ALL}).json()
            assert named(asked["result"], "letter") == want
            mixed = client.post("/process?tokenizer&tagger&parser", data={"data": text}).json()
            assert mixed == form


@pytest.mark.parametrize(
    "text", ["", " \n", "\ufeffThey left.", "Zeile eins.\r\nZeile zwei.\r\n", "a\u2028b", "x" * 999]
)
def test_odd_texts_are_those_of_the_command(
    service: str, tiny_model: Path, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "odd.txt"
    file.write_bytes(text.encode())
    answer = httpx.post(f"{service}/process", data={"data": text, **ALL}, timeout=60)
    assert answer.status_code == 200, answer.text
    assert named(answer.json()["result"], "odd") == command(tiny_model, file)


def test_options_of_the_tokeniser(service: str, tiny_model: Path, tmp_path: Path) -> None:
    client = Client(service)
    file = tmp_path / "stdin.txt"
    file.write_text("so they went\nnobody asks him why", encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    ranges = client.process(text, **{**ALL, "tokenizer": "ranges"})
    assert ranges == command(tiny_model, file, "--token-range")
    lines = client.process(text, **{**ALL, "tokenizer": "presegmented; ranges"})
    assert lines == command(tiny_model, file, "--token-range", "--newline-is-boundary")
    for value in ("1", "true", "yes", "default"):
        assert client.process(text, **dict.fromkeys(ALL, value)) == client.process(text, **ALL)


def rows(result: str) -> list[list[str]]:
    return [line.split("\t") for line in result.splitlines() if line and line[0] != "#"]


def test_what_is_not_asked_for_is_left_out(service: str) -> None:
    client = Client(service)
    whole = rows(client.process(TEXT, **ALL))
    tokens = rows(client.process(TEXT, tokenizer=""))
    assert [row[:2] for row in tokens] == [row[:2] for row in whole]
    assert {cell for row in tokens for cell in row[2:9]} == {"_"}
    tagged = rows(client.process(TEXT, tokenizer="", tagger=""))
    assert [row[:6] for row in tagged] == [row[:6] for row in whole]
    assert {cell for row in tagged for cell in row[6:8]} == {"_"}


def test_what_is_given_is_kept(service: str) -> None:
    """CoNLL-U and tokens in; what is there stays unless it is asked for anew."""
    client = Client(service)
    gold = (EXAMPLES / "harbour.conllu").read_text(encoding="utf-8")
    assert client.process(gold) == client.process(gold, input="conllu")
    assert rows(client.process(gold)) == rows(gold)
    parsed = client.process(gold, parser="")
    assert [row[:6] for row in rows(parsed)] == [row[:6] for row in rows(gold)]
    assert rows(parsed) != rows(gold)
    tagged = client.process(gold, tagger="")
    assert [row[6:8] for row in rows(tagged)] == [row[6:8] for row in rows(gold)]
    bare = "\n".join("\t".join([*row[:2], *["_"] * 8]) for row in rows(gold)[:5]) + "\n\n"
    assert {row[6] for row in rows(client.process(bare, tagger=""))} == {"_"}
    assert {row[3] for row in rows(client.process(bare, parser=""))} == {"_"}
    lines = client.process("They left .\nDid you ?\n", input="horizontal", tagger="", parser="")
    assert [row[1] for row in rows(lines)] == ["They", "left", ".", "Did", "you", "?"]
    assert lines.count("# sent_id") == 2
    column = "They\nleft\n.\n\nDid\nyou\n?\n\n"
    assert rows(client.process(column, input="vertical", tagger="", parser="")) == rows(lines)
    assert client.process("They left .\n", input="horizontal", output="vertical") == (
        "They\nleft\n.\n\n"
    )
    assert client.process(TEXT, output="plaintext", **ALL) == TEXT
    assert "The harbour" in client.process(TEXT, output="horizontal", **ALL)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 400),
        ({"data": "a", "model": "none", **ALL}, 404),
        ({"data": "a", "model": "../../etc/passwd", **ALL}, 404),
        ({"data": "a", "tokenizer": "normalized_spaces"}, 422),
        ({"data": "a", "tokenizer": "", "tagger": "beam_search=7"}, 422),
        ({"data": "a", "output": "matxin", **ALL}, 422),
        ({"data": "a", "output": "epe", **ALL}, 422),
        ({"data": "a", "input": "exe"}, 422),
        ({"data": "no columns"}, 422),
        ({"data": "\0", **ALL}, 422),
        ({"data": "a", **{f"field{n}": "" for n in range(60)}}, 400),
    ],
)
def test_what_cannot_be_done_is_told(service: str, asked: dict[str, str], status: int) -> None:
    """With one sentence, which a client of UDPipe shows as the body of the error."""
    answer = httpx.post(f"{service}/process", data=asked, timeout=60)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]
    if asked:
        with pytest.raises(urllib.error.HTTPError) as error:
            Client(service).request("process", asked)
        assert error.value.code == status


def test_bodies_that_are_no_forms_are_refused(service: str) -> None:
    kind = "multipart/form-data; boundary=x"
    part = b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\nhello\r\n'
    bodies: list[tuple[str, bytes, int]] = [
        ("application/json", b"{}", 415),
        ("text/plain", b"data=a", 415),
        ("multipart/form-data", part + b"--x--", 400),
        (kind, b"", 400),
        (kind, part, 400),
        (kind, part * 60 + b"--x--", 400),
        (kind, b"--x\r\n\r\nhello\r\n--x--", 400),
        (kind, b"--x\r\n" + b"a" * 100_000, 400),
        (kind, part.replace(b"hello", b"\xff") + b"--x--", 400),
        (FORM, b"data=%ff", 400),
        (FORM, b"&" * 100_000, 400),
    ]
    for header, body, status in bodies:
        answer = httpx.post(
            f"{service}/process", content=body, headers={"content-type": header}, timeout=60
        )
        assert answer.status_code == status, (header, body[:50], answer.text)
        assert answer.json()["error"]["message"]


def test_forms_of_other_sites_are_refused(service: str) -> None:
    """A browser sends a form anywhere without asking; it says where it comes from."""
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        for method in ("GET", "POST"):
            answer = httpx.request(method, f"{service}/process", headers=headers)
            assert answer.status_code == 403
    assert httpx.post(f"{service}/models").status_code == 200


def test_fields_of_forms() -> None:
    parts = (
        b'preamble\r\n--b\r\nContent-Disposition: form-data; name="data"; filename="a.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\none\r\ntwo\r\n\r\n--bx\r\n"
        b'\r\n--b\r\ncontent-disposition:form-data;name="tagger"\r\n\r\n\r\n--b--\r\nepilogue'
    )
    fields, files = form_of('multipart/form-data; charset=x; boundary="b"', "model=q", parts)
    assert fields["data"] == "one\r\ntwo\r\n\r\n--bx\r\n"  # which only begins like a mark
    with pytest.raises(Refused):
        form_of("multipart/form-data", "", parts)
    assert fields["model"] == "q"
    assert fields["tagger"] == ""
    assert files == {"data": "a.txt"}
    assert form_of(FORM, "data=1&x=%C3%A9", b"data=2+3")[0] == {"data": "2 3", "x": "é"}
