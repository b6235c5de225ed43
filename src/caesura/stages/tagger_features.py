"""The features of a tagger: attributes of word types, and templates over them.

A template such as `lower[-1]+lower[0]` names attributes of words by their distance. Templates over
one place depend on a word type only; their weights are summed once for each type and place (`spot`
templates). Templates over several places (`mixed`) are looked up for each token. An attribute is a
64-bit hash, 0 where the type has none (a word of three letters has no suffix of four).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import word_attributes
from caesura.document import Document
from caesura.errors import ModelError
from caesura.layout import N_BREAKS, learned
from caesura.layout import START as LAYOUT_START
from caesura.layout import breaks as layout_breaks
from caesura.stages.templates import Vocabulary, compile_templates

#: The longest prefix and suffix.
AFFIX: Final = 10
#: Names of the attributes of a word type, in the order of their columns.
ATTRIBUTES: Final = (
    "form",
    "lower",
    "shape",
    "signature",
    "class",
    *(f"prefix{n}" for n in range(1, AFFIX + 1)),
    *(f"suffix{n}" for n in range(1, AFFIX + 1)),
    "edges",
    # What the layout says about the gap before the word; it is no matter of its type alone.
    "break",
)
Ints = NDArray[np.int32]
_ARITY: Final = 3
_FARTHEST: Final = 16
_PLACES: Final = 2 * _FARTHEST + 1
_NONE: Final = -1


@dataclass(frozen=True)
class TaggerTemplates:
    """Templates as arrays: a row is number of atoms, then (attribute, distance) for each."""

    names: tuple[str, ...]
    spot: Ints
    mixed: Ints
    #: Distances that spot templates look at, rising; and the spot templates of each, as bounds.
    places: Ints
    bounds: Ints

    @property
    def of_chain(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What the core takes of a chain's templates."""
        return self.spot, self.places, self.bounds, self.mixed

    @property
    def all(self) -> Ints:
        """All templates in the order of their numbers."""
        table = np.concatenate([self.spot, self.mixed])
        return np.ascontiguousarray(table[np.argsort(table[:, 0], kind="stable")])

    @property
    def own(self) -> Ints:
        """Templates that look at the word itself only."""
        return np.ascontiguousarray(self.spot[self.spot[:, 3] == 0])

    @property
    def context(self) -> Ints:
        """All other templates."""
        around = self.spot[self.spot[:, 3] != 0]
        return np.ascontiguousarray(np.concatenate([around, self.mixed]))

    @property
    def breaks(self) -> bool:
        """Whether a template looks at what the layout says."""
        return any(atom.startswith("break[") for name in self.names for atom in name.split("+"))


@cache
def _vocabulary(labels: bool) -> Vocabulary:
    """Attributes by distance; with `labels` also those of words, as `tag[-1]`."""
    known = (*ATTRIBUTES, "tag") if labels else ATTRIBUTES
    atoms = {
        f"{name}[{distance}]": attribute * _PLACES + distance + _FARTHEST
        for attribute, name in enumerate(known)
        for distance in range(-_FARTHEST, _FARTHEST + 1)
    }
    remedy = (
        f"Write it like lower[-1]+lower[0], with words at most {_FARTHEST} away. "
        f"Attributes are: {', '.join(known)}."
    )
    return Vocabulary(atoms, _NONE, _ARITY, "+", remedy=remedy, error=ModelError)


def parse_templates(names: Sequence[str], labels: bool = False) -> TaggerTemplates:
    """Read templates; the number of a template is its position, which salts its hash.

    With `labels`, templates may also look at the labels of words, as `tag[-1]`.
    """
    slots = compile_templates(names, _vocabulary(labels)).slots
    attribute, place = np.divmod(slots, _PLACES)
    there = slots != _NONE
    rows = np.zeros((len(names), 2 + 2 * _ARITY), np.int32)
    rows[:, 0] = np.arange(len(names))
    rows[:, 1] = there.sum(axis=1)
    rows[:, 2::2] = np.where(there, attribute, 0)
    rows[:, 3::2] = np.where(there, place - _FARTHEST, 0)
    one_place = np.all((rows[:, 3::2] == rows[:, 3:4]) | ~there, axis=1)
    spot = rows[one_place]
    spot = np.ascontiguousarray(spot[np.argsort(spot[:, 3], kind="stable")])
    places = sorted(set(spot[:, 3].tolist())) or [0]
    bounds = np.searchsorted(spot[:, 3], [*places, places[-1] + 1]).astype(np.int32)
    return TaggerTemplates(
        tuple(names),
        spot,
        np.ascontiguousarray(rows[~one_place]),
        np.array(places, np.int32),
        bounds,
    )


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


Longs = NDArray[np.int64]


def distinct(ids: Ints) -> tuple[Ints, NDArray[np.intp]]:
    """The distinct ids and, for each place, the number of its id among them."""
    if not len(ids):
        return ids, np.zeros(0, np.intp)
    if int(ids.max()) > 64 * len(ids):
        kinds, where = np.unique(ids, return_inverse=True)
        return kinds, where
    seen = np.zeros(int(ids.max()) + 1, np.int32)
    seen[ids] = 1
    kinds = np.flatnonzero(seen).astype(np.int32)
    seen[kinds] = np.arange(len(kinds), dtype=np.int32)
    return kinds, seen[ids].astype(np.intp)


def typed(doc: Document, breaks: bool) -> tuple[list[str], NDArray[np.intp]]:
    """The distinct types of the words of a document and which of them each is.

    With `breaks` words after gaps of which the layout says something are types of their own.
    """
    if not breaks:
        kinds, where = distinct(doc.form)
        return doc.strings.take(kinds), where
    codes = learned(layout_breaks(doc))[doc.word_token].astype(np.int64)
    codes[codes == LAYOUT_START] = 0
    codes[1:][doc.word_token[1:] == doc.word_token[:-1]] = 0
    pairs, where = np.unique(doc.form.astype(np.int64) * N_BREAKS + codes, return_inverse=True)
    forms = doc.strings.take((pairs // N_BREAKS).astype(np.int32))
    both = zip(forms, (pairs % N_BREAKS).tolist(), strict=True)
    return [with_break(form, code) if code else form for form, code in both], where
