"""The application: which address does what.

| address | does |
|---|---|
| `GET /` | the page |
| `POST /api/v1/parse` | a text to sentences with trees, at once or line by line |
| `POST /api/v1/complete` | sentences of which something is fixed to sentences with trees |
| `POST /api/v1/draw` | sentences to pictures |
| `POST /api/v1/convert` | sentences to a file |
| `POST /api/v1/evaluate` | a system file against gold |
| `GET /api/v1/models` | the models here |
| `GET /health` | whether it is well |

`/api/parse` and so on are the current version.
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
from caesura.render.style import PICTURE
from caesura.serve import wire
from caesura.serve.middleware import Bodies, Middleware, Receive, Scope, Send
from caesura.serve.models import Models
from caesura.serve.options import VERSION, ServeOptions
from caesura.serve.refusals import Refused, error_line
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

    def __init__(self, name: str, workers: Workers, bodies: Bodies) -> None:
        self.name = name
        self.workers = workers
        self.bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request unless the server ends first."""
        request = asyncio.ensure_future(self._serve(scope, receive, send))
        over = asyncio.ensure_future(self.workers.over.wait())
        try:
            await asyncio.wait((request, over), return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait((request,), timeout=0.5)  # its worker was killed: that is told
            if not request.done():
                raise Refused(503, "The server is being shut down.")
            request.result()
        finally:
            request.cancel()
            over.cancel()
            await asyncio.gather(request, over, return_exceptions=True)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if kind != b"application/json":
            raise Refused(415, "Send JSON, with the content type application/json.")
        async with self.bodies.read(receive, headers) as body:
            place = self.workers.take()
            work = asyncio.ensure_future(self._answer(place, body, send))
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

    async def _answer(self, place: Place, body: bytes, send: Send) -> None:
        async with aclosing(place.answer(self.name, body)) as pieces:
            head = await anext(pieces)
            assert isinstance(head, wire.Head)
            if head.stream:
                await self._stream(head, pieces, send)
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
        self, head: wire.Head, pieces: AsyncIterator[wire.Head | bytes], send: Send
    ) -> None:
        await send(_start(head))
        try:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except Refused as error:
            # Too late for a status: the last line tells.
            line = error_line(error)
            await send({"type": "http.response.body", "body": line, "more_body": True})
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
        self.models = models
        self.options = options
        self.workers = Workers(models, options, log)
        self.bodies = Bodies(options)
        self.static = _static()

    async def list_models(self, request: Request) -> Response:
        return _json({"version": VERSION, "models": self.models.describe(self.workers.loaded)})

    async def health(self, request: Request) -> Response:
        workers = self.workers
        return _json(
            {
                "status": "stopping" if workers.stopping else "ok",
                "version": caesura.__version__,
                "api": VERSION,
                "running": workers.taken,
                "places": workers.places,
            }
        )

    async def index(self, request: Request) -> Response:
        """What the API offers."""
        limits = {
            name: getattr(self.options, name)
            for name in ("max_body", "max_chars", "max_given", "seconds", "max_k", "max_drawn")
        }
        return _json(
            {"version": VERSION, "endpoints": sorted((*_POSTS, "models")), "limits": limits}
        )

    async def page(self, request: Request) -> Response:
        return self._file("index.html")

    async def file(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        data = self.static.get(name)
        if data is None:
            raise Refused(404, "There is no such page.")
        kind = _TYPES["." + name.rsplit(".", 1)[-1]]
        return Response(data, headers={"content-type": kind, "cache-control": "no-cache"})


_POSTS: Final = ("parse", "complete", "draw", "convert", "evaluate")


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
    models: Models,
    options: ServeOptions | None = None,
    *,
    log: Callable[[str], None] | None = None,
) -> Any:
    """The ASGI application over some models."""
    options = options or ServeOptions()
    application = Application(models, options, log)
    routes = [
        Route("/", application.page),
        Route("/health", application.health),
        Route("/api", application.index),
        Route(f"/api/v{VERSION}", application.index),
        Route("/static/{name}", application.file),
    ]
    for prefix in (f"/api/v{VERSION}", "/api"):
        routes.append(Route(f"{prefix}/models", application.list_models))
        for name in _POSTS:
            post = Post(name, application.workers, application.bodies)
            routes.append(Route(f"{prefix}/{name}", post, methods=["POST"]))

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        await application.workers.start()
        try:
            yield
        finally:
            await application.workers.close()

    # A bare router: whatever goes wrong reaches the middleware, which answers in one place.
    # It sends nobody elsewhere: an address is one of those above, or there is none.
    router = Router(routes=routes, redirect_slashes=False, lifespan=lifespan)
    middleware = Middleware(router, options, log)
    middleware.application = application
    middleware.paths = frozenset(route.path for route in routes)
    return middleware
