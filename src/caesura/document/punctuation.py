"""The definition of punctuation that induction, evaluation and conversion share.

A `Marks` definition decides which words are punctuation marks: by Unicode's category P of all
their characters (the metric of CoNLL-X), by UPOS, by XPOS, or by a list of tags. Induction also
counts signs of currency and of mathematics, since the papers remove Penn's `$` and `#` with marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.document.strings import Strings
from caesura.errors import UsageError

#: Universal tags, with CONJ of version 1.
UPOS_TAGS: Final = frozenset(
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()  # noqa: SIM905
)
#: Tags of marks in the Penn Treebank and in the treebanks of the shared tasks.
_TAGS: Final = frozenset(
    ", . : `` '' -LRB- -RRB- ( ) PUNCT PUNC PUNT PU XP F IK IP IQ IR IS".split()  # noqa: SIM905
)
#: Tags that are marks for induction only (Spitkovsky et al. 2011).
_CURRENCY: Final = frozenset("$#")
#: Characters of category P that are read aloud as words: marks to CoNLL-X, not to induction.
_READ_ALOUD: Final = frozenset("%‰&@§¶")
_SIGNS: Final = frozenset({"Sk", "Sc", "Sm"})

Way = Literal["auto", "unicode", "upos", "xpos", "tags"]
Mask = NDArray[np.bool_]


class _Words(Protocol):
    """Columns of words: a document, or several one after the other."""

    strings: Strings

    @property
    def form(self) -> NDArray[Any]: ...
    @property
    def upos(self) -> NDArray[Any]: ...
    @property
    def xpos(self) -> NDArray[Any]: ...


class _Joined:
    """The words of several documents, with strings of their own."""

    def __init__(self, docs: Sequence[_Words]) -> None:
        self.strings = Strings()
        self.form, self.upos, self.xpos = (
            np.concatenate(
                [self.strings.ids(d.strings.take(getattr(d, name))) for d in docs]
            ).astype(np.int32)
            for name in ("form", "upos", "xpos")
        )


@cache
def is_mark(form: str, induction: bool = False) -> bool:
    """Whether a form is punctuation and nothing else, by the categories of its characters."""
    if not induction:
        return bool(form) and all(unicodedata.category(c)[0] == "P" for c in form)
    return bool(form) and all(
        c not in _READ_ALOUD
        and (unicodedata.category(c)[0] == "P" or unicodedata.category(c) in _SIGNS)
        for c in form
    )


@dataclass(frozen=True, slots=True)
class Marks:
    """A definition of punctuation; `auto` is resolved by the tags of the words at hand."""

    way: Way = "auto"
    #: The tags, in UPOS or XPOS, if listed; with `upos` and `xpos` those that `settled` has found.
    tags: frozenset[str] = frozenset()
    #: Also signs of currency and mathematics, and their tags; no words that are read aloud.
    induction: bool = False

    def __str__(self) -> str:
        names = {"unicode": "Unicode category P", "upos": "UPOS", "xpos": "XPOS", "auto": "auto"}
        return names.get(self.way) or f"tags {' '.join(sorted(self.tags))}"

    def resolve(self, words: _Words) -> Marks:
        """UPOS if the words have universal tags, else the column with known tags, else Unicode."""
        if self.way != "auto":
            return self
        upos = _names(words, "upos")
        if "PUNCT" in upos or (upos - {""} and upos - {""} <= UPOS_TAGS):
            way: Way = "upos"
        else:
            known = [column for column in ("upos", "xpos") if self._known(_names(words, column))]
            way = "upos" if known[:1] == ["upos"] else "xpos" if known else "unicode"
        return Marks(way, self.tags, self.induction)

    def mask(self, words: _Words) -> Mask:
        """Which words are marks. A word without a tag is decided by Unicode."""
        chosen = self.resolve(words)
        if chosen.way == "tags":
            numbers = [n for tag in self.tags if (n := words.strings.find(tag)) is not None]
            return np.asarray(np.isin(words.upos, numbers) | np.isin(words.xpos, numbers))
        by_form = _by_name(words, "form", lambda form: is_mark(form, self.induction))
        if chosen.way == "unicode":
            return by_form
        # Tag sets name marks in many ways: a tag is of marks if its name says so, or if most of its
        # words are marks by Unicode. Universal tags always say so.
        column = getattr(words, chosen.way)
        tags, at = np.unique(column, return_inverse=True)
        of_word = np.ravel(at)
        shares = np.bincount(of_word, by_form, len(tags)) / np.maximum(np.bincount(of_word), 1)
        names = words.strings.take(tags)
        marks = np.array([chosen._of_marks(n, s) for n, s in zip(names, shares, strict=True)], bool)
        return np.where(column == 0, by_form, marks[of_word])

    def settled(self, docs: Sequence[_Words]) -> Marks:
        """The definition that the words of documents have together, for any part of them."""
        if self.way not in ("auto", "upos", "xpos"):
            return self
        words = _Joined(docs)
        chosen = self.resolve(words)
        if chosen.way == "unicode":
            return chosen
        column = getattr(words, chosen.way)
        marks = words.strings.take(np.unique(column[chosen.mask(words) & (column != 0)]))
        return replace(chosen, tags=frozenset({"PUNCT", *marks}))

    def _known(self, names: set[str]) -> bool:
        return any(name in _TAGS or (self.induction and name in _CURRENCY) for name in names)

    def _of_marks(self, tag: str, share: float) -> bool:
        if self.tags:
            return tag in self.tags
        if tag in UPOS_TAGS:
            return tag == "PUNCT"
        if tag in _CURRENCY:
            return self.induction
        spelt = is_mark(tag, self.induction) or tag in ("-LRB-", "-RRB-")
        return spelt or tag.upper() in ("PUNCT", "PUNC", "PUNT") or share > 0.5


def _names(words: _Words, column: str) -> set[str]:
    return set(words.strings.take(np.unique(getattr(words, column))))


def _by_name(words: _Words, column: str, test: Any) -> Mask:
    numbers, at = np.unique(getattr(words, column), return_inverse=True)
    found = np.array([test(name) for name in words.strings.take(numbers)], dtype=bool)
    return found[np.ravel(at)]


def parse_marks(text: str, *, induction: bool = False) -> Marks:
    """The definition that `--marks` names: auto, unicode, upos, xpos, or a list of tags."""
    for way in get_args(Way)[:-1]:
        if text == way:
            return Marks(way, induction=induction)
    tags = frozenset(text.split())
    if not tags:
        raise UsageError(
            "--marks is empty",
            remedy="Give auto, unicode, upos, xpos, or tags separated by spaces.",
        )
    return Marks("tags", tags, induction)
