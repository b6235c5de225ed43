"""What a client may do to the server, and that the others do not notice.

The pipeline behind it does what it is told by the text: it hangs in a place where no other thread
gets a turn, dies, grows. Times are bounds that a slow machine keeps, not measurements.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from caesura.errors import CaesuraError
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions
from tests.serve.conftest import Running, fake_models, start
from tests.serve.fake import save

#: Small limits, so that a test need not wait long to see them kept.
LIMITS: dict[str, Any] = {
    "workers": 1, "waiting": 4, "memory": 300, "connections": 20, "seconds": 3.0,
    "header_seconds": 1.0, "body_seconds": 2.0, "send_seconds": 1.0, "grace_seconds": 4.0,
}  # fmt: skip
#: Longer than any limit, shorter than a hang.
SOON = 30.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("models")
    running, made, thread = start(
        fake_models(fake=save(folder / "fake.caesura")), ServeOptions(port=0, **LIMITS)
    )
    yield running
    made.should_exit = True
    thread.join(timeout=SOON)
    assert not thread.is_alive()


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    """Whatever a test does, the server goes on with a worker that works and all its places."""
    with httpx.Client(base_url=server.address, timeout=2 * SOON) as made:
        yield made
        until(lambda: made.get("/health").json()["running"] == 0)
        until(lambda: parse(made, "They left.").status_code == 200)


@pytest.fixture
def patient(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for a new worker waits as long as a slow machine needs to start one."""
    workers = server.app.application.workers
    monkeypatch.setattr(workers, "options", replace(workers.options, seconds=SOON))


def parse(client: httpx.Client, text: str, **more: Any) -> httpx.Response:
    return client.post("/api/parse", json={"text": text, **more})


def until(holds: Any, seconds: float = SOON) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)


def raw(server: Running, data: bytes = b"") -> socket.socket:
    host, port = server.address.removeprefix("http://").split(":")
    made = socket.create_connection((host, int(port)), timeout=SOON)
    made.sendall(data)
    return made


def rest(connection: socket.socket) -> bytes:
    """All that comes until the other side hangs up."""
    data = b""
    try:
        while part := connection.recv(1 << 16):
            data += part
    except ConnectionResetError:
        pass
    return data


def post(body: bytes, *headers: str) -> bytes:
    lines = ["POST /api/parse HTTP/1.1", "host: 127.0.0.1", "content-type: application/json"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


# ------------------------------------------------------------------ work that does not end


@pytest.mark.parametrize("stream", [False, True])
def test_work_that_hangs_is_ended_and_nobody_else_waits(
    server: Running, client: httpx.Client, stream: bool
) -> None:
    """120 KB that froze the whole server for 50 seconds: a match that holds the interpreter."""
    found: list[httpx.Response] = []

    def ask() -> None:
        body = {"text": "HANG" + 120_000 * "x", "stream": stream}
        found.append(httpx.post(f"{server.address}/api/parse", json=body, timeout=SOON))

    restarts = server.app.application.workers.restarts
    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: server.app.application.workers.taken == 1)
    calls = 0
    while asking.is_alive():
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/").status_code == 200
        calls += 1
        time.sleep(0.05)
    assert calls >= 5
    if stream:
        # The first line, which is no work, was sent; the last one tells.
        lines = [json.loads(line) for line in found[0].text.splitlines()]
        error = lines[-1]["error"]
    else:
        error = found[0].json()["error"]
    assert error["status"] == 503
    assert "longer than 3 seconds" in error["message"]
    assert server.app.application.workers.restarts == restarts + 1


def test_the_readers_cannot_freeze_it(server: Running, client: httpx.Client) -> None:
    """Comments of 120 KB, brackets, rows: answered or ended in time."""
    texts = {
        "conllu": "# newdoc" + " " * 120_000 + "x\n",
        "brackets": "(" * 60_000 + ")" * 60_000,
        "jsonl": "[" * 120_000,
        "tokens": "\n" * 120_000,
    }
    for kind, text in texts.items():
        body = {"gold": text, "system": text, "format": kind}
        answer = client.post("/api/evaluate", json=body)
        assert answer.status_code in (200, 422, 503), answer.text
        assert client.get("/health").status_code == 200


