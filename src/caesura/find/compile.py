"""The tree of a pattern to programs for the core, one for each alternative.

Alternatives are multiplied out, so that each is a plain list of words, tests, relations and parts
that must not be. The words are bound in an order that starts with the rarest and goes along the
relations that leave the fewest words; what can be checked is checked as soon as it can be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from caesura.document import Ints
from caesura.find import codes
from caesura.find.syntax import (
    All,
    Any,
    Attribute,
    Choice,
    Every,
    Formula,
    Mention,
    PatternError,
    Reference,
    Reject,
    Related,
    Relation,
    Test,
    Without,
)
from caesura.find.tests import has_reference

__all__ = ["Alternative", "Compiled", "compile_formula"]

#: The most words of a pattern, tests of its words, and alternatives when they are multiplied out.
MOST_WORDS: Final = 40
MOST_TESTS: Final = 62
MOST_ALTERNATIVES: Final = 200

_RELATION: Final = {
    "child": codes.CHILD,
    "descendant": codes.DESCENDANT,
    "before": codes.ORDER,
    "sibling": codes.SIBLING,
    "sibling-before": codes.SIBLING_BEFORE,
    "sibling-next": codes.SIBLING_NEXT,
}
#: Where the words of a node come from if the first, or the second, of a relation is bound; and how
#: many words that leaves, roughly.
_FROM_FIRST: Final = {
    "child": (codes.CHILDREN, 3),
    "before": (codes.AFTER, 8),
    "sibling": (codes.SIBLINGS, 4),
    "sibling-before": (codes.SIBLINGS, 4),
    "sibling-next": (codes.SIBLINGS, 4),
    "descendant": (codes.ALL, 20),
}
_FROM_SECOND: Final = {
    **_FROM_FIRST,
    "child": (codes.HEAD, 1),
    "before": (codes.BEFORE, 8),
    "descendant": (codes.ANCESTORS, 4),
}


@dataclass(slots=True)
class Conjunction:
    """Words with their tests, relations, references, and parts that must not be."""

    words: dict[str, list[Test]] = field(default_factory=dict)
    #: Where each word is first mentioned.
    places: dict[str, int] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    #: The word that refers, to what, and whether the values shall be the same.
    references: list[tuple[str, Reference, bool]] = field(default_factory=list)
    without: list[Conjunction] = field(default_factory=list)

    def joined(self, other: Conjunction) -> Conjunction:
        words = {key: list(tests) for key, tests in self.words.items()}
        for key, tests in other.words.items():
            own = words.setdefault(key, [])
            own += [test for test in tests if test not in own]
        return Conjunction(
            words,
            {**other.places, **self.places},
            [*self.relations, *(r for r in other.relations if r not in self.relations)],
            self.references + other.references,
            self.without + other.without,
        )


# ------------------------------------------------------------- multiplying out


def _expand(formula: Formula, pattern: str) -> list[Conjunction]:
    if isinstance(formula, Mention):
        places = {formula.key: formula.at}
        if formula.test is None:
            return [Conjunction({formula.key: []}, places)]
        return [
            Conjunction({formula.key: tests}, places, references=references)
            for tests, references in _test_choices(formula.test, formula.key, pattern, formula.at)
        ]
    if isinstance(formula, Related):
        return [Conjunction(relations=[formula.relation])]
    if isinstance(formula, Without):
        return [Conjunction(without=_expand(formula.part, pattern))]
    if isinstance(formula, Any):
        found = [option for part in formula.parts for option in _expand(part, pattern)]
        _check_number(len(found), pattern, formula.at)
        return found
    assert isinstance(formula, All)
    options = [Conjunction()]
    for part in formula.parts:
        more = _expand(part, pattern)
        _check_number(len(options) * len(more), pattern, 0)
        options = [before.joined(after) for before in options for after in more]
    return options


def _check_number(number: int, pattern: str, at: int) -> None:
    if number > MOST_ALTERNATIVES:
        raise PatternError(
            f"the alternatives multiply to more than {MOST_ALTERNATIVES}",
            pattern,
            at,
            remedy="Search for some of them at a time.",
        )


_Tests = tuple[list[Test], list[tuple[str, Reference, bool]]]


def _test_choices(test: Test, key: str, pattern: str, at: int, wanted: bool = True) -> list[_Tests]:
    """A test as alternatives of tests without references, and references."""
    if isinstance(test, Reject):
        return _test_choices(test.test, key, pattern, at, not wanted)
    if isinstance(test, Reference):
        return [([], [(key, test, wanted)])]
    if not has_reference(test):
        return [([test if wanted else Reject(test)], [])]
    assert isinstance(test, Every | Choice)
    parts = [_test_choices(part, key, pattern, at, wanted) for part in test.tests]
    if isinstance(test, Choice) == wanted:
        found = [option for part in parts for option in part]
        _check_number(len(found), pattern, at)
        return found
    options: list[_Tests] = [([], [])]
    for part in parts:
        _check_number(len(options) * len(part), pattern, at)
        options = [(a + c, b + d) for a, b in options for c, d in part]
    return options


# --------------------------------------------------------------------- programs


@dataclass(slots=True)
class Compiled:
    """A pattern as tests, columns for references, names and alternatives."""

    #: Names of words in the order of the text, then words without one.
    keys: list[str]
    tests: list[Test]
    columns: list[Attribute]
    alternatives: list[Alternative]
    #: The numbers of the keys in the order of the text.
    order: list[int]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(key for key in self.keys if not key.startswith("#"))


class Alternative:
    """One alternative; its program depends on which of its words is the rarest."""

    def __init__(self, conjunction: Conjunction, compiler: _Compiler) -> None:
        self._conjunction = conjunction
        self._compiler = compiler
        self._programs: dict[str, tuple[Ints, int]] = {}
        #: The words of it, each with the number of its test, -1 for none.
        self.words = {key: compiler.test_number(tests) for key, tests in conjunction.words.items()}
        self.program(next(iter(self.words)))  # whatever is wrong is told at once

    def program(self, first: str) -> tuple[Ints, int]:
        """The instructions if the search begins with this word, and how many words they bind."""
        if first not in self._programs:
            self._programs[first] = self._compiler.program(self._conjunction, first)
        return self._programs[first]


def compile_formula(formula: Formula, pattern: str) -> Compiled:
    """Compile the tree of a pattern."""
    conjunctions = _expand(formula, pattern)
    compiler = _Compiler(pattern, conjunctions)
    for conjunction in conjunctions:
        if not conjunction.words:
            raise PatternError(
                "there is no word to find, only what must not be",
                pattern,
                0,
                remedy="Name a word first: []; !( … ).",
            )
    alternatives = [Alternative(conjunction, compiler) for conjunction in conjunctions]
    order = sorted(range(len(compiler.keys)), key=lambda n: compiler.places[compiler.keys[n]])
    return Compiled(compiler.keys, compiler.tests, compiler.columns, alternatives, order)


class _Compiler:
    def __init__(self, pattern: str, conjunctions: list[Conjunction]) -> None:
        self.pattern = pattern
        self.tests: list[Test] = []
        self.columns: list[Attribute] = []
        places: dict[str, int] = {}
        for conjunction in conjunctions:
            for key, place in conjunction.places.items():
                places[key] = min(place, places.get(key, place))
        self.places = places
        self.keys = sorted(places, key=lambda key: (key.startswith("#"), places[key]))
        if len(self.keys) > MOST_WORDS:
            raise self.too_many(places[self.keys[MOST_WORDS]])

    def too_many(self, at: int) -> PatternError:
        what = f"the pattern has more than {MOST_WORDS} words"
        return PatternError(what, self.pattern, at)

    def test_number(self, tests: list[Test]) -> int:
        """The number of the test that is all of some tests, -1 for none."""
        if not tests:
            return -1
        test = tests[0] if len(tests) == 1 else Every(tuple(tests))
        if test not in self.tests:
            if len(self.tests) == MOST_TESTS:
                raise PatternError(
                    f"the pattern has more than {MOST_TESTS} different tests", self.pattern, 0
                )
            self.tests.append(test)
        return self.tests.index(test)

    def column(self, attribute: Attribute) -> int:
        if attribute not in self.columns:
            self.columns.append(attribute)
        return self.columns.index(attribute)

    def program(self, conjunction: Conjunction, first: str) -> tuple[Ints, int]:
        builder = _Builder(self)
        numbers = {key: number for number, key in enumerate(self.keys)}
        builder.part(conjunction, {}, numbers, first, kept=True)
        builder.add(codes.EMIT)
        return np.array(builder.code, dtype=np.int32), builder.slots


class _Builder:
    """The instructions of one program, written down in order."""

    def __init__(self, compiler: _Compiler) -> None:
        self.compiler = compiler
        self.code: list[list[int]] = []
        #: Numbers of words within parts that must not be lie behind those of the pattern.
        self.slots = len(compiler.keys)

    def add(self, *numbers: int) -> None:
        self.code.append([*numbers, *([0] * (codes.WIDTH - len(numbers)))])

    def part(
        self,
        conjunction: Conjunction,
        outer: dict[str, int],
        numbers: dict[str, int],
        first: str | None,
        kept: bool,
    ) -> None:
        """Bind the words of a conjunction that are not bound outside of it, and check the rest.

        `outer` are the numbers of words that are bound, `numbers` those of words to be bound.
        """
        bound = dict(outer)
        left = [key for key in conjunction.words if key not in bound]
        relations = list(conjunction.relations)
        references = list(conjunction.references)
        for key, tests in conjunction.words.items():
            number = self.compiler.test_number(tests)
            if key in bound and number >= 0:
                self.add(codes.TEST, bound[key], number)
        self._check(bound, relations, references)
        while left:
            key, source = self._choose(left, bound, relations, first)
            first = None
            left.remove(key)
            number = self.compiler.test_number(conjunction.words[key])
            self.add(codes.BIND, numbers[key], *source, number, 0 if kept else -1)
            bound[key] = numbers[key]
            self._check(bound, relations, references)
        for part in conjunction.without:
            self._without(bound, part)
        if references:
            _, reference, _ = references[0]
            raise PatternError(
                f"there is no word {reference.name!r} here",
                self.compiler.pattern,
                reference.at,
                remedy='Name one, as in x[]; a value is put in quotes: "x.lemma".',
            )

    def _choose(
        self, left: list[str], bound: dict[str, int], relations: list[Relation], first: str | None
    ) -> tuple[str, tuple[int, int, int, int]]:
        """The next word, and where its words come from: the source, its base, low and high."""
        if first is not None:
            return first, (codes.ALL, 0, 0, 0)
        best: tuple[int, str, tuple[int, int, int, int]] | None = None
        for relation in relations:
            for key, other, sources in (
                (relation.second, relation.first, _FROM_FIRST),
                (relation.first, relation.second, _FROM_SECOND),
            ):
                if key not in left or other not in bound:
                    continue
                source, cost = sources[relation.kind]
                if relation.kind == "before":
                    cost = min(cost, relation.high - relation.low + 1)
                found = (source, bound[other], relation.low, relation.high)
                if best is None or cost < best[0]:
                    best = (cost, key, found)
        if best is None:
            return left[0], (codes.ALL, 0, 0, 0)
        return best[1], best[2]

    def _check(
        self,
        bound: dict[str, int],
        relations: list[Relation],
        references: list[tuple[str, Reference, bool]],
    ) -> None:
        """What can be checked now that some words are bound; it is taken out of the lists."""
        for relation in [r for r in relations if r.first in bound and r.second in bound]:
            relations.remove(relation)
            label = self.compiler.test_number([relation.label] if relation.label else [])
            self.add(
                codes.RELATED,
                _RELATION[relation.kind],
                bound[relation.first],
                bound[relation.second],
                relation.low,
                relation.high,
                label,
            )
        for item in [i for i in references if i[0] in bound and i[1].name in bound]:
            references.remove(item)
            key, reference, wanted = item
            own = self.compiler.column(reference.attribute)
            other = self.compiler.column(reference.other)
            self.add(codes.SAME, bound[key], own, bound[reference.name], other, int(wanted))

    def _without(self, bound: dict[str, int], part: Conjunction) -> None:
        """Write a part that must not be, with words of its own."""
        begin = len(self.code)
        self.add(codes.NOT)
        numbers = dict(bound)
        for key in part.words:
            if key not in bound:
                numbers[key] = self.slots
                self.slots += 1
                if self.slots > 2 * MOST_WORDS:
                    raise self.compiler.too_many(part.places.get(key, 0))
        self.part(part, bound, numbers, None, kept=False)
        self.code[begin][1] = len(self.code)
        self.add(codes.END_NOT, begin)
