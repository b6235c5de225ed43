"""A worker can be ended while somebody waits for what it says, as at SIGTERM during a start."""

from __future__ import annotations

import asyncio
import sys

import pytest

from caesura.serve.refusals import Refused
from caesura.serve.workers import Worker


def test_a_worker_that_is_waited_for_can_be_ended() -> None:
    async def run() -> int | None:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "import sys; sys.stdin.read()", stdin=pipe, stdout=pipe
        )
        worker = Worker(process)
        waiting = asyncio.ensure_future(worker.read())
        await asyncio.sleep(0)
        await worker.end()
        with pytest.raises(Refused):
            await waiting
        return process.returncode

    assert asyncio.run(run()) == 0
