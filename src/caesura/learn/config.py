"""Options from a TOML file and from `--set a.b=value` into frozen dataclasses or msgspec Structs.

What is given later wins: defaults, then the file, then `--set`, then flags of their own. An option
that does not exist is refused with the list of those that do.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from caesura.errors import InputError, UsageError

T = TypeVar("T")

#: The tables of all commands.
SECTIONS: Final = ("tokenizer", "tagger", "parser", "pipeline", "neural", "finetune", "induce")


def configure(
    defaults: T,
    config: Path | None = None,
    settings: Sequence[str] = (),
    flags: Mapping[str, Any] | None = None,
    *,
    section: str | None = None,
) -> T:
    """Options like `defaults`, changed by a TOML file, by `a.b=value` settings and by flags.

    A flag that is None was not given; its name may be dotted. With a `section`, the file may hold
    the options in a table of that name, and settings may start with it.
    """
    kind = type(defaults)
    options = msgspec.to_builtins(defaults)
    if config is not None:
        _merge(options, _check(kind, _read(config, section, kind), str(config)))
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: no value", remedy="Write it as OPTION=VALUE.")
        name = name.strip()
        if section is not None:
            name = name.removeprefix(section + ".")
        _merge(options, _check(kind, _nested(name, _value(value.strip())), "--set"))
    for name, value in (flags or {}).items():
        if value is not None:
            _merge(options, _check(kind, _nested(name, value), "--" + name.replace("_", "-")))
    try:
        return msgspec.convert(options, kind, strict=False)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at ")
        name = place.strip("`").removeprefix("$.")
        what = what.replace("`", "")
        raise UsageError(f"option {name}: {what[0].lower()}{what[1:]}") from None


def _read(config: Path, section: str | None, kind: Any) -> dict[str, Any]:
    try:
        data = tomllib.loads(config.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"not valid TOML: {error}", file=str(config), remedy="See https://toml.io."
        ) from None
    if section is None or not isinstance(data.get(section), dict):
        return data
    # One file may serve several commands; what no other command reads would be lost.
    for name in data:
        if name != section and (name not in SECTIONS or name in (_fields(kind) or {})):
            raise InputError(
                f"{name} stands outside of [{section}]",
                file=str(config),
                remedy=f"Put it into the table. Other tables: {', '.join(SECTIONS)}.",
            )
    return typing.cast(dict[str, Any], data[section])


def _value(text: str) -> Any:
    """A value as TOML reads it, else the text itself: `16`, `true`, `[1, 2]`, `dlaso`."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _nested(name: str, value: Any) -> dict[str, Any]:
    for part in reversed(name.split(".")):
        value = {part: value}
    return typing.cast(dict[str, Any], value)


def _merge(into: dict[str, Any], given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value


def _fields(kind: Any) -> dict[str, Any] | None:
    """Names and types of the options in a dataclass or Struct; None if it is neither."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        parts = [_fields(part) for part in typing.get_args(kind)]
        return next((part for part in parts if part is not None), None)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        return {name: hints[name] for name in kind.__struct_fields__}
    return None


def _inside(fields: Mapping[str, Any], name: str) -> list[str]:
    """Where an option of this name lies among the options of options: `search.beam`."""
    return [
        f"{outer}.{found}"
        for outer, kind in fields.items()
        if (inner := _fields(kind)) is not None
        for found in ([name] if name in inner else _inside(inner, name))
    ]


def _check(kind: Any, given: dict[str, Any], where: str, path: str = "") -> dict[str, Any]:
    """The given options, if there are such options."""
    fields = _fields(kind)
    if fields is None:
        return given
    for name, value in given.items():
        if name not in fields:
            close = [*_inside(fields, name), *difflib.get_close_matches(name, fields, n=1)]
            hint = f"Did you mean {path}{close[0]}? " if close else ""
            known = ", ".join(path + field for field in fields)
            raise UsageError(
                f"{where}: unknown option {path}{name}", remedy=f"{hint}Options are: {known}."
            )
        if isinstance(value, dict):
            _check(fields[name], value, where, f"{path}{name}.")
    return given
