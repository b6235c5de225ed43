"""Who may ask: tokens, origins, ids, paths of a proxy; and what the server says of itself."""

from __future__ import annotations

import asyncio
import base64
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from caesura.cli import run
from caesura.serve.guard import Guard, request_id
from caesura.serve.metrics import BUCKETS, Metrics
from caesura.serve.options import TOKEN, ServeOptions
from caesura.serve.refusals import Refused
from caesura.serve.routes import ENDPOINTS
from tests.serve.conftest import Running, fake_models, start
from tests.serve.fake import save

SECRET = "correct-horse-battery"
SITE = "https://page.example"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("models")
    options = ServeOptions(port=0, token=SECRET, allow_origin=(SITE,), root_path="/nlp")
    models = fake_models(fake=save(folder / "fake.caesura"))
    running, server, thread = start(models, options)
    yield running
    server.should_exit = True
    thread.join(timeout=20)


@pytest.fixture
def client(guarded: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=guarded.address, timeout=60) as made:
        yield made


BEARER = {"authorization": f"Bearer {SECRET}"}


# ---------------------------------------------------------------------------------- token


def test_nothing_is_told_without_the_token(client: httpx.Client) -> None:
    """At no address but the two that tell whether it lives."""
    for endpoint in ENDPOINTS:
        for path in endpoint.paths:
            address = path.replace("{name}", "main.js")
            for method in endpoint.methods:
                answer = client.request(method, address)
                assert (answer.status_code == 200) == endpoint.public, address
                if not endpoint.public:
                    assert answer.status_code == 401
                    assert answer.json()["error"]["status"] == 401
    assert client.get("/nowhere").status_code == 401


@pytest.mark.parametrize(
    "shown",
    ["", "Bearer", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", SECRET, "Basic",
     "Basic !!!", "Basic " + base64.b64encode(SECRET.encode()).decode(), "Bearer \xff\xfe",
     f"Token {SECRET}", "Bearer " + "x" * 20_000],
)  # fmt: skip
def test_wrong_tokens_are_refused(client: httpx.Client, shown: str) -> None:
    headers = {b"authorization": shown.encode("latin-1")}
    answer = client.get("/api/models", headers=headers)  # type: ignore[arg-type]
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert SECRET not in answer.text


def test_the_token_opens_everything(client: httpx.Client) -> None:
    assert client.get("/api/models", headers=BEARER).status_code == 200
    assert client.get("/api/models", headers={"authorization": f"bearer  {SECRET}"}).is_success
    asked = client.post("/api/parse", json={"text": "They left."}, headers=BEARER)
    assert asked.status_code == 200
    # A browser asks its user, whose name does not matter.
    page = client.get("/")
    assert page.headers["www-authenticate"].startswith("Basic")
    assert client.get("/", auth=("anybody", SECRET)).status_code == 200
    assert client.post("/api/parse", json={"text": "a"}, auth=("", SECRET)).status_code == 200


def test_the_token_is_nowhere_to_be_seen(guarded: Running) -> None:
    assert SECRET not in repr(guarded.app.options)
    assert not any(SECRET in line for line in guarded.log)
    for worker in guarded.app.application.workers.alive:
        folder = Path("/proc", str(worker.process.pid))
        if folder.exists():
            assert SECRET.encode() not in (folder / "cmdline").read_bytes()


