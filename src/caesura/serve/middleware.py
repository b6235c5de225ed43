"""What stands around the application: headers, hosts, bodies too large or too slow, the log.

Nothing of a request is logged but its size, the name of the endpoint and the answer's status.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

from caesura.serve.options import ServeOptions
from caesura.serve.workers import Refused, message_of

__all__ = ["Middleware", "error_body", "read_body"]

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


def error_body(status: int, message: str) -> bytes:
    return msgspec.json.encode({"error": {"status": status, "message": message}})


async def read_body(receive: Receive, headers: dict[bytes, bytes], options: ServeOptions) -> bytes:
    """The body of a request, unless it is too large or comes too slowly."""
    too_large = Refused(413, f"The request is larger than {options.max_body >> 20} MB.")
    told = headers.get(b"content-length", b"")
    if told.isdigit() and int(told) > options.max_body:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(options.body_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "The request ended before its body did.")
                part = message.get("body", b"")
                size += len(part)
                if size > options.max_body:
                    raise too_large
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise Refused(408, "The body of the request came too slowly.") from None


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
                self.log(f"{name or 'page'}: {size:,} bytes in, status {status}, {spent:.0f} ms")

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
