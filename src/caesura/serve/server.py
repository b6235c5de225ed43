"""Start the server and stop it gently."""

from __future__ import annotations

import asyncio
import errno
import importlib.util
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from caesura.errors import CaesuraError, MissingExtra, UsageError
from caesura.language import language_name
from caesura.language.choice import choose_model
from caesura.models.store import find, load_model
from caesura.paths import hold_no_buffers
from caesura.serve.models import Models
from caesura.serve.options import ServeOptions

__all__ = ["check_extra", "listen", "make_server", "named_models", "serve"]

#: Seconds within which a signal to all processes has reached this one, too.
_HEARD: Final = 0.2


def check_extra() -> None:
    """Raise MissingExtra, with the command that mends it, if the extra is not installed."""
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, "serve", "a server")


def named_models(names: Sequence[str | None], lang: str | None = None) -> Models:
    """The models of a command line under short names; workers load them.

    With `lang` all of them take texts to be in that language; None is the model for it.
    """
    paths: dict[str, Path] = {}
    languages: dict[str, str] = {}
    for given in names:
        chosen = choose_model(given, lang)
        path = find(chosen.model)
        named = "" if lang is not None and given is not None else chosen.language
        name = named or path.name.removesuffix(".caesura") or str(given)
        if chosen.language:
            languages[name] = chosen.language
        if name in paths and paths[name] != path:
            raise UsageError(f"two models are called {name!r}", remedy="Rename one of the files.")
        paths[name] = path
    said = {name: _meta(path) for name, path in paths.items()}
    parts = {name: _parts(meta) for name, meta in said.items()}
    offered = {name: _languages(meta) for name, meta in said.items() if name not in languages}
    offered = {name: known for name, known in offered.items() if len(known) > 1}
    return Models(paths, parts=parts, languages=languages, offered=offered)


def _meta(path: Path) -> Mapping[str, Any]:
    """What a model file says of itself; a worker tells what is wrong with it."""
    try:
        return load_model(path, arrays=False).meta
    except (CaesuraError, OSError):
        return {}


def _parts(meta: Mapping[str, Any]) -> list[str]:
    said = meta.get("parts", {})
    return sorted(map(str, said)) if isinstance(said, dict) else []


def _languages(meta: Mapping[str, Any]) -> dict[str, str]:
    """The names of languages by their codes, in the order of the names."""
    said = meta.get("languages")
    names = {str(code): language_name(str(code)) for code in said} if isinstance(said, list) else {}
    return dict(sorted(names.items(), key=lambda row: row[1]))


def listen(options: ServeOptions) -> socket.socket:
    """A socket that listens; a port in use is reported in one sentence."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((options.host, options.port))
        made.listen(128)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise CaesuraError(
                f"the port {options.port} of {options.host} is in use",
                remedy=f"Choose another: caesura serve --port {options.port + 1}",
            ) from None
        if error.errno == errno.EACCES:
            raise CaesuraError(
                f"the port {options.port} may not be used ({error.strerror})",
                remedy="Choose one above 1023: caesura serve --port 8765",
            ) from None
        raise CaesuraError(
            f"cannot listen on {options.host}:{options.port} ({error.strerror or error})",
            remedy="Listen on this machine: caesura serve --host 127.0.0.1",
        ) from None
    return made


def make_server(
    models: Models,
    options: ServeOptions,
    log: Callable[[str], None] | None = None,
    ready: Callable[[], None] | None = None,
) -> tuple[Any, socket.socket, Any]:
    """A server that is ready to run, the socket it will listen on, and its application."""
    check_extra()
    import uvicorn

    from caesura.serve.app import make_app
    from caesura.serve.connections import connection_class

    app = make_app(models, options, log=log)
    made = listen(options)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        ws="none",
        loop="asyncio",
        http=connection_class(options),
        timeout_keep_alive=15,
        timeout_graceful_shutdown=max(1, int(options.grace_seconds)),
    )
    workers = app.application.workers

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            # Here, not in the lifespan, so that an error of a worker is reported as it is.
            starting = asyncio.ensure_future(workers.start())
            while not starting.done() and not self.should_exit:
                await asyncio.wait((starting,), timeout=0.1)
            if not starting.done():
                starting.cancel()
                await workers.close()
                return
            try:
                starting.result()
            except BaseException:
                await workers.close()
                # A service manager tells all processes to end, and a worker may hear it first.
                await asyncio.sleep(_HEARD)
                if self.should_exit:
                    return
                raise
            await super().startup(sockets)
            if ready is not None:
                ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            workers.stop()
            await super().shutdown(sockets)

    return Server(config), made, app


def serve(
    models: Models,
    options: ServeOptions,
    *,
    log: Callable[[str], None] | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until interrupted; requests under way are given some seconds to end."""

    def told() -> None:
        host = f"[{options.host}]" if ":" in options.host else options.host
        if ready is not None:
            ready(f"http://{host}:{port}/")

    hold_no_buffers()  # bodies and answers come and go
    server, made, _ = make_server(models, options, log, told)
    port = made.getsockname()[1]
    try:
        server.run(sockets=[made])
    except KeyboardInterrupt:
        pass  # Ctrl-C is how one ends it, and it has ended gently
    finally:
        made.close()
