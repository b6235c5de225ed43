"""What no treebank need teach: names with @ and hyphens are whole, and emoji stand beside words.

A tokeniser that has seen neither cuts `@name-18` at its hyphen and leaves an emoji glued to the
word behind it. Both hold in every treebank that has such text, so they are decided here, before
the model is asked, and no model must be trained again for it.
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
#: Where emoji are; most of what lies there is one.
_EMOJI: Final = ((0x231A, 0x2B55), (0x1F004, 0x1FAFF))
#: Characters of a name: as many as are kept of a text that comes in blocks.
_LONGEST: Final = MARGIN - 8


@cache
def _patterns() -> tuple[Any, Any]:
    import regex

    name = regex.compile(
        r"(?<![\p{L}\p{N}\p{M}_@.])@[\p{L}\p{N}_]++(?:-[\p{L}\p{N}_]++)++", regex.V1
    )
    emoji = regex.compile(
        r"""
        (?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)
        [\uFE0F\p{Emoji_Modifier}]{0,4}+
        (?:\u200D\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]{0,4}+){0,8}+
        """,
        regex.VERBOSE | regex.V1,
    )
    return name, emoji


def known_cuts(codes: NDArray[np.uint32]) -> NDArray[np.int8] | None:
    """1 where a token must begin, -1 where none may, by code point; None: nothing is known.

    A name that is longer than `_LONGEST` is left to the model, so that what is known does not
    depend on how a text was cut into blocks.
    """
    names = bool((codes == _AT).any()) and bool((codes == _HYPHEN).any())
    pictures = any(bool(((codes >= a) & (codes <= b)).any()) for a, b in _EMOJI)
    if not (names or pictures):
        return None
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    known = np.zeros(len(codes), np.int8)
    name, emoji = _patterns()
    for match in name.finditer(text) if names else ():
        start, end = match.span()
        if end - start <= _LONGEST:
            known[start + 1 : end] = -1
    for match in emoji.finditer(text) if pictures else ():
        start, end = match.span()
        if start and text[start - 1].isalnum():
            known[start] = 1
        if end < len(text) and text[end].isalnum():
            known[end] = 1
    return known if known.any() else None
