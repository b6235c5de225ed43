"""The application: `routes.ENDPOINTS` made real.

What needs a worker is handed on to one, body unread; the rest (the page, the models, how the server
is) is answered here. `/api/parse` and so on are the current version of `/api/v1/parse`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from importlib.resources import files
from typing import Any, Final

import msgspec

import caesura
from caesura.errors import MissingExtra
from caesura.render.svg import PICTURE
from caesura.serve import wire
from caesura.serve.accept import FORM, JSON, MULTIPART, TYPES, chosen, media_type
from caesura.serve.messages import Health, Index, Limits, ModelsAnswer, Ready, UDPipeModels
from caesura.serve.metrics import Metrics
from caesura.serve.middleware import Bodies, Middleware, Receive, Scope, Send
from caesura.serve.models import Models
from caesura.serve.openapi import describe
from caesura.serve.options import VERSION, ServeOptions
from caesura.serve.refusals import Refused, error_line
from caesura.serve.routes import ENDPOINTS, Endpoint
from caesura.serve.workers import Place, Workers

try:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route, Router
except ImportError:
    raise MissingExtra("starlette", "serve", "a server") from None

__all__ = ["make_app"]

#: Bytes of an answer that are sent at once.
_PIECE: Final = 1 << 16
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Post:
    """An endpoint that takes a body and lets a worker answer it. The body is not looked at here."""

    def __init__(self, endpoint: Endpoint, workers: Workers, bodies: Bodies) -> None:
        self.endpoint = endpoint
        self.workers = workers
        self.bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request unless the server ends first."""
        request = asyncio.ensure_future(self._serve(scope, receive, send))
        over = asyncio.ensure_future(self.workers.over.wait())
        try:
            await asyncio.wait((request, over), return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait((request,), timeout=0.5)  # its worker was killed
            if not request.done():
                raise Refused(503, "The server is being shut down.")
            request.result()
        except Refused as error:
            error.__context__ = None  # time that was up holds the task that holds this error
            raise
        finally:
            request.cancel()
            over.cancel()
            await asyncio.gather(request, over, return_exceptions=True)
            # What it raised holds this frame, which must not hold it: bodies would be kept.
            del request, over

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        asked = self._asked(scope, headers)
        async with self.bodies.read(receive, headers) as body:
            place = self.workers.take()
            work = asyncio.ensure_future(self._answer(place, asked, body, send))
            left = asyncio.ensure_future(_left(receive))
            try:
                await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    work.result()
            finally:
                work.cancel()
                left.cancel()
                await asyncio.gather(work, left, return_exceptions=True)
                place.release()
                del work, left

    def _asked(self, scope: Scope, headers: dict[bytes, bytes]) -> wire.JobHead:
        """What a worker must know of the head of a request."""
        endpoint, header = self.endpoint, headers.get(b"content-type", b"")
        kind = media_type(header)
        if kind not in endpoint.takes and (kind or FORM not in endpoint.takes):
            if tuple(endpoint.takes) == (JSON,):
                raise Refused(415, "Send JSON, with the content type application/json.")
            raise Refused(415, f"The type of the body is one of {', '.join(endpoint.takes)}.")
        format = "json"
        if endpoint.negotiated:
            accept = headers.get(b"accept")
            offered = tuple(endpoint.gives)
            format = TYPES[chosen(None if accept is None else accept.decode("latin-1"), offered)]
        if kind == MULTIPART:  # its parameters say where its parts begin
            kind = header.decode("latin-1")
        query = scope.get("query_string", b"").decode("latin-1")
        return wire.JobHead(endpoint.name, 0.0, kind, query, format)

    async def _answer(self, place: Place, asked: wire.JobHead, body: bytes, send: Send) -> None:
        async with aclosing(place.answer(asked, body)) as pieces:
            head = await anext(pieces)
            assert isinstance(head, wire.Head)
            if head.stream:
                await self._stream(head, pieces, place, send)
                return
            # The worker is free for others before the client has taken anything.
            parts = [piece async for piece in pieces if isinstance(piece, bytes)]
        try:
            async with asyncio.timeout(self.workers.options.seconds):
                await self._whole(head, parts, send)
        except TimeoutError:
            raise Refused(408, "The answer was taken too slowly.") from None

    async def _whole(self, head: wire.Head, parts: list[bytes], send: Send) -> None:
        await send(_start(head, ("content-length", str(sum(map(len, parts))))))
        for part in parts:
            for at in range(0, len(part), _PIECE):
                piece = part[at : at + _PIECE]
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})

    async def _stream(
        self, head: wire.Head, pieces: AsyncIterator[wire.Head | bytes], place: Place, send: Send
    ) -> None:
        await send(_start(head))
        try:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except Refused as error:
            # Too late for a status: the last line tells.
            place.broken = True
            line = error_line(error, head.tail)
            await send({"type": "http.response.body", "body": line, "more_body": True})
        if place.broken and head.tail == "comment":
            return  # a missing end shows that the file is incomplete
        await send({"type": "http.response.body"})


