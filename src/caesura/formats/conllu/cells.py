"""The cells of a table of words as bytes, made once a string and not once a word.

A cell starts with what parts it from the one before: a tab, or the end of the line before for the
first of a line. Lines are then nothing but cells one after the other, and a table is written by
looking up arrays of cells and joining them, with no loop over words: compiling a loop in its place
would save a tenth of a microsecond a word, and ask every command that writes for a compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Strings
from caesura.formats.build import encoded

__all__ = ["NOTHING", "ByString", "Cells", "Objects", "cell", "heads", "ids"]

Objects = NDArray[np.object_]

#: The cell of a value that is not known.
NOTHING: Final = b"\t_"


def cell(value: str) -> bytes:
    """One value, `_` where there is none, behind a tab."""
    return encoded(f"\t{value or '_'}")


class ByString:
    """What is made of strings, kept by their ids in the table of the document at hand.

    Documents of a batch share a table, to which strings are added and never changed.
    """

    def __init__(self, make: Callable[[list[str]], list[Any]], dtype: Any) -> None:
        self._make = make
        self._strings: Strings | None = None
        self._values: NDArray[Any] = np.zeros(0, dtype)
        self._known = np.zeros(0, bool)

    def of(self, strings: Strings, numbers: NDArray[np.int32]) -> NDArray[Any]:
        """The values of some strings, given by their ids."""
        self._look_at(strings)
        new = np.zeros(len(self._known), bool)
        new[numbers] = True
        made = np.flatnonzero(new > self._known)
        if len(made):
            values = np.empty(len(made), self._values.dtype)
            values[:] = self._make(strings.take(made.astype(np.int32)))
            self._values[made], self._known[made] = values, True
        return self._values[numbers]

    def _look_at(self, strings: Strings) -> None:
        size = len(self._known)
        if strings is self._strings and len(strings) <= size:
            return
        room = len(strings) if strings is not self._strings else max(len(strings), 2 * size)
        values, known = np.zeros(room, self._values.dtype), np.zeros(room, bool)
        if strings is self._strings:
            values[:size], known[:size] = self._values, self._known
        self._strings, self._values, self._known = strings, values, known


class Cells(ByString):
    """The cells of strings."""

    def __init__(self) -> None:
        super().__init__(self._made, object)
        #: Whether a string of this or an earlier document held a tab or a line end.
        self.broken = False

    def _made(self, values: list[str]) -> list[bytes]:
        text = "\t".join(values)
        if text.count("\t") == len(values) - 1 and "\n" not in text and "\r" not in text:
            return [b"\t" + value if value else NOTHING for value in encoded(text).split(b"\t")]
        self.broken = True
        return list(map(cell, values))


class _Numerals:
    """Cells of numbers; small ones, which are nearly all, are at hand."""

    def __init__(self, before: str) -> None:
        self._before = before
        self._cells = self._made(512)

    def __call__(self, numbers: NDArray[np.integer[Any]]) -> Objects:
        most = int(numbers.max(initial=0))
        # One word of a very long sentence must not make a table of it for good.
        table: Objects = self._cells if most < len(self._cells) else self._made(most + 1)
        found: Objects = table[numbers]
        return found

    def _made(self, n: int) -> Objects:
        table = np.empty(n, object)
        table[:] = [f"{self._before}{number}".encode() for number in range(n)]
        return table


#: Numbers of words, which start a line, and of their heads.
ids: Final = _Numerals("\n")
heads: Final = _Numerals("\t")
