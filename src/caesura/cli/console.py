"""What verbs print: results to stdout, warnings to stderr with file and line."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from caesura.errors import CaesuraWarning, InputError

__all__ = ["WarningPrinter", "print_json", "use_color"]


class WarningPrinter:
    """A sink for warnings: prints the first ones, counts the others, or makes them errors."""

    def __init__(self, *, quiet: bool = False, strict: bool = False, limit: int = 20) -> None:
        self.quiet = quiet
        self.strict = strict
        self.limit = limit
        self.count = 0
        #: Sentences that were left out.
        self.skipped = 0

    def __call__(self, warning: CaesuraWarning) -> None:
        from caesura.formats.options import Skipped

        where = warning.where
        if isinstance(warning, Skipped):
            self.skipped += 1
        elif self.strict:
            raise InputError(
                warning.what,
                remedy=warning.remedy or "Leave --strict out to go on regardless.",
                file=where.file,
                line=where.line,
                column=where.column,
                sent_id=where.sent_id,
            )
        self.count += 1
        if self.quiet or self.count > self.limit:
            return
        place = str(where)
        said = CaesuraWarning(f"warning: {warning.what}", where, warning.remedy)
        click.echo(str(said) if place else f"warning: {warning}", err=True)

    def close(self) -> None:
        """Say how many warnings were not shown and how many sentences were left out."""
        if self.quiet:
            return
        if self.count > self.limit:
            click.echo(f"… and {self.count - self.limit:,} more warnings.", err=True)
        if self.skipped:
            plural = "s" if self.skipped != 1 else ""
            click.echo(f"{self.skipped:,} broken sentence{plural} left out.", err=True)


def print_json(data: Any) -> None:
    """Plain data as JSON on stdout, indented, keys in their own order."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(data), indent=2)
    sys.stdout.write(text.decode("utf-8") + "\n")


def use_color(color: bool | None, output: str | None) -> bool:
    """Whether text has colours: if wanted, else if it goes to a terminal."""
    if color is not None:
        return color
    return output in (None, "-") and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
