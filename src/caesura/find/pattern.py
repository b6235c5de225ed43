"""A pattern, compiled once, and the search of documents for it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document, Ints
from caesura.errors import UsageError
from caesura.find.attributes import Words
from caesura.find.compile import Alternative, compile_formula
from caesura.find.parser import parse
from caesura.find.results import Matches
from caesura.find.tests import Columns, Tester

__all__ = ["Bounds", "CutShort", "Pattern", "cut_short", "find"]

#: Rows of the buffer into which the search writes.
_ROWS: Final = 1 << 14


class CutShort(UserWarning):
    """Some sentences have more matches, or need more steps, than allowed: not all was found."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one sentence may cost: words tried, and matches."""

    steps: int = 1_000_000
    matches: int = 10_000

    def __post_init__(self) -> None:
        if self.steps < 1 or self.matches < 1:
            raise UsageError("a search needs at least one step and one match for a sentence")


class Pattern:
    """A pattern over words and arcs: `Pattern("[upos=VERB]=v >nsubj []=s").find(doc)`.

    Raises `PatternError`, which points at a character, if it is none. It can be used from several
    threads, copied and pickled.
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise UsageError(f"a pattern is a string, not {type(text).__name__}")
        self.text = text
        self._compiled = compile_formula(parse(text), text)
        self._tester = Tester(text)
        for test in self._compiled.tests:
            self._tester.compile(test)
        self._keys = {key: number for number, key in enumerate(self._compiled.keys)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its words, in the order of the text."""
        return self._compiled.names

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[type[Pattern], tuple[str]]:
        return Pattern, (self.text,)

    def find(self, doc: Document, bounds: Bounds | None = None) -> Matches:
        """All matches in a document, sentence by sentence.

        A sentence that takes more than `bounds` allow is cut short: it is in `Matches.cut`. Whoever
        calls this tells of it; `Document.find` warns.
        """
        words = Words(doc)
        cut = np.zeros(len(words.bounds) - 1, dtype=np.bool_)
        rows = self._rows(words, bounds or Bounds(), cut) if doc.n_words else self._none()
        rows = _once(rows, len(self.names))
        compiled = self._compiled
        sentences = tuple(np.flatnonzero(cut).tolist())
        return Matches(doc, compiled.keys, rows, sentences, compiled.order)

    def _none(self) -> Ints:
        return np.zeros((0, len(self._keys)), dtype=np.int32)

    def _rows(self, words: Words, bounds: Bounds, cut: NDArray[np.bool_]) -> Ints:
        columns = Columns(words)
        self._tester.begin()
        n = words.doc.n_words
        passed = np.zeros(n, dtype=np.int64)
        counts = []
        for number, test in enumerate(self._compiled.tests):
            mask = self._tester.mask(test, columns)
            counts.append(int(np.count_nonzero(mask)))
            passed |= mask.astype(np.int64) << number
        wanted = [columns.comparable(attribute) for attribute in self._compiled.columns]
        compared = np.array(wanted, dtype=np.int32).reshape(len(wanted), n)
        heads = words.heads
        child, sibling = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        _core.find_family(heads, child, sibling)
        found = []
        for alternative in self._compiled.alternatives:
            first, number = _rarest(alternative, counts, n)
            if not number:
                continue
            code, slots = alternative.program(first)
            begin = 0
            while begin < len(words.bounds) - 1:
                room = np.empty((_ROWS + bounds.matches, len(self._keys)), dtype=np.int32)
                written, begin = _core.search_trees(
                    code, passed, compared, heads, child, sibling, words.bounds, begin,
                    slots, bounds.steps, bounds.matches, room, cut,
                )  # fmt: skip
                found.append(room[:written].copy())
        return np.concatenate(found) if found else self._none()


def _rarest(alternative: Alternative, counts: list[int], n: int) -> tuple[str, int]:
    """The word of an alternative that the fewest words of a document can be, and their number."""
    sizes = {key: n if test < 0 else counts[test] for key, test in alternative.words.items()}
    first = min(sizes, key=lambda key: sizes[key])
    return first, sizes[first]


def _once(rows: Ints, named: int) -> Ints:
    """Each match once, in the order of the text: the same words under the same names are one."""
    if not len(rows):
        return rows
    names, others = rows[:, :named], np.sort(rows[:, named:], axis=1)
    first = np.where(rows >= 0, rows, np.iinfo(np.int32).max).min(axis=1, keepdims=True)
    keys = np.concatenate([first, names, others], axis=1)
    order = np.lexsort(keys.T[::-1])
    keys = keys[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return rows[order[new]]


def find(doc: Document, pattern: str | Pattern, bounds: Bounds | None = None) -> Matches:
    """What `Document.find` does: find all matches, and warn if a sentence was cut short."""
    found = (pattern if isinstance(pattern, Pattern) else Pattern(pattern)).find(doc, bounds)
    if found.cut:
        warnings.warn(cut_short(found), CutShort, stacklevel=3)
    return found


def cut_short(found: Matches) -> str:
    """One sentence about sentences that were cut short."""
    numbers = ", ".join(str(number + 1) for number in found.cut[:5])
    more = f" and {len(found.cut) - 5:,} more" if len(found.cut) > 5 else ""
    many = len(found.cut) > 1
    return (
        f"sentence{'s' if many else ''} {numbers}{more} took more steps or had more matches than "
        f"allowed, so that some may be missing; relate the words of the pattern more closely, or "
        f"raise the bounds"
    )
