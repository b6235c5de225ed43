"""Habits of a treebank that are counted, since they are too rare for features: what stays whole.

In some languages the blank in `10 000` is inside of a word, in some treebanks emoji in a row are
one token, and `°C` is two in some. All is decided before the model is asked, by the characters
around a place alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.document.characters import DIGIT, MARGIN, classify, code_points

__all__ = ["NO_HABITS", "Habits", "between_pictures", "learn_habits", "within_numbers"]
__all__ += ["DEGREES_APART", "before_units"]

#: Languages whose treebanks write `°` and `C` as two tokens, which one treebank rarely shows.
DEGREES_APART: Final = frozenset({"de", "en", "es", "fr", "hsb", "mt", "pt", "sv"})
#: How often a habit must be seen.
_LEAST: Final = 5
#: The blanks that part groups of digits: no tabulator, and no line ends there.
_BLANKS: Final = (0x20, 0xA0, 0x2009, 0x202F)
#: Digits of all groups but the first.
_GROUP: Final = 3


class Habits(NamedTuple):
    """What stays whole."""

    #: Groups of digits with blanks between them.
    numbers: bool = False
    #: Emoji in a row.
    pictures: bool = False
    #: Of `°C` it is known that it does not stay whole.
    degrees: bool = False

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Habits:
        return cls(*(config.get(name) is True for name in cls._fields))


NO_HABITS: Final = Habits()


def learn_habits(docs: Iterable[Document]) -> Habits:
    """What most places show in documents whose tokens are known."""
    whole = dict.fromkeys(Habits._fields, 0)
    apart = dict(whole)
    for doc in docs:
        codes = code_points(doc.text)
        classes, _ = classify(codes)
        for name, at in (
            ("numbers", within_numbers(codes, classes) + 1 - MARGIN),
            ("pictures", between_pictures(doc.text)),
            ("degrees", before_units(doc.text)),
        ):
            cut = int(np.isin(at, doc.token_start).sum())
            apart[name] += cut
            whole[name] += len(at) - cut
    more = {name: whole[name] > apart[name] for name in ("numbers", "pictures")}
    more["degrees"] = apart["degrees"] > whole["degrees"]
    return Habits(**{name: more[name] and whole[name] + apart[name] >= _LEAST for name in more})


def within_numbers(codes: NDArray[np.uint32], classes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The blanks between groups of digits, as places in `classes`, which have a margin."""
    at = np.flatnonzero(np.isin(codes, _BLANKS)) + MARGIN
    digit = classes == DIGIT
    at = at[digit[at - 1] & digit[at + 1]]
    for step in range(2, _GROUP + 1):
        at = at[digit[at + step]]
    # One to three digits before it, exactly three behind it.
    return at[~digit[at + _GROUP + 1] & ~(digit[at - 2] & digit[at - 3] & digit[at - 4])]


@cache
def _units() -> Any:
    import regex

    return regex.compile(r"(?<=[°º])[CFKcfk](?![\p{L}\p{N}])", regex.V1)


def before_units(text: str) -> NDArray[np.int64]:
    """Where the unit of a temperature follows its sign."""
    if "°" not in text and "º" not in text:
        return np.zeros(0, np.int64)
    return np.array([match.start() for match in _units().finditer(text)], np.int64)


@cache
def _pictures() -> Any:
    import regex

    return regex.compile(
        r"""
        (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])
        (?=\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)
        """,
        regex.VERBOSE | regex.V1,
    )


def between_pictures(text: str) -> NDArray[np.int64]:
    """Where one emoji follows another."""
    if text.isascii():
        return np.zeros(0, np.int64)
    return np.array([match.start() for match in _pictures().finditer(text)], np.int64)
