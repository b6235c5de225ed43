"""Characters as canonical atoms, so that accepted spellings of the same thing are equal.

Treebanks write brackets, quotes, dashes and slashes in ways of their own (-LRB-, ``, --, \\/), raw
texts have ligatures, entities and typographic marks. Each character becomes one or more atoms, or
several become one; every atom remembers the characters that it stands for. A letter and the marks
on it (accents, harakat, niqqud), or an emoji and its variation selectors and skin tone, are one
atom, whose value is that of the letter alone. Dridan & Oepen (2013, section 3) leave the list of
accepted mappings open; this is ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Atoms", "atoms", "letters"]

Longs = NDArray[np.int64]

#: One character, several atoms: a double quote is two single ones, an em dash two hyphens.
SPELLED = {
    **dict.fromkeys('"“”„‟«»″〝〞', "''"),
    **dict.fromkeys("`'‘’‚‛‹›′ʼ´", "'"),
    **dict.fromkeys("‐‑‒–−", "-"),
    **dict.fromkeys("—―", "--"),
    "£": "#",
    # Characters that no reader sees: soft hyphen, zero-width spaces and joiners, byte order mark.
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
#: Several characters, one atom.
CONTRACTED = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "\\/": "/",
    "\\*": "*",
}
#: Entities that become two atoms, each of which stands for all of their characters.
DOUBLED = {"&quot;": "''"}
#: A dash written as three hyphens; one of two is two atoms as it is.
DASHES = "---"
#: Canonical combining classes of marks that texts leave out or add: overlays, Hebrew and Arabic
#: points, tones of Thai and Lao, accents. Vowel signs, nuktas, viramas and voicing make letters.
MARKS = frozenset({1, *range(10, 37), 107, 122, *range(200, 241)})
#: Selectors of the shape of a character, skin tones, tags of flags, enclosing keycaps.
SELECTORS = (
    (0x180B, 0x180D),
    (0x20DD, 0x20E4),
    (0xFE00, 0xFE0F),
    (0x1F3FB, 0x1F3FF),
    (0xE0020, 0xE007F),
    (0xE0100, 0xE01EF),
)

PATTERN = re.compile(
    "|".join(re.escape(found) for found in (*CONTRACTED, *DOUBLED)) + "|&apos;|" + DASHES
)


@dataclass(frozen=True)
class Atoms:
    """Values, and the half-open range of characters that each atom stands for."""

    value: Longs
    start: Longs
    end: Longs
    #: The values without case, and numbers that are equal if the marks, and the characters, are.
    folded: Longs
    marks: Longs
    written: Longs

    @property
    def cased(self) -> bool:
        """Whether any letter has another one in the other case."""
        return not np.array_equal(self.value, self.folded)


@cache
def _spelling(point: int) -> tuple[int, ...]:
    """The atoms of one character."""
    character = chr(point)
    spelled = SPELLED.get(character)
    if spelled is None:
        decomposed = unicodedata.normalize("NFKD", character)
        spelled = "".join(SPELLED.get(part, part) for part in decomposed if not part.isspace())
    return tuple(map(ord, spelled))


@cache
def _is_mark(point: int) -> bool:
    """Whether a character belongs to the letter before it."""
    if unicodedata.combining(chr(point)) in MARKS:
        return True
    return any(first <= point <= last for first, last in SELECTORS)


@cache
def _fold(point: int) -> int:
    folded = chr(point).casefold()
    return ord(folded) if len(folded) == 1 else point


def letters(form: str) -> str:
    """A form without marks and case."""
    points = (point for character in form for point in _spelling(ord(character)))
    return "".join(chr(_fold(point)) for point in points if not _is_mark(point)) or form


def atoms(points: NDArray[np.uint32], begins: Longs | None = None) -> Atoms:
    """The atoms of a run of characters without white space.

    None reaches over the beginning of a token, if `begins` says where these are.
    """
    used, places = _numbered(points)
    spellings = [_spelling(point) for point in used.tolist()]
    sizes = np.array([len(spelling) for spelling in spellings], dtype=np.int64)
    table = np.array([value for spelling in spellings for value in spelling], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes

    count = sizes[places]
    char = np.repeat(np.arange(len(points), dtype=np.int64), count)
    within = np.arange(len(char)) - np.repeat(np.cumsum(count) - count, count)
    value = table[starts[places][char] + within] if len(char) else np.zeros(0, dtype=np.int64)
    opening = np.zeros(len(points) + 1, dtype=bool)
    if begins is not None:
        opening[begins] = True
    value, start, end, marks = _clusters(value, char, opening[char] & (within == 0))
    value, start, end, marks = _contract(value, start, end, marks, points, opening)
    sums = np.concatenate(([0], np.cumsum(points.astype(np.int64))))
    written = sums[end] - sums[start] + ((end - start) << 40)
    return Atoms(value, start, end, _mapped(value, _fold), marks, written)


def _mapped(values: Longs, change: Callable[[int], int]) -> Longs:
    used, places = _numbered(values)
    table = np.array([change(value) for value in used.tolist()], dtype=np.int64)
    return table[places] if len(values) else values


def _numbered(points: NDArray[Any]) -> tuple[Longs, Longs]:
    """The distinct code points, rising, and the number of each; a table is faster than sorting."""
    number = np.zeros(int(points.max(initial=0)) + 1, np.int64)
    number[points] = 1
    used = np.flatnonzero(number)
    number[used] = np.arange(len(used))
    return used, number[points]


def _clusters(value: Longs, char: Longs, opening: NDArray[np.bool_]) -> tuple[Longs, ...]:
    """Put marks to the letters that they stand on; a mark that opens a token stays by itself."""
    mark = _mapped(value, _is_mark).astype(bool)
    kept = ~mark | opening
    if len(kept):
        kept[0] = True
    group = np.cumsum(kept) - 1
    marks = np.zeros(int(group[-1]) + 1 if len(group) else 0, dtype=np.int64)
    end = char[kept] + 1
    if not kept.all():
        # Marks of one letter come in any order.
        np.add.at(marks, group[~kept], value[~kept] * value[~kept])
        np.maximum.at(end, group[~kept], char[~kept] + 1)
    return value[kept], char[kept], end, marks


def _contract(
    value: Longs,
    start: Longs,
    end: Longs,
    marks: Longs,
    points: NDArray[np.uint32],
    opening: NDArray[np.bool_],
) -> tuple[Longs, Longs, Longs, Longs]:
    """Give the runs that PATTERN finds the atoms that they stand for."""
    text = points.tobytes().decode("utf-32-le", "surrogatepass")
    runs = [
        (hit.start(), hit.end(), _atoms_of(hit.group()))
        for hit in PATTERN.finditer(text)
        if not opening[hit.start() + 1 : hit.end()].any()
    ]
    if not runs:
        return value, start, end, marks
    gone = np.zeros(len(points) + 1, dtype=np.int64)
    for first, last, _ in runs:
        gone[first] += 1
        gone[last] -= 1
    kept = np.cumsum(gone)[start] == 0
    new = [(ord(part), first, last, 0) for first, last, spelled in runs for part in spelled]
    found = np.concatenate(
        (np.stack([value, start, end, marks], axis=1)[kept], np.array(new, dtype=np.int64))
    )
    found = found[np.argsort(found[:, 1], kind="stable")]
    columns = np.ascontiguousarray(found.T)
    return columns[0], columns[1], columns[2], columns[3]


def _atoms_of(run: str) -> str:
    if run.startswith("--"):
        return "--"
    if run == "&apos;":
        return "'"
    return CONTRACTED.get(run) or DOUBLED[run]
