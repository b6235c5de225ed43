"""Characters as canonical atoms, so that accepted spellings of the same thing are equal.

Treebanks write brackets, quotes, dashes and slashes in ways of their own (-LRB-, ``, --, \\/), raw
texts have ligatures, entities and typographic marks. Each character becomes one or more atoms, or
several become one; every atom remembers the characters that it stands for. Dridan & Oepen (2013,
section 3) leave the list of accepted mappings open; this is ours.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Atoms", "atoms"]

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
#: Dashes written as hyphens.
DASHES = "---?"

PATTERN = re.compile(
    "|".join(re.escape(found) for found in (*CONTRACTED, *DOUBLED)) + "|&apos;|" + DASHES
)


@dataclass(frozen=True)
class Atoms:
    """Values, and the half-open range of characters that each atom stands for."""

    value: Longs
    start: Longs
    end: Longs


@cache
def _spelling(point: int) -> tuple[int, ...]:
    """The atoms of one character."""
    character = chr(point)
    spelled = SPELLED.get(character)
    if spelled is None:
        decomposed = unicodedata.normalize("NFKD", character)
        spelled = "".join(SPELLED.get(part, part) for part in decomposed if not part.isspace())
    return tuple(map(ord, spelled))


def atoms(points: NDArray[np.uint32]) -> Atoms:
    """The atoms of a run of characters without white space."""
    used, places = np.unique(points, return_inverse=True)
    spellings = [_spelling(point) for point in used.tolist()]
    sizes = np.array([len(spelling) for spelling in spellings], dtype=np.int64)
    table = np.array([value for spelling in spellings for value in spelling], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes

    count = sizes[places]
    char = np.repeat(np.arange(len(points), dtype=np.int64), count)
    within = np.arange(len(char)) - np.repeat(np.cumsum(count) - count, count)
    value = table[starts[places][char] + within] if len(char) else np.zeros(0, dtype=np.int64)
    whole = Atoms(value, char, char + 1)
    return _contract(whole, points)


def _contract(found: Atoms, points: NDArray[np.uint32]) -> Atoms:
    """Give the runs that PATTERN finds the atoms that they stand for."""
    text = points.tobytes().decode("utf-32-le", "surrogatepass")
    runs = [(hit.start(), hit.end(), _atoms_of(hit.group())) for hit in PATTERN.finditer(text)]
    if not runs:
        return found
    gone = np.zeros(len(points) + 1, dtype=np.int64)
    for first, last, _ in runs:
        gone[first] += 1
        gone[last] -= 1
    kept = np.cumsum(gone)[found.start] == 0
    value = [ord(part) for _, _, spelled in runs for part in spelled]
    start = [first for first, _, spelled in runs for _ in spelled]
    end = [last for _, last, spelled in runs for _ in spelled]
    starts = np.concatenate((found.start[kept], np.array(start, dtype=np.int64)))
    order = np.argsort(starts, kind="stable")
    return Atoms(
        np.concatenate((found.value[kept], np.array(value, dtype=np.int64)))[order],
        starts[order],
        np.concatenate((found.end[kept], np.array(end, dtype=np.int64)))[order],
    )


def _atoms_of(run: str) -> str:
    if run.startswith("--"):
        return "--"
    if run == "&apos;":
        return "'"
    return CONTRACTED.get(run) or DOUBLED[run]
