"""`caesura serve`: the page in the browser and its JSON API."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, replace

import click

from caesura.cli.options import mode_option, options
from caesura.cli.refuse import given
from caesura.errors import InputError, UsageError
from caesura.options import Reading, option
from caesura.serve.options import TOKEN, ServeOptions

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


@dataclass(frozen=True)
class Options:
    names: tuple[str, ...] = option(
        ("en",),
        "A model: name or file. May be repeated, to compare models.",
        name="-m --model",
        shown=True,
    )
    lang: str | None = option(
        None, "The language of the text, such as da; else it is recognised.", metavar="CODE"
    )
    token: str | None = option(
        None,
        "Answer only who shows this (Authorization: Bearer TOKEN). Others on this machine can see "
        f"it in the list of processes: rather use --token-file, or the variable {TOKEN}.",
        metavar="TOKEN",
    )
    token_file: str | None = option(
        None, "Read the token from the first line of a file (- for stdin).", metavar="FILE"
    )
    open_browser: bool = option(False, "Open the page in a browser.", name="--open")


@click.command()
@mode_option
@options("serve", own=Options, served=ServeOptions, reading=Reading)
def command(own: Options, served: ServeOptions, reading: Reading) -> None:
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
    from caesura.serve.server import check_extra, named_models, serve

    served = replace(
        served,
        max_body=max(8 << 20, 6 * served.max_chars),
        allow_origin=tuple(_origin(one) for one in served.allow_origin),
        token=_token(own.token, own.token_file),
        root_path=_root(served.root_path),
    )
    check_extra()
    by_language = own.lang is not None and not given("names")
    models = named_models((None,) if by_language else own.names, own.lang)

    def log(line: str) -> None:
        click.echo(f"{time.strftime('%H:%M:%S')} {line}", err=True)

    def ready(address: str) -> None:
        click.echo(f"Caesura is at {address} (Ctrl-C ends it)", err=True)
        if own.open_browser:
            click.launch(address)

    serve(models, served, log=None if reading.quiet else log, ready=ready)
