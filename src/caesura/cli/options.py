"""Options of commands, made from their declarations in dataclasses: see `caesura.options`."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from caesura.errors import no_modes
from caesura.options import Declared, Option, declared

__all__ = ["click_option", "inputs_argument", "json_option", "mode_option", "options"]

F = TypeVar("F", bound=Callable[..., Any])
_RANGES: dict[str, Any] = {"int": (int, click.IntRange), "float": (float, click.FloatRange)}

inputs_argument = click.argument("inputs", metavar="FILES…", nargs=-1)
"""Files to read; none means stdin, as does `-`."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _mode(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Refuse the modes of earlier versions."""
    if value is not None:
        raise no_modes("--mode", "Use -m", "--beam and --margin of `caesura parse` set")


mode_option = click.option("--mode", hidden=True, expose_value=False, is_eager=True, callback=_mode)


class _Option(click.Option):
    """An option that knows its declaration."""

    def __init__(self, names: Sequence[str], declared: Option, **more: Any) -> None:
        super().__init__(names, **more)
        self.declared = declared


def options(command: str, example: str = "", /, **groups: type) -> Callable[[F], F]:
    """Give a command the options of some dataclasses that are declared for it.

    The function receives an instance of each, under the keyword of the class. `example` stands
    for `{example}` in a help text.
    """
    found = {keyword: list(declared(group, command)) for keyword, group in groups.items()}

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def packed(*arguments: Any, **values: Any) -> Any:
            for keyword, own in found.items():
                chosen = {one.path: _taken(one, values) for one in own}
                values[keyword] = groups[keyword](**chosen)
            return function(*arguments, **values)

        made: Any = packed
        for one in reversed([one for own in found.values() for one in own]):
            if one.option.switches:
                made = _switches(one, command)(made)
            else:
                made = click_option(one, default=True, example=example)(made)
        return made  # type: ignore[no-any-return]

    return decorate


def _switches(one: Declared, command: str) -> Callable[[F], F]:
    """An option for each name, and the deprecated one that takes names."""
    names = one.option.some.get(command, tuple(one.option.switches))

    def warn(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> Any:
        if value:
            instead = " ".join(f"--{one.path}-{name}" for name in value)
            click.echo(f"warning: --{one.path} NAME is deprecated. Write {instead}.", err=True)
        return value

    def decorate(function: F) -> F:
        made = click.option(
            f"--{one.path}",
            one.parameter,
            multiple=True,
            hidden=True,
            type=click.Choice(names),
            callback=warn,
        )(function)
        for name in reversed(names):
            help = one.option.switches[name]
            made = click.option(f"--{one.path}-{name}", is_flag=True, help=help)(made)
        return made

    return decorate


def click_option(one: Declared, *, default: bool = False, example: str = "") -> Callable[[F], F]:
    """A declared option for click; its default is applied here only if wanted, or shown."""
    own = one.option
    names = own.name.split() or ["--" + one.path.rpartition(".")[2].replace("_", "-")]
    more: dict[str, Any] = {"help": own.help.replace("{example}", example), "metavar": own.metavar}
    kind = one.kind
    if kind.startswith("tuple["):
        kind = kind.removeprefix("tuple[").partition(",")[0]
        more["multiple"] = True
    if own.required:
        more["required"] = True
    elif default or own.shown:
        more |= {"default": one.default, "show_default": own.shown}
    if kind == "bool" or own.value is not None:
        more |= {} if "/" in names[0] else {"is_flag": True}
    elif own.choices:
        more["type"] = click.Choice(own.choices, case_sensitive=not own.fold)
    elif kind in _RANGES:
        plain, ranged = _RANGES[kind]
        free = own.least is None and own.most is None
        more["type"] = plain if free else ranged(own.least, own.most)
    elif kind == "Path":
        more["type"] = click.Path(exists=True, dir_okay=False, path_type=Path)
    if own.check:
        more["callback"] = _checked(own.check)
    return click.option(*names, one.parameter, cls=_Option, declared=own, **more)


def _checked(check: str) -> Callable[..., Any]:
    def call(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        module, _, name = check.partition(":")
        return None if value is None else getattr(importlib.import_module(module), name)(value)

    return call


def _taken(one: Declared, values: dict[str, Any]) -> Any:
    """The value of an option, taken out of those that click parsed."""
    if not one.option.switches:
        return values.pop(one.parameter)
    named = values.pop(one.parameter)
    return tuple(
        name
        for name in one.option.switches
        if values.pop(f"{one.path}_{name}", False) or name in named
    )
