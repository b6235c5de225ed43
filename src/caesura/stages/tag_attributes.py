"""What a tagger sees of a word type: form, affixes up to ten characters, shape, character classes.

Each attribute is a 64-bit hash, 0 where the type has none (a word of three letters has no suffix
of four). They are computed once for each type, so a word needs no work on its characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import word_attributes
from caesura.stages.tag_default_templates import AFFIX, ATTRIBUTES

__all__ = ["attributes_of", "break_of", "edge_attributes", "plain_form", "with_break"]

_FORM, _LOWER, _SHAPE, _, _CLASS, _PREFIX = range(6)
_SUFFIX = _PREFIX + AFFIX
_BREAK = len(ATTRIBUTES) - 1

#: Character classes of the shape: other, lower, upper, letter without case, digit, mark, then
#: punctuation and symbols by their Unicode category.
_CLASSES: Final = {"Ll": 1, "Lu": 2, "Lt": 2, "Lo": 3, "Lm": 3, "Nd": 4, "Nl": 4, "No": 4}
_MINOR: Final = {"Mn": 5, "Mc": 5, "Pd": 6, "Ps": 7, "Pe": 8, "Po": 9, "Sc": 10, "Sm": 11}

#: Stands between a form and what the layout says, where no form has it: a noncharacter.
_MARK: Final = "\uffff"


def _class_of(code: int) -> int:
    category = unicodedata.category(chr(code))
    return _CLASSES.get(category) or _MINOR.get(category, 0)


def attributes_of(
    types: Sequence[str], classes: Mapping[str, int] | None = None
) -> NDArray[np.uint64]:
    """The attributes of word types, a row for each; `classes` gives word classes.

    A type may be that of a word after a gap of which the layout says something: see `with_break`.
    """
    breaks = [break_of(word) for word in types]
    types = [plain_form(word) for word in types] if any(breaks) else types
    lowers = [word.lower() for word in types]
    form_codes, form_ends = _codes(types)
    lower_codes, lower_ends = _codes(lowers)
    table, where = np.unique(form_codes, return_inverse=True)
    kinds = np.array([_class_of(code) for code in table.tolist()], np.uint8)
    kinds = kinds[where] if len(table) else kinds
    result = word_attributes(form_codes, form_ends, kinds, lower_codes, lower_ends)
    if classes:
        both = zip(types, lowers, strict=True)
        numbers = [classes.get(form, classes.get(lower, 0)) for form, lower in both]
        result[:, _CLASS] = np.array(numbers, np.uint64)
    result[:, _BREAK] = np.array(breaks, np.uint64)
    return result


def with_break(form: str, code: int) -> str:
    """The type of a word after a gap of which the layout says something."""
    return f"{form}{_MARK}{chr(code)}"


def break_of(word_type: str) -> int:
    """What the layout says before words of a type, 0: nothing."""
    return ord(word_type[-1]) if word_type[-2:-1] == _MARK else 0


def plain_form(word_type: str) -> str:
    """The form of the words of a type."""
    return word_type[:-2] if word_type[-2:-1] == _MARK else word_type


def edge_attributes() -> NDArray[np.uint64]:
    """The row of the pseudo-word before the first and after the last word."""
    row = np.zeros((1, len(ATTRIBUTES)), np.uint64)
    row[0, [_FORM, _LOWER, _SHAPE, _CLASS]] = np.uint64(1)
    row[0, [_SUFFIX + 1, _SUFFIX + 2]] = np.uint64(1)
    return row


def _codes(strings: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Code points of all strings, one after the other, and where each ends."""
    joined = "".join(strings).encode("utf-32-le", "surrogatepass")
    ends = np.cumsum(np.fromiter(map(len, strings), np.int64, len(strings)), dtype=np.int64)
    return np.frombuffer(joined, np.uint32), ends
