"""What no treebank need teach: addresses, names with @ and emoji are whole, emoji beside words.

A tokeniser that has seen none of them cuts `https://` at its colon and `@name-18` at its hyphen,
leaves an emoji glued to the word behind it, and takes the `C.` of `180°C.` for an initial. What is
said here holds in every treebank that has such text, so it is decided before the model is asked,
and no model must be trained again for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import ADDRESSES, DEGREES, MARGIN, NAMES, PICTURES, signs_of
from caesura.stages.token_habits import NO_HABITS, Habits, before_units, between_pictures

__all__ = ["known_cuts"]

#: What ends an address without being part of it.
_CLOSERS: Final = ".,;:!?)]}'’…"
#: All of them but the signs of copyright and of trade marks, and characters between two of them
#: that have nothing to do with each other.
_FIRST_PICTURE: Final = 0x203C
_APART: Final = 4
#: Characters of ftp, http and https.
_SCHEMES: Final = (3, 4, 5)
#: Characters of a name: as many as are kept of a text that comes in blocks.
_LONGEST: Final = MARGIN - 8


@cache
def _patterns() -> tuple[Any, Any, Any]:
    import regex

    # As many characters as a name may have, then without the marks at its end.
    address = regex.compile(
        rf"""
        (?:https?|ftp)://
        [^\s\x1c-\x1f<>"“”«»\p{{Han}}\p{{Hangul}}\p{{Hiragana}}\p{{Katakana}}]{{1,{_LONGEST - 8}}}+
        """,
        regex.VERBOSE | regex.IGNORECASE | regex.V1,
    )
    name = regex.compile(
        r"(?<![\p{L}\p{N}\p{M}_@.])@[\p{L}\p{N}_]++(?:-[\p{L}\p{N}_]++)++", regex.V1
    )
    # Where a sequence goes on, and where a word and an emoji meet: each by its neighbours alone.
    emoji = regex.compile(
        r"""
          (?P<inside>
            (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])[\uFE0F\u200D\p{Emoji_Modifier}]
          | (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]\u200D)\p{Extended_Pictographic}
          )
        | (?<=[\p{L}\p{N}])(?=\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)
        | (?<=\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)(?=[\p{L}\p{N}])
        """,
        regex.VERBOSE | regex.V1,
    )
    return address, name, emoji


def known_cuts(codes: NDArray[np.uint32], habits: Habits = NO_HABITS) -> NDArray[np.int8] | None:
    """1 where a token must begin, -1 where none may, by code point; None: nothing is known.

    Whether emoji in a row are one token and `°C` is two is a matter of `habits`.

    Of an address or a name that is longer than `_LONGEST` the model decides about all but the
    beginning, so that what is known does not depend on how a text was cut into blocks.
    """
    signs = int(signs_of(codes, np.array([len(codes)], np.int64))[0])
    names, pictures, addresses, degrees = (
        bool(signs & sign) for sign in (NAMES, PICTURES, ADDRESSES, DEGREES)
    )
    if not (names or pictures or addresses or degrees):
        return None
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    known = np.zeros(len(codes), np.int8)
    for unit in before_units(text).tolist() if degrees else ():
        if unit > 1 and text[unit - 2].isdecimal():
            known[unit - 1] = 1
        if habits.degrees:
            known[unit] = 1
        if text[unit + 1 : unit + 2] == ".":
            known[unit + 1] = 1
    address, name, emoji = _patterns()
    for match in _addresses(address, text) if addresses else ():
        start, end = match.span()
        scheme = text.index("//", start) + 2
        short = end - scheme < _LONGEST - 8
        known[start + 1 : start + len(match[0].rstrip(_CLOSERS)) if short else scheme] = -1
    for match in name.finditer(text) if names else ():
        start, end = match.span()
        if end - start <= _LONGEST:
            known[start + 1 : end] = -1
    for first, last in _pictures(codes) if pictures else ():
        for match in emoji.finditer(text, first, last):
            known[match.start()] = -1 if match["inside"] else 1
    if habits.pictures and pictures:
        known[between_pictures(text)] = -1
    return known if known.any() else None


def _addresses(address: Any, text: str) -> Iterator[Any]:
    """What may be an address, also within another: whatever has a scheme before `://`."""
    at = text.find("://")
    while at >= 0:
        for scheme in _SCHEMES:
            match = address.match(text, at - scheme) if at >= scheme else None
            if match is not None:
                yield match
        at = text.find("://", at + 1)


def _pictures(codes: NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """The places where something may be said of an emoji: at it, before it or behind it."""
    at = np.flatnonzero((codes >= _FIRST_PICTURE) | (codes == 0xA9) | (codes == 0xAE))
    ends = np.flatnonzero(np.diff(at) > _APART)
    first = at[np.concatenate([[0], ends + 1])]
    last = at[np.concatenate([ends, [len(at) - 1]])]
    # Patterns see what is before a place to begin at, and nothing behind the last one.
    yield from zip(first.tolist(), (last + _APART - 1).tolist(), strict=True)
