"""Options that are flags of a command too: the field of the options says so, with its help.

`epochs: int = flag(10, "Passes over the data.", least=1)` is an option like any other; commands
that train with these options have `--epochs`, which is declared there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

#: Flags that many options have.
EPOCHS: Final[dict[str, Any]] = {"help": "Passes over the data.", "least": 1}
SEED: Final[dict[str, Any]] = {
    "help": "Random seed: same seed, same input, same bytes out.",
    "least": 0,
    "shown": True,
}
THREADS: Final[dict[str, Any]] = {
    "help": "Threads; the result does not depend on them.",
    "name": "--threads",
    "least": 1,
    "shown": True,
}

_FLAG: Final = "flag"
_INNER: Final = "flags inside"


@dataclass(frozen=True)
class Flag:
    """How a field of options is written on a command line."""

    help: str
    #: Its name, if that is not the field's: `--tags`.
    name: str = ""
    least: int | None = None
    most: int | None = None
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    #: Where the flag takes no value, but stands for this one.
    value: Any = None
    #: Whether the help shows the default.
    shown: bool = False


def flag(default: Any, help: str, **more: Any) -> Any:
    """A field with a default that is a flag of commands; see `Flag` for what more can be said."""
    return field(default=default, metadata={_FLAG: Flag(help, **more)})


def inner(factory: Callable[[], Any], flags: Mapping[str, str]) -> Any:
    """A field of further options, some of whose flags are flags of commands here, too.

    They are named, each with a help of its own or an empty one for that of its field.
    """
    return field(default_factory=factory, metadata={_INNER: dict(flags)})


def flags_of(options: Any) -> dict[str, tuple[Flag, Any]]:
    """The flags of options by their dotted names (`search.beam`), each with its default.

    >>> @dataclass(frozen=True)
    ... class Options:
    ...     epochs: int = flag(10, "Passes over the data.", least=1)
    ...     rate: float = 0.1
    >>> [(name, told.help, default) for name, (told, default) in flags_of(Options()).items()]
    [('epochs', 'Passes over the data.', 10)]
    """
    found: dict[str, tuple[Flag, Any]] = {}
    for one in fields(options):
        value = getattr(options, one.name)
        if _FLAG in one.metadata:
            found[one.name] = one.metadata[_FLAG], value
        inside = flags_of(value) if _INNER in one.metadata else {}
        for name, help in one.metadata.get(_INNER, {}).items():
            told, default = inside[name]
            told = told if not help else Flag(**{**vars(told), "help": help})
            found[f"{one.name}.{name}"] = told, default
    return found