def _start(head: wire.Head, *more: tuple[str, str]) -> dict[str, Any]:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in (*head.headers, *more)]
    return {"type": "http.response.start", "status": head.status, "headers": headers}


async def _left(receive: Receive) -> None:
    """Returns when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


class Application:
    """The endpoints over one set of models and one set of workers."""

    def __init__(
        self, models: Models, options: ServeOptions, log: Callable[[str], None] | None = None
    ) -> None:
        self.known = models
        self.options = options
        self.workers = Workers(models, options, log)
        self.bodies = Bodies(options)
        self.static = _static()
        self.described = describe(options)
        #: Filled by what stands around it.
        self.counts = Metrics()

    async def models(self, request: Request) -> Response:
        return _json(ModelsAnswer(VERSION, self.known.describe(self.workers.loaded)))

    async def udpipe_models(self, request: Request) -> Response:
        return _json(UDPipeModels(self.known.stages(self.workers.loaded), self.known.default))

    async def health(self, request: Request) -> Response:
        workers = self.workers
        status = "stopping" if workers.stopping else "ok"
        return _json(Health(status, caesura.__version__, VERSION, workers.taken, workers.places))

    async def ready(self, request: Request) -> Response:
        alive = len(self.workers.alive)
        if self.workers.stopping or not alive:
            raise Refused(503, "No worker is ready.")
        return _json(Ready(True, alive))

    async def metrics(self, request: Request) -> Response:
        text = self.counts.text(self.workers)
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(text, headers={"content-type": kind, "cache-control": "no-store"})

    async def openapi(self, request: Request) -> Response:
        return _json(self.described)

    async def index(self, request: Request) -> Response:
        """What the API offers."""
        names = Limits.__struct_fields__
        limits = Limits(**{name: getattr(self.options, name) for name in names})
        offered = {one.name for one in ENDPOINTS if one.paths[0].startswith(f"/api/v{VERSION}/")}
        return _json(Index(VERSION, sorted(offered), limits))

    async def page(self, request: Request) -> Response:
        return self._file("index.html")

    async def icon(self, request: Request) -> Response:
        return self._file("icon.svg")

    async def file(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        data = self.static.get(name)
        if data is None:
            raise Refused(404, "There is no such page.")
        kind = _TYPES["." + name.rsplit(".", 1)[-1]]
        return Response(data, headers={"content-type": kind, "cache-control": "no-cache"})


def _json(data: Any) -> Response:
    return Response(
        msgspec.json.encode(data),
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def _static() -> dict[str, bytes]:
    """The files of the page, in memory, so that no path leads anywhere else."""
    folder = files("caesura.serve") / "static"
    found = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    found["tree.css"] = PICTURE.encode("utf-8")
    return {name: data for name, data in found.items() if "." + name.rsplit(".", 1)[-1] in _TYPES}


def make_app(
    models: Models, options: ServeOptions | None = None, *, log: Callable[[str], None] | None = None
) -> Any:
    """The ASGI application over some models."""
    options = options or ServeOptions()
    application = Application(models, options, log)
    routes = []
    for endpoint in ENDPOINTS:
        served: Any = getattr(application, endpoint.name, None)
        if endpoint.work:
            served = Post(endpoint, application.workers, application.bodies)
        for path in endpoint.paths:
            routes.append(Route(path, served, methods=list(endpoint.methods)))

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        await application.workers.start()
        try:
            yield
        finally:
            await application.workers.close()

    # A bare router: whatever goes wrong reaches the middleware, which answers in one place.
    # No redirects: an address is one of those above, or there is none.
    router = Router(routes=routes, redirect_slashes=False, lifespan=lifespan)
    middleware = Middleware(router, options, log)
    middleware.application = application
    middleware.endpoints = {path: one for one in ENDPOINTS for path in one.paths}
    application.counts = middleware.metrics
    return middleware
