"""Tests of words, evaluated once for each distinct string and remembered from document to document.

A regular expression must match the whole value. It runs under a limit of time, since some take
longer than the universe lasts: what hits it is an error that names the expression and the string.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import regex
from numpy.typing import NDArray

from caesura.document import Ints
from caesura.find.attributes import Values, Words
from caesura.find.syntax import (
    Attribute,
    Choice,
    Every,
    Has,
    Literal,
    Number,
    PatternError,
    Reference,
    Reject,
    Test,
    Value,
)

__all__ = ["Columns", "Tester", "has_reference"]

Mask = NDArray[np.bool_]
#: Strings whose verdicts are remembered for each test.
_REMEMBERED: Final = 200_000
#: Seconds that an expression may take for one string, and for the strings of one document.
_ONE: Final = 0.5
_ALL: Final = 5.0
#: So much of a string is shown.
_SHOWN: Final = 40


def has_reference(test: Test) -> bool:
    """Whether a test looks at another word."""
    if isinstance(test, Reject):
        return has_reference(test.test)
    if isinstance(test, Every | Choice):
        return any(map(has_reference, test.tests))
    return isinstance(test, Reference)


class Columns:
    """The values of the attributes of one document, each made when it is first asked for."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._values: dict[Attribute, Values] = {}
        self._distinct: dict[Attribute, tuple[list[int], list[str]]] = {}
        self._shared: dict[str, int] = {"": 0}

    def of(self, attribute: Attribute) -> tuple[Values, list[int], list[str]]:
        """The values of an attribute, the codes that occur, and what they mean."""
        if attribute not in self._values:
            values = self._values[attribute] = self.words.values(attribute)
            self._distinct[attribute] = values.distinct()
        return self._values[attribute], *self._distinct[attribute]

    def comparable(self, attribute: Attribute) -> Ints:
        """Numbers that are equal for equal strings, of whatever attribute; 0 for none."""
        values, codes, texts = self.of(attribute)
        number_of = self._shared
        numbers = np.zeros(max(codes, default=0) + 1, dtype=np.int32)
        numbers[codes] = [number_of.setdefault(text, len(number_of)) for text in texts]
        return numbers[values.codes]


class Tester:
    """The tests of a pattern, compiled."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._predicates: dict[Test, Callable[[str], bool]] = {}
        self._verdicts: dict[Test, dict[str, bool]] = {}
        self._left = _ALL

    def compile(self, test: Test) -> None:
        """Compile the leaves of a test, so that what is wrong with them is told at once."""
        if isinstance(test, Reject):
            self.compile(test.test)
        elif isinstance(test, Every | Choice):
            for part in test.tests:
                self.compile(part)
        elif not isinstance(test, Reference) and test not in self._predicates:
            self._predicates[test] = self._predicate(test)
            self._verdicts[test] = {}

    def begin(self) -> None:
        """Another document: all of the time is there again."""
        self._left = _ALL

    def mask(self, test: Test, columns: Columns) -> Mask:
        """The words that pass a test without references."""
        if isinstance(test, Reject):
            return ~self.mask(test.test, columns)
        if isinstance(test, Every | Choice):
            both = np.logical_and if isinstance(test, Every) else np.logical_or
            found = self.mask(test.tests[0], columns)
            for part in test.tests[1:]:
                found = both(found, self.mask(part, columns))
            return found
        assert not isinstance(test, Reference)
        values, codes, texts = columns.of(test.attribute)
        verdicts = self._verdicts[test]
        if len(verdicts) > _REMEMBERED:
            verdicts.clear()
        predicate = self._predicates[test]
        passes = np.zeros(max(codes, default=0) + 1, dtype=bool)
        for code, text in zip(codes, texts, strict=True):
            verdict = verdicts.get(text)
            if verdict is None:
                verdict = verdicts[text] = predicate(text)
            if verdict:
                passes[code] = True
        return passes[values.codes]

    # ---------------------------------------------------------------- leaves

    def _predicate(self, test: Literal | Number | Has) -> Callable[[str], bool]:
        if isinstance(test, Has):
            return bool
        if isinstance(test, Number):
            return _comparison(test)
        exact = {value.text for value in test.values if not value.is_regex}
        bases: tuple[str, ...] = ()
        if test.attribute.name == "deprel":  # nsubj:* is nsubj with or without a subtype
            bases = tuple(text[:-2] for text in exact if text.endswith(":*"))
            exact.update(bases)
        starts = tuple(f"{base}:" for base in bases)
        matchers = [self._matcher(value) for value in test.values if value.is_regex]

        def passes(text: str) -> bool:
            return (
                text in exact
                or (bool(starts) and text.startswith(starts))
                or any(matches(text) for matches in matchers)
            )

        if test.attribute.name != "feats" or not test.attribute.key:
            return passes
        # A feature may have several values: PronType=Int,Rel.
        return lambda text: passes(text) or ("," in text and any(map(passes, text.split(","))))

    def _matcher(self, value: Value) -> Callable[[str], bool]:
        flags: Any = regex.VERSION0 | (regex.IGNORECASE if value.ignore_case else 0)
        try:
            compiled = regex.compile(value.text, flags)
        except (regex.error, RecursionError, OverflowError, ValueError) as error:
            position = getattr(error, "pos", None) or 0
            what = getattr(error, "msg", None) or str(error) or type(error).__name__
            raise PatternError(
                f"the regular expression is wrong ({what})", self.pattern, value.at + 1 + position
            ) from None

        def matches(text: str) -> bool:
            if not text:
                return compiled.fullmatch("") is not None
            began = time.perf_counter()
            try:
                found = compiled.fullmatch(text, timeout=max(min(_ONE, self._left), 0.001))
            except TimeoutError:
                raise PatternError(
                    f"the regular expression takes too long for {text[:_SHOWN]!r}",
                    self.pattern,
                    value.at,
                    remedy="Write it without repetitions inside repetitions, such as (a+)+.",
                ) from None
            except (MemoryError, RecursionError):
                raise PatternError(
                    f"the regular expression needs too much memory for {text[:_SHOWN]!r}",
                    self.pattern,
                    value.at,
                ) from None
            self._left -= time.perf_counter() - began
            return found is not None

        return matches


def _comparison(test: Number) -> Callable[[str], bool]:
    limit, operator = test.number, test.operator

    def passes(text: str) -> bool:
        try:
            number = float(text)
        except ValueError:
            return False
        if operator == "<":
            return number < limit
        if operator == "<=":
            return number <= limit
        return number > limit if operator == ">" else number >= limit

    return passes
