"""The application: which address does what.

| address | does |
|---|---|
| `GET /` | the page |
| `POST /api/v1/parse` | a text to sentences with trees, at once or line by line |
| `POST /api/v1/draw` | sentences to pictures |
| `POST /api/v1/convert` | sentences to a file |
| `POST /api/v1/evaluate` | a system file against gold |
| `GET /api/v1/models` | the models here |
| `GET /health` | whether it is well |

`/api/parse` and so on are the current version.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final, TypeVar

import msgspec

import caesura
from caesura.errors import MissingExtra
from caesura.render.style import PICTURE
from caesura.serve import handlers
from caesura.serve.messages import (
    VERSION,
    ConvertRequest,
    DrawRequest,
    EvaluateRequest,
    ParseRequest,
)
from caesura.serve.middleware import Middleware, read_body
from caesura.serve.options import ServeOptions
from caesura.serve.workers import Job, Models, Refused, Workers

try:
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route, Router
except ImportError:
    raise MissingExtra("starlette", "serve", "a server") from None

__all__ = ["make_app"]

T = TypeVar("T")
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Application:
    """The endpoints over one set of models and one pool of threads."""

    def __init__(self, models: Models, options: ServeOptions) -> None:
        self.models = models
        self.options = options
        self.workers = Workers(options)
        self.static = _static()

    # ------------------------------------------------------------- helpers

    async def read(self, request: Request, type_: type[T]) -> T:
        """The body as what it must be."""
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "Send JSON, with the content type application/json.")
        body = await read_body(request.receive, dict(request.scope["headers"]), self.options)
        try:
            return msgspec.json.decode(body, type=type_)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Refused(400, f"This is not the JSON that is expected here: {error}.") from None

    async def answer(self, work: Callable[[Job], T]) -> T:
        """The result of some work in a thread, with a place of its own."""
        place = self.workers.take()
        try:
            return await place.run(work)
        finally:
            place.release()

    # ----------------------------------------------------------- endpoints

    async def parse(self, request: Request) -> Response:
        asked = await self.read(request, ParseRequest)
        if asked.stream and asked.k == 1:
            return await self._stream(asked)
        found = await self.answer(lambda job: handlers.parse(asked, self.models, self.options, job))
        return _json(found)

    async def _stream(self, asked: ParseRequest) -> Response:
        """The first line decides the status: what is refused is refused with one."""
        place = self.workers.take()
        lines = place.stream(
            lambda job: handlers.parse_lines(asked, self.models, self.options, job)
        )
        first = await anext(lines)

        async def body() -> AsyncIterator[bytes]:
            try:
                yield first
                async for line in lines:
                    yield line
            except Exception as error:
                # Too late for a status: the last line tells.
                yield handlers.error_line(error)
            finally:
                await lines.aclose()  # type: ignore[attr-defined]
                place.release()

        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(body(), media_type="application/x-ndjson", headers=headers)

    async def draw(self, request: Request) -> Response:
        asked = await self.read(request, DrawRequest)
        return _json(await self.answer(lambda job: handlers.draw(asked, self.options, job)))

    async def convert(self, request: Request) -> Response:
        asked = await self.read(request, ConvertRequest)
        data, kind, name = await self.answer(lambda job: handlers.convert(asked, self.options, job))
        headers = {
            "content-disposition": f'attachment; filename="{name}"',
            "cache-control": "no-store",
        }
        return Response(data, media_type=kind, headers=headers)

    async def evaluate(self, request: Request) -> Response:
        asked = await self.read(request, EvaluateRequest)
        return _json(await self.answer(lambda job: handlers.evaluate(asked, self.options, job)))

    async def list_models(self, request: Request) -> Response:
        return _json({"version": VERSION, "models": self.models.describe()})

    async def health(self, request: Request) -> Response:
        workers = self.workers
        return _json(
            {
                "status": "stopping" if workers.stopping.is_set() else "ok",
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
        return _json({"version": VERSION, "endpoints": sorted(_ENDPOINTS), "limits": limits})

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


_ENDPOINTS: Final = {
    "parse": ("POST", "parse"),
    "draw": ("POST", "draw"),
    "convert": ("POST", "convert"),
    "evaluate": ("POST", "evaluate"),
    "models": ("GET", "list_models"),
}


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
    application = Application(models, options)
    routes = [
        Route("/", application.page),
        Route("/health", application.health),
        Route("/api", application.index),
        Route(f"/api/v{VERSION}", application.index),
        Route("/static/{name}", application.file),
    ]
    for name, (method, attribute) in _ENDPOINTS.items():
        for prefix in (f"/api/v{VERSION}", "/api"):
            endpoint = getattr(application, attribute)
            routes.append(Route(f"{prefix}/{name}", endpoint, methods=[method]))

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        try:
            yield
        finally:
            application.workers.close()

    # A bare router: whatever goes wrong reaches the middleware, which answers in one place.
    middleware = Middleware(Router(routes=routes, lifespan=lifespan), options, log)
    middleware.application = application
    middleware.paths = frozenset(route.path for route in routes)
    return middleware
