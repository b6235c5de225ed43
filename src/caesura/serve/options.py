"""What a server may be told: where it listens and how much it takes on."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["TOKEN", "VERSION", "ServeOptions"]

#: The version of the API, which is part of its address.
VERSION = 1
#: The environment variable that may hold the token.
TOKEN = "CAESURA_TOKEN"


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen, whom to answer, and the limits of a request and of all together."""

    host: str = "127.0.0.1"
    port: int = 8765
    #: What a proxy in front of it puts before every address.
    root_path: str = ""
    #: Origins (`https://example.org`, or `*`) whose pages may ask and read the answers.
    allow_origin: tuple[str, ...] = ()
    #: What a client must show; empty: nothing. Workers are not told.
    token: str = field(default="", repr=False)
    #: Processes that work, and requests that may wait for one; beyond that the answer is 429.
    workers: int = 1
    waiting: int = 8
    #: MB of a worker: with more it is replaced after its answer, with twice as much during it.
    memory: int = 2048
    #: Where workers run networks: "cpu" or "cuda".
    device: str = "cpu"
    #: MB of all workers: with more, models are unloaded, those first that were not used for long;
    #: 0 sets no limit.
    total_memory: int = 0
    #: Connections held at once; for one more the idlest is closed.
    connections: int = 500
    #: Bytes of a body, characters of a text, texts, characters where boundaries are given.
    max_body: int = 8 << 20
    max_chars: int = 1_000_000
    max_texts: int = 1_000
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
