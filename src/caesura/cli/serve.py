"""`caesura serve`: the page in the browser and its JSON API."""

from __future__ import annotations

import os
import re
import time

import click

from caesura.cli.language import lang_option
from caesura.cli.options import device_option, mode_option, quiet_option
from caesura.cli.refuse import given
from caesura.errors import InputError, UsageError
from caesura.serve.options import TOKEN

#: What a header can hold; a short token is soon guessed.
_TOKEN = re.compile(r"[!-~]{8,500}")
_ORIGIN = re.compile(r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")
_ROOT = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


def _origin(given: str) -> str:
    """A site as browsers name it."""
    origin = given.lower().rstrip("/")
    if origin != "*" and _ORIGIN.fullmatch(origin) is None:
        raise UsageError(
            f"{given!r} is no origin",
            remedy="Name scheme and host: --allow-origin https://example.org (or '*' for all).",
        )
    return origin


def _root(given: str) -> str:
    root = given.rstrip("/")
    if root and _ROOT.fullmatch(root) is None:
        raise UsageError(
            f"{given!r} is no path that addresses begin with", remedy="Try --root-path /caesura."
        )
    return root


def _token(given: str | None, file: str | None) -> str:
    """The token of the options, of a file, or of the environment; empty if there is none."""
    if given is not None and file is not None:
        raise UsageError("the token is given twice", remedy="Leave --token or --token-file out.")
    if file is not None:
        try:
            with click.open_file(file, encoding="utf-8") as stream:
                found = str(stream.readline(1000)).strip()
        except (OSError, UnicodeDecodeError) as error:
            told = getattr(error, "strerror", None) or "it is no text"
            raise InputError(f"the token cannot be read ({told})", file=file) from None
    else:
        found = os.environ.get(TOKEN, "").strip() if given is None else given
    wanted = given is not None or file is not None or TOKEN in os.environ
    if wanted and _TOKEN.fullmatch(found) is None:
        raise UsageError(
            "a token is 8 to 500 visible ASCII characters without spaces",
            remedy="Make one: python -c 'import secrets; print(secrets.token_urlsafe())'",
        )
    return found


@click.command()
@click.option(
    "-m",
    "--model",
    "names",
    multiple=True,
    default=("en",),
    show_default=True,
    help="A model: name or file. May be repeated, to compare models.",
)
@lang_option
@mode_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any other than this machine's own lets others in.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on; 0 takes any that is free.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that parse; each has the models in its own memory.",
)
@click.option(
    "--waiting",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Requests that may wait for a worker; beyond that the answer is 429.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=120,
    show_default=True,
    help="Longest time for one request; a worker that is still at it is killed.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    default=2048,
    show_default=True,
    help="MB of a worker: with more it is replaced after its answer, with twice as much during it.",
)
@click.option(
    "--total-memory",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="MB of all workers: with more, the models that were not used for longest are unloaded; "
    "0 sets no limit.",
)
@device_option
@click.option(
    "--connections",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Connections held at once; for one more the idlest is closed.",
)
@click.option(
    "--max-chars",
    type=click.IntRange(min=1),
    default=1_000_000,
    show_default=True,
    help="Longest text of one request.",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of this site (https://example.org, or * for all) ask and read answers. May be "
    "repeated.",
)
@click.option(
    "--token",
    metavar="TOKEN",
    help="Answer only who shows this (Authorization: Bearer TOKEN). Others on this machine can see "
    f"it in the list of processes: rather use --token-file, or the variable {TOKEN}.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Read the token from the first line of a file (- for stdin).",
)
@click.option(
    "--root-path",
    default="",
    metavar="PATH",
    help="What a proxy puts before every address, such as /caesura.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@quiet_option
def command(
    names: tuple[str, ...],
    lang: str | None,
    host: str,
    port: int,
    workers: int,
    waiting: int,
    seconds: float,
    memory: int,
    total_memory: int,
    device: str | None,
    connections: int,
    max_chars: int,
    allow_origin: tuple[str, ...],
    token: str | None,
    token_file: str | None,
    root_path: str,
    open_browser: bool,
    quiet: bool,
) -> None:
    """Serve a page on which texts are parsed as you paste them, and an API.

    It listens on this machine only, fetches nothing, keeps nothing, and logs of a request no more
    than its size and its id. The API is described at /openapi.json; clients of UDPipe's service
    find /process and /models. Ctrl-C ends it.

    \b
    caesura serve
    caesura serve -m en -m my.caesura --port 9000
    caesura serve -m multi -m en
    caesura serve --host 0.0.0.0 --token-file token.txt --workers 4
    curl -H 'content-type: application/json' -d '{"text": "They left. Did you?"}' \\
        http://127.0.0.1:8765/api/parse
    """
    from caesura.serve.options import ServeOptions

    options = ServeOptions(
        host=host,
        port=port,
        workers=workers,
        waiting=waiting,
        seconds=seconds,
        memory=memory,
        total_memory=total_memory,
        device=device or "cpu",
        connections=connections,
        max_chars=max_chars,
        max_body=max(8 << 20, 6 * max_chars),
        allow_origin=tuple(_origin(one) for one in allow_origin),
        token=_token(token, token_file),
        root_path=_root(root_path),
    )
    from caesura.serve.server import check_extra, named_models, serve

    check_extra()
    wanted: tuple[str | None, ...] = names
    if lang is not None and not given("names"):
        wanted = (None,)
    models = named_models(wanted, lang)

    def log(line: str) -> None:
        click.echo(f"{time.strftime('%H:%M:%S')} {line}", err=True)

    def ready(address: str) -> None:
        click.echo(f"Caesura is at {address} (Ctrl-C ends it)", err=True)
        if open_browser:
            click.launch(address)

    serve(models, options, log=None if quiet else log, ready=ready)