@pytest.mark.parametrize("how", ["option", "file", "environment", "stdin"])
def test_where_the_token_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    seen: list[ServeOptions] = []
    monkeypatch.setattr(
        "caesura.serve.server.serve", lambda models, options, **more: seen.append(options)
    )
    call = ["serve", "-m", "en"]
    monkeypatch.delenv(TOKEN, raising=False)
    if how == "option":
        call += ["--token", SECRET]
    elif how == "environment":
        monkeypatch.setenv(TOKEN, SECRET)
    else:
        file = tmp_path / "token"
        file.write_text(f"{SECRET}\nanother line\n", encoding="utf-8")
        call += ["--token-file", str(file) if how == "file" else "-"]
        if how == "stdin":
            monkeypatch.setattr("sys.stdin", file.open(encoding="utf-8"))
    assert run(call) == 0
    assert seen[0].token == SECRET


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--token", "short"], "8 to 500 visible"),
        (["--token", ""], "8 to 500 visible"),
        (["--token", "with a space in it"], "8 to 500 visible"),
        (["--token", "x" * 9, "--token-file", "x"], "given twice"),
        (["--token-file", "no-such-file"], "cannot be read"),
        (["--allow-origin", "example.org"], "is no origin"),
        (["--allow-origin", "https://example.org/page"], "is no origin"),
        (["--allow-origin", "https://a\r\nx: y"], "is no origin"),
        (["--root-path", "nlp"], "is no path"),
        (["--root-path", "/a//b"], "is no path"),
        (["--root-path", "/a b"], "is no path"),
    ],
)
def test_wrong_options_are_told(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(["serve", *arguments]) in (1, 2)
    assert message in capsys.readouterr().err


def test_workers_do_not_inherit_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, SECRET)
    models = fake_models(fake=save(tmp_path / "fake.caesura"))
    running, server, thread = start(models, ServeOptions(port=0, token=SECRET))
    [worker] = running.app.application.workers.alive
    told = Path("/proc", str(worker.process.pid), "environ")
    if told.exists():
        assert SECRET.encode() not in told.read_bytes()
    server.should_exit = True
    thread.join(timeout=20)


# -------------------------------------------------------------------------------- origins


def preflight(client: httpx.Client, origin: str, path: str = "/api/parse") -> httpx.Response:
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,authorization",
    }
    return client.options(path, headers=headers)


def test_a_page_that_may_ask_is_told_so(client: httpx.Client) -> None:
    """A browser asks first, without a token, and then reads the answer."""
    answer = preflight(client, SITE)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == SITE
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "authorization" in answer.headers["access-control-allow-headers"]
    asked = client.post("/api/parse", json={"text": "a"}, headers={**BEARER, "origin": SITE})
    assert asked.headers["access-control-allow-origin"] == SITE
    assert "x-request-id" in asked.headers["access-control-expose-headers"]
    # Errors can be read, too.
    wrong = client.post("/api/parse", json={}, headers={**BEARER, "origin": SITE})
    assert wrong.status_code == 400
    assert wrong.headers["access-control-allow-origin"] == SITE
    assert wrong.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", SITE + ".evil.example", "http://page.example", ""]
)
def test_other_pages_are_not(client: httpx.Client, origin: str) -> None:
    answer = preflight(client, origin)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    asked = client.get("/health", headers={"origin": origin})
    assert "access-control-allow-origin" not in asked.headers
    assert asked.headers["vary"] == "Origin"


def test_without_the_option_no_page_is_told_anything(server: Running) -> None:
    with httpx.Client(base_url=server.address, timeout=60) as client:
        assert preflight(client, SITE).status_code == 405
        answer = client.get("/health", headers={"origin": SITE})
        assert not any(name.startswith("access-control") for name in answer.headers)


def test_all_origins() -> None:
    guard = Guard(ServeOptions(allow_origin=("*",)))
    assert guard.allowed({b"origin": b"https://any.example"}) == b"*"
    assert guard.allowed({}) is None
    assert (b"vary", b"Origin") not in guard.cors({b"origin": b"x"})


def test_forms_of_other_sites_are_refused() -> None:
    """What a browser sends without asking first: forms and pictures."""
    guard = Guard(ServeOptions(allow_origin=(SITE,)))
    host = {b"host": b"127.0.0.1:8765"}
    guard.check_site(host)
    guard.check_site({**host, b"origin": b"http://127.0.0.1:8765"})
    guard.check_site({**host, b"origin": SITE.encode(), b"sec-fetch-site": b"cross-site"})
    guard.check_site({**host, b"sec-fetch-site": b"same-origin"})
    for headers in (
        {b"origin": b"https://evil.example"},
        {b"origin": b"null"},
        {b"origin": b"http://127.0.0.1:99"},
        {b"sec-fetch-site": b"cross-site"},
    ):
        with pytest.raises(Refused, match="other sites"):
            guard.check_site({**host, **headers})


