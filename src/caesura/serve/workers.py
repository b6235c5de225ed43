"""The worker processes as the server sees them: places, deadlines, a new one for each that ends.

A request takes a place; when all are taken the next one is told to come back. It waits for a worker
that is free, and is answered by it. A job that outlives its time or takes too much memory costs its
worker: that is killed, and another started. When the client has gone the worker is
asked to stop at its next piece, and killed if it does not. Where all workers together have too much
memory, models are unloaded, first those that were not used for long.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

import msgspec

from caesura.errors import CaesuraError
from caesura.paths import resident
from caesura.serve import wire
from caesura.serve.models import Models
from caesura.serve.options import TOKEN, ServeOptions
from caesura.serve.refusals import Busy, Refused, message_of

__all__ = ["Place", "Worker", "Workers"]

#: Seconds between the end of a job's time, at which it should end by itself, and the kill.
_KILL: Final = 0.5
#: Seconds for a job without a client to end by itself.
_SETTLE: Final = 1.0
#: Seconds between two looks at the memory of a worker that works.
_LOOK: Final = 0.5
#: Seconds for a model to be unloaded.
_PATIENCE: Final = 10.0
#: Bytes that show that one was.
_ROOM: Final = 4 << 20
#: Seconds to wait before a worker that did not start is tried again: at first, and at most.
_AGAIN: Final = (0.5, 30.0)
#: Bytes of an answer that are read ahead of its client.
_AHEAD: Final = 1 << 21


def _is_news(record: logging.LogRecord) -> bool:
    """Whether asyncio says more than that a worker had ended already when its pipes were closed.

    To close them looks whether the process has ended, and then its watcher has missed that.
    """
    return not str(record.msg).startswith("Unknown child process pid")


class Worker:
    """One process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        #: Why it was killed.
        self.why: Refused | None = None
        #: Whether it makes a stream, which ends early when the server stops.
        self.stream = False
        #: The next look at its time or its memory while it works.
        self.timers: dict[str, asyncio.TimerHandle] = {}
        #: The models that it has loaded: their parts, and when each was last used.
        self.models: dict[str, list[str]] = {}
        self.used: dict[str, float] = {}

    @classmethod
    async def start(cls) -> Worker:
        # Not a copy of this process: threads of libraries do not survive that. It finds packages
        # where this one does, and nothing in the folder it happens to be started in.
        found = os.pathsep.join(path for path in sys.path if path)
        command = [sys.executable, "-P", "-m", "caesura.serve.worker"]
        logging.getLogger("asyncio").addFilter(_is_news)
        pipe = asyncio.subprocess.PIPE
        own = {name: value for name, value in os.environ.items() if name != TOKEN}
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            env={**own, "PYTHONPATH": found},
            limit=_AHEAD,
            process_group=0,  # Ctrl-C in a terminal is for the server, which ends its workers
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        return self.why is None and self.process.returncode is None and not self.stdout.at_eof()

    def send(self, kind: bytes, payload: bytes) -> None:
        self.stdin.write(wire.frame(kind, payload))

    async def read(self) -> tuple[bytes, bytes]:
        """The next frame, or why there is none."""
        try:
            prefix = await self.stdout.readexactly(wire.PREFIX.size)
            kind, length = wire.PREFIX.unpack(prefix)
            return kind, await self.stdout.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            # Made anew: one that is kept would hold the frames of the request that it ended.
            status, message = message_of(self.why or RuntimeError("a worker died"))
            raise Refused(status, message) from None

    def stop(self, why: Refused) -> None:
        """Ask it to end its job at the next piece."""
        self.send(wire.STOP, msgspec.json.encode(wire.Stop(why.status, why.message)))

    def note(self, end: wire.End) -> None:
        """Keep what it says of its models."""
        now = asyncio.get_running_loop().time()
        self.models = end.loaded
        self.used = {name: self.used.get(name, now) for name in end.loaded}
        if end.model in self.used:
            self.used[end.model] = now

    def unload(self, name: str) -> None:
        """Tell it to forget a model before its next job."""
        self.models = {own: parts for own, parts in self.models.items() if own != name}
        self.used.pop(name, None)
        self.send(wire.UNLOAD, name.encode())

    def kill(self, why: Refused) -> None:
        if self.why is None:
            self.why = why
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()

    async def end(self) -> None:
        """Close the pipe, which ends it; kill it if it does not."""
        self.stdin.close()
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_SETTLE, self.kill, Refused(499, "Nobody waits for this."))
        with contextlib.suppress(RuntimeError):  # another task reads it already
            while await self.stdout.read(_AHEAD):
                pass  # what it still says, up to its end
        await self.process.wait()
        timer.cancel()


