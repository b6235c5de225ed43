"""What a request leaves behind in the server: nothing that must wait for the garbage collector.

A body lives in the frames of those that handle it. An exception that is kept where it was raised
holds these frames, and in a server that has little else to do the collector comes seldom.
"""

from __future__ import annotations

import asyncio
import gc
import json
import platform
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from caesura.serve.workers import Worker
from tests.serve.conftest import Running
from tests.serve.test_attacks import post, raw, rest, server, until, whole

__all__ = ["server"]

#: How often each thing is done, and how many tasks may still be here by chance.
TIMES = 8
FEW = 3


@pytest.fixture
def counted() -> Iterator[Callable[[], int]]:
    """The number of tasks that have ended and are still here, without the collector."""
    gc.collect()
    gc.disable()

    def ended() -> int:
        # By type: `isinstance` asks a weak proxy of what is gone, too.
        tasks = [one for one in gc.get_objects() if issubclass(type(one), asyncio.Task)]
        return sum(one.done() for one in tasks)

    yield ended
    gc.enable()


def ask(server: Running, body: Any, **headers: str) -> int:
    data = json.dumps(body).encode()
    said = {"content-type": "application/json", **headers}
    return httpx.post(
        f"{server.address}/api/parse", content=data, headers=said, timeout=30
    ).status_code


def good(server: Running) -> None:
    assert ask(server, {"text": "They left."}) == 200


def streamed(server: Running) -> None:
    assert ask(server, {"text": "They left.", "stream": True}) == 200


def wrong(server: Running) -> None:
    assert ask(server, {"text": 7}) == 400


def no_json(server: Running) -> None:
    assert ask(server, {}, **{"content-type": "text/plain"}) == 415


def no_such_model(server: Running) -> None:
    assert ask(server, {"text": "They left.", "model": "none"}) == 404


def too_large(server: Running) -> None:
    with raw(server, post(b"", f"content-length: {1 << 40}")) as connection:
        assert b" 413 " in rest(connection)


def leaves(server: Running) -> None:
    with raw(server, post(b"{", "content-length: 100")):
        pass


def leaves_while_it_waits(server: Running) -> None:
    connection = raw(server, whole("They left. " * 3000))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


def all_at_once(server: Running, data: bytes, status: bytes) -> None:
    """Several of whom each waits for some seconds."""
    waiting = [raw(server, data) for _ in range(4)]
    for connection in waiting:
        with connection:
            assert status in rest(connection)


def too_slow(server: Running) -> None:
    all_at_once(server, post(b"{", "content-length: 100"), b" 408 ")


def too_late(server: Running) -> None:
    """One hangs, the others wait for its worker until their time is over, too."""
    all_at_once(server, whole("HANG"), b" 503 ")
    until(lambda: ask(server, {"text": "They left."}) == 200)


AT_ONCE = (too_slow, too_late)
ONE_BY_ONE = (
    good, streamed, wrong, no_json, no_such_model, too_large, leaves, leaves_while_it_waits,
)  # fmt: skip


@pytest.mark.parametrize("does", [*ONE_BY_ONE, *AT_ONCE])
def test_a_request_leaves_no_cycle_behind(
    server: Running, counted: Callable[[], int], does: Callable[[Running], None]
) -> None:
    before = counted()
    for _ in range(1 if does in AT_ONCE else TIMES):
        does(server)
        while server.app.application.workers.taken:
            time.sleep(0.01)
    for _ in range(400):
        if counted() - before < FEW:
            break
        time.sleep(0.05)
    assert counted() - before < FEW


def test_a_worker_that_was_killed_is_not_kept(server: Running, counted: Callable[[], int]) -> None:
    def workers() -> int:
        """Those of servers of other tests, which may be here still, included."""
        return sum(issubclass(type(one), Worker) for one in gc.get_objects())

    assert ask(server, {"text": "They left."}) == 200
    before = workers()
    assert ask(server, {"text": "HANG"}) == 503
    until(lambda: ask(server, {"text": "They left."}) == 200)
    for _ in range(100):
        if workers() <= before:
            break
        time.sleep(0.05)
    assert workers() <= before


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries need not be told")
@pytest.mark.parametrize("told", [True, False])
def test_the_memory_of_a_body_goes_back_to_the_system(told: bool) -> None:
    """Also where something small was allocated after it; the server tells the library so."""
    script = """
        import sys
        from caesura.paths import resident
        from caesura.serve import server
        if sys.argv[1] == "True":
            server.make_server = lambda *args: 1 / 0
            try:
                server.serve(None, None)
            except ZeroDivisionError:
                pass
        size = 24 << 20
        bytearray(b"x") * size
        body, later = bytearray(b"x") * size, bytearray(100_000)
        held = resident()
        del body
        print(held - resident() > size // 2)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(told)]
    assert subprocess.check_output(command, text=True).split() == [str(told)]
