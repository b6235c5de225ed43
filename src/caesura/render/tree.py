"""Trees to draw, and the differences between two analyses of one text.

A `Tree` has what a picture shows of a sentence: words, arcs, surface tokens, confidences and
differences. `compare` aligns words by the span of their token and their number in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import ROOT, UNKNOWN, Document
from caesura.errors import InputError

if TYPE_CHECKING:
    from caesura.document import Sentence


@dataclass(frozen=True, slots=True)
class Mark:
    """What is different about a word in another analysis; `gone` if there is no such word."""

    gone: bool = False
    tag: str | None = None
    #: The other head (its form, or root) and label, if either differs.
    arc: str | None = None

    def __str__(self) -> str:
        if self.gone:
            return "no such word there"
        parts = [f"there {self.tag or '_'}"] if self.tag is not None else []
        if self.arc is not None:
            parts.append(f"there {self.arc}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence to draw; heads are numbers of words in it, ROOT or UNKNOWN."""

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    #: Surface tokens of several words: the first word, one past the last, the text.
    groups: tuple[tuple[int, int, str], ...] = ()
    #: The confidence of each arc and of each tag, where it is known.
    arc_conf: tuple[float, ...] | None = None
    tag_conf: tuple[float, ...] | None = None
    #: What differs, by word.
    marks: Mapping[int, Mark] | None = None
    text: str = ""
    #: Words that a pattern has found, each with its name in it or ''.
    found: Mapping[int, str] | None = None

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def drawn_heads(self) -> tuple[int, ...]:
        """Heads to draw: one that is the word itself or outside the sentence is unknown."""
        n = len(self.forms)
        return tuple(
            head if head == ROOT or (0 <= head < n and head != word) else UNKNOWN
            for word, head in enumerate(self.heads)
        )

    def is_found(self, word: int) -> bool:
        return self.found is not None and word in self.found

    def mark(self, word: int) -> Mark | None:
        return None if self.marks is None else self.marks.get(word)


def tree_of(
    sentence: Sentence,
    marks: Mapping[int, Mark] | None = None,
    found: Mapping[int, str] | None = None,
) -> Tree:
    """The tree of a sentence; `marks` and `found` are by the number of the word in the document."""
    doc = sentence.doc
    first, last = sentence.first_word, sentence.last_word
    part = slice(first, last)
    heads = doc.head[part].tolist()
    take = doc.strings.take
    upos = take(doc.upos[part])
    tokens = doc.word_token[part].tolist()
    groups = []
    at = 0
    for word in range(1, len(tokens) + 1):
        if word == len(tokens) or tokens[word] != tokens[at]:
            if word - at > 1:
                start, end = doc.token_start[tokens[at]], doc.token_end[tokens[at]]
                groups.append((at, word, doc.text[start:end]))
            at = word
    return Tree(
        forms=tuple(take(doc.form[part])),
        tags=tuple(upos if any(upos) else take(doc.xpos[part])),
        # A head outside the sentence must not be taken for ROOT or UNKNOWN.
        heads=tuple(head if head < 0 else _inside(head - first, last - first) for head in heads),
        labels=tuple(take(doc.deprel[part])),
        groups=tuple(groups),
        arc_conf=None if doc.arc_conf is None else tuple(doc.arc_conf[part].tolist()),
        tag_conf=None if doc.tag_conf is None else tuple(doc.tag_conf[part].tolist()),
        marks=None if marks is None else {w - first: m for w, m in marks.items() if w >= first},
        text=sentence.text,
        found=None if found is None else {w - first: n for w, n in found.items() if w >= first},
    )