class Workers:
    """All workers, and a place for each request that may run or wait."""

    def __init__(
        self, models: Models, options: ServeOptions, log: Callable[[str], None] | None = None
    ) -> None:
        self.models = models
        self.options = options
        self.log = log
        self.places = options.workers + options.waiting
        self.taken = 0
        self.stopping = False
        #: Set when the grace of the last requests is over.
        self.over = asyncio.Event()
        #: Workers that have ended and were replaced.
        self.restarts = 0
        #: Words of all answers, and models that were unloaded for want of memory.
        self.words = 0
        self.unloads = 0
        self._all: set[Worker] = set()
        self._ready: set[Worker] = set()
        self._busy: set[Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._started = False
        self._full = False
        #: What all held when a model was last unloaded, and until when that is waited for.
        self._unloading: tuple[int, float] | None = None

    @property
    def loaded(self) -> dict[str, list[str]]:
        """The parts of models that some worker has loaded."""
        return {name: parts for worker in self._all for name, parts in worker.models.items()}

    @property
    def alive(self) -> list[Worker]:
        """Those that are ready or work, in the order of their ids."""
        found = (worker for worker in self._ready if worker.alive)
        return sorted(found, key=lambda worker: worker.process.pid)

    @property
    def busy(self) -> int:
        """How many work."""
        return len(self._busy)

    # ------------------------------------------------------- start and stop

    async def start(self) -> None:
        """Start all; a model that cannot be loaded is an error of the first."""
        if self._started:
            return
        self._started = True
        await asyncio.gather(*(self._one() for _ in range(self.options.workers)))

    async def _one(self) -> None:
        """Start one and let it be idle."""
        worker = await Worker.start()
        self._all.add(worker)
        paths = {name: str(path) for name, path in self.models.paths.items()}
        told = replace(self.options, token="")
        languages = self.models.languages
        setup = wire.Setup(paths, self.models.loader, told, languages)
        worker.send(wire.SETUP, msgspec.json.encode(setup))
        try:
            try:
                kind, payload = await worker.read()
            except Refused:
                raise CaesuraError(
                    "a worker ended before it was ready",
                    remedy="It said why, unless somebody killed it; start the server again.",
                ) from None
            if kind != wire.READY:
                raise CaesuraError(payload.decode("utf-8", "replace"))
        except BaseException:
            self._all.discard(worker)
            worker.kill(Refused(503, "It did not start."))
            self._later(worker.end(), self._ending)
            raise
        worker.note(msgspec.json.decode(payload, type=wire.End))
        self._ready.add(worker)
        self._idle.put_nowait(worker)
        self._balance()

    def _replace(self, worker: Worker) -> None:
        """Another one for one that has ended, or must."""
        self._all.discard(worker)
        self._ready.discard(worker)
        self.restarts += 1
        self._later(worker.end(), self._ending)
        if not self.stopping:
            self._later(self._again(), self._tasks)

    async def _again(self) -> None:
        wait, longest = _AGAIN
        while not self.stopping:
            try:
                await self._one()
                return
            except (CaesuraError, Refused, OSError) as error:
                self._say(f"a worker does not start: {error}")
            await asyncio.sleep(wait)
            wait = min(2 * wait, longest)

    def _later(self, work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def _say(self, line: str) -> None:
        if self.log is not None:
            self.log(line)

    def stop(self) -> None:
        """Take no more; end streams at their next piece, others before the grace is over."""
        self.stopping = True
        why = Refused(503, "The server is being shut down.")
        grace = self.options.grace_seconds
        for worker in self._busy:
            if worker.stream:
                worker.stop(why)
        loop = asyncio.get_running_loop()
        loop.call_later(max(grace - 2, grace / 2), self._kill_all, why)

    def _kill_all(self, why: Refused) -> None:
        self.over.set()
        for worker in list(self._all):
            worker.kill(why)

    async def close(self) -> None:
        """End all of them, whatever they are at."""
        self.stopping = True
        workers = list(self._all)
        self._kill_all(Refused(503, "The server is being shut down."))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*self._ending, *(worker.end() for worker in workers))
        self._all.clear()

    # ----------------------------------------------------------------- work

    def take(self) -> Place:
        """A place, or Busy."""
        if self.stopping:
            raise Refused(503, "The server is being shut down.")
        if self.taken >= self.places:
            raise Busy
        self.taken += 1
        return Place(self)

    async def free(self, deadline: float) -> Worker:
        """A worker that has nothing to do, once there is one."""
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    worker = await self._idle.get()
                    if worker.alive:
                        return worker
                    self._replace(worker)
        except TimeoutError:
            seconds = self.options.seconds
            raise Refused(
                503, f"No worker was free within {seconds:g} seconds. Try again later."
            ) from None

    def begin(self, worker: Worker, deadline: float) -> None:
        """Count it as busy until `finish`; it is killed if that is not in time."""
        self._busy.add(worker)
        seconds = self.options.seconds
        why = Refused(503, f"This took longer than {seconds:g} seconds. Send a shorter text.")
        loop = asyncio.get_running_loop()
        worker.timers["time"] = loop.call_at(deadline + _KILL, worker.kill, why)
        worker.timers["memory"] = loop.call_later(_LOOK, self._look, worker)

    def _look(self, worker: Worker) -> None:
        """Kill one that takes too much memory while it works."""
        most = self.options.memory
        if resident(worker.process.pid) > 2 * most << 20:
            worker.kill(Refused(503, f"This needs more than {2 * most:,} MB. Send less at once."))
        self._balance()
        loop = asyncio.get_running_loop()
        worker.timers["memory"] = loop.call_later(_LOOK, self._look, worker)

    def _balance(self) -> None:
        """Unload the model that was not used for longest while all workers have too much memory.

        One that works is left alone until it has done its job.
        """
        most = self.options.total_memory << 20
        held = sum(resident(worker.process.pid) for worker in self._all) if most else 0
        if held <= most:
            self._full = False
            self._unloading = None
            return
        loop = asyncio.get_running_loop()
        if self._unloading is not None:
            before, until = self._unloading
            if held > before - _ROOM and loop.time() < until:
                return  # the last unloaded model still holds its memory
        idle = [worker for worker in self.alive if worker not in self._busy]
        known = [(used, w, name) for w in idle for name, used in w.used.items()]
        if not known:
            if not self._full and not self._busy:
                self._say(f"workers have {held >> 20:,} MB without a model to unload")
                self._full = True
            return
        _, worker, name = min(known, key=lambda one: one[0])
        worker.unload(name)
        self.unloads += 1
        self._say(f"unloaded a model: workers had {held >> 20:,} MB")
        self._unloading = (held, loop.time() + _PATIENCE)
        loop.call_later(_LOOK, self._balance)
        loop.call_later(_PATIENCE, self._balance)

    def finish(self, worker: Worker, end: wire.End | None) -> None:
        """It has done its job (see `end`), or is still at one without a client."""
        self._busy.discard(worker)
        for timer in worker.timers.values():
            timer.cancel()
        worker.stream = False
        if end is None:
            self._later(self._settle(worker), self._tasks)
            return
        worker.note(end)
        self.words += end.words
        if end.error is not None:
            self._say(f"error inside: {end.error}")
        if end.memory > self.options.memory << 20 or not worker.alive:
            self._replace(worker)
        else:
            self._idle.put_nowait(worker)
        self._balance()

    async def _settle(self, worker: Worker) -> None:
        """Let it stop at its next piece; if that does not come soon, kill it."""
        left = Refused(499, "The client has gone.")
        end = None
        timer = asyncio.get_running_loop().call_later(_SETTLE, worker.kill, left)
        with contextlib.suppress(Refused):
            worker.stop(left)
            while end is None:
                kind, payload = await worker.read()
                if kind == wire.END:
                    end = msgspec.json.decode(payload, type=wire.End)
        timer.cancel()
        if end is None:
            self._replace(worker)
        else:
            self.finish(worker, end)


class Place:
    """A place among those that run or wait; given back once, however the request ends."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.deadline = asyncio.get_running_loop().time() + workers.options.seconds
        self._held = True
        #: Whether the end of the answer was lost.
        self.broken = False

    def release(self) -> None:
        if self._held:
            self._held = False
            self.workers.taken -= 1

    async def answer(
        self, asked: wire.JobHead, body: bytes
    ) -> AsyncGenerator[wire.Head | bytes, None]:
        """The head of the answer and then its pieces, as a worker makes them."""
        worker = await self.workers.free(self.deadline)
        self.workers.begin(worker, self.deadline)
        end: wire.End | None = None
        try:
            left = self.deadline - asyncio.get_running_loop().time()
            asked.seconds = left
            worker.send(wire.JOB, msgspec.json.encode(asked))
            worker.send(wire.BODY, body)
            while end is None:
                kind, payload = await worker.read()
                if kind == wire.HEAD:
                    head = msgspec.json.decode(payload, type=wire.Head)
                    worker.stream = head.stream
                    yield head
                elif kind == wire.DATA:
                    yield payload
                else:
                    end = msgspec.json.decode(payload, type=wire.End)
                    self.broken = end.broken
        finally:
            self.workers.finish(worker, end)
