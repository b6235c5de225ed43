"""`caesura warmup`: nothing is compiled at first use any more; kept for one release."""

from __future__ import annotations

import click

from caesura.cli.console import print_json
from caesura.cli.options import json_option, options
from caesura.options import Reading

__all__ = ["command"]


@click.command()
@json_option
@options("warmup", reading=Reading)
def command(as_json: bool, reading: Reading) -> None:
    """Say that there is nothing to compile.

    The package is compiled when it is installed. This command does nothing and will be removed
    after one release.
    """
    if as_json:
        print_json([])
    elif not reading.quiet:
        click.echo("There is nothing to compile: caesura warmup is no longer needed.")
