"""Praat TextGrid: intervals of tiers as cues; sentences are written back as further tiers.

Tiers of phones and of points are left out. Tiers of words, as forced aligners write them, are words
with times, and give cues if there is no tier of utterances.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from caesura.document import Document
from caesura.errors import InputError
from caesura.formats.io import blocks, open_read
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.units import (
    SENTENCES,
    Said,
    Unit,
    document,
    free_name,
    in_time,
    of_words,
    parts_of_sentences,
)

__all__ = ["read", "write"]

_ITEM: Final = re.compile(
    r'"((?:[^"]|"")*)"|\[\d{0,9}\]|(?<![\w.])([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])|(<exists>)'
)
_PHONES: Final = re.compile(r"(?i)phone|phon$|segments?$|syll|pitch|tobi|pos$|lemma")
_WORDS: Final = re.compile(r"(?i)(?:^|[\s_-])(?:words?|wrd|ort)$")


@dataclass(slots=True)
class _Tier:
    name: str
    #: Interval tiers; tiers of points are not read.
    rows: list[tuple[float, float, str]]


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The document of a file."""
    text = "".join(block for block, _ in blocks(stream, options))
    yield document((unit for unit, _ in _units(text, options)), options)


def _units(text: str, options: ReadOptions) -> list[tuple[Unit, _Tier]]:
    """The cues of a file by time, each with its tier."""
    tiers = [tier for tier in _tiers(text, options) if not tier.name.endswith(SENTENCES)]
    tiers = [tier for tier in tiers if not _PHONES.search(tier.name)]
    words = [tier for tier in tiers if _WORDS.search(tier.name)]
    spoken = [tier for tier in tiers if tier not in words] or words
    found = []
    for tier in spoken:
        speaker = _WORDS.sub("", tier.name).strip(" -_") or None
        rows = [row for row in tier.rows if row[2].strip()]
        if tier in words:
            said = ((Said(text.strip(), begin, end), None) for begin, end, text in rows)
            for unit in of_words(said):
                unit.speaker = speaker if len(spoken) > 1 else None
                found.append((unit, tier))
            continue
        who = speaker if len(spoken) > 1 else None
        found += [(Unit(text, who, begin, end), tier) for begin, end, text in rows]
    return in_time(found)


def _tiers(text: str, options: ReadOptions) -> list[_Tier]:
    """The interval tiers of a file in either of Praat's text formats."""
    items = (match for match in _ITEM.finditer(text) if match[0][0] != "[")
    values = [match[1] if match[1] is not None else match[2] or match[3] for match in items]
    found: list[_Tier] = []
    try:
        if values[:2] != ["ooTextFile", "TextGrid"] or values[4] != "<exists>":
            raise ValueError
        at = 6
        for _ in range(int(values[5])):
            kind, name, size = values[at], values[at + 1], int(values[at + 4])
            at += 5
            width = 3 if kind == "IntervalTier" else 2
            own = values[at : at + width * size]
            if len(own) < width * size:
                raise IndexError
            if width == 3:
                rows = zip(own[::3], own[1::3], own[2::3], strict=True)
                found.append(
                    _Tier(name, [(float(a), float(b), t.replace('""', '"')) for a, b, t in rows])
                )
            at += width * size
    except (ValueError, IndexError):
        raise options.error(
            "this is no TextGrid, or a damaged one", remedy="Save it as a text file in Praat."
        ) from None
    return found


# -------------------------------------------------------------------- writing


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """The file of a document with a tier of sentences for each tier of the transcription."""
    docs = list(documents)
    if len(docs) != 1 or not (docs[0].source or "").lower().endswith(".textgrid"):
        raise InputError(
            "a TextGrid is written from the one document of a TextGrid",
            file=options.file,
            remedy="Parse a .TextGrid file, or write another format.",
        )
    (doc,) = docs
    reading = ReadOptions(file=doc.source or "")
    with open_read(doc.source or "") as raw:
        text = "".join(block for block, _ in blocks(raw, reading, keep_crlf=True))
    units = _units(text, reading)
    parts = parts_of_sentences(doc, [unit for unit, _ in units], doc.source or "")
    rows: dict[str, list[tuple[float, float, str]]] = {}
    for (unit, tier), inside in zip(units, parts, strict=True):
        size = sum(map(len, inside)) or 1
        begin = unit.begin
        for part in inside:  # by characters
            end = begin + (unit.end - unit.begin) * len(part) / size
            rows.setdefault(tier.name, []).append((begin, end, part))
            begin = end
    tiers = _tiers(text, reading)
    names = {tier.name for tier in tiers}
    sizes = [match for match in _ITEM.finditer(text) if match[2]]  # from, to, number of tiers
    start, until, count = float(sizes[0][2]), float(sizes[1][2]), sizes[2]
    out = []
    for number, (name, own) in enumerate(rows.items(), int(count[2]) + 1):
        title = free_name(name, names)
        filled = list(_filled(own, start, until))
        out.append(_written(title, filled, (start, until), number, "xmin" in text[:300]))
    head = f"{text[: count.start()]}{int(count[2]) + len(out)}{text[count.end() :].rstrip()}"
    stream.write(("\n".join([head, *out]) + "\n").encode("utf-8"))


def _filled(
    rows: list[tuple[float, float, str]], start: float, until: float
) -> Iterator[tuple[float, float, str]]:
    """Intervals without gaps and overlaps."""
    at = start
    for begin, end, text in rows:
        if begin > at:
            yield at, begin, ""
        if end > max(begin, at):
            yield max(begin, at), end, text
            at = end
    if until > at:
        yield at, until, ""


def _written(
    name: str,
    rows: list[tuple[float, float, str]],
    whole: tuple[float, float],
    number: int,
    long: bool,
) -> str:
    """A tier in Praat's long or short text format."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    times = [f"{one:.6f}".rstrip("0").rstrip(".") for one in whole]
    if not long:
        head = ['"IntervalTier"', quoted(name), *times, str(len(rows))]
        return "\n".join([*head, *(f"{a:.6f}\n{b:.6f}\n{quoted(text)}" for a, b, text in rows)])
    out = [
        f"    item [{number}]:",
        '        class = "IntervalTier"',
        f"        name = {quoted(name)}",
        f"        xmin = {times[0]}",
        f"        xmax = {times[1]}",
        f"        intervals: size = {len(rows)}",
    ]
    for k, (begin, end, text) in enumerate(rows, 1):
        out += [
            f"        intervals [{k}]:",
            f"            xmin = {begin:.6f}",
            f"            xmax = {end:.6f}",
            f"            text = {quoted(text)}",
        ]
    return "\n".join(out)
