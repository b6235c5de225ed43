"""What is known of word types, as bits: kinds of abbreviations, case, and part of speech.

An abbreviation has the kinds that the language file gives it, and those that raw text shows. Of
other words, those that are written in lower case inside sentences (*his*) tell a new sentence after
an abbreviation from a name (*Hall*), as Kiss and Strunk (2006, section 4) have it. Types are looked
up in lower case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from caesura.document import YES, Document
from caesura.language.lexicon import KINDS, Lexicon
from caesura.stages.token_vocabulary import LONGEST_TYPE

__all__ = ["BEFORE_LOWER", "BEFORE_NUMBER", "BEFORE_UPPER", "learn_case", "learn_classes"]
__all__ += ["type_bits", "word_classes"]

_AFTER: Final = len(KINDS)
#: What raw text shows: an abbreviation before numbers, before lower case, before capitals.
BEFORE_NUMBER, BEFORE_LOWER, BEFORE_UPPER = (1 << bit for bit in range(_AFTER, _AFTER + 3))
#: The beginning of an abbreviation with a period inside; a prefix with its hyphen; a unit without a
#: period; an abbreviation that is an ordinary word without its period.
_BEGINNING, _PREFIX, _UNIT, _ORDINARY = (1 << bit for bit in range(_AFTER + 3, _AFTER + 7))
#: Written in lower case inside sentences, or with a capital.
_COMMON, _NAME = (1 << bit for bit in range(_AFTER + 7, _AFTER + 9))

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
