"""A connection that cannot be held for nothing: times for heads and answers, a cap, small pieces.

uvicorn's own connections wait forever for the end of a head and for a client that does not read.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from caesura.serve.options import ServeOptions
from caesura.serve.refusals import error_body

__all__ = ["connection_class"]

#: Bytes of a head.
_HEAD: Final = 32 << 10
#: Pieces of one body may be as many as this, and one more for so many bytes: parsing them costs
#: this process time, however small they are.
_PIECES: Final = 200
_BYTES: Final = 512
#: Bytes of an answer that a client must take in the time it has for that.
_TAKEN: Final = 1 << 16
_REASONS: Final = {400: "Bad Request", 408: "Request Timeout", 503: "Service Unavailable"}


class _Parser(h11.Connection):
    """Counts the pieces of a body."""

    pieces = size = 0
    #: What is wrong with what came, if it cannot be read.
    wrong = "This is not an HTTP request."

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self.pieces = self.size = 0
        elif isinstance(event, h11.Data):
            self.pieces += 1
            self.size += len(event.data)
            if self.pieces > _PIECES + self.size // _BYTES:
                self.wrong = "The body of the request comes in too many small pieces."
                raise h11.RemoteProtocolError(self.wrong)
        return event


class Connection(H11Protocol):
    """One client."""

    options: ServeOptions

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.conn = self._parser = _Parser(h11.SERVER, _HEAD)
        self._spoken = False
        self._head: asyncio.TimerHandle | None = None
        self._send: asyncio.TimerHandle | None = None

    # ---------------------------------------------------------------- heads

    @property
    def idle(self) -> bool:
        """Whether it waits for a request, or the rest of its head."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > self.options.connections:
            others = [
                one
                for one in self.connections
                if isinstance(one, Connection) and one is not self and one.idle
            ]
            if not others:
                self._refuse(503, "The server has too many connections. Try again in a moment.")
                return
            min(others, key=lambda one: one._since).transport.abort()
        self._watch()

    def _watch(self) -> None:
        """Let the clock run while a head is awaited."""
        if not self.idle:
            self._off()
        elif self._head is None:
            self._head = self.loop.call_later(self.options.header_seconds, self._late)

    def _off(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _late(self) -> None:
        self._head = None
        if self._spoken:
            self._refuse(408, "The head of the request came too slowly.")
        else:
            self._hang_up()

    def data_received(self, data: bytes) -> None:
        self._spoken = True
        super().data_received(data)
        if not self.transport.is_closing():
            self._watch()

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._watch()  # the rest of an unread body must end soon, too

    def _refuse(self, status: int, message: str) -> None:
        """Answer, unless an answer is under way or was given, and hang up."""
        if not self.transport.is_closing() and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = error_body(status, message)
            self.transport.write(
                f"HTTP/1.1 {status} {_REASONS[status]}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode()
                + body
            )
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._hang_up()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is refused as everything else is."""
        self._refuse(400, self._parser.wrong)

    def shutdown(self) -> None:
        if self.idle:
            self._hang_up()
        else:
            super().shutdown()

    def _hang_up(self) -> None:
        """Close; what the client does not take within a second is lost."""
        if not self.transport.is_closing():
            self.transport.close()
            self.loop.call_later(1.0, self.transport.abort)

    # -------------------------------------------------------------- answers

    def pause_writing(self) -> None:
        super().pause_writing()
        self._size = self.transport.get_write_buffer_size()
        self._send = self.loop.call_later(self.options.send_seconds, self._slow)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._send is not None:
            self._send.cancel()
            self._send = None

    def _slow(self) -> None:
        """Hang up if too little was taken since the last look."""
        left = self.transport.get_write_buffer_size()
        if left > self._size - _TAKEN:
            self.transport.abort()
            return
        self._size = left
        self._send = self.loop.call_later(self.options.send_seconds, self._slow)

    def timeout_keep_alive_handler(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # closing would wait for a client that does not read
        else:
            super().timeout_keep_alive_handler()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._off()
        if self._send is not None:
            self._send.cancel()


def connection_class(options: ServeOptions) -> type[Connection]:
    """The class of connections under some options, as uvicorn wants it."""
    return type("Connection", (Connection,), {"options": options})
