"""Sentences as a chart sees them: classes of the words that are kept, and what punctuation left.

Everything is flat: one array over all words, and the place where each sentence starts. There are
no heads here, so that nothing that learns from these arrays can see any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from caesura import _core
from caesura.induce.parameters import Bytes, Ints, Longs


@dataclass(frozen=True, slots=True)
class Sentences:
    """Word classes and boundaries of many sentences, marks of punctuation taken out."""

    #: The class of each word.
    classes: Ints
    #: How many marks stood before each word in its sentence, leading ones not counted.
    marks: Ints
    #: A number for the fragment of each word; neighbours of one fragment have the same number.
    fragments: Ints
    #: By sentence: whether it ended in a mark.
    comps: Bytes
    #: Where each sentence starts in the arrays above, and their length at the end.
    starts: Longs
    #: How many brackets begin before each word and end after it, if there are any.
    opening: Ints | None = None
    closing: Ints | None = None
    #: Which words count in lengths and distances, if not all: marks that are left in do not.
    counted: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        classes: list[list[int]],
        marks: list[list[int]] | None = None,
        comps: list[int] | None = None,
    ) -> Sentences:
        """From lists, for examples and tests."""
        flat = np.array([c for s in classes for c in s], dtype=np.int32)
        starts = np.concatenate(([0], np.cumsum([len(s) for s in classes]))).astype(np.int64)
        found = (
            np.array([m for s in marks for m in s], dtype=np.int32)
            if marks is not None
            else np.zeros(len(flat), dtype=np.int32)
        )
        comp = np.array(comps if comps is not None else [1] * len(classes), dtype=np.uint8)
        return cls(flat, found, found.copy(), comp, starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Longs:
        return np.diff(self.starts)

    @property
    def longest(self) -> int:
        return int(self.lengths.max()) if len(self) else 0

    @property
    def n_words(self) -> int:
        return len(self.classes)

    @property
    def core(self) -> _core.GrammarSentences:
        """The sentences for the core, which checks them."""
        return _core.GrammarSentences(
            self.classes, self.marks, self.fragments, self.comps, self.starts
        )

    def one(self, index: int) -> tuple[Ints, Ints, Ints, int]:
        """Classes, marks and fragments of a single sentence, and 1 if it ended in a mark."""
        a, b = self.starts[index], self.starts[index + 1]
        return self.classes[a:b], self.marks[a:b], self.fragments[a:b], int(self.comps[index])

    @property
    def inner(self) -> npt.NDArray[np.bool_]:
        """By sentence: whether punctuation stood between two of its words."""
        split = np.zeros(len(self), dtype=bool)
        owner = self.owner
        split[owner[1:][(self.marks[1:] != self.marks[:-1]) & (owner[1:] == owner[:-1])]] = True
        return split

    @property
    def owner(self) -> Longs:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def words_of(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """By word: whether its sentence is chosen."""
        return np.repeat(chosen, self.lengths)

    def select(self, chosen: npt.NDArray[np.bool_]) -> Sentences:
        """Some of the sentences, in the same order."""
        words = self.words_of(chosen)
        starts = np.concatenate(([0], np.cumsum(self.lengths[chosen]))).astype(np.int64)
        return Sentences(
            self.classes[words],
            self.marks[words],
            self.fragments[words],
            self.comps[chosen],
            starts,
            None if self.opening is None else self.opening[words],
            None if self.closing is None else self.closing[words],
            None if self.counted is None else self.counted[words],
        )

    def cut(self) -> Sentences:
        """Each fragment as a sentence of its own; only one that is a whole sentence is complete."""
        owner = self.owner
        new = np.ones(self.n_words, dtype=bool)
        new[1:] = (owner[1:] != owner[:-1]) | (self.fragments[1:] != self.fragments[:-1])
        starts = np.concatenate((np.flatnonzero(new), [self.n_words])).astype(np.int64)
        mine = owner[starts[:-1]]
        alone = np.bincount(mine, minlength=len(self))[mine] == 1
        none = np.zeros(self.n_words, dtype=np.int32)
        comps = (alone & (self.comps[mine] > 0)).astype(np.uint8)
        return Sentences(self.classes, none, none, comps, starts, counted=self.counted)

    def followed_by(self, other: Sentences) -> Sentences:
        """These sentences and then others."""
        brackets: list[Ints | None] = [None, None]
        if self.opening is not None or other.opening is not None:
            brackets = [
                np.concatenate([_or_none_at(a, len(self.classes)), _or_none_at(b, other.n_words)])
                for a, b in ((self.opening, other.opening), (self.closing, other.closing))
            ]
        return Sentences(
            np.concatenate((self.classes, other.classes)),
            np.concatenate((self.marks, other.marks)),
            np.concatenate((self.fragments, other.fragments)),
            np.concatenate((self.comps, other.comps)),
            np.concatenate((self.starts, other.starts[1:] + self.starts[-1])),
            brackets[0],
            brackets[1],
            None
            if self.counted is None and other.counted is None
            else np.concatenate([_all_or(self), _all_or(other)]),
        )

    def with_classes(self, classes: Ints) -> Sentences:
        return replace(self, classes=np.ascontiguousarray(classes, dtype=np.int32))

    def up_to(self, limit: int) -> npt.NDArray[np.bool_]:
        """By sentence: whether it has at least one word and at most so many."""
        lengths = self.lengths
        if self.counted is not None:
            lengths = np.bincount(self.owner[self.counted], minlength=len(self))
        return (lengths <= limit) & (self.lengths > 0)


def _or_none_at(brackets: Ints | None, words: int) -> Ints:
    return np.zeros(words, dtype=np.int32) if brackets is None else brackets


def _all_or(sentences: Sentences) -> npt.NDArray[np.bool_]:
    all_of_them = np.ones(sentences.n_words, dtype=bool)
    return all_of_them if sentences.counted is None else sentences.counted