def test_who_waits_too_long_for_a_worker_is_told(server: Running, client: httpx.Client) -> None:
    hanging = [raw(server, whole("HANG")) for _ in range(2)]
    until(lambda: server.app.application.workers.taken == 2)
    answers = [rest(one) for one in hanging]
    assert sum(b"longer than 3 seconds" in one for one in answers) >= 1
    assert all(b" 503 " in one for one in answers)


def whole(text: str) -> bytes:
    body = json.dumps({"text": text}).encode()
    return post(body, f"content-length: {len(body)}", "connection: close")


# ----------------------------------------------------------------- workers that die or grow


def test_a_worker_that_dies_costs_one_answer(client: httpx.Client, patient: None) -> None:
    answer = parse(client, "DIE")
    assert answer.status_code == 500
    assert "goes on" in answer.json()["error"]["message"]
    assert parse(client, "They left.").status_code == 200


def test_a_worker_that_dies_while_it_is_idle_costs_nothing(
    server: Running, client: httpx.Client, patient: None
) -> None:
    workers = server.app.application.workers
    until(lambda: workers._idle.qsize() == 1)
    [worker] = workers._all
    os.kill(worker.process.pid, signal.SIGKILL)
    until(lambda: not worker.alive)
    assert parse(client, "They left.").status_code == 200


def test_a_bug_is_told_without_the_text(server: Running, client: httpx.Client) -> None:
    answer = parse(client, "BUG Xyzzyplugh")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    until(lambda: "error inside: ZeroDivisionError" in server.log)
    assert not any("Xyzzyplugh" in line or "secret" in line for line in server.log)


def test_a_worker_that_has_grown_is_replaced_after_its_answer(
    server: Running, client: httpx.Client, patient: None
) -> None:
    workers = server.app.application.workers
    restarts = workers.restarts
    assert parse(client, "KEEP 350").status_code == 200
    assert workers.restarts == restarts + 1
    assert parse(client, "They left.").status_code == 200
    assert workers.restarts == restarts + 1


def test_a_worker_that_grows_without_end_is_killed(server: Running, client: httpx.Client) -> None:
    answer = parse(client, "GROW")
    assert answer.status_code == 503
    # Which limit it meets first depends on the machine.
    assert "more than 600 MB" in answer.text or "longer than" in answer.text


def test_a_model_that_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    from caesura.serve.server import serve

    broken = tmp_path / "broken.caesura"
    broken.write_bytes(b"no model at all")
    with pytest.raises(CaesuraError, match="broken"):
        serve(Models({"broken": broken}), ServeOptions(port=0))


# ------------------------------------------------------------------------ clients that leave


