"""The licence of a model, by its identifier of SPDX, as packages name theirs."""

from __future__ import annotations

import re
from typing import Final

from caesura.errors import UsageError

__all__ = ["check_licence", "licence_line"]

_ONE: Final = r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*"
_EXPRESSION: Final = re.compile(rf"{_ONE}(?: (?:AND|OR|WITH) {_ONE})*")


def check_licence(licence: str) -> str:
    """The identifier, if it is written like one; whether SPDX has it is not looked up.

    >>> check_licence("CC-BY-SA-4.0")
    'CC-BY-SA-4.0'
    """
    balanced = licence.count("(") == licence.count(")")
    if not balanced or not _EXPRESSION.fullmatch(licence):
        raise UsageError(
            f"{licence!r} is no identifier of a licence",
            remedy="Write it as SPDX does: CC-BY-SA-4.0, CC0-1.0, MIT.",
        )
    return licence


def licence_line(licence: str) -> str:
    """What a card says of it.

    >>> licence_line("CC0-1.0")
    'Licence: CC0-1.0.'
    """
    return f"Licence: {licence}."
