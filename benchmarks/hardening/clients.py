"""Clients of a server: ordinary ones, slow ones, broken ones, and attacks.

Each is a coroutine that makes one request and returns the outcome: the status of the answer, `left`
if it did not wait for one, `closed` if the server closed the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from benchmarks.common import ROOT

EXAMPLES = ROOT / "examples"
TEXT = (EXAMPLES / "harbour.txt").read_text(encoding="utf-8")
GOLD = (EXAMPLES / "harbour.conllu").read_text(encoding="utf-8")
#: Seconds after which a client gives up: longer than every limit of the server.
PATIENCE = 60.0


@dataclass
class Tally:
    """Statuses, the seconds of good answers, and undocumented answers."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    odd: Counter[str] = field(default_factory=Counter)

    def count(self, status: str, seconds: float | None = None) -> None:
        self.statuses[status] += 1
        if seconds is not None and status == "200":
            self.seconds.append(seconds)


class Odd(Exception):
    """An answer that is not documented."""


class Line:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Line:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def reset(self) -> None:
        """Close the connection without reading the answer."""
        self.writer.transport.abort()

    async def answer(self, *, slowly: bool = False) -> tuple[int, bytes]:
        """Status and body; `slowly` reads a little at a time."""
        line = await self.reader.readline()
        if not line:
            raise ConnectionResetError
        status = int(line.split()[1])
        headers = {}
        while (line := await self.reader.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip().lower()
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(await self.reader.readline(), 16):
                body += await self._some(size, slowly)
                await self.reader.readline()
            await self.reader.readline()
        else:
            body = await self._some(int(headers["content-length"]), slowly)
        return status, body

    async def _some(self, size: int, slowly: bool) -> bytes:
        if not slowly:
            return await self.reader.readexactly(size)
        body = b""
        while len(body) < size:
            body += await self.reader.readexactly(min(4096, size - len(body)))
            await asyncio.sleep(0.1)
        return body


def request(name: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST /api/v1/{name} HTTP/1.1", "host: 127.0.0.1", "content-type: application/json"]
    lines += headers or (f"content-length: {len(body)}",)
    return "\r\n".join([*lines, "", ""]).encode() + body


def asked(name: str, **fields: object) -> bytes:
    return request(name, json.dumps(fields).encode())


#: What the documentation says a server may answer (docs/howto/serve.md).
DOCUMENTED = frozenset({200, 400, 404, 405, 406, 408, 413, 415, 421, 422, 429, 500, 503})


def judged(status: int, body: bytes) -> str:
    """The status of a documented answer; raises `Odd` otherwise."""
    if status not in DOCUMENTED or status == 500:
        raise Odd(f"status {status}")
    if status != 200:
        error = json.loads(body)["error"]
        if error["status"] != status or not error["message"]:
            raise Odd(f"an error of {status} that is none")
    return str(status)


# ------------------------------------------------------------------------------- ordinary


async def parse(line: Line) -> str:
    line.send(asked("parse", text=TEXT))
    return judged(*await line.answer())


async def stream(line: Line) -> str:
    line.send(asked("parse", text=TEXT, stream=True))
    status, body = await line.answer()
    if status == 200:
        last = json.loads(body.splitlines()[-1])
        if last["type"] == "error":
            return f"{last['error']['status']} in a stream"
        if last["type"] != "end":
            raise Odd("a stream without an end")
    return judged(status, body)


async def evaluate(line: Line) -> str:
    line.send(asked("evaluate", gold=GOLD, system=GOLD))
    return judged(*await line.answer())


async def texts(line: Line) -> str:
    line.send(asked("parse", texts=[TEXT[:500], 7, TEXT[500:900]]))
    status, body = await line.answer()
    if status == 200:
        results = json.loads(body)["results"]
        if ["error" in one for one in results] != [False, True, False]:
            raise Odd("texts that are not answered each by its own")
    return judged(status, body)


async def conllu(line: Line) -> str:
    body = json.dumps({"text": TEXT}).encode()
    line.send(request("parse", body, f"content-length: {len(body)}", "accept: text/x-conllu"))
    status, found = await line.answer()
    if status == 200:
        if not found.startswith(b"# newdoc"):
            raise Odd("CoNLL-U that is none")
        return "200"
    return judged(status, found)


async def process(line: Line) -> str:
    body = urlencode({"data": TEXT, "tokenizer": "", "tagger": "", "parser": ""}).encode()
    head = "POST /process HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    head += "content-type: application/x-www-form-urlencoded\r\n"
    line.send(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    return judged(*await line.answer())


async def find(line: Line) -> str:
    line.send(asked("find", text=TEXT[:900], pattern="[upos=VERB]=v >nsubj []=s"))
    return judged(*await line.answer())


async def page(line: Line) -> str:
    line.send(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    return judged(*await line.answer())


# ----------------------------------------------------------------------------- slow, broken


async def slow_head(line: Line) -> str:
    for byte in b"GET /health HTTP/1.1\r\nhost: localhost\r\nx: yyyyyyyyyyyyyyyyyyyyyyyy\r\n\r\n":
        line.send(bytes([byte]))
        await asyncio.sleep(0.5)
    return judged(*await line.answer())


async def slow_body(line: Line) -> str:
    data = asked("parse", text=TEXT)
    line.send(data[:200])
    for at in range(200, len(data), 10):
        line.send(data[at : at + 10])
        await asyncio.sleep(1.0)
    return judged(*await line.answer())


async def slow_reader(line: Line) -> str:
    line.send(asked("parse", text=TEXT * 20, stream=True))
    status, body = await line.answer(slowly=True)
    return judged(status, body)


async def silent(line: Line) -> str:
    await line.reader.read()
    return "closed"


async def garbage(line: Line) -> str:
    line.send(random.Random(time.time()).randbytes(2000) + b"\r\n\r\n")
    return judged(*await line.answer())


async def tiny_pieces(line: Line) -> str:
    line.send(request("parse", b"1\r\na\r\n" * 20_000, "transfer-encoding: chunked"))
    return judged(*await line.answer())


async def huge_head(line: Line) -> str:
    line.send(b"GET /health HTTP/1.1\r\n" + b"a: b\r\n" * 10_000)
    return judged(*await line.answer())


async def wrong_json(line: Line) -> str:
    line.send(request("parse", b'{"text": [1, 2, "' + b"\xff" * 1000))
    return judged(*await line.answer())


async def leaves(line: Line) -> str:
    line.send(asked("parse", text=TEXT * 50))
    await asyncio.sleep(random.random())
    line.reset()
    return "left"


# -------------------------------------------------------------------------------- attacks


async def comment(line: Line) -> str:
    """A regression: this comment blocked the server for 50 seconds."""
    text = "# newdoc" + " " * 60_000 + "x\n"
    line.send(asked("evaluate", gold=text, system=text))
    return judged(*await line.answer())


async def brackets(line: Line) -> str:
    text = "(" * 60_000
    line.send(asked("evaluate", gold=text, system=text, format="brackets"))
    return judged(*await line.answer())


async def whole_text(line: Line) -> str:
    """The longest text that is accepted; it exceeds the time limit."""
    line.send(asked("parse", text=(TEXT * 2000)[:1_000_000]))
    return judged(*await line.answer())


async def one_sentence(line: Line) -> str:
    """A text without a boundary, with boundaries given."""
    text = "and then " * 11_000
    line.send(asked("parse", text=text, joins=[*range(9, 90_000, 9)]))
    return judged(*await line.answer())


async def deep_json(line: Line) -> str:
    line.send(request("draw", b'{"sentences": ' + b"[" * 1_000_000))
    return judged(*await line.answer())


async def large_bodies(line: Line) -> str:
    line.send(request("parse", b"", f"content-length: {8 << 20}"))
    line.send(b" " * ((8 << 20) - 1))
    return judged(*await line.answer())


Client = Callable[[Line], Awaitable[str]]
ORDINARY: tuple[Client, ...] = (parse, stream, texts, conllu, process, find, evaluate, page)
SLOW: tuple[Client, ...] = (slow_head, slow_body, slow_reader, silent)
BROKEN: tuple[Client, ...] = (garbage, tiny_pieces, huge_head, wrong_json, leaves)
ATTACKS: tuple[Client, ...] = (comment, brackets, whole_text, one_sentence, deep_json, large_bodies)


async def again(client: Client, port: int, ends: float, tally: Tally, pause: float) -> None:
    """Repeat one client until the time is up; rare requests start at random times."""
    if pause > 1:
        await asyncio.sleep(random.uniform(0, min(pause, ends - time.monotonic())))
    while (began := time.monotonic()) < ends:
        status = "closed"
        try:
            async with asyncio.timeout(PATIENCE), Line(port) as line:
                status = await client(line)
        except TimeoutError:
            tally.odd[f"{client.__name__}: no answer in {PATIENCE:g} seconds"] += 1
        except (Odd, ValueError, KeyError) as error:
            tally.odd[f"{client.__name__}: {error}"] += 1
        except (OSError, asyncio.IncompleteReadError):
            if client in ORDINARY:
                tally.odd[f"{client.__name__}: closed without an answer"] += 1
        tally.count(status, time.monotonic() - began)
        rest = max(pause, 0.5 if status == "429" else 0.0)
        await asyncio.sleep(min(rest, max(0.0, ends - time.monotonic())))
