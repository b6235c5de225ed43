"""Rewriting what a pattern finds: `x.deprel=obl`, `x.head=y`, `x.feats.Number=`, `x.lemma=y.form`.

The settings of a match are made together or not at all. What would break a tree is refused: a
cycle, another number of roots; so is what contradicts an earlier match. A match changes nothing
that a later one looks at: all matches of a document are found before the first change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from caesura.document import ROOT, Document, misc_items
from caesura.document.editing import CONTROL, write
from caesura.find.attributes import Values, Words
from caesura.find.counts import Field, field_of
from caesura.find.results import Match, Matches
from caesura.find.syntax import Attribute, PatternError

__all__ = ["Change", "Refused", "Rewritten", "Setting", "rewrite", "setting"]

#: What can be set: columns, and items of FEATS and MISC.
_COLUMNS: Final = ("lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_SETTABLE: Final = "lemma, upos, xpos, feats, feats.NAME, deprel, deps, misc, misc.NAME, head"
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Setting:
    """What is set, and to what: a value, that of another word, or a word as the head."""

    target: Field
    value: str = ""
    #: The word and attribute that the value is taken from; the word alone for a head.
    source: Field | None = None
    head: str | None = None

    def __str__(self) -> str:
        return f"{self.target}={self.head or self.source or self.value}"


@dataclass(frozen=True, slots=True)
class Change:
    """One value of one word that changes; heads as identifiers in the sentence, 0 for the root."""

    word: int
    attribute: Attribute
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A match that was left alone, and why."""

    match: Match
    why: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A document with its changes, and the matches that were refused."""

    doc: Document
    changes: tuple[Change, ...]
    refused: tuple[Refused, ...]


def setting(text: str, names: Sequence[str]) -> Setting:
    """What `--set` says; `names` are those of the pattern. Raises `PatternError`."""
    left, equals, right = text.partition("=")
    if not equals:
        raise PatternError(
            "a setting needs =", text, len(text), remedy="For example: x.deprel=obl or x.head=y."
        )
    target = field_of(left.strip(), names, text, len(left) - len(left.lstrip()))
    at = len(left) + 1
    attribute = target.attribute
    keyed = attribute.name in ("feats", "misc") and attribute.key
    if attribute.name == "head":
        return _head(target, right.strip(), names, text, at)
    if not keyed and (attribute.name not in _COLUMNS or attribute.key):
        raise PatternError(
            f"{attribute} cannot be set", text, 0, remedy=f"These can be: {_SETTABLE}."
        )
    quoted = _QUOTED.fullmatch(right.strip())
    if quoted is not None:
        return Setting(target, _value(re.sub(r"\\(.)", r"\1", quoted[1]), attribute, text, at))
    right = right.strip()
    if "." in right and right.partition(".")[0] in names:
        return Setting(target, source=field_of(right, names, text, at))
    return Setting(target, _value("" if right == "_" else right, attribute, text, at))


def _head(target: Field, right: str, names: Sequence[str], text: str, at: int) -> Setting:
    if right in ("0", "root"):
        return Setting(target, "0")
    if right not in names:
        known = ", ".join(names) or "none"
        raise PatternError(
            f"a head is a word that the pattern names, or 0 for the root, not {right!r}",
            text,
            at,
            remedy=f"Names of the pattern: {known}.",
        )
    if right == target.name:
        raise PatternError(f"{right} cannot be its own head", text, at)
    return Setting(target, head=right)


def _value(value: str, attribute: Attribute, text: str, at: int) -> str:
    """A value that a column can hold."""
    why = ""
    if CONTROL.search(value):
        why = "holds a tab, a line end or another control character, which no column can hold"
    elif attribute.key and "|" in value:
        why = "holds a bar, which parts the items of the column"
    elif attribute.key and attribute.name == "feats" and "=" in value:
        why = "holds =, which parts the name of a feature from its value"
    elif attribute.name != "misc" and attribute.name != "lemma" and " " in value:
        why = "holds a blank, which the column cannot hold"
    if why:
        raise PatternError(f"the value {why}", text, at)
    return value


# ------------------------------------------------------------------- rewriting


def rewrite(found: Matches, settings: Sequence[Setting]) -> Rewritten:
    """The document with the settings made in every match that allows them; the own one stays."""
    work = _Work(found)
    for match in found:
        work.apply(match, settings)
    doc = work.doc if work.changes else found.doc
    return Rewritten(doc, tuple(work.changes), tuple(work.refused))


class _Work:
    """A document while matches change it; what it shares with the one that was searched stays."""

    def __init__(self, found: Matches) -> None:
        self.doc = replace(found.doc)
        self.words = Words(found.doc)
        self.changes: list[Change] = []
        self.refused: list[Refused] = []
        #: What matches have set so far.
        self.set: dict[tuple[int, Attribute], str] = {}
        self.values: dict[Attribute, Values] = {}

    def apply(self, match: Match, settings: Sequence[Setting]) -> None:
        """Make all settings in a match, or none."""
        wanted: dict[tuple[int, Attribute], str] = {}
        first, last = self._sentence(match)
        for one in settings:
            word = (
                match.first.index if one.target.name is None else match.named.get(one.target.name)
            )
            value = self._value(match, one, first)
            if word is None or value is None:
                self.refused.append(Refused(match, "the match has no word of that name"))
                return
            key = (word, one.target.attribute)
            if wanted.get(key, value) != value or self.set.get(key, value) != value:
                self.refused.append(Refused(match, "it contradicts another match or setting"))
                return
            wanted[key] = value
        why = self._breaks(wanted, first, last)
        if why:
            self.refused.append(Refused(match, why))
            return
        for (word, attribute), value in wanted.items():
            self.set[word, attribute] = value
            old = self._old(word, attribute, first)
            if old != value:
                self._put(word, attribute, value, first)
                self.changes.append(Change(word, attribute, old, value))

    def _sentence(self, match: Match) -> tuple[int, int]:
        """The first word of the sentence of a match, and one past the last."""
        bounds = self.words.bounds
        at = int(bounds.searchsorted(match.indices[0], side="right"))
        return int(bounds[at - 1]), int(bounds[at])

    def _value(self, match: Match, one: Setting, first: int) -> str | None:
        if one.head is not None:
            head = match.named.get(one.head)
            return None if head is None else str(head - first + 1)
        if one.source is None:
            return one.value
        named = one.source.name
        word = match.first.index if named is None else match.named.get(named)
        if word is None:
            return None
        attribute = one.source.attribute
        if attribute not in self.values:
            self.values[attribute] = self.words.values(attribute)
        values = self.values[attribute]
        return values.text(int(values.codes[word]))

    def _breaks(self, wanted: dict[tuple[int, Attribute], str], first: int, last: int) -> str:
        """Why the tree of a sentence would be none any more, '' if it stays one."""
        moved = {word: int(new) for (word, what), new in wanted.items() if what.name == "head"}
        if not moved:
            return ""
        heads = self.doc.head[first:last].tolist()
        before = heads.count(ROOT)
        for word, new in moved.items():
            heads[word - first] = ROOT if new == 0 else first + new - 1
        for word in moved:
            above = heads[word - first]
            for _ in range(last - first):
                if above == word:
                    return "it would make a cycle"
                above = heads[above - first] if first <= above < last else ROOT
        after = heads.count(ROOT)
        if abs(after - 1) > abs(before - 1):
            return f"it would leave the sentence with {after} roots"
        return ""

    def _old(self, word: int, attribute: Attribute, first: int) -> str:
        """The value before it is set."""
        if attribute.name == "head":
            head = int(self.doc.head[word])
            return str(head - first + 1) if head >= 0 else ("0" if head == ROOT else "")
        packed = self._packed(word, attribute)
        return misc_items(packed).get(attribute.key, "") if attribute.key else packed

    def _packed(self, word: int, attribute: Attribute) -> str:
        """All that the column of an attribute says of a word."""
        return self.doc.strings[getattr(self.doc, attribute.name)[word]]

    def _put(self, word: int, attribute: Attribute, value: str, first: int) -> None:
        new: str | int = value
        if attribute.name == "head":
            new = ROOT if value == "0" else first + int(value) - 1
        elif attribute.key:
            new = _with_item(self._packed(word, attribute), attribute, value)
        write(self.doc, attribute.name, word, new)


def _with_item(packed: str, attribute: Attribute, value: str) -> str:
    """FEATS or MISC with one item set, or taken out where it has no value.

    A new feature goes where the order of the alphabet wants it, a new item of MISC to the end.
    """
    items = packed.split("|") if packed else []
    names = [item.partition("=")[0] for item in items]
    key = attribute.key
    if not value:
        return "|".join(i for i, name in zip(items, names, strict=True) if name != key)
    if key in names:
        items[names.index(key)] = f"{key}={value}"
    elif attribute.name == "misc":
        items.append(f"{key}={value}")
    else:
        at = next((n for n, name in enumerate(names) if name.lower() > key.lower()), len(names))
        items.insert(at, f"{key}={value}")
    return "|".join(items)
