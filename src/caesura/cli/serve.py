"""`caesura serve`: the page in the browser and its JSON API."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from caesura.cli.options import quiet_option

if TYPE_CHECKING:
    from caesura.pipeline.core import Mode


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
@click.option(
    "--mode",
    type=click.Choice(["accurate", "fast"]),
    default="accurate",
    show_default=True,
    help="A wide beam where the text is ambiguous, or a narrower one that is faster.",
)
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
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@quiet_option
def command(
    names: tuple[str, ...],
    mode: Mode,
    host: str,
    port: int,
    workers: int,
    waiting: int,
    seconds: float,
    memory: int,
    connections: int,
    max_chars: int,
    open_browser: bool,
    quiet: bool,
) -> None:
    """Serve a page on which texts are parsed as you paste them, and a JSON API.

    It listens on this machine only, fetches nothing, keeps nothing, and logs of a request no more
    than its size. Ctrl-C ends it.

    \b
    caesura serve
    caesura serve -m en -m my.caesura --port 9000
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
        connections=connections,
        max_chars=max_chars,
        max_body=max(8 << 20, 6 * max_chars),
    )
    from caesura.serve.server import check_extra, named_models, serve

    check_extra()
    models = named_models(names, mode)

    def log(line: str) -> None:
        click.echo(f"{time.strftime('%H:%M:%S')} {line}", err=True)

    def ready(address: str) -> None:
        click.echo(f"Caesura is at {address} (Ctrl-C ends it)", err=True)
        if open_browser:
            click.launch(address)

    serve(models, options, log=None if quiet else log, ready=ready)
