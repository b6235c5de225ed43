"""What goes through the pipes between the server and a worker.

A frame is a kind, a length and so many bytes. The server sends SETUP once, then for each job JOB
and BODY, and STOP if nobody wants the answer any more; UNLOAD, with the name of a model, is obeyed
between jobs and not answered. The worker sends READY or FAILED, then for each job HEAD, as many
DATA as it likes, and END. One job at a time.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

import msgspec

from caesura.serve.options import ServeOptions

__all__ = [
    "BODY",
    "DATA",
    "END",
    "FAILED",
    "HEAD",
    "JOB",
    "PREFIX",
    "READY",
    "SETUP",
    "STOP",
    "UNLOAD",
    "End",
    "Head",
    "JobHead",
    "Setup",
    "Stop",
    "frame",
    "read_frame",
]

SETUP, JOB, BODY, STOP, UNLOAD = b"s", b"j", b"b", b"x", b"u"
READY, FAILED, HEAD, DATA, END = b"r", b"f", b"h", b"d", b"e"
#: Kind and length.
PREFIX: Final = struct.Struct(">cI")


class Setup(msgspec.Struct):
    """What a worker must know before the first job."""

    paths: dict[str, str]
    loader: str
    options: ServeOptions
    languages: dict[str, str] = {}


class JobHead(msgspec.Struct):
    """The endpoint, and the seconds that are left for it; its body follows.

    Of the head of the request a worker gets the type of the body, the query, and the format in
    which the answer is wanted.
    """

    endpoint: str
    seconds: float
    kind: str = "application/json"
    query: str = ""
    format: str = "json"


class Stop(msgspec.Struct):
    """Why the job is to end at its next piece."""

    status: int
    message: str


class Head(msgspec.Struct):
    """The beginning of an answer; a stream is sent as it is made, others when they are whole."""

    status: int
    headers: list[tuple[str, str]]
    stream: bool = False
    #: The form of an error after its beginning.
    tail: str = "event"


class End(msgspec.Struct):
    """What the server keeps of a job: bytes of memory, models loaded, the name of a bug.

    And what was done: words, with which model, and whether all of the answer was sent.
    """

    memory: int
    loaded: dict[str, list[str]]
    error: str | None = None
    words: int = 0
    model: str | None = None
    broken: bool = False


def frame(kind: bytes, payload: bytes) -> bytes:
    return PREFIX.pack(kind, len(payload)) + payload


def read_frame(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    """The next frame; None when the other side has gone."""
    prefix = stream.read(PREFIX.size)
    if len(prefix) < PREFIX.size:
        return None
    kind, length = PREFIX.unpack(prefix)
    payload = stream.read(length)
    return (kind, payload) if len(payload) == length else None
