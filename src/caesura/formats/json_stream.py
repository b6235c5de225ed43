"""JSON read incrementally: elements of the arrays at some paths, one at a time.

Objects are followed key by key and arrays element by element, so that only one wanted element is in
memory. A path names keys, and `[]` each array: `results.channels[].words[]`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

from caesura.errors import FormatError
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions

__all__ = ["OPEN", "JsonStream"]

#: Stands for the beginning of an array.
OPEN: Final = object()
#: Values within more arrays and objects than that are decoded at once.
_DEPTH: Final = 16
_BLANKS: Final = " \t\n\r"
Found = tuple[str, tuple[int, ...], Any]


class JsonStream:
    """The values of a file of JSON."""

    def __init__(self, stream: BinaryIO, options: ReadOptions) -> None:
        self._blocks = blocks(stream, options, size=1 << 16, whole_lines=False)
        self._options = options
        self._decode = json.JSONDecoder(strict=False).raw_decode
        self._text, self._at, self._line = "", 0, 1

    def values(self, wanted: Callable[[str], bool]) -> Iterator[Found]:
        """For each array its path with OPEN; its elements, and values of keys, if wanted.

        Each comes with the numbers of the elements in which it is. Several values in a row are
        read one after the other.
        """
        while self._next():
            yield from self._value("", (), wanted)

    @property
    def line(self) -> int:
        """The line that is read."""
        return self._line + self._text.count("\n", 0, self._at)

    def error(self, what: str) -> FormatError:
        return self._options.error(what, self.line, remedy="Get the whole file again.")

    def _fill(self) -> bool:
        """Read on, and forget what was read."""
        more = next(self._blocks, None)
        if more is None:
            return False
        self._line = self.line
        self._text, self._at = self._text[self._at :] + more[0], 0
        return True

    def _next(self) -> str:
        """The next character that is no blank, which stays; nothing at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANKS:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._fill():
                return ""

    def _take(self, allowed: str) -> str:
        found = self._next()
        if not found or found not in allowed:
            shown = repr(self._text[self._at : self._at + 20]) if found else "its end"
            raise self.error(f"this is no JSON: {' or '.join(allowed)} is missing before {shown}")
        self._at += 1
        return found

    def _whole(self) -> Any:
        """The value that comes next, decoded at once."""
        while True:
            self._next()
            try:
                value, end = self._decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                # What a block cuts off cannot be decoded; it doubles before it is tried again.
                size = len(self._text) - self._at
                if not self._fill():
                    what = "it is nested too deeply" if isinstance(error, RecursionError) else ""
                    what = what or getattr(error, "msg", "") or "a value is damaged"
                    raise self.error(f"this is no JSON: {what}") from None
                while len(self._text) - self._at < 2 * size and self._fill():
                    pass
                continue
            if end < len(self._text) or not self._fill():
                self._at = end
                return value

    def _value(
        self, path: str, numbers: tuple[int, ...], wanted: Callable[[str], bool]
    ) -> Iterator[Found]:
        mark = self._next()
        deep = len(numbers) + path.count(".") > _DEPTH
        if deep or mark not in ("{", "[") or wanted(path):
            yield path, numbers, self._whole()
        elif mark == "[":
            yield f"{path}[]", numbers, OPEN
            yield from self._array(f"{path}[]", numbers, wanted)
        else:
            yield from self._object(path, numbers, wanted)

    def _array(
        self, path: str, numbers: tuple[int, ...], wanted: Callable[[str], bool]
    ) -> Iterator[Found]:
        self._take("[")
        number = 0
        if self._next() == "]":
            self._at += 1
            return
        while True:
            yield from self._value(path, (*numbers, number), wanted)
            number += 1
            if self._take(",]") == "]":
                return

    def _object(
        self, path: str, numbers: tuple[int, ...], wanted: Callable[[str], bool]
    ) -> Iterator[Found]:
        self._take("{")
        if self._next() == "}":
            self._at += 1
            return
        while True:
            if self._next() != '"':
                raise self.error("this is no JSON: a key is missing")
            key = self._whole()
            self._take(":")
            yield from self._value(f"{path}.{key}" if path else key, numbers, wanted)
            if self._take(",}") == "}":
                return
