"""The class of each code point and its lower-case twin, as tables for the core; emoji.

The tables cover all of Unicode but are filled only for the code points that were met, so that they
cost nothing at start-up. The text is surrounded by a margin of the class EDGE, so that a window
around any position stays inside the array.

Emoji are symbols in every treebank and their own lemmas; statistics of a treebank of older text say
nothing about them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import CharacterTable

if TYPE_CHECKING:
    from caesura.document import Document

#: Positions on either side of the text that a window may touch.
MARGIN: Final = 72

EDGE, SPACE, NEWLINE, UPPER, LOWER, TITLE, LETTER, HAN, HIRAGANA, KATAKANA = range(10)
HANGUL, MARK, DIGIT, NUMBER, STOP, COMMA, QUOTE, APOSTROPHE, DASH, OPEN = range(10, 20)
CLOSE, SLASH, AT, OTHER_PUNCTUATION, CURRENCY, SYMBOL, MODIFIER, JOINER, CONTROL, ASKING = range(
    20, 30
)
UNASSIGNED: Final = 30
N_CLASSES: Final = 31
_UNSEEN: Final = 255

#: Classes of letters and what belongs to them.
LETTERS: Final = (UPPER, LOWER, TITLE, LETTER, HAN, HIRAGANA, KATAKANA, HANGUL, MARK, MODIFIER)
#: Classes of characters that words and numbers consist of.
WORDLIKE: Final = (*LETTERS, DIGIT, NUMBER)

_BY_CATEGORY: Final = {
    "Lu": UPPER,
    "Ll": LOWER,
    "Lt": TITLE,
    "Lm": MODIFIER,
    "Lo": LETTER,
    "Mn": MARK,
    "Mc": MARK,
    "Me": MARK,
    "Nd": DIGIT,
    "Nl": NUMBER,
    "No": NUMBER,
    "Pc": OTHER_PUNCTUATION,
    "Pd": DASH,
    "Ps": OPEN,
    "Pe": CLOSE,
    "Pi": QUOTE,
    "Pf": QUOTE,
    "Po": OTHER_PUNCTUATION,
    "Sm": SYMBOL,
    "Sc": CURRENCY,
    "Sk": SYMBOL,
    "So": SYMBOL,
    "Cc": CONTROL,
    "Cf": JOINER,
    "Cs": UNASSIGNED,
    "Co": UNASSIGNED,
    "Cn": UNASSIGNED,
}
_BY_CHARACTER: Final = (
    dict.fromkeys(".…。．｡·", STOP)
    | dict.fromkeys(",;:،؛、，；：", COMMA)
    | dict.fromkeys("?!؟！？;‽", ASKING)
    | dict.fromkeys('"“”„«»「」『』`', QUOTE)
    | dict.fromkeys("'’‘ʼ´", APOSTROPHE)
    | dict.fromkeys("/\\|", SLASH)
    | {"@": AT}
    | dict.fromkeys("\n\v\f\r\x85\u2028\u2029", NEWLINE)
)

_classes: NDArray[np.uint8] = np.full(0x110000, _UNSEEN, dtype=np.uint8)
_folded: NDArray[np.uint32] = np.zeros(0x110000, dtype=np.uint32)
#: The same for the core. The rows of a text are complete once its signs are known.
TABLE: Final = CharacterTable(_classes, _folded)

#: Signs of a text: a character without a row, both @ and a hyphen, what may be emoji, two slashes,
#: the sign of a temperature.
_NEW, NAMES, PICTURES, ADDRESSES, DEGREES = (1 << bit for bit in range(5))


def _class_of(character: str) -> int:
    special = _BY_CHARACTER.get(character)
    if special is not None:
        return special
    if character.isspace():
        return SPACE
    kind = _BY_CATEGORY[unicodedata.category(character)]
    if kind in (LETTER, MODIFIER):
        code = ord(character)
        if 0x3040 <= code <= 0x309F:
            return HIRAGANA
        if 0x30A0 <= code <= 0x30FF or 0xFF66 <= code <= 0xFF9F:
            return KATAKANA
        if 0x2E80 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF:
            return HAN
        if 0xAC00 <= code <= 0xD7AF or 0x1100 <= code <= 0x11FF:
            return HANGUL
    return kind


def _learn(codes: NDArray[np.uint32]) -> None:
    seen = np.zeros(len(_classes), np.bool_)
    seen[codes] = True
    for code in np.flatnonzero(seen).tolist():
        character = chr(code)
        lower = character.lower()
        _folded[code] = ord(lower) if len(lower) == 1 else code
        _classes[code] = _class_of(character)  # last: the class tells that the row is complete


def code_points(text: str) -> NDArray[np.uint32]:
    """The text as an array of code points; lone surrogates are code points like others."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def packed(texts: Iterable[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of texts, one behind the other, and where each text ends."""
    known = list(texts)
    ends = np.cumsum(np.fromiter(map(len, known), np.int64, len(known)))
    return code_points("".join(known)), ends


def signs_of(codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The signs of texts, one behind the other; `TABLE` then has a row for every character."""
    signs = TABLE.signs(codes, ends)
    if np.any(signs & _NEW):
        classes_of(codes)
    return signs


def classes_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The class of each code point."""
    classes = _classes[codes]
    unseen = classes == _UNSEEN
    if unseen.any():
        _learn(codes[unseen])
        classes = _classes[codes]
    return classes


def classify(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """The class and the lower-case twin of each code point, with a margin on both sides."""
    n = len(codes)
    classes = np.zeros(n + 2 * MARGIN, dtype=np.uint8)
    folded = np.zeros(n + 2 * MARGIN, dtype=np.uint32)
    classes[MARGIN : MARGIN + n] = classes_of(codes)
    folded[MARGIN : MARGIN + n] = _folded[codes]
    return classes, folded


#: All emoji are beyond this character, but signs of copyright and the like.
_FIRST_EMOJI: Final = "\u203c"


@cache
def _emoji() -> Any:
    import regex

    # A character of the Basic Multilingual Plane that is shown as text by itself is none: ✓ and ►
    # are marks of lists.
    return regex.compile(
        r"""
        (?:
          (?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\U0001F000-\U0001FAFF])
          [\uFE0F\u200D\u20E3\p{Emoji_Modifier}\p{Extended_Pictographic}\U000E0020-\U000E007F]*+
        )++
        """,
        regex.VERBOSE | regex.V1,
    )


def is_picture(word: str) -> bool:
    """Whether a word is one or more emoji and nothing else.

    >>> is_picture("👍🏽"), is_picture(":)"), is_picture("✓")
    (True, False, False)
    """
    return not word.isascii() and word[:1] > _FIRST_EMOJI and bool(_emoji().fullmatch(word))


def pictures_of(doc: Document) -> NDArray[np.bool_]:
    """Which words of a document are emoji."""
    kinds, where = np.unique(doc.form, return_inverse=True)
    found: NDArray[np.bool_] = np.array(
        [is_picture(form) for form in doc.strings.take(kinds)], np.bool_
    )[where]
    return found
