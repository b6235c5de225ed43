"""What a server may be told: where it listens and how much it takes on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VERSION", "ServeOptions"]

#: The version of the API, which is part of its address.
VERSION = 1


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen, and the limits of a request and of all of them together."""

    host: str = "127.0.0.1"
    port: int = 8765
    #: Processes that work, and requests that may wait for one; beyond that the answer is 429.
    workers: int = 1
    waiting: int = 8
    #: MB of a worker: with more it is replaced after its answer, with twice as much during it.
    memory: int = 2048
    #: Connections held at once; for one more the idlest is closed.
    connections: int = 500
    #: Bytes of a body, characters of a text, characters where boundaries are given.
    max_body: int = 8 << 20
    max_chars: int = 1_000_000
    max_given: int = 100_000
    #: Seconds for the head of a request to arrive and for its body.
    header_seconds: float = 10.0
    body_seconds: float = 20.0
    #: Seconds for a request to be answered, counted from its last byte, waiting included.
    seconds: float = 120.0
    #: Seconds in which a client must take some of an answer that is ready.
    send_seconds: float = 10.0
    #: Seconds for the last requests to end when the server stops.
    grace_seconds: float = 10.0
    #: Characters of which several analyses may be asked, and analyses.
    max_alternatives: int = 2_000
    max_k: int = 8
    #: Words of one sentence that are drawn, and of all sentences of one request.
    max_drawn: int = 250
    max_words: int = 400_000

    @property
    def local(self) -> bool:
        """Whether only this machine can connect."""
        return self.host in ("127.0.0.1", "localhost", "::1")
