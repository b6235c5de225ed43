"""CHAT, the format of CHILDES and TalkBank: main lines as cues, without their codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from caesura.document import Document
from caesura.formats.io import lines
from caesura.formats.options import ReadOptions
from caesura.formats.units import UNKNOWN, Unit, document

__all__ = ["read"]

_MAIN: Final = re.compile(r"\*([^\s:]{1,20}):\s*(.*)", re.DOTALL)
_TIME: Final = re.compile('\x15(?:%snd:"[^"]*"_)?(\\d{1,12})_(\\d{1,12})\x15')
#: Codes, and what is said in their place.
_CODES: Final = tuple(
    (re.compile(pattern), value)
    for pattern, value in (
        ("\x15[^\x15]*\x15", " "),
        (r"\[(?:=!?|%|\+|-|\^|:{1,2})[^\]]*\]|\[[/?!*#<>\\\" ]*\]|\[[a-z]:?[^\]]*\]", " "),
        (r"\(\.{1,3}\)|\([\d.:]+\)", " "),
        (r"&[=~*+][^\s]*", " "),
        (r"&-|&", ""),
        (r"(?<!\S)[+][^\s.?!]*(?=[.?!\s]|$)", " "),
        (r"(?<!\S)(?:0\S*|xxx|yyy|www)(?!\w)", " "),
        (r"@[a-z][\w:$&]*", ""),
        (r"[<>()↑↓→‡„:^ˈˌ≠]", ""),
        (r"(?<=\w)[_+](?=\w)", " "),
        (r"\s+(?=[.?!,;]+(?:\s|$))", ""),
        (r"\s+", " "),
    )
)


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a file, each from @Begin to @End."""
    units: list[Unit] = []
    seen = False
    for number, row in _rows(stream, options):
        if row.startswith("@"):
            seen = True
            if row.startswith("@End") and units:
                yield document(units, options)
                units = []
            continue
        if row.startswith("%"):
            continue
        match = _MAIN.match(row)
        if match is None:
            what = f"{row[:40]!r} is no line of CHAT, which begin with @, * and %"
            options.skip(options.error(what, number))
            continue
        seen = True
        time = _TIME.search(match[2])
        begin, end = (int(time[1]) / 1000, int(time[2]) / 1000) if time else (UNKNOWN, UNKNOWN)
        text = match[2]
        for pattern, value in _CODES:
            text = pattern.sub(value, text)
        if any(map(str.isalnum, text)):
            units.append(Unit(text, match[1], begin, UNKNOWN if end < begin else end))
    if units or not seen:
        yield document(units, options)


def _rows(stream: BinaryIO, options: ReadOptions) -> Iterator[tuple[int, str]]:
    """The lines, which a tab at the beginning of a line continues."""
    wait: list[str] = []
    begin = 1
    for number, line in lines(stream, options):
        if line.startswith("\t") and wait:
            wait.append(line.strip())
            continue
        if wait:
            yield begin, " ".join(wait)
            wait = []
        if line.strip():
            wait, begin = [line.rstrip()], number
    if wait:
        yield begin, " ".join(wait)
