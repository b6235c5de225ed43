"""The models, and the one pool of threads that does the work behind the API.

A request takes a place; when all are taken the next one is told to come back. A stream is made by a
thread piece by piece and handed to the loop, which sends it; when nobody reads any more, when time
is up or when the server stops, the thread stops after the piece it is at.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from caesura.errors import CaesuraError
from caesura.pipeline.core import load
from caesura.serve.options import ServeOptions

if TYPE_CHECKING:
    from caesura.pipeline.core import Mode, Pipeline

__all__ = ["Busy", "Job", "Models", "Refused", "Workers"]

T = TypeVar("T")
#: What the router says, in our words.
_KNOWN = {404: "There is no such page.", 405: "This method is not for this address."}


class Refused(Exception):
    """A request that cannot be served: the status and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Busy(Refused):
    """All places are taken."""

    def __init__(self) -> None:
        super().__init__(429, "The server is busy. Try again in a moment.")


@dataclass
class Models:
    """The models that a server was started with; the first is the default."""

    paths: dict[str, Path]
    mode: Mode = "accurate"
    _loaded: dict[str, Pipeline] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def default(self) -> str:
        return next(iter(self.paths))

    def get(self, name: str | None) -> Pipeline:
        """A pipeline, loaded when it is first asked for."""
        chosen = self.default if name is None else name
        if chosen not in self.paths:
            known = ", ".join(self.paths)
            raise Refused(404, f"There is no model of this name here. Models: {known}.")
        with self._lock:
            if chosen not in self._loaded:
                self._loaded[chosen] = load(self.paths[chosen], mode=self.mode)
                self._loaded[chosen].watch = None  # an answer says it, not the terminal
            return self._loaded[chosen]

    def add(self, name: str, pipeline: Pipeline) -> None:
        """A pipeline that is loaded already."""
        self.paths.setdefault(name, Path(pipeline.file.path))
        self._loaded[name] = pipeline

    def describe(self) -> list[dict[str, Any]]:
        """Names, and what is known of those that are loaded."""
        found = []
        for name in self.paths:
            row: dict[str, Any] = {"name": name, "default": name == self.default}
            pipeline = self._loaded.get(name)
            row["loaded"] = pipeline is not None
            if pipeline is not None:
                row["parts"] = sorted(pipeline.file.parts)
            found.append(row)
        return found


class Job:
    """What a thread must ask between two pieces of work: may I go on?"""

    def __init__(self, seconds: float, stopping: threading.Event) -> None:
        self.deadline = time.monotonic() + seconds
        self.seconds = seconds
        self.abandoned = threading.Event()
        self.stopping = stopping

    def check(self) -> None:
        if self.stopping.is_set():
            raise Refused(503, "The server is being shut down.")
        if self.abandoned.is_set():
            raise Refused(499, "The client has gone.")
        if time.monotonic() > self.deadline:
            raise Refused(
                503, f"This took longer than {self.seconds:g} seconds. Send a shorter text."
            )


class Workers:
    """One pool of threads, and as many places as requests may run or wait."""

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.pool = ThreadPoolExecutor(options.threads, thread_name_prefix="caesura")
        self.places = options.threads + options.waiting
        self.taken = 0
        self.stopping = threading.Event()

    def close(self) -> None:
        self.stopping.set()
        self.pool.shutdown(wait=True, cancel_futures=True)

    def _enter(self) -> None:
        if self.stopping.is_set():
            raise Refused(503, "The server is being shut down.")
        if self.taken >= self.places:
            raise Busy
        self.taken += 1

    def _leave(self) -> None:
        self.taken -= 1

    def take(self) -> Place:
        """A place, or Busy."""
        self._enter()
        return Place(self)

    def job(self) -> Job:
        return Job(self.options.seconds, self.stopping)


class Place:
    """A place among those that run or wait; given back once, however the request ends."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self.job = workers.job()
        self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self.workers._leave()

    async def run(self, work: Callable[[Job], T]) -> T:
        """One piece of work in a thread."""

        def guarded() -> T:
            self.job.check()
            return work(self.job)

        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.workers.pool, guarded)
        except asyncio.CancelledError:
            self.job.abandoned.set()
            raise

    async def stream(self, work: Callable[[Job], Iterator[bytes]]) -> AsyncIterator[bytes]:
        """Pieces as a thread makes them; the thread waits while they are not sent."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bytes | Exception | None] = asyncio.Queue(maxsize=4)

        def put(item: bytes | Exception | None) -> None:
            sent: Future[None] = asyncio.run_coroutine_threadsafe(queue.put(item), loop)
            while True:
                try:
                    sent.result(timeout=0.2)
                    return
                except FutureTimeout:
                    try:
                        self.job.check()
                    except Refused:
                        sent.cancel()
                        raise

        def produce() -> None:
            try:
                self.job.check()
                for piece in work(self.job):
                    put(piece)
                    self.job.check()
                put(None)
            except Exception as error:
                if not self.job.abandoned.is_set():
                    try:
                        put(error)
                    except Refused:
                        loop.call_soon_threadsafe(_force, queue, error)

        future = loop.run_in_executor(self.workers.pool, produce)
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            self.job.abandoned.set()
            future.cancel()
            self.release()


def _force(queue: asyncio.Queue[Any], error: Exception) -> None:
    """Put an error where a reader that is too slow will find it next."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(error)


def message_of(error: Exception) -> tuple[int, str]:
    """The status and the sentence for an error."""
    if isinstance(error, Refused):
        return error.status, error.message
    if isinstance(error, CaesuraError):
        return 422, str(error)
    status = getattr(error, "status_code", None)
    if status in _KNOWN:
        return status, _KNOWN[status]
    return 500, "Something went wrong inside the server. It goes on; please report it."
