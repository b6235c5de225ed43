"""In which script letters are written, and which script most letters of a text have.

Names in another script are common in every language and say nothing about it. Scripts are told by
the blocks of Unicode; Chinese characters and Japanese syllables count as one, and so do Greek and
Coptic, which share a block.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["COMMON", "main_script", "scripts_of"]

#: What belongs to any script, such as combining marks.
COMMON: Final = 0
_LATIN, _GREEK, _CYRILLIC, _ARABIC, _GEORGIAN, _HANGUL, _ETHIOPIC, _HAN = range(1, 9)
#: The first code point of each row of blocks, and its script; those that have one row, or are
#: seldom seen, are numbered from 20 on.
_BLOCKS: Final = (
    (0x0000, _LATIN), (0x02B0, COMMON), (0x0370, _GREEK), (0x0400, _CYRILLIC), (0x0530, 20),
    (0x0590, 21), (0x0600, _ARABIC), (0x0700, 22), (0x0750, _ARABIC), (0x0780, 23),
    (0x0870, _ARABIC), (0x0900, 24), (0x0980, 25), (0x0A00, 26), (0x0A80, 27), (0x0B00, 28),
    (0x0B80, 29), (0x0C00, 30), (0x0C80, 31), (0x0D00, 32), (0x0D80, 33), (0x0E00, 34),
    (0x0E80, 35), (0x0F00, 36), (0x1000, 37), (0x10A0, _GEORGIAN), (0x1100, _HANGUL),
    (0x1200, _ETHIOPIC), (0x13A0, 38), (0x1400, 39), (0x1780, 40), (0x1800, 41), (0x1900, 42),
    (0x1AB0, COMMON), (0x1B00, 43), (0x1C80, _CYRILLIC), (0x1C90, _GEORGIAN), (0x1CC0, COMMON),
    (0x1D00, _LATIN), (0x1DC0, COMMON), (0x1E00, _LATIN), (0x1F00, _GREEK), (0x2000, COMMON),
    (0x2C60, _LATIN), (0x2C80, _GREEK), (0x2D00, _GEORGIAN), (0x2D30, 44), (0x2D80, _ETHIOPIC),
    (0x2DE0, _CYRILLIC), (0x2E00, COMMON), (0x2E80, _HAN), (0x3130, _HANGUL), (0x3190, _HAN),
    (0xA000, 45), (0xA640, _CYRILLIC), (0xA6A0, COMMON), (0xA720, _LATIN), (0xA800, 46),
    (0xA8E0, 24), (0xA900, 46), (0xA960, _HANGUL), (0xA980, 46), (0xAB00, _ETHIOPIC),
    (0xAB30, _LATIN), (0xAB70, 38), (0xABC0, 46), (0xAC00, _HANGUL), (0xD800, COMMON),
    (0xF900, _HAN), (0xFB00, _LATIN), (0xFB13, 20), (0xFB1D, 21), (0xFB50, _ARABIC),
    (0xFE00, COMMON), (0xFE70, _ARABIC), (0xFF00, _LATIN), (0xFF66, _HAN), (0xFFA0, _HANGUL),
    (0xFFE0, COMMON), (0x10000, 47), (0x1D400, _LATIN), (0x1D800, 47), (0x20000, _HAN),
    (0xE0000, COMMON),
)  # fmt: skip
_FIRST: Final = np.array([first for first, _ in _BLOCKS], np.uint32)
_SCRIPT: Final = np.array([script for _, script in _BLOCKS], np.uint8)
#: A Chinese character says as much as some letters.
_WORTH: Final = np.where(np.arange(256) == _HAN, 3, 1)


def scripts_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The script of each code point."""
    found: NDArray[np.uint8] = _SCRIPT[np.searchsorted(_FIRST, codes, side="right") - 1]
    return found


def main_script(scripts: NDArray[np.uint8]) -> int | None:
    """The script that most of the letters have; None if no other is there, or none has most."""
    counts = np.bincount(scripts, minlength=256) * _WORTH
    counts[COMMON] = 0
    best = int(counts.argmax())
    return best if counts.sum() > counts[best] > counts.sum() / 2 else None
