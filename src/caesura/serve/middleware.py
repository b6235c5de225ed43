"""What stands around the application: headers, ids, bodies too large or too slow, log and counts.

Nothing of a request is logged but its size, its id, the name of the endpoint and the status.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from caesura.serve.accept import FORM
from caesura.serve.guard import Guard, request_id
from caesura.serve.metrics import Metrics
from caesura.serve.options import ServeOptions
from caesura.serve.refusals import Busy, Refused, error_body, headers_of, message_of
from caesura.serve.routes import Endpoint

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


class Bodies:
    """The bodies that are not yet answered; together they may not be too large either."""

    #: As many of the largest may be here at once; a small one always may.
    ROOM: Final = 8
    SMALL: Final = 1 << 16

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.held = 0

    @asynccontextmanager
    async def read(self, receive: Receive, headers: Mapping[bytes, bytes]) -> AsyncIterator[bytes]:
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
        self.guard = Guard(options)
        self.metrics = Metrics()
        #: What it stands around, and what is at which address.
        self.application: Any = None
        self.endpoints: Mapping[str, Endpoint] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        began = time.monotonic()
        status = size = 0
        headers = dict(scope["headers"])
        known = request_id(headers)
        own = [(b"x-request-id", known.encode()), *self.guard.cors(headers)]
        endpoint = self._find(scope)

        async def counted() -> dict[str, Any]:
            nonlocal size
            message: dict[str, Any] = await receive()
            size += len(message.get("body", b""))
            return message

        async def secured(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                said = [*message["headers"], *own]
                names = {name for name, _ in said}
                extra = [pair for pair in HEADERS if pair[0] not in names]
                message = {**message, "headers": [*said, *extra]}
            await send(message)

        # With this the router raises what it would answer itself.
        scope["app"] = self.application
        try:
            self.guard.check_host(headers)
            preflight = self.guard.preflight(scope["method"], headers)
            if preflight is not None:
                start = {"type": "http.response.start", "status": 204, "headers": preflight}
                await secured(start)
                await secured({"type": "http.response.body"})
                return
            if endpoint is None or not endpoint.public:
                page = endpoint is not None and endpoint.name in ("page", "file")
                self.guard.check_token(headers, page=page)
            if endpoint is not None and FORM in endpoint.takes:
                self.guard.check_site(headers)
            await self.app(scope, counted, secured)
        except Exception as error:
            refused, text = message_of(error)
            if refused == 500 and self.log is not None:
                self.log(f"error inside: {type(error).__name__}, id {known}")
            if not status:
                await _answer(secured, refused, text, headers_of(error))
        finally:
            # No answer: the client has gone.
            self._note(endpoint, scope, status or 499, size, time.monotonic() - began, known)

    def _find(self, scope: Scope) -> Endpoint | None:
        """What is at an address, which is freed from what a proxy puts before it."""
        root = self.options.root_path
        path = scope.get("path", "")
        if root and path.startswith(root) and path[len(root) :][:1] in ("", "/"):
            path = path[len(root) :] or "/"
        scope["path"], scope["root_path"] = path, ""
        if path.startswith("/static/"):
            path = "/static/{name}"
        return self.endpoints.get(path)

    def _note(
        self, endpoint: Endpoint | None, scope: Scope, status: int, size: int, spent: float, id: str
    ) -> None:
        known = endpoint is not None and not (endpoint.name == "file" and status != 200)
        name = endpoint.name if endpoint is not None and known else "?"
        self.metrics.count("other" if name == "?" else name, status, spent, size)
        if self.log is not None:
            self.log(f"{name}: {size:,} bytes in, status {status}, {1000 * spent:.0f} ms, id {id}")


async def _answer(send: Send, status: int, text: str, more: Any = ()) -> None:
    body = error_body(status, text)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *more,
    ]
    if status == 429:
        headers.append((b"retry-after", b"1"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
