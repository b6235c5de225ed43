"""What is known of word types, in a table for the kernels: kinds of abbreviations, and case.

An abbreviation has the kinds that the language file gives it, and those that raw text shows. Of
other words, those that are written in lower case inside sentences (*his*) tell a new sentence after
an abbreviation from a name (*Hall*), as Kiss and Strunk (2006, section 4) have it. Types are looked
up in lower case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from caesura.document import YES, Document
from caesura.document.characters import DASH, DIGIT, MARGIN, STOP, classify, code_points
from caesura.jit import kernel
from caesura.language.lexicon import KINDS, Lexicon
from caesura.learn.index import PLACES, refuse_crowded
from caesura.tokenize.prepared_text import WINDOW, Text, prepare, stretch, to_slots, wordlike

__all__ = [
    "ABBREVIATION",
    "ADDRESS",
    "BEFORE_LOWER",
    "BEFORE_NUMBER",
    "BEFORE_UPPER",
    "CASE",
    "LONGEST_TYPE",
]
__all__ += ["TYPE_FEATURES", "Types", "bits_of", "learn_case", "learn_classes", "make_types"]
__all__ += ["type_bits", "type_features", "word_classes"]

#: Longer words are not looked up.
LONGEST_TYPE: Final = 24
#: Features of one position at most.
TYPE_FEATURES: Final = 5

_AFTER: Final = len(KINDS)
#: What raw text shows: an abbreviation before numbers, before lower case, before capitals.
BEFORE_NUMBER, BEFORE_LOWER, BEFORE_UPPER = (1 << bit for bit in range(_AFTER, _AFTER + 3))
#: The beginning of an abbreviation with a period inside; a prefix with its hyphen; a unit without a
#: period; an abbreviation that is an ordinary word without its period.
_BEGINNING, _PREFIX, _UNIT, _ORDINARY = (1 << bit for bit in range(_AFTER + 3, _AFTER + 7))
#: Written in lower case inside sentences, or with a capital.
_COMMON, _NAME = (1 << bit for bit in range(_AFTER + 7, _AFTER + 9))

#: Masks of the bits that belong together.
ABBREVIATION: Final = np.uint32((1 << (_AFTER + 3)) - 1 | _ORDINARY)
CASE: Final = np.uint32(_COMMON | _NAME)
#: An address, which is told by its characters.
ADDRESS: Final = np.uint32(1 << 30)
_INSIDE: Final = np.uint32(int(ABBREVIATION) | _BEGINNING)
_HYPHEN: Final = np.uint32(_PREFIX)
_MEASURE: Final = np.uint32(_UNIT)
# Of plain integers, Numba compiles a version for each.
_FIRST: Final = cast(int, np.int64(60))
_ZERO: Final = np.uint32(0)
#: The part of speech is a number above this bit: the place in the list, from 1 on.
_CLASS: Final = _AFTER + 9
_UPOS: Final = (
    "NOUN",
    "ADJ",
    "VERB",
    "AUX",
    "ADV",
    "DET",
    "PRON",
    "ADP",
    "PROPN",
    "NUM",
    "PART",
    "SCONJ",
    "CCONJ",
    "INTJ",
    "X",
)
# How often a type must be seen to be taken for a word of lower case, or for a name.
_LEAST: Final = 2


class Types(NamedTuple):
    """Hashes of types and their bits; a single row if nothing is known."""

    keys: NDArray[np.uint64]
    bits: NDArray[np.uint32]


def type_bits(
    lexicon: Lexicon,
    learned: Mapping[str, int],
    case: Mapping[str, int],
    classes: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, int]:
    """The bits of every type that is known, in lower case."""
    found: Counter[str] = Counter()
    for form, bits in (*lexicon.kinds().items(), *learned.items()):
        if len(form) <= LONGEST_TYPE:
            found[form] |= bits
    for form in list(found):
        for at in range(1, len(form) - 1):
            if form[at] == ".":
                found[form[: at + 1]] |= _BEGINNING
        if case.get(form.rstrip("."), 0) & _COMMON:
            found[form] |= _ORDINARY
    for form in lexicon.prefixes:
        found[form] |= _PREFIX
    for form in lexicon.abbreviations.get("unit", ()):
        found[form.lower().rstrip(".")] |= _UNIT
    for form, bits in (*case.items(), *classes.items()):
        found[form] |= bits
    return {form: bits for form, bits in sorted(found.items()) if 0 < len(form) <= LONGEST_TYPE}


def learn_case(docs: Iterable[Document]) -> dict[str, int]:
    """Which words are written in lower case inside sentences, and which with a capital."""
    lower: Counter[str] = Counter()
    upper: Counter[str] = Counter()
    for doc in docs:
        spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
        after_word = False
        for (a, b), start in zip(spans, (doc.sent_start == YES).tolist(), strict=True):
            form = doc.text[a:b]
            if form[:1].islower():
                lower[form.lower()] += 1
            elif form[:1].isupper() and after_word and not start:
                upper[form.lower()] += 1
            # After a quotation mark or a colon a capital may belong to a sentence.
            after_word = form[-1:].isalnum() or form == ","
    found = {}
    for form in lower.keys() | upper.keys():
        small, large = lower[form], upper[form]
        if small >= _LEAST and small >= 4 * large:
            found[form] = _COMMON
        elif large >= _LEAST and not small:
            found[form] = _NAME
    return found


def learn_classes(docs: Iterable[Document]) -> dict[str, int]:
    """The part of speech of most occurrences of each word, as bits; nothing without tags."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        for form, tag in zip(doc.column("form"), doc.column("upos"), strict=True):
            if tag in _UPOS and form[:1].isalpha():
                seen[form.lower()][tag] += 1
    return {
        form: (_UPOS.index(tags.most_common(1)[0][0]) + 1) << _CLASS
        for form, tags in seen.items()
        if tags.total() >= _LEAST
    }


