"""What a pattern says, as a tree: words with tests, relations between them, alternatives, negation.

`parser.py` makes it of a text, `compile.py` a program of it. Errors point at a character.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from caesura.errors import UsageError, shown

__all__ = [
    "FAR",
    "All",
    "Any",
    "Attribute",
    "Choice",
    "Every",
    "Formula",
    "Has",
    "Literal",
    "Mention",
    "Number",
    "PatternError",
    "Reference",
    "Reject",
    "Related",
    "Relation",
    "Test",
    "Value",
    "Without",
]

#: No upper limit of a distance.
FAR: Final = 1 << 30
#: So much of a long pattern is shown to either side of the character that is wrong.
_BESIDE: Final = 50


class PatternError(UsageError):
    """A pattern is wrong at one of its characters (counted from 0), at which a caret points."""

    def __init__(self, what: str, pattern: str, at: int, *, remedy: str = "") -> None:
        super().__init__(what, remedy=remedy)
        self.pattern = pattern
        self.at = min(max(at, 0), len(pattern))

    @property
    def caret(self) -> str:
        """The pattern, and below it a caret."""
        first, last = max(0, self.at - _BESIDE), self.at + _BESIDE
        before = ("…" if first else "") + shown(self.pattern[first : self.at])
        after = shown(self.pattern[self.at : last]) + ("…" if last < len(self.pattern) else "")
        return f"  {before}{after}\n  {' ' * _width(before)}^"

    @property
    def sentence(self) -> str:
        """What is wrong, at which character, and the remedy, without the caret."""
        return f"pattern, character {self.at + 1}: {super().__str__()}"

    def __str__(self) -> str:
        return f"{self.sentence}\n{self.caret}"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.what, self.pattern, self.at, self.remedy)


def _again(what: str, pattern: str, at: int, remedy: str) -> PatternError:
    return PatternError(what, pattern, at, remedy=remedy)


def _width(text: str) -> int:
    """The columns that a terminal needs for a text."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


# ------------------------------------------------------------------------- tests


@dataclass(frozen=True, slots=True)
class Attribute:
    """What is asked of a word: `form`, or with a key `feats.Number`, `misc.Gloss`, `sent.id`."""

    name: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.name}.{self.key}" if self.key else self.name


@dataclass(frozen=True, slots=True)
class Value:
    """One value: a string, or a regular expression that must match all of it."""

    text: str
    is_regex: bool = False
    ignore_case: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Literal:
    """The attribute has one of some values."""

    attribute: Attribute
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """The attribute is a number that compares so: one of < <= > >=."""

    attribute: Attribute
    operator: str
    number: float


@dataclass(frozen=True, slots=True)
class Has:
    """The attribute is there."""

    attribute: Attribute


@dataclass(frozen=True, slots=True)
class Reference:
    """The attribute is that of another word; what is absent equals nothing."""

    attribute: Attribute
    name: str
    other: Attribute
    at: int = 0


@dataclass(frozen=True, slots=True)
class Reject:
    """Not so."""

    test: Test


@dataclass(frozen=True, slots=True)
class Every:
    """All of some tests."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """At least one of some tests."""

    tests: tuple[Test, ...]


Test = Literal | Number | Has | Reference | Reject | Every | Choice


# --------------------------------------------------------------------- relations


@dataclass(frozen=True, slots=True)
class Relation:
    """How a word stands to another, both named by their keys.

    The kinds: `child` (the first is the head of the second), `descendant` (above it, by so many
    arcs), `before` (by so many words), `sibling`, `sibling-before` and `sibling-next` (the second
    is the next child of their head). The label is a test of the second of `child`.
    """

    kind: str
    first: str
    second: str
    low: int = 1
    high: int = FAR
    label: Test | None = None


# ------------------------------------------------------------------ whole patterns


@dataclass(frozen=True, slots=True)
class Mention:
    """There is such a word; keys of words without a name start with `#`."""

    key: str
    test: Test | None
    at: int


@dataclass(frozen=True, slots=True)
class Related:
    """Two words stand in a relation."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class All:
    """All of some parts."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of some parts."""

    parts: tuple[Formula, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Without:
    """There are no such words."""

    part: Formula
    at: int


Formula = Mention | Related | All | Any | Without
