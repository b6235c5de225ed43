"""What a picture shows of a sentence: words, arcs, surface tokens, how sure, what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caesura.document import ROOT, UNKNOWN

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
