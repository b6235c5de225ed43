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
from caesura.document.characters import TABLE, code_points, signs_of

__all__ = ["DEGREES_APART", "NO_HABITS", "Habits", "before_units", "between_pictures"]
__all__ += ["learn_habits"]

#: Languages whose treebanks write `°` and `C` as two tokens, which one treebank rarely shows.
DEGREES_APART: Final = frozenset({"de", "en", "es", "fr", "hsb", "mt", "pt", "sv"})
#: How often a habit must be seen.
_LEAST: Final = 5


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
        signs_of(codes, np.array([len(codes)], np.int64))
        for name, at in (
            ("numbers", TABLE.blanks_in_numbers(codes) + 1),
            ("pictures", between_pictures(doc.text)),
            ("degrees", before_units(doc.text)),
        ):
            cut = int(np.isin(at, doc.token_start).sum())
            apart[name] += cut
            whole[name] += len(at) - cut
    more = {name: whole[name] > apart[name] for name in ("numbers", "pictures")}
    more["degrees"] = apart["degrees"] > whole["degrees"]
    return Habits(**{name: more[name] and whole[name] + apart[name] >= _LEAST for name in more})


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
