"""Several texts at once, answers in other formats, and files of whatever `parse` answers."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from caesura import cli, formats
from caesura.formats.options import ReadOptions
from caesura.serve.accept import CONLLU, JSON, JSONL, chosen
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused
from caesura.serve.server import named_models
from tests.pipeline.tiny import TEXT
from tests.serve.conftest import Running, start


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=60) as made:
        yield made
        assert made.get("/health").json()["status"] == "ok"


def parse(client: httpx.Client, accept: str = JSON, **asked: Any) -> httpx.Response:
    return client.post("/api/v1/parse", json=asked, headers={"accept": accept})


def read(text: str, format: str = "conllu") -> list[Any]:
    stream = io.BytesIO(text.encode())
    return list(formats.read_stream(stream, format, ReadOptions(file="answer")))


# ------------------------------------------------------------------------ several texts


def test_several_texts_are_answered_in_their_order(client: httpx.Client) -> None:
    texts = [f"Text {number}. It ends." for number in range(200)]
    answer = parse(client, texts=texts).json()
    assert len(answer["results"]) == 200
    for text, result in zip(texts, answer["results"], strict=True):
        alone = parse(client, text=text).json() if text.startswith("Text 19") else None
        assert [s["start"] for s in result["sentences"]] == [0, text.index("It")]
        if alone is not None:
            assert result["sentences"] == alone["sentences"]


def test_one_bad_text_costs_no_other(client: httpx.Client) -> None:
    """Too long, no text, half a character, a bug: each is told in its place."""
    texts = ["One.", "x" * 1_000_001, 7, ["a"], "\ud800", "BUG inside", None, "Two. Three."]
    body = json.dumps({"texts": texts})
    answer = client.post(
        "/api/v1/parse", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [len(one.get("sentences", ())) for one in results] == [1, 0, 0, 0, 0, 0, 0, 2]
    statuses = [one["error"]["status"] for one in results if "error" in one]
    assert statuses == [413, 400, 400, 422, 500, 400]
    assert "secret" not in answer.text


def test_bad_texts_in_other_formats(client: httpx.Client) -> None:
    texts = ["One.", 7, "Two. Three."]
    lines = [json.loads(line) for line in parse(client, JSONL, texts=texts).text.splitlines()]
    assert [line["id"] for line in lines] == ["text-1", "text-2", "text-3"]
    assert lines[1]["error"]["status"] == 400
    assert lines[2]["text"] == "Two. Three."
    conllu = parse(client, CONLLU, texts=texts, id="mine").text
    assert "# newdoc id = mine-2\n# error = 400 This is no text" in conllu
    docs = read(conllu)
    assert [doc.text for doc in docs if doc.n_tokens] == ["One.", "Two. Three."]


def test_texts_that_are_too_many_are_refused(client: httpx.Client) -> None:
    answer = parse(client, texts=["a"] * 1001)
    assert (answer.status_code, "1,001 texts" in answer.text) == (413, True)
    answer = parse(client, texts=["a" * 600_000] * 2)
    assert (answer.status_code, "1,200,000 characters" in answer.text) == (413, True)
    assert parse(client, texts=[]).json()["results"] == []


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 400),
        ({"text": "a", "texts": ["a"]}, 400),
        ({"texts": "a"}, 400),
        ({"texts": ["a"], "starts": [0]}, 422),
        ({"texts": ["a"], "k": 2}, 422),
        ({"texts": ["a"], "stream": True}, 422),
        ({"texts": ["a"], "model": "none"}, 404),
    ],
)
@pytest.mark.parametrize("accept", [JSON, JSONL, CONLLU])
def test_what_does_not_go_together_is_refused(
    client: httpx.Client, asked: dict[str, Any], status: int, accept: str
) -> None:
    answer = parse(client, accept, **asked)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["status"] == status
    assert answer.headers["content-type"] == JSON


# -------------------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("header", "want"),
    [
        (None, JSON), ("", JSON), ("*/*", JSON), ("application/*", JSON), ("text/*", CONLLU),
        ("text/x-conllu", CONLLU), ("TEXT/CONLLU; charset=utf-8", CONLLU),
        ("application/jsonl", JSONL), ("application/json;q=0.1, application/x-ndjson", JSONL),
        ("text/html,application/xhtml+xml,*/*;q=0.8", JSON), ("application/json;q=0, */*", JSONL),
        (",,application/json,,", JSON), ("image/png, text/x-conllu;q=0.001", CONLLU),
    ],
)  # fmt: skip
def test_the_format_that_is_preferred(header: str | None, want: str) -> None:
    assert chosen(header, (JSON, JSONL, CONLLU)) == want


@pytest.mark.parametrize(
    ("header", "status"),
    [("image/png", 406), ("application/json;q=0", 406), ("json", 400), ("a/b/c", 400),
     ("application/json;q=x", 400), ("application/json;q=2", 400), ("/", 400), ("*" * 1001, 400),
     ("a/b," * 10_000, 400), ("\xff/\x80", 400)],
)  # fmt: skip
def test_what_cannot_be_accepted_is_refused(client: httpx.Client, header: str, status: int) -> None:
    with pytest.raises(Refused) as error:
        chosen(header, (JSON, JSONL, CONLLU))
    assert error.value.status == status
    sent = {"accept": header.encode("latin-1")}
    answer = client.post("/api/v1/parse", json={"text": "a"}, headers=sent)  # type: ignore[arg-type]
    if len(header) < 30_000:  # longer heads are refused by the connection
        assert answer.json()["error"]["status"] == status


@pytest.fixture(scope="module")
def real(tiny_model: Path) -> Iterator[httpx.Client]:
    """A pipeline that was trained, behind the API."""
    running, server, thread = start(named_models([str(tiny_model)]), ServeOptions(port=0))
    with httpx.Client(base_url=running.address, timeout=300) as made:
        yield made
    server.should_exit = True
    thread.join(timeout=20)


def command(model: Path, file: Path, to: str, *more: str) -> str:
    """What `caesura parse` writes."""
    out = file.with_suffix(".out")
    call = ["parse", str(file), "-m", str(model), "--to", to, "-o", str(out), "--quiet", *more]
    assert cli.run(call) == 0
    return out.read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [1, 90_000])
def test_files_are_those_of_the_command(
    real: httpx.Client, tiny_model: Path, tmp_path: Path, size: int
) -> None:
    """Byte for byte, a short text and one that is long enough to be streamed."""
    text = (TEXT * (1 + size // len(TEXT)))[: max(size, len(TEXT))]
    file = tmp_path / "letter.txt"
    file.write_text(text, encoding="utf-8")
    for accept, to in ((CONLLU, "conllu"), (JSONL, "jsonl")):
        answer = parse(real, accept, text=text, id="letter")
        assert answer.text == command(tiny_model, file, to)
        chunked = answer.headers.get("transfer-encoding") == "chunked"
        assert chunked == (size > 1)
    sure = parse(real, CONLLU, text=TEXT, id="letter", confidence=True).text
    file.write_text(TEXT, encoding="utf-8")
    assert sure == command(tiny_model, file, "conllu", "--confidence")


def test_a_long_file_that_breaks_off_has_no_end(tmp_path: Path) -> None:
    """Half of a treebank must not pass for the whole."""
    from tests.serve.conftest import fake_models
    from tests.serve.fake import save

    models = fake_models(slow=save(tmp_path / "slow.caesura"))
    running, server, thread = start(models, ServeOptions(port=0, seconds=8.0))
    body = {"text": "a b. " * 25_000}
    got = b""
    how = {"json": body, "headers": {"accept": CONLLU}, "timeout": 60}
    with httpx.stream("POST", f"{running.address}/api/parse", **how) as answer:
        parts = answer.iter_bytes()
        with contextlib.suppress(httpx.RemoteProtocolError):
            for part in parts:
                got += part
            pytest.fail("it ended as if all were there")
    assert b"\n# error = 503 This took longer than 8 seconds." in got
    server.should_exit = True
    thread.join(timeout=20)


# ------------------------------------------------------------------ what is none


@pytest.mark.parametrize("heads", [[2, 1, 2], [0, 0, 1], [2, 3, 1]])
def test_trees_that_are_none_are_refused(real: httpx.Client, heads: list[int]) -> None:
    """Cycles, two roots."""
    tokens = [{"text": form, "start": at, "end": at + 1, "after": " "}
              for at, form in enumerate("abc")]  # fmt: skip
    words = [{"form": form, "head": head, "deprel": "x"}
             for form, head in zip("abc", heads, strict=True)]  # fmt: skip
    sentence = {"start": 0, "end": 3, "tokens": tokens, "words": words}
    answer = real.post("/api/complete", json={"sentences": [sentence]})
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["message"]


# --------------------------------------------------------------------- files of any answer


@pytest.mark.parametrize("to", ["conllu", "jsonl", "svg", "html", "text"])
def test_what_parse_returns_can_be_converted(client: httpx.Client, to: str) -> None:
    """Whole, in every format in which it is answered."""
    answer = parse(client, text=TEXT)
    want = client.post("/api/convert", json={"sentences": answer.json()["sentences"], "to": to})
    assert want.status_code == 200
    same = client.post("/api/convert", json={**answer.json(), "to": to})
    assert same.content == want.content
    sent = client.post(
        f"/api/convert?to={to}", content=answer.content, headers={"content-type": JSON}
    )
    assert sent.content == want.content
    for kind in (CONLLU, JSONL):
        body = parse(client, kind, text=TEXT).content
        made = client.post(f"/api/convert?to={to}", content=body, headers={"content-type": kind})
        assert made.status_code == 200, made.text
        assert "harbour" in made.text


def test_several_texts_and_analyses_can_be_converted(client: httpx.Client) -> None:
    many = parse(client, texts=["One. Two.", 7, "Three."]).json()
    docs = read(client.post("/api/convert", json={**many, "to": "conllu"}).text)
    assert [doc.text for doc in docs] == ["One. Two.", "Three."]
    best = parse(client, text="They left.", k=2).json()
    docs = read(client.post("/api/convert", json={**best, "to": "jsonl"}).text, "jsonl")
    assert [doc.text for doc in docs] == ["They left."] * 2


@pytest.mark.parametrize(
    ("body", "kind", "query", "status"),
    [
        ({"sentences": []}, JSON, "", 400),
        ({"sentences": [], "to": "exe"}, JSON, "", 400),
        ({"sentences": []}, JSON, "?to=exe", 400),
        ({"to": "conllu"}, JSON, "", 400),
        ({"sentences": [], "analyses": [], "to": "conllu"}, JSON, "", 400),
        ({"sentences": [], "version": 2, "to": "conllu"}, JSON, "", 422),
        ({"sentences": []}, "text/plain", "?to=conllu", 415),
        ({"sentences": []}, CONLLU, "?to=jsonl", 422),
        ({"sentences": []}, JSONL, "?to=conllu", 422),
        ({"sentences": []}, JSON, "?" + "&".join(f"a{n}=1" for n in range(99)), 400),
    ],
)
def test_what_cannot_be_converted_is_refused(
    client: httpx.Client, body: Any, kind: str, query: str, status: int
) -> None:
    sent = json.dumps(body).encode()
    answer = client.post(f"/api/convert{query}", content=sent, headers={"content-type": kind})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


# --------------------------------------------------------------------------------- search


def find(client: httpx.Client, pattern: str, **asked: Any) -> httpx.Response:
    return client.post("/api/v1/find", json={"pattern": pattern, **asked})


def test_a_pattern_is_found_in_whatever_parse_answers(client: httpx.Client) -> None:
    text = "They left. Did you?"
    parsed = parse(client, text=text).json()
    line = json.loads(parse(client, JSONL, text=text).text)
    want = [(number, [word - 1, word], {"b": word}) for number in (0, 1) for word in (1, 2)]
    for asked in (
        {"text": text},
        {"document": parsed},
        {"document": {"sentences": parsed["sentences"]}},
        {"document": line},
    ):
        answer = find(client, "[] >dep []=b", **asked).json()
        found = [(one["sentence"], one["words"], one["nodes"]) for one in answer["matches"]]
        assert found == want
        assert answer["found"] == 4
        assert answer["matches"][3]["text"] == "Did you?"
        assert ("sentences" in answer) == ("text" in asked)
    some = find(client, "[]", text=text, limit=2).json()
    assert (len(some["matches"]), some["found"]) == (2, 6)
    several = find(client, "[form=Two]", document=parse(client, texts=["One.", 7, "Two."]).json())
    assert [one["document"] for one in several.json()["matches"]] == [1]


def test_a_search_that_explodes_is_cut_short_and_told(client: httpx.Client) -> None:
    answer = find(client, "[]=a ; []=b ; []=c", text="a " * 300)
    if answer.status_code == 200:
        assert "than allowed" in answer.json()["warning"]
        assert len(answer.json()["matches"]) <= 1000
    else:
        assert answer.status_code == 422


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"pattern": "[]"}, 400), ({"pattern": "[", "text": "a"}, 422),
        ({"pattern": "", "text": "a"}, 400), ({"pattern": "[]" * 5000, "text": "a"}, 400),
        ({"pattern": "[]", "text": "a", "document": {}}, 400),
        ({"pattern": "[]", "document": {}}, 422), ({"pattern": "[]", "document": {"x": 1}}, 422),
        ({"pattern": "[]", "document": {"sentences": 7}}, 400),
        ({"pattern": "[]", "text": "a", "limit": 0}, 400),
        ({"pattern": "[]", "text": "a", "model": "none"}, 404),
        ({"pattern": "[]", "text": "a" * 1_000_001}, 413),
    ],
)  # fmt: skip
def test_what_cannot_be_searched_is_refused(
    client: httpx.Client, asked: dict[str, Any], status: int
) -> None:
    answer = client.post("/api/v1/find", json=asked)
    assert answer.status_code == status, answer.text
    assert "\n" not in answer.json()["error"]["message"]
