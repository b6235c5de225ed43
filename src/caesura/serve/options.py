"""Where a server listens and what it accepts; fields with a help are options of `caesura serve`."""

from __future__ import annotations

from dataclasses import dataclass, field

from caesura.options import DEVICE, option

__all__ = ["TOKEN", "VERSION", "ServeOptions"]

#: The version of the API, which is part of its address.
VERSION = 1
#: The environment variable that may hold the token.
TOKEN = "CAESURA_TOKEN"


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen, whom to answer, and the limits of a request and of all together."""

    host: str = option(
        "127.0.0.1",
        "Address to listen on; any other than this machine's own lets others in.",
        shown=True,
    )
    port: int = option(
        8765, "Port to listen on; 0 takes any that is free.", least=0, most=65535, shown=True
    )
    #: Beyond the places of workers and those that wait the answer is 429.
    workers: int = option(
        1, "Processes that parse; each has the models in its own memory.", least=1, shown=True
    )
    waiting: int = option(
        8,
        "Requests that may wait for a worker; beyond that the answer is 429.",
        least=0,
        shown=True,
    )
    #: Counted from the last byte of a request, waiting included.
    seconds: float = option(
        120.0,
        "Longest time for one request; a worker that is still at it is killed.",
        least=1,
        shown=True,
    )
    memory: int = option(
        2048,
        "MB of a worker: with more it is replaced after its answer, with twice as much during it.",
        least=1,
        shown=True,
    )
    total_memory: int = option(
        0,
        "MB of all workers: with more, the models that were not used for longest are unloaded; "
        "0 sets no limit.",
        least=0,
        shown=True,
    )
    device: str = option("cpu", **DEVICE)
    connections: int = option(
        500, "Connections held at once; for one more the idlest is closed.", least=1, shown=True
    )
    max_chars: int = option(1_000_000, "Longest text of one request.", least=1, shown=True)
    allow_origin: tuple[str, ...] = option(
        (),
        "Let pages of this site (https://example.org, or * for all) ask and read answers. May be "
        "repeated.",
        metavar="ORIGIN",
    )
    root_path: str = option(
        "", "What a proxy puts before every address, such as /caesura.", metavar="PATH"
    )
    #: What a client must show; empty: nothing. Workers do not get it.
    token: str = field(default="", repr=False)
    #: Bytes of a body, texts, characters where boundaries are given.
    max_body: int = 8 << 20
    max_texts: int = 1_000
    max_given: int = 100_000
    #: Seconds for the head of a request to arrive and for its body.
    header_seconds: float = 10.0
    body_seconds: float = 20.0
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
