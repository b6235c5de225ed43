"""Noun phrases and who does what to whom, each a pattern and a few lines over its matches.

They read Universal Dependencies. docs/howto/recipes.md shows how to write one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from caesura.document import Document, Span, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Triple", "noun_phrases", "triples"]

#: Nouns that are more than the second part of a name, and stand for something.
_NOUNS: Final = "n[upos=NOUN|PROPN|PRON, udeprel!=flat|fixed|goeswith|compound|expl|reparandum]"
#: What belongs to a noun before it, and behind it.
_BEFORE: Final = frozenset({"det", "amod", "nummod", "compound", "nmod", "punct"})
_BEHIND: Final = frozenset({"flat", "fixed", "goeswith", "compound"})

#: Active; passive with the one who does it; verbs that share the subject of another: one beside it,
#: and one that it wants to do.
_CLAUSES: Final = (
    "v[upos=VERB] >nsubj s[] >obj o[]",
    "v[upos=VERB] >nsubj:pass o[] >obl|obl:agent (s[] >case [lemma=by])",
    "v[upos=VERB] >obj o[] !>nsubj|nsubj:pass [] <conj (u[upos=VERB] >nsubj s[])",
    "v[upos=VERB] >obj o[] !>nsubj|nsubj:pass [] <xcomp (u[upos=VERB] >nsubj s[] !>obj|iobj [])",
)


class Triple(NamedTuple):
    """Who does what to whom: three words of a sentence."""

    subject: Word
    verb: Word
    object: Word


def noun_phrases(doc: Document) -> list[Span]:
    """The base noun phrases: a noun with what belongs to it before it, none inside another."""
    found: list[Span] = []
    limit = len(doc)
    for match in reversed(doc.find(_NOUNS)):
        noun = match["n"]
        first, last = _first(noun), _last(noun)
        if last <= limit:
            found.append(doc[first:last])
            limit = first
    return found[::-1]


def _first(noun: Word) -> int:
    """Where the phrase of a noun begins: prepositions, copulas and subjects do not belong to it."""
    first = noun.index
    for child in reversed([child for child in noun.children if child.index < noun.index]):
        if _relation(child) not in _BEFORE or child.right_edge.index != first - 1:
            break
        first = child.left_edge.index
    while first < noun.index and _relation(noun.doc[first]) == "punct":
        first += 1
    return first


def _last(noun: Word) -> int:
    last = noun.index + 1
    for child in noun.children:
        if child.index == last and _relation(child) in _BEHIND:
            last = child.right_edge.index + 1
    return last


def _relation(word: Word) -> str:
    return word.deprel.partition(":")[0]


def triples(doc: Document) -> list[Triple]:
    """Subject, verb and object of each clause that has all three; each of those that share one."""
    found = [
        Triple(subject, match["v"], object)
        for match in doc.find(" | ".join(_CLAUSES))
        for subject in _and_conjuncts(match["s"])
        for object in _and_conjuncts(match["o"])
    ]
    return sorted(found, key=lambda triple: [triple.verb.index, *(word.index for word in triple)])


def _and_conjuncts(word: Word) -> Iterator[Word]:
    yield word
    yield from (child for child in word.children if _relation(child) == "conj")