def _inside(head: int, n: int) -> int:
    return head if 0 <= head < n else UNKNOWN


Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch that begins and ends with a boundary of both sides, and no shorter one does."""

    left: tuple[Sentence, ...]
    right: tuple[Sentence, ...]
    same: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs: marks by word of either side, boundaries that one side alone has."""

    left: Document
    right: Document
    left_marks: dict[int, Mark]
    right_marks: dict[int, Mark]
    #: Offsets at which a sentence starts on one side only.
    left_only: frozenset[int]
    right_only: frozenset[int]

    @property
    def same(self) -> bool:
        return not (self.left_marks or self.right_marks or self.left_only or self.right_only)

    def regions(self) -> list[Region]:
        """The sentences of both sides in step."""
        left, right = list(self.left.sentences), list(self.right.sentences)
        ends = sorted({s.end for s in left} & {s.end for s in right})
        found, i, j = [], 0, 0
        for end in ends or [len(self.left.text)]:
            a, b = i, j
            while i < len(left) and left[i].end <= end:
                i += 1
            while j < len(right) and right[j].end <= end:
                j += 1
            found.append(self._region(left[a:i], right[b:j]))
        if i < len(left) or j < len(right):
            found.append(self._region(left[i:], right[j:]))
        return found

    def _region(self, left: list[Sentence], right: list[Sentence]) -> Region:
        same = len(left) == len(right) and not any(
            word in marks
            for sentences, marks in ((left, self.left_marks), (right, self.right_marks))
            for sentence in sentences
            for word in range(sentence.first_word, sentence.last_word)
        )
        return Region(tuple(left), tuple(right), same)


def compare(left: Document, right: Document) -> Difference:
    """Compare two analyses of the same text."""
    if left.text != right.text:
        if "".join(left.text.split()) != "".join(right.text.split()):
            raise InputError(
                "the two files are not analyses of the same text",
                file=right.source,
                remedy="Compare files of one text, or align them with `caesura evaluate`.",
            )
        right = _respaced(right, left.text)
    a, b = _places(left), _places(right)
    return Difference(
        left,
        right,
        _marks_of(left, a, right, {place: word for word, place in enumerate(b)}, b),
        _marks_of(right, b, left, {place: word for word, place in enumerate(a)}, a),
        *_boundaries(left, right),
    )


def _respaced(doc: Document, text: str) -> Document:
    """A document laid over a text that differs from its own in white space alone."""
    theirs = [at for at, char in enumerate(text) if not char.isspace()]
    number, count = [], 0
    for char in doc.text:
        number.append(count)
        count += not char.isspace()
    number.append(count)
    starts = [theirs[number[at]] for at in doc.token_start.tolist()]
    ends = [theirs[number[at - 1]] + 1 for at in doc.token_end.tolist()]
    return replace(
        doc,
        text=text,
        token_start=np.array(starts, dtype=np.int64),
        token_end=np.array(ends, dtype=np.int64),
        paragraph_start=np.zeros(0, dtype=np.int64),
    )


def _places(doc: Document) -> list[Place]:
    places: list[Place] = []
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    for token, (a, b) in enumerate(pairwise(doc.first_word.tolist())):
        places += [(starts[token], ends[token], number) for number in range(b - a)]
    return places


def _marks_of(
    doc: Document,
    places: list[Place],
    other: Document,
    found: dict[Place, int],
    theirs: list[Place],
) -> dict[int, Mark]:
    marks = {}
    heads, heads2 = doc.head.tolist(), other.head.tolist()
    labels, labels2 = doc.column("deprel"), other.column("deprel")
    tags, tags2 = doc.column("upos"), other.column("upos")
    forms2 = other.column("form")
    for word, place in enumerate(places):
        twin = found.get(place)
        if twin is None:
            marks[word] = Mark(gone=True)
            continue
        head, head2 = heads[word], heads2[twin]
        above = places[head] if head >= 0 else head
        above2 = theirs[head2] if head2 >= 0 else head2
        arc = None
        if above != above2 or labels[word] != labels2[twin]:
            name = forms2[head2] if head2 >= 0 else ("root" if head2 == ROOT else "?")
            arc = f"{labels2[twin] or '_'} ← {name}"
        tag = tags2[twin] if tags[word] != tags2[twin] else None
        if arc is not None or tag is not None:
            marks[word] = Mark(tag=tag, arc=arc)
    return marks


def _boundaries(left: Document, right: Document) -> tuple[frozenset[int], frozenset[int]]:
    a = {sentence.start for sentence in left.sentences}
    b = {sentence.start for sentence in right.sentences}
    return frozenset(a - b), frozenset(b - a)
