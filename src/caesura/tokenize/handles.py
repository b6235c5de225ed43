"""What no treebank need teach: addresses, names with @ and emoji are whole, emoji beside words.

A tokeniser that has seen none of them cuts `https://` at its colon and `@name-18` at its hyphen,
and leaves an emoji glued to the word behind it. What is said here holds in every treebank that has
such text, so it is decided before the model is asked, and no model must be trained again for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import MARGIN

__all__ = ["known_cuts"]

_AT: Final = 64
_HYPHEN: Final = 45
_SLASH: Final = 47
#: What ends an address without being part of it.
_CLOSERS: Final = ".,;:!?)]}'’…"
#: Where emoji are; most of what lies there is one.
_EMOJI: Final = ((0x231A, 0x2B55), (0x1F004, 0x1FAFF))
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


def known_cuts(codes: NDArray[np.uint32]) -> NDArray[np.int8] | None:
    """1 where a token must begin, -1 where none may, by code point; None: nothing is known.

    Of an address or a name that is longer than `_LONGEST` the model decides about all but the
    beginning, so that what is known does not depend on how a text was cut into blocks.
    """
    names = bool((codes == _AT).any()) and bool((codes == _HYPHEN).any())
    pictures = any(bool(((codes >= a) & (codes <= b)).any()) for a, b in _EMOJI)
    slashes = codes == _SLASH
    addresses = bool((slashes[1:] & slashes[:-1]).any())
    if not (names or pictures or addresses):
        return None
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    known = np.zeros(len(codes), np.int8)
    address, name, emoji = _patterns()
    for match in address.finditer(text, overlapped=True) if addresses else ():
        start, end = match.span()
        scheme = text.index("//", start) + 2
        whole = end - scheme < _LONGEST - 8
        known[start + 1 : start + len(match[0].rstrip(_CLOSERS)) if whole else scheme] = -1
    for match in name.finditer(text) if names else ():
        start, end = match.span()
        if end - start <= _LONGEST:
            known[start + 1 : end] = -1
    for match in emoji.finditer(text) if pictures else ():
        known[match.start()] = -1 if match["inside"] else 1
    return known if known.any() else None
