"""`caesura warmup`: nothing is compiled at first use any more; kept for one release."""

from __future__ import annotations

import click

from caesura.cli.console import print_json
from caesura.cli.options import json_option, quiet_option

__all__ = ["command"]


@click.command()
@json_option
@quiet_option
def command(as_json: bool, quiet: bool) -> None:
    """Say that there is nothing to compile.

    The package is compiled when it is installed. This command does nothing and will be removed
    after one release.
    """
    if as_json:
        print_json([])
    elif not quiet:
        click.echo("There is nothing to compile: caesura warmup is no longer needed.")
