"""What stands around the application: headers, hosts, bodies too large or too slow, the log.

Nothing of a request is logged but its size, the name of the endpoint and the answer's status.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Busy, Refused, error_body, message_of

__all__ = ["Bodies", "Middleware"]

Scope = dict[str, Any]
Receive = Callable[[], Any]
Send = Callable[[dict[str, Any]], Any]

HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Bodies:
    """The bodies that are not yet answered; together they may not be too large either."""

    #: As many of the largest may be here at once; a small one always may.
    ROOM: Final = 8
    SMALL: Final = 1 << 16

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.held = 0

    @asynccontextmanager
    async def read(self, receive: Receive, headers: dict[bytes, bytes]) -> AsyncIterator[bytes]:
        """The body of a request, unless it is too large or comes too slowly."""
        most = self.options.max_body
        too_large = Refused(413, f"The request is larger than {most >> 20} MB.")
        told = headers.get(b"content-length", b"")
        if told.isdigit() and (len(told) > 18 or int(told) > most):
            raise too_large
        parts: list[bytes] = []
        size = 0
        try:
            try:
                async with asyncio.timeout(self.options.body_seconds):
                    more = True
                    while more:
                        message = await receive()
                        if message["type"] == "http.disconnect":
                            raise Refused(400, "The request ended before its body did.")
                        parts.append(message.get("body", b""))
                        size += len(parts[-1])
                        self.held += len(parts[-1])
                        if size > most:
                            raise too_large
                        if size > self.SMALL and self.held > self.ROOM * most:
                            raise Busy
                        more = message.get("more_body", False)
            except TimeoutError:
                raise Refused(408, "The body of the request came too slowly.") from None
            yield b"".join(parts)
        finally:
            self.held -= size


class Middleware:
    """Wraps the application."""

    def __init__(
        self, app: Any, options: ServeOptions, log: Callable[[str], None] | None = None
    ) -> None:
        self.app = app
        self.options = options
        self.log = log
        #: What it stands around, and the addresses whose names may be logged.
        self.application: Any = None
        self.paths: frozenset[str] = frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        began = time.monotonic()
        status = 0
        size = 0
        started = False

        async def counted() -> dict[str, Any]:
            nonlocal size
            message: dict[str, Any] = await receive()
            size += len(message.get("body", b""))
            return message

        async def secured(message: dict[str, Any]) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                started = True
                status = message["status"]
                names = {name for name, _ in message["headers"]}
                extra = [pair for pair in HEADERS if pair[0] not in names]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        # With this the router raises what it would answer itself.
        scope["app"] = self.application
        try:
            self._check_host(scope)
            await self.app(scope, counted, secured)
        except Exception as error:
            refused, text = message_of(error)
            if refused == 500 and self.log is not None:
                self.log(f"error inside: {type(error).__name__}")
            if not started:
                await _answer(secured, refused, text)
        finally:
            if self.log is not None:
                path = scope.get("path", "")
                name = path.rsplit("/", 1)[-1] if path in self.paths else "?"
                if path.startswith("/static/") and status == 200:
                    name = "file"
                spent = 1000 * (time.monotonic() - began)
                told = status or 499  # no answer: the client has gone
                self.log(f"{name or 'page'}: {size:,} bytes in, status {told}, {spent:.0f} ms")

    def _check_host(self, scope: Scope) -> None:
        """A page elsewhere must not reach a local server through a name of its own."""
        if not self.options.local:
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1").lower()
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name not in _LOCAL:
            raise Refused(421, "This server answers to localhost only.")


async def _answer(send: Send, status: int, text: str) -> None:
    body = error_body(status, text)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if status == 429:
        headers.append((b"retry-after", b"1"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