# ------------------------------------------------------------------------------------ ids


def test_ids_go_in_and_out_and_into_the_log(client: httpx.Client, guarded: Running) -> None:
    known = client.get("/health", headers={"x-request-id": "abc-123"})
    assert known.headers["x-request-id"] == "abc-123"
    made = [client.get("/health").headers["x-request-id"] for _ in range(3)]
    assert len(set(made)) == 3
    refused = client.get("/api/models", headers={"x-request-id": "lost"})
    assert refused.headers["x-request-id"] == "lost"
    lines = " ".join(guarded.log)
    for one in ("abc-123", "lost", *made):
        assert f"id {one}" in lines


@pytest.mark.parametrize("given", [b"", b"a b", b"a\tb", b"x" * 129, b"\xff", b"a;b", b"<script>"])
def test_ids_that_cannot_be_logged_are_replaced(given: bytes) -> None:
    assert re.fullmatch("[0-9a-f]{16}", request_id({b"x-request-id": given}))


# ------------------------------------------------------------------------------ root path


def test_addresses_behind_a_proxy(client: httpx.Client) -> None:
    """Whether the proxy takes its part of the path away or not."""
    for prefix in ("", "/nlp"):
        assert client.get(f"{prefix}/health").status_code == 200
        answer = client.post(f"{prefix}/api/parse", json={"text": "a"}, headers=BEARER)
        assert answer.status_code == 200
        page = client.get(f"{prefix}/", headers=BEARER)
        assert 'src="static/' in page.text  # which is below wherever the page is
        assert client.get(f"{prefix}/static/main.js", headers=BEARER).status_code == 200
    assert client.get("/nlpx/health", headers=BEARER).status_code == 404
    assert client.get("/nlp/nlp/health", headers=BEARER).status_code == 404
    described = client.get("/openapi.json", headers=BEARER).json()
    assert described["servers"] == [{"url": "/nlp"}]


# ------------------------------------------------------------------------ health, metrics


def test_ready_and_not(tmp_path: Path) -> None:
    models = fake_models(fake=save(tmp_path / "fake.caesura"))
    running, server, thread = start(models, ServeOptions(port=0))
    assert httpx.get(f"{running.address}/ready").json() == {"ready": True, "workers": 1}
    workers = running.app.application.workers
    workers._ready.clear()  # as while the last one is being replaced
    answer = httpx.get(f"{running.address}/ready")
    assert (answer.status_code, answer.json()["error"]["status"]) == (503, 503)
    assert httpx.get(f"{running.address}/health").status_code == 200
    server.should_exit = True
    thread.join(timeout=20)


