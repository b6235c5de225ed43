"""What a server may be told: where it listens and how much it takes on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ServeOptions"]


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen, and the limits of a request and of all of them together."""

    host: str = "127.0.0.1"
    port: int = 8765
    #: Threads that parse, and requests that may wait for one; beyond that the answer is 429.
    threads: int = 1
    waiting: int = 8
    #: Bytes of a body, characters of a text, characters where boundaries are given.
    max_body: int = 8 << 20
    max_chars: int = 1_000_000
    max_given: int = 100_000
    #: Seconds for a body to arrive, for a request to be answered, for the last ones to end.
    body_seconds: float = 20.0
    seconds: float = 120.0
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
