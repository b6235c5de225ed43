"""An option is obeyed or refused, never lost: how a verb refuses what means nothing in a call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click
from click.core import ParameterSource

from caesura.errors import UsageError
from caesura.options import CONFIDENT

__all__ = ["confidences", "given", "keeping", "refuse"]

_DEFAULTS: Final = (None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def given(name: str) -> bool:
    """Whether an option was given; False if no command runs."""
    context = click.get_current_context(silent=True)
    return context is not None and context.get_parameter_source(name) not in _DEFAULTS


def refuse(why: str, *names: str, remedy: str = "Leave it out.") -> None:
    """Refuse options, by the names of their parameters, if they were given.

    `why` says what they do not go with, e.g. `--cross` or `a grammar`.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return
    spelled = {parameter.name: parameter.opts[-1] for parameter in context.command.params}
    for name in names:
        if name in spelled and given(name):
            raise UsageError(f"{spelled[name]} does not go with {why}", remedy=remedy)


def confidences(to_format: str) -> None:
    """Refuse --confidence for a format that would lose them."""
    if to_format not in CONFIDENT:
        refuse(
            f"the format {to_format}",
            "confidence",
            remedy=f"Formats that hold confidences: {', '.join(CONFIDENT)}.",
        )


def keeping(keep: Iterable[str], kinds: Iterable[str]) -> None:
    """Refuse to keep what no input can have; `kinds` are the formats of all inputs."""
    from caesura.formats import HOLDS

    wanted = list(keep)
    if wanted and not any(HOLDS.get(kind, ("tokens",)) for kind in kinds):
        raise UsageError(
            f"there are no {wanted[0]} to keep in plain text",
            remedy="Leave it out, or name the format of the input with --from.",
        )
