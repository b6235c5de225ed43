"""The end of a server that is still starting: by signals to it alone or to all its processes."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from caesura.serve.refusals import Refused
from caesura.serve.workers import Worker
from tests.serve.test_attacks import SOON, children, runs, until


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


#: A server whose workers load their model for ages, or until a file is there.
STARTING = """
    import sys, time
    from pathlib import Path

    def load(path):
        path.with_suffix(".loading").touch()
        time.sleep(600)

    if __name__ == "__main__":
        from caesura.errors import CaesuraError
        from caesura.serve.models import Models
        from caesura.serve.options import ServeOptions
        from caesura.serve.server import serve

        models = Models({"slow": Path(sys.argv[1])}, loader="starting:load")
        try:
            serve(models, ServeOptions(port=0, workers=2))
        except CaesuraError as error:
            sys.exit(str(error))
"""


@pytest.fixture
def starting(tmp_path: Path) -> subprocess.Popen[str]:
    """A server of which each of two workers is loading its model."""
    (tmp_path / "starting.py").write_text(textwrap.dedent(STARTING), encoding="utf-8")
    paths = [str(tmp_path), *(path for path in sys.path if path)]
    made = subprocess.Popen(
        [sys.executable, str(tmp_path / "starting.py"), str(tmp_path / "slow.caesura")],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    until(lambda: len(children(made.pid)) == 2)
    return made


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("loading", [True, False])
def test_a_server_that_starts_ends_without_a_word(
    starting: subprocess.Popen[str], tmp_path: Path, how: signal.Signals, alone: bool, loading: bool
) -> None:
    """As by Ctrl-C, `kill`, and a service manager, which tells the workers, too."""
    workers = children(starting.pid)
    if loading:
        until(lambda: (tmp_path / "slow.loading").exists(), 4 * SOON)
    if not alone and how == signal.SIGTERM:
        for worker in workers:
            os.kill(worker, how)
        time.sleep(0.01)  # they hear it first
    (os.kill if alone else os.killpg)(starting.pid, how)
    _, said = starting.communicate(timeout=SOON)
    assert said == ""
    assert starting.returncode in (0, -how)
    until(lambda: not any(runs(pid) for pid in workers))


def test_a_worker_that_dies_before_it_is_ready_is_told_of(
    starting: subprocess.Popen[str], tmp_path: Path
) -> None:
    until(lambda: (tmp_path / "slow.loading").exists(), 4 * SOON)
    os.kill(children(starting.pid)[0], signal.SIGKILL)
    _, said = starting.communicate(timeout=SOON)
    assert said.startswith("a worker ended before it was ready")
    assert "Traceback" not in said
    assert starting.returncode == 1


def test_a_worker_that_ended_before_its_pipes_were_closed_is_no_news(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """asyncio warns of it: to close the pipes of a process takes its end away from its watcher."""

    async def scene() -> None:
        worker = await Worker.start()
        worker.process.kill()
        await worker.process.wait()

    asyncio.run(scene())
    log = logging.getLogger("asyncio")
    log.warning("Unknown child process pid %d, will report returncode 255", 7)
    log.warning("Something else")
    assert [record.getMessage() for record in caplog.records] == ["Something else"]
