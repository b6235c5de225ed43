"""Multi-word tokens: which tokens are several words, and which words those are.

Forms seen in training are split as they were there; where one was seen both ways, its neighbours
decide by a small logistic model. Forms never seen are split by rules that turn an ending (or a
beginning) into words, learned from the edits of the seen ones; the longest rule that was mostly
right is used. What it leaves is looked at again if an apostrophe says that there is more, as in
`he'd've`. A mark that is written inside of a word and is a word of its own behind it, as in
Armenian, is known by itself. Case is carried over from the token to its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError

Words = tuple[str, ...]

LONGEST_RULE: Final = 8
CONTEXT_BITS: Final = 16
_SEPARATOR: Final = "\t"
_APOSTROPHES: Final = ("'", "’")


@dataclass
class Splitter:
    """How tokens are split into words. Keys are lower case."""

    #: The words of a form; an empty tuple for a form seen only as one word beside a rule.
    known: dict[str, Words] = field(default_factory=dict)
    #: Forms that were seen both ways, with the log-odds of being several words.
    doubtful: dict[str, float] = field(default_factory=dict)
    #: What an ending becomes: the end of the first word, and the words after it.
    endings: dict[str, Words] = field(default_factory=dict)
    #: What a beginning becomes: the words before the last one, and its beginning.
    beginnings: dict[str, Words] = field(default_factory=dict)
    #: Marks inside of forms that are words behind what is left.
    marks: frozenset[str] = frozenset()
    weights: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(1 << CONTEXT_BITS, dtype=np.float32)
    )
    #: The part of speech of words, by lower-case form, where it is known; kept by the tokeniser.
    classes: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.known or self.endings or self.beginnings or self.marks)

    def candidate(self, form: str) -> Words | None:
        """The words of a form if it is split at all, context aside."""
        lower = form.lower()
        known = self.known.get(lower)
        if known is not None:
            return _with_case(form, lower, known) if known else None
        words = self._by_mark(lower) if self.marks else None
        words = words or self._by_rule(lower)
        if "’" in lower and (words is None or lower.count("’") > 1):
            plain = self._with_plain_apostrophe(form)
            if words is None or (plain is not None and len(plain) > len(words)):
                return plain
        return None if words is None else _with_case(form, lower, words)

    def _with_plain_apostrophe(self, form: str) -> Words | None:
        """The words of a form that was seen with the other apostrophe."""
        words = self.candidate(form.replace("’", "'"))
        if words is None or "".join(words) != form.replace("’", "'"):
            return None
        ends = np.cumsum([len(word) for word in words]).tolist()
        return tuple(form[end - len(word) : end] for word, end in zip(words, ends, strict=True))

    def _by_mark(self, lower: str) -> Words | None:
        inside = next((letter for letter in lower[1:-1] if letter in self.marks), None)
        return None if inside is None else (lower.replace(inside, "", 1), inside)

    def _by_rule(self, lower: str) -> Words | None:
        for size in range(min(LONGEST_RULE, len(lower) - 1), 0, -1):
            ending = self.endings.get(lower[-size:])
            if ending is not None:
                words = _join_rule((lower[:-size] + ending[0], *ending[1:]))
                return words and (*self._in_a_row(words[0]), *words[1:])
            beginning = self.beginnings.get(lower[:size]) if self.beginnings else None
            if beginning is not None:
                return _join_rule((*beginning[:-1], beginning[-1] + lower[size:]))
        return None

    def _in_a_row(self, first: str) -> Words:
        """The words before an ending, which are several where contractions stand in a row."""
        if not any(sign in first for sign in _APOSTROPHES) or self.doubtful.get(first, 0.0) < 0.0:
            return (first,)
        return self.candidate(first) or (first,)

    def is_doubtful(self, form: str) -> bool:
        return form.lower() in self.doubtful

    def agrees(self, form: str, before: Sequence[str], after: Sequence[str]) -> bool:
        """Whether a doubtful form is several words between these neighbours."""
        lower = form.lower()
        rows = context_rows(form, lower, before, after, self.classes)
        return self.doubtful[lower] + float(self.weights[rows].sum()) > 0.0

    # -------------------------------------------------------------- storing

    def to_labels(self) -> dict[str, list[str]]:
        tables = {"known": self.known, "endings": self.endings, "beginnings": self.beginnings}
        labels = {
            name: [_SEPARATOR.join((key, *words)) for key, words in sorted(table.items())]
            for name, table in tables.items()
        }
        labels["doubtful"] = sorted(self.doubtful)
        if self.marks:
            labels["marks"] = sorted(self.marks)
        return labels

    def to_arrays(self) -> dict[str, NDArray[np.float32] | NDArray[np.int32]]:
        rows = np.flatnonzero(self.weights).astype(np.int32)
        odds = [self.doubtful[form] for form in sorted(self.doubtful)]
        return {
            "doubtful_odds": np.array(odds, dtype=np.float32),
            "doubtful_rows": rows,
            "doubtful_weights": self.weights[rows],
        }

    @classmethod
    def from_parts(
        cls,
        labels: dict[str, list[str]],
        odds: NDArray[np.float32],
        rows: NDArray[np.int32],
        weights: NDArray[np.float32],
    ) -> Splitter:
        def table(name: str) -> dict[str, Words]:
            lines = (line.split(_SEPARATOR) for line in labels.get(name, ()))
            return {line[0]: tuple(line[1:]) for line in lines}

        doubtful = labels.get("doubtful", [])
        bad = len(doubtful) != len(odds) or len(rows) != len(weights)
        if bad or (len(rows) and not 0 <= rows.min() <= rows.max() < 1 << CONTEXT_BITS):
            raise ModelError("the model's tokeniser: the tables of multi-word tokens do not fit")
        splitter = cls(table("known"), dict(zip(doubtful, map(float, odds), strict=True)))
        splitter.endings, splitter.beginnings = table("endings"), table("beginnings")
        splitter.marks = frozenset(labels.get("marks", ()))
        splitter.weights[rows] = weights
        return splitter


def context_rows(
    form: str, lower: str, before: Sequence[str], after: Sequence[str], classes: Mapping[str, int]
) -> NDArray[np.int64]:
    """Rows of the features of a doubtful form: it, with its case and its neighbours."""
    previous = before[-1].lower() if before else ""
    following = after[0].lower() if after else ""
    case = "U" if form.isupper() else ("T" if form[:1].isupper() else "l")
    names = [
        f"c{lower}|{case}",
        f"p{lower}|{previous}",
        f"n{lower}|{following}",
        f"b{lower}|{previous}|{following}",
        f"e{lower}|{previous[-2:]}|{following[-2:]}",
        f"q{lower}|{before[-2].lower() if len(before) > 1 else ''}|{previous}",
        f"m{lower}|{following}|{after[1].lower() if len(after) > 1 else ''}",
        f"s{lower}|{following[-3:]}",
        f"t{lower}|{previous[-3:]}",
        f"N|{following}",
        f"P|{previous}",
    ]
    if classes:
        # What is one word or several depends on the kind of word that follows: `its roof`.
        kind = classes.get(following, 0)
        later = classes.get(after[1].lower(), 0) if len(after) > 1 else 0
        earlier = classes.get(previous, 0)
        names += [f"k{lower}|{kind}", f"l{lower}|{kind}|{later}", f"j{lower}|{earlier}|{kind}"]
        names.append(f"i{lower}|{case}|{kind}")
    mask = (1 << CONTEXT_BITS) - 1
    return np.array([crc32(name.encode("utf-8", "surrogatepass")) & mask for name in names])


def _join_rule(words: Words) -> Words | None:
    return words if all(words) else None


def _with_case(form: str, lower: str, words: Words) -> Words:
    """The words with the case of the token."""
    if form == lower:
        return words
    if len(form) == len(lower) and "".join(words) == lower:
        pieces, at = [], 0
        for word in words:
            pieces.append(form[at : at + len(word)])
            at += len(word)
        return tuple(pieces)
    if len(form) > 1 and form.isupper():
        return tuple(word.upper() for word in words)
    if form[:1].isupper():
        return (words[0][:1].upper() + words[0][1:], *words[1:])
    return words