def word_classes(bits: Mapping[str, int]) -> dict[str, int]:
    """The part of speech of each type that has one, as a number."""
    return {form: number for form, known in bits.items() if (number := known >> _CLASS)}


def make_types(bits: Mapping[str, int]) -> Types:
    """The table of types with their bits."""
    if not bits:
        return Types(np.zeros(1, np.uint64), np.zeros(1, np.uint32))
    size = 1 << (2 * len(bits)).bit_length()
    types = Types(np.zeros(size, np.uint64), np.zeros(size, np.uint32))
    text = prepare(*classify(code_points("".join(bits))))
    lengths = np.array([len(form) for form in bits], dtype=np.int64)
    ends = np.cumsum(lengths) + MARGIN
    known = np.array(list(bits.values()), np.uint32)
    refuse_crowded(_fill(types, text, ends - lengths, ends, known), "word types")
    return types


@kernel
def _fill(
    types: Types,
    text: Text,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    bits: NDArray[np.uint32],
) -> bool:
    """Whether all found a place."""
    mask = np.uint64(types.keys.shape[0] - 1)
    left = PLACES * (begins.shape[0] + PLACES)
    for i in range(begins.shape[0]):
        key = stretch(text, begins[i], ends[i])
        at = (key ^ (key >> np.uint64(32))) & mask
        while types.keys[np.int64(at)] != np.uint64(0) and types.keys[np.int64(at)] != key:
            at = (at + np.uint64(1)) & mask
            left -= 1
            if left < 0:
                return False
        types.keys[np.int64(at)] = key
        types.bits[np.int64(at)] |= bits[i]
    return True


@kernel(counted=False)
def bits_of(types: Types, text: Text, start: int, end: int) -> np.uint32:
    """What is known of the characters start..end-1 as a type; 0 if nothing is."""
    if end - start > LONGEST_TYPE or end <= start:
        return _ZERO
    key = stretch(text, start, end)
    mask = np.uint64(types.keys.shape[0] - 1)
    at = (key ^ (key >> np.uint64(32))) & mask
    while types.keys[np.int64(at)] != np.uint64(0):  # half of the places are free
        if types.keys[np.int64(at)] == key:
            return types.bits[np.int64(at)]
        at = (at + np.uint64(1)) & mask
    return _ZERO


@kernel(counted=False)
def type_features(
    text: Text,
    p: int,
    token: int,
    right: int,
    types: Types,
    bits: int,
    out: NDArray[np.uint64],
    n: int,
) -> int:
    """Features of the position before character p at a period, at a hyphen and after a digit.

    The token began at `token`, and the run of letters from p on ends at `right`.
    """
    k = text.classes
    known = following = _ZERO
    if k[p] == STOP:
        known = bits_of(types, text, token, p + 1) & _INSIDE
        where = 1
    elif k[p - 1] == STOP:
        known = bits_of(types, text, token, p) & _INSIDE
        where = 2
    elif k[p] == DASH:
        known = bits_of(types, text, token, p + 1) & _HYPHEN
        where = 3
    elif k[p - 1] == DASH:
        known = bits_of(types, text, token, p) & _HYPHEN
        following = bits_of(types, text, p, right) & CASE
        where = 4
    elif k[p - 1] == DIGIT and wordlike[k[p]]:
        known = bits_of(types, text, p, right) & _MEASURE
        where = 5
    else:
        return n
    space = text.next_space[p]
    tail = np.uint64(min(space - p, 4))
    i = min(space, p + WINDOW)
    lines = np.uint64(0)
    while i < p + WINDOW and k[i] > 0 and k[i] <= 2:
        if k[i] == 2:
            lines = np.uint64(1)
        i += 1
    if where <= 2 and i < p + WINDOW:
        following = bits_of(types, text, i, min(text.run_end[i], p + WINDOW)) & CASE
    after = (np.uint64(k[i]) * np.uint64(2) + lines) * np.uint64(8) + tail
    value = np.uint64(known) * np.uint64(8) + np.uint64(where)
    pair = np.uint64(k[p - 1]) * np.uint64(32) + np.uint64(k[p])
    out[n] = value * np.uint64(1024) + pair
    out[n + 1] = value * np.uint64(1024) + after
    out[n + 2] = (value * np.uint64(1024) + after) * np.uint64(1 << 24) + np.uint64(following)
    out[n + 3] = (value * np.uint64(1024) + pair) * np.uint64(32) + np.uint64(k[p + 1])
    out[n + 4] = (value * np.uint64(1024) + pair) * np.uint64(1024) + after
    to_slots(out, n, n + TYPE_FEATURES, _FIRST, bits)
    return n + TYPE_FEATURES