def samples(text: str) -> dict[str, float]:
    """What Prometheus reads."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r"([a-z_]+(?:\{[^}]*\})?) ([0-9.e+-]+)", line)
            assert match is not None, line
            found[match.group(1)] = float(match.group(2))
    return found


def test_metrics_count_what_was_done(client: httpx.Client) -> None:
    before = samples(client.get("/metrics", headers=BEARER).text)
    answer = client.get("/metrics", headers=BEARER)
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for _ in range(3):
        client.post("/api/v1/parse", json={"text": "They left."}, headers=BEARER)
    client.post("/api/parse", json={}, headers=BEARER)
    client.get("/no/such/Xyzzy", headers=BEARER)
    text = client.get("/metrics", headers=BEARER).text
    after = samples(text)
    assert "Xyzzy" not in text

    def more(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert more('caesura_requests_total{route="parse",status="200"}') == 3
    assert more('caesura_requests_total{route="parse",status="400"}') == 1
    assert more('caesura_requests_total{route="other",status="404"}') == 1
    assert more("caesura_words_total") == 9
    assert more('caesura_request_seconds_count{route="parse"}') == 4
    assert more('caesura_request_seconds_bucket{route="parse",le="+Inf"}') == 4
    assert after['caesura_model_workers{model="fake"}'] == 1
    assert after["caesura_queue"] == 0
    assert after['caesura_workers{state="idle"}'] == 1
    if sys.platform == "linux":
        assert after['caesura_worker_memory_bytes{worker="1"}'] > 1 << 20
        assert after["caesura_server_memory_bytes"] > 1 << 20
    names = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M)
    assert len(names) == len(dict(names)) >= 12


def test_buckets_are_cumulative() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.005, 0.3, 1000.0):
        metrics.count("parse", 200, seconds, 10)
    lines = [line for line in metrics._own() if "_bucket" in line]
    counts = [int(line.rsplit(" ", 1)[1]) for line in lines]
    assert len(counts) == len(BUCKETS) + 1
    assert counts == sorted(counts)
    assert (counts[0], counts[-2], counts[-1]) == (2, 3, 4)


# ---------------------------------------------------------------------- several models


def test_models_that_were_not_used_for_long_are_unloaded(tmp_path: Path) -> None:
    """Three of 100 MB in 250 MB more than a worker has without: the first makes room."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("this system does not tell the memory of a process")
    models = fake_models(
        **{name: save(tmp_path / f"{name}.caesura", ballast=100) for name in ("a", "b", "c")}
    )
    running, server, thread = start(models, ServeOptions(port=0, workers=1))
    workers = running.app.application.workers
    one = samples(httpx.get(f"{running.address}/metrics").text)
    held = int(one['caesura_worker_memory_bytes{worker="1"}']) >> 20
    server.should_exit = True
    thread.join(timeout=20)

    running, server, thread = start(
        models, ServeOptions(port=0, workers=1, total_memory=held + 150)
    )
    workers = running.app.application.workers

    def parse(model: str) -> None:
        body = {"text": "They left.", "model": model}
        answer = httpx.post(f"{running.address}/api/parse", json=body, timeout=60)
        assert answer.status_code == 200

    def loaded() -> list[str]:
        found = httpx.get(f"{running.address}/api/models").json()["models"]
        return [model["name"] for model in found if model["loaded"]]

    assert loaded() == ["a"]  # the default; others when they are asked for
    parse("b")
    assert loaded() == ["a", "b"]
    parse("a")
    parse("c")
    until(lambda: loaded() == ["a", "c"])  # b was not used for longest
    assert workers.unloads == 1
    parse("b")
    until(lambda: loaded() == ["b", "c"])
    [worker] = workers.alive
    pid = worker.process.pid
    until(lambda: int(Path(f"/proc/{pid}/statm").read_text().split()[1]) << 2 < (held + 180) << 10)
    assert workers.restarts == 0
    server.should_exit = True
    thread.join(timeout=20)


def until(holds: Any, seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_the_memory_of_an_unloaded_model_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is slow to give it back does not lose its other models."""
    from caesura.serve import workers as module

    class Slow:
        process = type("Process", (), {"pid": 1})

        def __init__(self) -> None:
            self.used = {"a": 1.0, "b": 2.0, "c": 3.0}
            self.alive = True

        def unload(self, name: str) -> None:
            del self.used[name]

    held = 300 << 20
    monkeypatch.setattr(module, "resident", lambda pid: held)
    worker = Slow()

    async def scene() -> None:
        nonlocal held
        workers = module.Workers(fake_models(), ServeOptions(port=0, total_memory=100))
        workers._all = {worker}  # type: ignore[assignment]
        workers._ready = {worker}  # type: ignore[assignment]
        workers._balance()
        workers._balance()  # nothing has come back yet
        assert (list(worker.used), workers.unloads) == (["b", "c"], 1)
        held -= 50 << 20
        workers._balance()
        assert (list(worker.used), workers.unloads) == (["c"], 2)
        held = 90 << 20
        workers._balance()
        assert workers.unloads == 2

    asyncio.run(scene())
