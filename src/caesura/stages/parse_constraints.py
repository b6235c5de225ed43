"""From `Constraints` to what the decoders obey: by word, with labels as numbers, checked.

`WordConstraints` is read off a document in one way; `limits_of` makes of it the `Limits` of the
joint system, `arc_limits_of` the `ArcLimits` of the hybrid one. What no tree can satisfy is refused
here, by name, before the search starts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import projective_rank
from caesura.constraints import Constraints, fixed_starts_of
from caesura.document import NO, ROOT, UNKNOWN, YES, Document, Strings
from caesura.errors import InputError
from caesura.stages.tree_parser import name_of

#: Values of Limits.starts.
FREE: Final = 0
MUST: Final = 1
NEVER: Final = 2


class Limits(NamedTuple):
    """What the caller fixed; arrays of length 0 where nothing of the kind is fixed.

    `starts` says where a sentence must or must never start; a word `w` must start one also if the
    last start is not after `after[w]`. `heads` and `labels` are given arcs (UNKNOWN, -1: free),
    `wanted` the number of given dependents, `rank` the projective order of the given arcs;
    `patient` is true if a start need not be announced at once.
    """

    starts: NDArray[np.int8]
    after: NDArray[np.int32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    wanted: NDArray[np.int32]
    rank: NDArray[np.int32]
    patient: bool


@cache
def no_limits() -> Limits:
    """Nothing is fixed."""
    none = np.zeros(0, np.int32)
    return Limits(np.zeros(0, np.int8), none, none, none, none, none, False)


Ints = NDArray[np.int32]


@dataclass
class WordConstraints:
    """Boundaries (FREE, MUST, NEVER), heads (UNKNOWN where free) and labels (-1 where free)."""

    starts: NDArray[np.int8]
    heads: Ints
    labels: Ints

    @classmethod
    def of(cls, doc: Document, labels: Sequence[str]) -> WordConstraints:
        """What a document fixes; the words of one token never lie in two sentences."""
        n = doc.n_words
        fixed = Constraints.of(doc)
        starts = starts_of([doc], np.array([0, n], np.int64))
        heads = np.full(n, UNKNOWN, np.int32)
        relations = np.full(n, -1, np.int32)
        if fixed.heads is not None and fixed.deprels is not None:
            heads[:] = fixed.heads
            numbers = label_numbers(doc.strings, labels)
            relations = np.where(fixed.deprels > 0, numbers[fixed.deprels], -1).astype(np.int32)
        return cls(starts, heads, relations)

    @property
    def anything(self) -> bool:
        return bool(self.starts[1:].any() or self.any_arc)

    @property
    def any_arc(self) -> bool:
        """Whether a head or a label is fixed."""
        return bool((self.heads != UNKNOWN).any() or self.any_label)

    @property
    def any_label(self) -> bool:
        return bool((self.labels >= 0).any())

    def sentence(self, a: int, b: int, doc: Document) -> WordConstraints:
        """What is fixed of the sentence of words a..b-1, counted from its first word."""
        heads = self.heads[a:b]
        outside = (heads >= 0) & ((heads < a) | (heads >= b))
        if outside.any():
            word = a + int(np.flatnonzero(outside)[0])
            raise InputError(
                f"word {word + 1} of {name_of(doc)} is given a head in another sentence",
                file=doc.source,
                remedy="Leave the head or the boundary open.",
            )
        local = np.where(heads >= 0, heads - a, heads).astype(np.int32)
        return WordConstraints(np.zeros(b - a, np.int8), local, self.labels[a:b])


class ArcLimits(NamedTuple):
    """Heads and labels that the caller fixed, by word, -1 where free.

    Words of a sentence count from 1; place 0 belongs to its root.
    """

    heads: Ints
    labels: Ints

    def part(self, first: int, last: int) -> ArcLimits:
        return ArcLimits(self.heads[first:last], self.labels[first:last])


def limits_of(
    given: WordConstraints, *, single_root: bool, name: str = "the document", patient: bool = False
) -> Limits:
    """Limits for the search; what cannot hold together is refused."""
    n = len(given.heads)
    none = np.zeros(0, np.int32)
    starts = given.starts.copy()
    after = np.full(n, -1, np.int32)
    known = given.heads != UNKNOWN
    if not known.any():
        labels = given.labels if given.any_label else none
        return Limits(starts, after, none, labels, none, none, patient)
    heads = given.heads.astype(np.int32)
    _check_heads(heads, name)
    rank = projective_rank(heads)
    if len(rank) < n:
        raise InputError(
            f"the given heads of {name} have a cycle: {_cycle(heads)}",
            remedy="Leave one of these heads open.",
        )
    _forbid_inside_arcs(starts, heads, name)
    if single_root:
        _one_root_each(starts, after, heads, name)
    wanted = np.bincount(heads[heads >= 0], minlength=n).astype(np.int32)
    labels = given.labels if given.any_label else none
    return Limits(starts, after, heads, labels, wanted, rank, patient)


def arc_limits_of(
    given: WordConstraints, doc: Document, bounds: NDArray[np.int64], *, single_root: bool
) -> ArcLimits:
    """Limits for the hybrid system: sentence after sentence, with a place more for each root.

    Cycles, wrong numbers and (if asked) second roots are refused by name.
    """
    size = len(given.heads) + len(bounds) - 1
    heads, labels = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    for s, (a, b) in enumerate(itertools.pairwise(bounds.tolist())):
        own = given.sentence(a, b, doc)
        limits_of(own, single_root=single_root, name=name_of(doc))
        places = slice(a + s + 1, b + s + 1)
        heads[places] = np.where(own.heads == UNKNOWN, -1, own.heads + 1)
        labels[places] = own.labels
    return ArcLimits(heads, labels)


def limits_of_starts(docs: Sequence[Document], bounds: NDArray[np.int64]) -> Limits:
    """Limits for one search through documents of which nothing but boundaries is given."""
    starts = starts_of(docs, bounds)
    if not starts.any():
        return no_limits()
    none = np.zeros(0, np.int32)
    return Limits(starts, np.full(len(starts), -1, np.int32), none, none, none, none, False)


def starts_of(docs: Sequence[Document], bounds: NDArray[np.int64]) -> NDArray[np.int8]:
    """FREE, MUST or NEVER for each word of documents that lie one behind another.

    The words of one token never lie in two sentences; the first word of a document is free.
    """
    starts = np.zeros(bounds[-1], np.int8)
    if not len(starts):
        return starts
    for k, told in fixed_starts_of(docs).items():
        by_word = told[docs[k].word_token]
        own = starts[bounds[k] : bounds[k + 1]]
        own[by_word == YES] = MUST
        own[by_word == NO] = NEVER
    token = np.concatenate([doc.word_token for doc in docs])
    starts[1:][token[1:] == token[:-1]] = NEVER
    starts[bounds[:-1][np.diff(bounds) > 0]] = FREE
    return starts


def _check_heads(heads: Ints, name: str) -> None:
    n = len(heads)
    bad = np.flatnonzero((heads >= n) | (heads < UNKNOWN) | (heads == np.arange(n)))
    if len(bad):
        word = int(bad[0])
        raise InputError(
            f"word {word + 1} of {name} is given the head {int(heads[word]) + 1}, which cannot be",
            remedy="Give the number of another word of the document, 0 for the root.",
        )


def _cycle(heads: Ints) -> str:
    """The words of one cycle, counted from 1."""
    state = np.zeros(len(heads), np.int8)
    for start in range(len(heads)):
        path: list[int] = []
        word = start
        while word >= 0 and state[word] == 0:
            state[word] = 1
            path.append(word)
            word = int(heads[word])
        if word >= 0 and state[word] == 1:
            return " → ".join(str(w + 1) for w in path[path.index(word) :])
        state[path] = 2
    return ""


def _forbid_inside_arcs(starts: NDArray[np.int8], heads: Ints, name: str) -> None:
    """No sentence starts between a word and its given head."""
    n = len(heads)
    words = np.flatnonzero(heads >= 0)
    low, high = np.minimum(words, heads[words]), np.maximum(words, heads[words])
    change = np.zeros(n + 1, np.int64)
    np.add.at(change, low + 1, 1)
    np.add.at(change, high + 1, -1)
    inside = np.cumsum(change[:n]) > 0
    clash = np.flatnonzero(inside & (starts == MUST))
    if len(clash):
        start = int(clash[0])
        k = int(np.flatnonzero((low < start) & (high >= start))[0])
        word, head = int(words[k]), int(heads[words[k]])
        raise InputError(
            f"word {start + 1} of {name} must start a sentence, but the given arc from "
            f"{head + 1} to {word + 1} crosses that boundary",
            remedy="Leave the boundary or the head open.",
        )
    starts[inside] = NEVER


def _one_root_each(starts: NDArray[np.int8], after: Ints, heads: Ints, name: str) -> None:
    """Between two given roots a sentence must start; where it can do so last, it is made to."""
    roots = np.flatnonzero(heads == ROOT)
    possible = np.flatnonzero(starts != NEVER)
    for first, second in zip(roots.tolist(), roots[1:].tolist(), strict=False):
        at = int(np.searchsorted(possible, second, side="right")) - 1
        if at < 0 or possible[at] <= first:
            raise InputError(
                f"words {first + 1} and {second + 1} of {name} are both given as roots, but no "
                "sentence may start between them",
                remedy="Leave one of the heads or a boundary between them open.",
            )
        after[possible[at]] = first
    # A sentence whose words all have heads among themselves has no root left.
    bounds = [0, *np.flatnonzero(starts == MUST).tolist(), len(heads)]
    for low, high in itertools.pairwise(bounds):
        free = starts[low + 1 : high] == FREE
        if high > low and not free.any() and np.all(heads[low:high] >= 0):
            raise InputError(
                f"words {low + 1} to {high} of {name} are one sentence, but none may be its root",
                remedy="Leave one of their heads open.",
            )


def completed(limits: Limits, low: int, high: int) -> Limits:
    """The same limits with the open heads of words low..high-1 filled, so that a derivation exists.

    An open word hangs on a neighbour if that makes no cycle and crosses no boundary that must be,
    else on the given root next to it, else it is a root itself.
    """
    heads, starts = limits.heads.copy(), limits.starts.copy()
    n = len(heads)
    for word in range(max(low, 0), min(high, n)):
        if heads[word] != UNKNOWN:
            continue
        roots = np.flatnonzero(heads == ROOT)
        nearest = roots[np.argsort(np.abs(roots - word), kind="stable")][:2].tolist()
        for head in (word - 1, word + 1, *nearest):
            if 0 <= head < n and _can_hang(limits, starts, heads, word, head):
                heads[word] = head
                starts[min(word, head) + 1 : max(word, head) + 1] = NEVER
                break
        else:
            heads[word] = ROOT
    wanted = np.bincount(heads[heads >= 0], minlength=n).astype(np.int32)
    rank = projective_rank(heads)
    return Limits(starts, limits.after, heads, limits.labels, wanted, rank, limits.patient)


def _can_hang(limits: Limits, starts: NDArray[np.int8], heads: Ints, word: int, head: int) -> bool:
    between = slice(min(word, head) + 1, max(word, head) + 1)
    if np.any(starts[between] == MUST) or np.any(limits.after[between] >= 0):
        return False
    while head >= 0 and head != word:
        head = int(heads[head])
    return head != word


def label_numbers(strings: Strings, labels: Sequence[str]) -> NDArray[np.int32]:
    """The number of the label that each interned string is, or -1."""
    numbers = np.full(len(strings), -1, np.int32)
    for number, label in enumerate(labels):
        found = strings.find(label)
        if found is not None:
            numbers[found] = number
    return numbers
