"""The rules of the Universal Dependencies guidelines for one sentence.

A rule has the identifier that UD's validator uses. The rules follow the published guidelines:
tables say which UPOS goes with a relation, which dependents a function word may have, which
relations go from left to right. `Guidelines` (table.py) adds what depends on a language.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from caesura.guidelines.table import (
    DEPENDENTS_OF,
    NOMINAL_RELATIONS,
    NOMINALS,
    RIGHTWARD,
    UPOS_OF,
    Guidelines,
    base,
)

__all__ = ["RULES", "Problem", "SentenceView", "check_sentence"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A violation of a rule: the word (counted from 0) and what is wrong."""

    rule: str
    word: int
    message: str


@dataclass
class SentenceView:
    """The columns of one sentence as lists; a head is a word of the sentence, -1 the root."""

    form: list[str]
    lemma: list[str]
    upos: list[str]
    feats: list[dict[str, str]]
    head: list[int]
    deprel: list[str]
    #: Whether a space or a line end follows the word.
    spaced: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.form)

    @cached_property
    def relation(self) -> list[str]:
        """The relations without subtypes."""
        return [base(relation) for relation in self.deprel]

    @cached_property
    def external(self) -> list[str]:
        """The UPOS that a word has for its head: that of the expression which it starts."""
        pairs = zip(self.upos, self.feats, strict=True)
        return [feats.get("ExtPos", upos) for upos, feats in pairs]

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of each word, from left to right."""
        found: list[list[int]] = [[] for _ in self.form]
        for word, head in enumerate(self.head):
            if head >= 0:
                found[head].append(word)
        return found

    @cached_property
    def is_tree(self) -> bool:
        """Whether every word reaches the root; rules about paths need that."""
        state = [0] * len(self)
        for word in range(len(self)):
            path = []
            while word >= 0 and state[word] == 0:
                state[word] = 1
                path.append(word)
                word = self.head[word]
            if word < -1 or (word >= 0 and state[word] == 1):
                return False
            for passed in path:
                state[passed] = 2
        return True

    def path(self, word: int) -> set[int]:
        """The heads above a word; -1 stands for the root."""
        found = set()
        while word >= 0:
            word = self.head[word]
            found.add(word)
        return found

    def gap(self, word: int) -> list[int]:
        """The words between a word and its head that the head does not dominate."""
        head = self.head[word]
        between = range(min(word, head) + 1, max(word, head)) if head >= 0 else ()
        return [other for other in between if head not in self.path(other)]


Rule = Callable[[SentenceView, Guidelines], Iterator[Problem]]


def _roots(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    for word, (head, relation) in enumerate(zip(s.head, s.relation, strict=True)):
        if head == -1 and relation != "root":
            yield Problem("0-is-not-root", word, f"the root has the relation {relation}")
        if head >= 0 and relation == "root":
            yield Problem("root-is-not-0", word, "the relation is root but the head is a word")


def _relation_and_upos(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    for word, relation in enumerate(s.relation):
        if s.upos[word] == "_":
            continue
        allowed = UPOS_OF.get(relation)
        if allowed is not None and s.external[word] not in allowed:
            what = f"a word with the relation {relation} has the tag {s.external[word]}"
            yield Problem(f"rel-upos-{relation}", word, what)
        if s.upos[word] == "PUNCT" and relation not in ("punct", "root"):
            what = f"a word with the tag PUNCT has the relation {relation}"
            yield Problem("upos-rel-punct", word, what)


def _dependents(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    for word, relation in enumerate(s.relation):
        rule, allowed = DEPENDENTS_OF.get(relation, ("", frozenset()))
        for child in s.children[word] if rule else ():
            if s.relation[child] not in allowed:
                what = f"{s.form[word]!r} ({relation}) has a dependent with the relation "
                yield Problem(rule, child, what + s.relation[child])


def _direction(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    for word, relation in enumerate(s.relation):
        if relation in RIGHTWARD and s.head[word] > word:
            what = f"the head of a word with the relation {relation} comes after it"
            yield Problem(f"right-to-left-{relation}", word, what)


def _twice(s: SentenceView, rule: str, name: str, relations: Collection[str]) -> Iterator[Problem]:
    for word, children in enumerate(s.children):
        found = [
            child
            for child in children
            if s.relation[child] in relations and not s.deprel[child].endswith(":outer")
        ]
        if len(found) > 1:
            forms = ", ".join(repr(s.form[child]) for child in found)
            yield Problem(rule, word, f"{s.form[word]!r} has several {name}: {forms}")


def _subjects(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    return _twice(s, "too-many-subjects", "subjects", ("nsubj", "csubj"))


def _objects(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    return _twice(s, "too-many-objects", "objects", ("obj",))


def _nominal_dependents(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    for word, relation in enumerate(s.relation):
        head = s.head[word]
        if relation != "obl" or head < 0:
            continue
        if s.upos[head] not in NOMINALS or s.relation[head] not in NOMINAL_RELATIONS:
            continue
        if not any(s.relation[child] in ("cop", "nsubj", "csubj") for child in s.children[head]):
            what = f"a dependent of the nominal {s.form[head]!r} has the relation obl, not nmod"
            yield Problem("obl-should-be-nmod", word, what)


def _auxiliaries(s: SentenceView, table: Guidelines) -> Iterator[Problem]:
    for word, lemma in enumerate(s.lemma):
        if lemma == "_":
            continue
        if s.upos[word] == "AUX" and table.auxiliaries and lemma not in table.auxiliaries:
            yield Problem("aux-lemma", word, f"{lemma!r} is no auxiliary of the language")
        if s.relation[word] == "cop" and table.copulas and lemma not in table.copulas:
            yield Problem("cop-lemma", word, f"{lemma!r} is no copula of the language")


def _features(s: SentenceView, table: Guidelines) -> Iterator[Problem]:
    for word, feats in enumerate(s.feats if table.features else ()):
        known = table.features.get(s.upos[word], frozenset())
        for name, values in feats.items():
            for value in values.split(","):
                if f"{name}={value}" not in known:
                    what = f"the feature {name}={value} does not go with the tag {s.upos[word]}"
                    yield Problem("feature-upos-not-permitted", word, what)


def _letters(s: SentenceView, table: Guidelines) -> Iterator[Problem]:
    for word, form in enumerate(s.form if table.words else ()):  # a language may write "(1)" so
        mark = s.upos[word] != "PUNCT" or form.lower() in table.punctuation
        if not mark and any(map(str.isalnum, form)):
            what = f"{form!r} has letters or digits and the tag PUNCT"
            yield Problem("punct-with-letters", word, what)


def _closed_class(s: SentenceView, table: Guidelines) -> Iterator[Problem]:
    for word, form in enumerate(s.form):
        known = table.closed.get(form.lower())
        if known is not None and s.upos[word] not in known and s.upos[word] != "_":
            what = f"{form!r} has the tag {s.upos[word]}; known are {', '.join(sorted(known))}"
            yield Problem("closed-class-tag", word, what)


def _crossing(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    if not s.is_tree:
        return
    for word, relation in enumerate(s.relation):
        gap = s.gap(word)
        if relation == "punct" and gap:
            yield Problem("punct-is-nonproj", word, "the arc to punctuation crosses another")
        inside = set(gap)
        for other in gap:
            if s.relation[other] == "punct" and s.head[other] not in inside:
                what = f"the arc of {s.form[word]!r} crosses that of this punctuation"
                yield Problem("punct-causes-nonproj", other, what)


def _goes_with(s: SentenceView, _: Guidelines) -> Iterator[Problem]:
    for word, children in enumerate(s.children):
        parts = [child for child in children if s.relation[child] == "goeswith"]
        if not parts:
            continue
        whole = range(word, parts[-1] + 1)
        if len(parts) != len(whole) - 1:
            yield Problem("goeswith-gap", word, "words stand between the parts of a word")
        elif s.spaced and not all(s.spaced[part] for part in whole[:-1]):
            yield Problem("goeswith-nospace", word, "no space separates the parts of a word")
        if s.feats[word].get("Typo") != "Yes":
            yield Problem("goeswith-missing-typo", word, "a word in parts lacks Typo=Yes")
        for part in parts:
            if s.upos[part] not in ("X", "_"):
                yield Problem("goeswith-upos", part, "a later part of a word has a tag besides X")
            if s.lemma[part] != "_":
                yield Problem("goeswith-lemma", part, "a later part of a word has a lemma")
            if s.feats[part]:
                yield Problem("goeswith-feats", part, "a later part of a word has features")


#: Each check with the beginnings of the identifiers that it reports.
RULES: Final[Sequence[tuple[Rule, tuple[str, ...]]]] = (
    (_roots, ("0-is-not-root", "root-is-not-0")),
    (_relation_and_upos, ("rel-upos-", "upos-rel-punct")),
    (_dependents, ("leaf-",)),
    (_direction, ("right-to-left-",)),
    (_subjects, ("too-many-subjects",)),
    (_objects, ("too-many-objects",)),
    (_nominal_dependents, ("obl-should-be-nmod",)),
    (_auxiliaries, ("aux-lemma", "cop-lemma")),
    (_features, ("feature-upos-not-permitted",)),
    (_letters, ("punct-with-letters",)),
    (_closed_class, ("closed-class-tag",)),
    (_crossing, ("punct-is-nonproj", "punct-causes-nonproj")),
    (_goes_with, ("goeswith-",)),
)


def check_sentence(sentence: SentenceView, table: Guidelines) -> list[Problem]:
    """The problems of a sentence, by word; rules that the table switches off are left out."""
    found = {
        (problem.word, problem.rule): problem
        for check, _ in RULES
        for problem in check(sentence, table)
        if problem.rule not in table.off
    }
    return [found[key] for key in sorted(found)]
