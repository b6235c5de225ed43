"""The command line: one file a verb, each a thin layer over a function that returns plain data.

`caesura --help` imports no verb: their modules are named in `verbs.py` and loaded when called.
Whatever goes wrong ends as one sentence on stderr: exit status 1 if the input is bad, 2 if the
call is wrong.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from caesura import __version__
from caesura.cli.interrupt import ARGUMENTS, Interrupted
from caesura.cli.verbs import TRAIN, VERBS, LazyGroup
from caesura.errors import CaesuraError, RenamedModel
from caesura.paths import reader_gone

__all__ = ["cli", "main", "run"]

INTERRUPTED = 130
#: What a shell reports of a program whose reader has gone, `caesura … | head`.
READER_GONE = 141
#: A write to the standard output fails: the disk or the quota is full, or the device is broken.
OUTPUT_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=LazyGroup, verbs=VERBS, context_settings=CONTEXT)
@click.version_option(__version__, message="caesura %(version)s")
def cli() -> None:
    """Raw documents in; sentences, tokens, tags and dependency trees out, decided together."""


@click.group(name="train", cls=LazyGroup, verbs=TRAIN, context_settings=CONTEXT)
def train() -> None:
    """Train a model on your own data."""


cli.groups["train"] = train


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", RenamedModel)
        warnings.showwarning = _shown_by(warnings.showwarning)
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        if sys.stdout is not None:  # `caesura … >&-`
            sys.stdout.flush()
        return status
    except CaesuraError as error:
        return _fail(str(error), error.exit_status)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    except Interrupted as stop:
        return _fail(str(stop), INTERRUPTED)
    except (KeyboardInterrupt, click.Abort):
        return _fail("Interrupted.", INTERRUPTED)
    except OSError as error:
        if reader_gone(error):
            # Python would complain once more when it leaves.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return READER_GONE
        if error.filename is None and error.errno in OUTPUT_FAILED:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _fail(f"The output cannot be written ({error.strerror}).", 1)
        if error.filename is None:
            raise
        return _fail(f"{os.fsdecode(error.filename)}: {error.strerror or error}.", 1)


def _shown_by(other: Callable[..., None]) -> Callable[..., None]:
    """How Python shows warnings while a command runs: ours as a line, unless it is quiet."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, RenamedModel):
            other(message, category, *where, **more)
            return
        context = click.get_current_context(silent=True)
        if context is None or not context.params.get("quiet"):
            click.echo(f"warning: {message}", err=True)

    return show


def _invoke(arguments: list[str]) -> int:
    if "_CAESURA_COMPLETE" in os.environ:
        cli.main(prog_name="caesura")  # a shell asks how a word could go on
    # Not `cli.main`: it takes a reader who has gone for bad input.
    # A copy: click takes words out of the list that it is given.
    with cli.make_context("caesura", list(arguments)) as context:
        context.meta[ARGUMENTS] = arguments
        status = cli.invoke(context)
    return status if isinstance(status, int) else 0


def _fail(sentence: str, status: int) -> int:
    click.echo(sentence, err=True)
    return status


def main() -> NoReturn:
    """The entry point of the program `caesura`."""
    _fill_standard_streams()
    # Idle threads of numpy's BLAS would spin for 30 ms each before they sleep.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    gc.set_threshold(10_000, 50, 100)  # modules that are loaded are no garbage
    sys.exit(run())


def _fill_standard_streams() -> None:
    """Take the places of standard streams that are closed, so that no file gets their numbers."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
