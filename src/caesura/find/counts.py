"""How often which values occur: `upos,deprel` of the first word, or `x.lemma,y.upos`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.find.attributes import KNOWN, Words, attribute_of
from caesura.find.results import Matches
from caesura.find.syntax import Attribute, PatternError

__all__ = ["Counts", "Field", "fields"]


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute of the word of a name, or of the word that the pattern mentions first."""

    name: str | None
    attribute: Attribute

    def __str__(self) -> str:
        return f"{self.name}.{self.attribute}" if self.name else str(self.attribute)


def fields(text: str, names: Sequence[str]) -> tuple[Field, ...]:
    """Fields separated by commas; `names` are those of the pattern."""
    found = []
    at = 0
    for item in text.split(","):
        start = at + len(item) - len(item.lstrip())
        found.append(field_of(item.strip(), names, text, start))
        at += len(item) + 1
    return tuple(found)


def field_of(item: str, names: Sequence[str], text: str, at: int) -> Field:
    """What `x.deprel` or `deprel` means; the text and place are for errors."""
    first, dot, rest = item.partition(".")
    if dot and first in names:
        known = attribute_of(rest) if rest else None
        if known is not None:
            return Field(first, known)
        raise PatternError(
            f"there is no attribute {rest!r}",
            text,
            at + len(first) + 1,
            remedy=f"There are: {KNOWN}.",
        )
    known = attribute_of(item) if item else None
    if known is not None:
        return Field(None, known)
    named = f"Names of the pattern: {', '.join(names)}." if names else "The pattern names no word."
    raise PatternError(
        f"{item!r} is no attribute", text, at, remedy=f"{named} Attributes are: {KNOWN}."
    )


class Counts:
    """Counts over the matches of any number of documents."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.fields = tuple(fields)
        self._counts: Counter[tuple[str, ...]] = Counter()

    def add(self, found: Matches) -> None:
        """Count the matches of a document; a word that a match does not have counts as ''."""
        if not len(found):
            return
        words = Words(found.doc)
        columns, tables = [], []
        for field in self.fields:
            values = words.values(field.attribute)
            at = found.column(field.name)
            columns.append(np.where(at < 0, -1, values.codes[np.maximum(at, 0)]).tolist())
            tables.append(values)
        for row, count in Counter(zip(*columns, strict=True)).items():
            key = tuple(
                "" if code < 0 else v.text(code) for code, v in zip(row, tables, strict=True)
            )
            self._counts[key] += count

    @property
    def total(self) -> int:
        return self._counts.total()

    def rows(self) -> list[tuple[int, tuple[str, ...]]]:
        """Counts and values, the most frequent first, else in the order of the values."""
        pairs = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return [(count, values) for values, count in pairs]