def test_work_stops_when_its_client_has_left(
    server: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura.serve.workers._SETTLE", SOON)  # however slow the machine
    workers = server.app.application.workers
    restarts = workers.restarts
    connection = raw(server, whole("a b c. " * 60_000))
    until(lambda: len(workers._busy) == 1)
    connection.close()
    until(lambda: workers.taken == 0)
    until(lambda: workers._idle.qsize() == 1)
    assert workers.restarts == restarts  # it stopped at its next piece


def test_work_that_hangs_is_killed_when_its_client_has_left(
    server: Running, client: httpx.Client, tmp_path: Path
) -> None:
    workers = server.app.application.workers
    restarts = workers.restarts
    begun = tmp_path / "begun"
    connection = raw(server, whole(f"HANG {begun}"))
    until(begun.exists)  # told to stop before that, it need not be killed
    connection.close()
    until(lambda: workers.restarts == restarts + 1)


def test_a_client_that_does_not_read_is_left(server: Running, client: httpx.Client) -> None:
    """Its answer waits in this process; the worker is free, and soon the place is, too."""
    # Longer than what the system keeps for a client.
    connection = raw(server, whole(("a " * 100 + ". ") * 450))
    workers = server.app.application.workers
    until(lambda: workers.taken == 1)
    until(lambda: workers.taken == 0)
    assert parse(client, "They left.").status_code == 200
    assert not rest(connection).endswith(b"}")
    connection.close()


# -------------------------------------------------------------------------- slow and broken


def test_a_slow_head_is_refused(server: Running, client: httpx.Client) -> None:
    with raw(server, b"GET /health HTT") as connection:
        answer = rest(connection)
    assert b" 408 " in answer
    assert b'{"error":{"status":408' in answer
    with raw(server) as silent:
        assert rest(silent) == b""


def test_what_is_no_http_is_refused_in_json(server: Running, client: httpx.Client) -> None:
    for data in (b"\x16\x03\x01\x00\xa5\r\n\r\n", b"HELO there\r\n\r\n", b"a" * 40_000):
        with raw(server, data) as connection:
            answer = rest(connection)
        assert b" 400 " in answer
        assert b'{"error":{"status":400' in answer


def test_a_body_of_tiny_pieces_is_refused(server: Running, client: httpx.Client) -> None:
    """Each piece costs the server time, of which it has one share for all."""
    with raw(server, post(b"1\r\na\r\n" * 20_000, "transfer-encoding: chunked")) as connection:
        assert b"too many small pieces" in rest(connection)
    text = json.dumps({"text": "They left. " * 2000}).encode()
    pieces = b"".join(b"258\r\n" + text[at : at + 600] + b"\r\n" for at in range(0, 21_600, 600))
    whole = pieces + f"{len(text) - 21_600:x}".encode() + b"\r\n" + text[21_600:] + b"\r\n0\r\n\r\n"
    head = post(whole, "transfer-encoding: chunked", "connection: close")
    with raw(server, head) as connection:
        assert b" 200 " in rest(connection)


def test_a_body_that_nobody_wants_does_not_keep_a_connection(
    server: Running, client: httpx.Client
) -> None:
    head = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n"
    with raw(server, head) as connection:
        for _ in range(600):
            try:
                connection.sendall(b"1\r\na\r\n")
            except OSError:
                break
            time.sleep(0.05)
        else:
            pytest.fail("the server took an endless body")


def test_many_connections_keep_nobody_out(server: Running, client: httpx.Client) -> None:
    held = [raw(server, b"GET / HTTP/1.1\r\n") for _ in range(3 * LIMITS["connections"])]
    for _ in range(5):
        assert httpx.get(f"{server.address}/health", timeout=SOON).status_code == 200
    for connection in held:
        connection.close()


def test_large_bodies_together_are_not_too_large(server: Running, client: httpx.Client) -> None:
    """Eight of the largest bodies may wait for their end; the ninth is told to come back."""
    bodies = server.app.application.bodies
    head = post(b"", f"content-length: {8 << 20}")
    held = [raw(server, head) for _ in range(10)]

    def feed(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(b" " * ((8 << 20) - 1))

    feeding = [threading.Thread(target=feed, args=(one,)) for one in held]
    for one in feeding:
        one.start()
    most = 0
    while any(one.is_alive() for one in feeding):
        most = max(most, bodies.held)
        assert client.get("/health").status_code == 200
        assert parse(client, "They left.").status_code == 200
    answers = [rest(one) for one in held]
    assert most <= 9 * (8 << 20)
    # How many come to that point before the others are too late depends on the machine.
    assert all(b" 429 " in one or b" 408 " in one for one in answers)
    assert bodies.held == 0


# ------------------------------------------------------------------------------ its own end

SERVE = """
    import sys
    from pathlib import Path
    from caesura.serve.options import ServeOptions
    from caesura.serve.server import serve
    from tests.serve.conftest import fake_models
    from tests.serve.test_attacks import LIMITS

    options = ServeOptions(port=0, **{**LIMITS, "seconds": 600.0, "body_seconds": 600.0})
    models = fake_models(fake=Path(sys.argv[1]))
    serve(models, options, ready=lambda address: print(address, flush=True))
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_it_ends_within_its_grace_whatever_runs(tmp_path: Path, how: signal.Signals) -> None:
    model = save(tmp_path / "fake.caesura")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SERVE), str(model)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip().rstrip("/")
    running = Running(address, [], None)
    held = [
        raw(running, whole("HANG")),
        raw(running, whole("They wait behind it.")),
        raw(running, b"GET /health"),
        raw(running, post(b"{", "content-length: 99")),
        raw(running),
    ]
    until(lambda: httpx.get(f"{address}/health").json()["running"] == 2)
    workers = children(process.pid)
    assert len(workers) == 1
    process.send_signal(how)
    process.wait(timeout=SOON)
    if how != signal.SIGKILL:
        assert b" 503 " in rest(held[0])
        assert b" 503 " in rest(held[1])
    # Where nobody is left to end it the system must.
    until(lambda: not any(runs(pid) for pid in workers))
    for connection in held:
        connection.close()


def runs(pid: int) -> bool:
    """Whether a process does something still; one that nobody has asked for its end does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    if not Path("/proc/self/task").exists():
        pytest.skip("this system does not tell the children of a process")
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(one) for one in found.split()]
