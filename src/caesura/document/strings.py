"""Interned strings, and the attributes that MISC and FEATS pack into one string."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura._core import intern
from caesura.errors import UsageError, kind_of


class _Table(dict[str, int]):
    """Numbers strings in the order of their first lookup."""

    __slots__ = ("strings",)

    def __init__(self) -> None:
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        if not isinstance(string, str):
            raise UsageError(f"a string is wanted in a column, not {kind_of(string)}")
        number = self[string] = len(self.strings)
        self.strings.append(string)
        return number


class Strings:
    """Interned strings: equal strings have equal ids, and id 0 is the empty string."""

    __slots__ = ("_ids", "_strings")

    def __init__(self, strings: Iterable[str] = ()) -> None:
        self._ids = _Table()
        self._strings = self._ids.strings
        self.add("")
        for string in strings:
            self.add(string)

    def add(self, string: str) -> int:
        """The id of a string, which is interned if it is new."""
        return self._ids[string]

    def find(self, string: str) -> int | None:
        """The id of a string, or None if it was never interned."""
        return self._ids.get(string)

    def ids(self, strings: Iterable[str]) -> NDArray[np.int32]:
        """The ids of many strings, which are interned in order of first appearance."""
        return intern(self._ids, self._strings, strings)

    @property
    def numbering(self) -> Callable[[str], int]:
        """The function from a string to its id, for loops that must be fast."""
        return self._ids.__getitem__

    @property
    def strings(self) -> list[str]:
        """The list of the strings, which only grows."""
        return self._strings

    def __getitem__(self, number: int | np.integer[Any]) -> str:
        return self._strings[number]

    def take(self, numbers: NDArray[np.int32]) -> list[str]:
        strings = self._strings
        return [strings[number] for number in numbers.tolist()]

    def since(self, first: int) -> list[str]:
        """The strings from a number on."""
        return self._strings[first:]

    def __len__(self) -> int:
        return len(self._strings)

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)

    def __reduce__(self) -> tuple[Any, ...]:
        return Strings, (self._strings[1:],)

    def __repr__(self) -> str:
        return f"Strings({len(self)})"


def misc_items(misc: str) -> Mapping[str, str]:
    """The attributes of a MISC or FEATS value; one without `=` has the value ''."""
    if not misc:
        return {}
    parts = (item.partition("=") for item in misc.split("|"))
    return {key: value for key, _, value in parts}
