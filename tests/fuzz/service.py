"""The doors of the server: the bodies of requests, as a worker sees them, and raw bytes of HTTP.

Whatever comes, the answer is one that the documentation names, an error says what is wrong, and
nothing is a bug inside (500). No process is started and no port opened.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from caesura.serve import wire
from caesura.serve.accept import CONLLU, FORM, JSONL, MULTIPART
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions
from caesura.serve.worker import Job, respond

__all__ = ["http_target", "requests_target"]

#: What docs/howto/serve.md names, but for bugs and clients that have gone.
DOCUMENTED: Final = frozenset(
    {200, 204, 400, 401, 403, 404, 405, 406, 408, 413, 415, 421, 422, 429, 503}
)
OPTIONS: Final = ServeOptions(max_chars=5_000, max_given=1_000, max_alternatives=300)
_FORMATS: Final = ("conllu", "conllx", "brackets", "jsonl", "tokens")


def _asked(data: bytes) -> tuple[wire.JobHead, bytes]:
    """What is asked, and a body: the bytes themselves, or a text that holds them."""
    way, rest = (data[0], data[1:]) if data[:1] and data[0] < 16 else (0, data)
    if way >= 8:
        return _newer(way, rest)
    endpoint, body = _older(way, rest)
    return wire.JobHead(endpoint, 600), body


def _newer(way: int, rest: bytes) -> tuple[wire.JobHead, bytes]:
    """Forms, patterns, several texts, other formats."""
    text = rest.decode("utf-8", "replace")
    if way < 11:
        kind = (FORM, f"{MULTIPART}; boundary=x", FORM)[way - 8]
        query = "tokenizer=&tagger=&parser=" if len(rest) % 2 else "input=vertical&parser="
        return wire.JobHead("process", 600, kind, query), b"data=" + rest if way == 10 else rest
    if way < 13:
        kind, query = (CONLLU, "to=jsonl") if way == 11 else (JSONL, "to=conllu")
        return wire.JobHead("convert", 600, kind, query), rest
    if way == 13:
        pattern, _, said = text.partition("\0")
        asked: Any = {"pattern": pattern, "text": said or "They left."}
        return wire.JobHead("find", 600), json.dumps(asked).encode()
    asked = {"texts": [*text.split("\0"), len(rest)]}
    format = "conllu" if way == 14 else "jsonl"
    return wire.JobHead("parse", 600, format=format), json.dumps(asked).encode()


def _older(way: int, rest: bytes) -> tuple[str, bytes]:
    text = rest.decode("utf-8", "replace")
    if way < 5:
        return ("parse", "draw", "convert", "evaluate", "complete")[way], rest
    if way == 5:
        gold, _, system = text.partition("\0")
        kind = _FORMATS[len(rest) % len(_FORMATS)]
        asked = {"gold": gold, "system": system or gold, "format": kind, "html": len(rest) % 2 == 0}
        return "evaluate", json.dumps(asked).encode()
    asked = {"text": text, "stream": way == 6, "strip": way == 7, "k": 1 + len(rest) % 3}
    return "parse", json.dumps(asked).encode()


def _frames(asked: wire.JobHead, body: bytes, models: Models) -> tuple[wire.Head, list[bytes]]:
    """What a worker says to a job; nothing of it may be a bug."""
    job = Job(asked, body, 600)
    found = list(respond(job, models, OPTIONS))
    kinds = [frame[:1] for frame in found]
    assert kinds[0] == wire.HEAD
    assert kinds[-1] == wire.END
    assert set(kinds[1:-1]) <= {wire.DATA}
    payloads = [frame[wire.PREFIX.size :] for frame in found]
    end = msgspec.json.decode(payloads[-1], type=wire.End)
    assert end.error is None, end.error
    return msgspec.json.decode(payloads[0], type=wire.Head), payloads[1:-1]


def requests_target(model: Path) -> Callable[[bytes], None]:
    """A worker's answer to any body at any endpoint."""
    models = Models({"tiny": model})

    def one(data: bytes) -> None:
        head, pieces = _frames(*_asked(data), models)
        body = b"".join(pieces)
        assert head.status in DOCUMENTED
        if head.status != 200:
            error = json.loads(body)["error"]
            assert error["status"] == head.status
            assert error["message"]
        elif head.stream and head.tail == "event":
            lines = [json.loads(line) for line in body.splitlines()]
            assert lines[0]["type"] == "start"
            assert lines[-1]["type"] in ("end", "error")
        elif ("content-type", "application/json") in head.headers:
            answer = json.loads(body)
            assert "result" in answer or answer["version"] == 1

    return one


class _Here:
    """Workers that work in this process."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.options = OPTIONS
        self.over = asyncio.Event()
        self.loaded: dict[str, list[str]] = {}
        self.stopping, self.taken, self.places = False, 0, 1
        self.words = self.busy = self.restarts = self.unloads = 0
        self.alive: list[Any] = []
        self.broken = False

    def take(self) -> _Here:
        return self

    def release(self) -> None:
        pass

    async def answer(self, asked: wire.JobHead, body: bytes) -> AsyncIterator[wire.Head | bytes]:
        asked.seconds = 600
        head, pieces = _frames(asked, body, self.models)
        yield head
        for piece in pieces:
            yield piece


class _Transport(asyncio.Transport):
    """Keeps what is written; the client reads all of it at once."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.closed = False

    def write(self, data: Any) -> None:
        if not self.closed:
            self.written += data

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        pass

    resume_reading = pause_reading


class _Complaints(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def http_target(model: Path) -> Callable[[bytes], None]:
    """The answers to any bytes on a connection, up to the end of it."""
    import uvicorn
    from uvicorn.server import ServerState

    from caesura.serve.app import make_app
    from caesura.serve.connections import connection_class

    models = Models({"tiny": model})
    log: list[str] = []
    app = make_app(models, OPTIONS, log=log.append)
    here = _Here(models)
    app.application.workers = here
    for route in app.app.routes:
        if hasattr(route.endpoint, "workers"):
            route.endpoint.workers = here
    made = connection_class(OPTIONS)
    config = uvicorn.Config(app, log_config=None, http=made, ws="none", lifespan="off")
    config.load()
    complaints = _Complaints()
    logging.getLogger("uvicorn.error").addHandler(complaints)
    loop = asyncio.new_event_loop()

    async def talk(data: bytes) -> bytes:
        state, transport = ServerState(), _Transport()
        connection = made(config=config, server_state=state, app_state={}, _loop=loop)
        connection.connection_made(transport)
        for at in range(0, len(data), 1000):
            if not transport.closed:
                connection.data_received(data[at : at + 1000])
                for _ in range(30):
                    await asyncio.sleep(0)
        connection.connection_lost(None)
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=60)
        assert not state.tasks, "a request goes on without its client"
        return bytes(transport.written)

    def one(data: bytes) -> None:
        log.clear()
        written = loop.run_until_complete(talk(data))
        assert not complaints.lines, complaints.lines
        assert not any("error inside" in line for line in log), log
        assert not written or re.match(rb"HTTP/1\.1 \d{3} ", written), written[:80]
        for status in re.findall(rb"^HTTP/1\.1 (\d{3}) ", written, re.M):
            assert int(status) in DOCUMENTED or status == b"100", status

    return one
