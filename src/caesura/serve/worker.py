"""A worker: a process that loads the models and does one job after the other.

It is started by the server, which talks to it through a pipe and kills it when a job outlives its
time; nothing that a request holds is ever looked at anywhere else. Between two pieces of work a job
asks whether it may go on. A worker ends when its pipe is closed; if it can do nothing else the
system ends it with the server, or soon after the time of its job.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from caesura.errors import CaesuraError
from caesura.paths import end_with_parent, resident
from caesura.serve import wire
from caesura.serve.handlers import reply
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Refused, error_body, error_line, message_of

__all__ = ["Job", "main", "respond"]

#: Bytes of an answer in one frame.
_PIECE = 1 << 18
#: Seconds after which a job is ended by the system if even the server could not.
_ALARM = 10.0
#: Parsed once before the worker is ready, so that no job waits for what is loaded at first use.
_WARM = "They left. Did you?"


class Job:
    """A request, and its limits, which are checked between two pieces of work."""

    def __init__(self, head: wire.JobHead, body: bytes, limit: float) -> None:
        self.endpoint = head.endpoint
        self.kind, self.query, self.format = head.kind, head.query, head.format
        self.body = body
        self.deadline = time.monotonic() + head.seconds
        self.limit = limit
        self.stopped: Refused | None = None
        #: Reported afterwards: words, the model, the name of a bug.
        self.words = 0
        self.model: str | None = None
        self.error: str | None = None

    def check(self) -> None:
        if self.stopped is not None:
            raise self.stopped
        if time.monotonic() > self.deadline:
            raise too_long(self.limit)


def too_long(seconds: float) -> Refused:
    return Refused(503, f"This took longer than {seconds:g} seconds. Send a shorter text.")


class Inbox(threading.Thread):
    """Takes what the server sends, also while a job runs."""

    def __init__(self, stream: BinaryIO, limit: float) -> None:
        super().__init__(daemon=True)
        self.stream = stream
        self.limit = limit
        #: Jobs, and names of models to unload.
        self.jobs: queue.SimpleQueue[Job | str] = queue.SimpleQueue()

    def run(self) -> None:
        job: Job | None = None
        while (found := wire.read_frame(self.stream)) is not None:
            kind, payload = found
            if kind == wire.JOB:
                head = msgspec.json.decode(payload, type=wire.JobHead)
                body = wire.read_frame(self.stream)
                if body is None:
                    break
                job = Job(head, body[1], self.limit)
                self.jobs.put(job)
            elif kind == wire.STOP and job is not None:
                stop = msgspec.json.decode(payload, type=wire.Stop)
                job.stopped = Refused(stop.status, stop.message)
            elif kind == wire.UNLOAD:
                self.jobs.put(payload.decode())
        os._exit(0)  # the server has gone, whatever the other thread is at


def respond(job: Job, models: Models, options: ServeOptions) -> Iterator[bytes]:
    """The frames of an answer. What is refused before its first piece is refused with a status."""
    head: wire.Head | None = None
    broken = False
    try:
        job.check()
        made = reply(job, models, options)
        pieces = iter(made.pieces)
        first = next(pieces, b"")
        head = wire.Head(200, made.headers, made.stream, made.tail)
        yield wire.frame(wire.HEAD, msgspec.json.encode(head))
        yield from _data(first)
        for piece in pieces:
            job.check()
            yield from _data(piece)
    except Exception as failed:
        status, message = message_of(failed)
        job.error = type(failed).__name__ if status == 500 else job.error
        if head is None:
            head = wire.Head(status, [("content-type", "application/json")])
            yield wire.frame(wire.HEAD, msgspec.json.encode(head))
            yield wire.frame(wire.DATA, error_body(status, message))
        else:
            # Too late for a status: the last line tells.
            broken = True
            yield wire.frame(wire.DATA, error_line(failed, head.tail))
    end = wire.End(resident(), models.loaded, job.error, job.words, job.model, broken)
    yield wire.frame(wire.END, msgspec.json.encode(end))


def _data(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), _PIECE):
        yield wire.frame(wire.DATA, data[at : at + _PIECE])


def _write(channel: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(channel, view) :]


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def main() -> None:
    """Serve the process that started this one until it closes the pipe."""
    # What a library may print must not get between the frames.
    channel = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # The server decides when it stops, also where the terminal tells everybody.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_with_parent()
    stream = sys.stdin.buffer
    first = wire.read_frame(stream)
    if first is None:
        return
    setup = msgspec.json.decode(first[1], type=wire.Setup)
    paths = {name: Path(path) for name, path in setup.paths.items()}
    models = Models(paths, setup.loader, languages=setup.languages, device=setup.options.device)
    inbox = Inbox(stream, setup.options.seconds)
    inbox.start()
    with contextlib.suppress(BrokenPipeError):
        try:
            nlp = models.get(None)
        except (CaesuraError, OSError) as error:
            _write(channel, wire.frame(wire.FAILED, str(error).encode("utf-8", "replace")))
            return
        with contextlib.suppress(CaesuraError):  # jobs will say it, of a model without tokeniser
            nlp(_WARM)
        if hasattr(os, "nice"):
            os.nice(5)  # the server answers first
        ready = wire.End(resident(), models.loaded)
        _write(channel, wire.frame(wire.READY, msgspec.json.encode(ready)))
        while True:
            job = inbox.jobs.get()
            if isinstance(job, str):
                models.unload(job)
                continue
            _alarm(job.deadline - time.monotonic() + _ALARM)
            for data in respond(job, models, setup.options):
                _write(channel, data)
            _alarm(0)
            del job, data


if __name__ == "__main__":
    main()
