"""`caesura warmup`: compile the kernels now, so that the first real job need not wait.

A room that has kernels offers `caesura.<room>.warmup()`, which calls each of them once on something
tiny; what is compiled is kept in the kernel folder.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import click

from caesura.cli.console import print_json, table
from caesura.cli.options import json_option, quiet_option
from caesura.errors import MissingExtra

__all__ = ["command", "rooms", "warm"]


def rooms() -> Iterator[tuple[str, Callable[[], object]]]:
    """The rooms that can be warmed up."""
    import caesura

    for found in pkgutil.iter_modules(caesura.__path__):
        if found.name in ("cli", "jit") or found.name.startswith("_"):
            continue
        try:
            module = importlib.import_module(f"caesura.{found.name}")
        except MissingExtra:
            continue  # a room whose extra is not installed has nothing to compile
        warmup = getattr(module, "warmup", None)
        if callable(warmup):
            yield found.name, warmup


def warm(report: Callable[[str], None] = lambda room: None) -> list[dict[str, Any]]:
    """Compile the kernels of every room; returns what took how long."""
    done = []
    for room, warmup in rooms():
        report(room)
        clock = time.perf_counter()
        warmup()
        done.append({"room": room, "seconds": round(time.perf_counter() - clock, 2)})
    return done


@click.command()
@json_option
@quiet_option
def command(as_json: bool, quiet: bool) -> None:
    """Compile the kernels now instead of at first use.

    Compiled kernels are kept, see `caesura info`; a second run takes a moment only. Do it once
    after installing, or when an image is built. The kernels of training wait for their first use.
    """

    def report(room: str) -> None:
        if not quiet:
            click.echo(f"compiling {room} …", err=True)

    done = warm(report)
    if as_json:
        print_json(done)
    elif done:
        click.echo(table([(row["room"], f"{row['seconds']:.2f} s") for row in done], right="lr"))
    else:
        click.echo("There is nothing to compile.")
