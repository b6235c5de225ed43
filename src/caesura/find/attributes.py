"""What can be asked of a word: for each attribute a column of codes, and the string of each code.

A test looks at each distinct string once, not at each word. Attributes that are part of a column
(`feats.Number`, `udeprel`) share its codes; those of sentences, documents and turns are spread over
their words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from caesura.document import (
    CONFIDENCE_KEYS,
    ROOT,
    YES,
    Document,
    Ints,
    Longs,
    Strings,
    misc_items,
    token_turn,
)
from caesura.find.syntax import Attribute

__all__ = ["KNOWN", "NUMBERS", "Values", "Words", "attribute_of"]

#: Attributes that are a column of strings.
_COLUMNS: Final = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
#: Parts of deprel, as udapi calls them: `nsubj:pass` is nsubj and pass.
_PARTS: Final = ("udeprel", "sdeprel")
_COUNTED: Final = ("id", "head", "depth", "children")
_KEYED: Final = ("feats", "misc", "sent", "doc")
_OTHERS: Final = ("token", "speaker")
#: For messages.
NUMBERS: Final = "id, head, depth, children, sent.length"
KNOWN: Final = (
    "form, lemma, upos, xpos, feats, feats.Number, deprel, udeprel, sdeprel, deps, misc, "
    "misc.Gloss, token, id, head, depth, children, speaker, sent.id, sent.text, sent.length, "
    "sent.COMMENT, doc.id; a name with a capital is a feature"
)
_CONFIDENCES: Final = {key: name for name, key in CONFIDENCE_KEYS.items()}


def attribute_of(name: str) -> Attribute | None:
    """The attribute of a name, or None if there is none."""
    base, dot, key = name.partition(".")
    if dot:
        known = base in _KEYED and key and (base != "doc" or key == "id")
        return Attribute(base, key) if known else None
    if base[0].isupper():  # as in Grew
        return Attribute("feats", base)
    known = base in _COLUMNS or base in _PARTS or base in _COUNTED or base in _OTHERS
    return Attribute(base) if known else None


class Table(Protocol):
    """The string of each code."""

    def __getitem__(self, code: Any, /) -> str: ...


@dataclass(frozen=True, slots=True)
class Values:
    """The values of an attribute: a code for each word, and what the codes mean."""

    codes: Ints | Longs
    table: Table
    #: From the string of a code to the value, where that is only part of it.
    part: Callable[[str], str] | None = None

    def text(self, code: int) -> str:
        """The value of a code."""
        text = self.table[code]
        return text if self.part is None else self.part(text)

    def distinct(self) -> tuple[list[int], list[str]]:
        """The codes that occur, and their values."""
        seen = np.zeros(int(self.codes.max(initial=0)) + 1, dtype=bool)
        seen[self.codes] = True
        found = np.flatnonzero(seen).tolist()
        texts = [self.table[code] for code in found]
        return found, texts if self.part is None else [self.part(text) for text in texts]


class _Numerals:
    """Numbers as their own codes; 0 is none, and the others are one more than they say."""

    def __getitem__(self, code: Any, /) -> str:
        return str(code - 1) if code else ""


class Words:
    """The words of a document as patterns see them: sentences, heads inside them, attributes."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        starts = np.flatnonzero(doc.word_sent_start == YES)
        #: The first word of each sentence, and the number of words.
        self.bounds: Longs = np.append(starts, doc.n_words).astype(np.int64)
        self._heads: Ints | None = None

    @property
    def sentence(self) -> Longs:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @property
    def heads(self) -> Ints:
        """The head of each word, negative where it is none of its sentence."""
        if self._heads is None:
            head = self.doc.head
            counts = np.diff(self.bounds)
            first = np.repeat(self.bounds[:-1], counts)
            last = np.repeat(self.bounds[1:], counts)
            inside = (head >= first) & (head < last)
            own = np.where(inside, head, np.where(head == ROOT, ROOT, -2))
            self._heads = np.ascontiguousarray(own, dtype=np.int32)
        return self._heads

    def values(self, attribute: Attribute) -> Values:
        """The values of an attribute."""
        doc, name, key = self.doc, attribute.name, attribute.key
        if name == "sent":
            return self._of_sentences(key)
        if name == "doc":
            return Values(np.zeros(doc.n_words, dtype=np.int32), (doc.id or "",))
        if name == "misc" and key in _CONFIDENCES:
            return self._confidence(_CONFIDENCES[key])
        if name == "misc" and key == "SpaceAfter":
            return self._space_after()
        if name in _PARTS:
            return Values(doc.deprel, doc.strings, _before if name == "udeprel" else _behind)
        if key:
            return Values(getattr(doc, name), doc.strings, _Item(key))
        if name in _COLUMNS:
            return Values(getattr(doc, name), doc.strings)
        if name == "token":
            spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
            strings = Strings()
            return Values(strings.ids(doc.text[a:b] for a, b in spans)[doc.word_token], strings)
        if name == "speaker":
            return self._speakers()
        return Values(self._counted(name), _Numerals())

    def _of_sentences(self, key: str) -> Values:
        doc, strings = self.doc, Strings()
        n = len(self.bounds) - 1
        bounds = doc.sentence_bounds.tolist()
        if key == "length":
            found = list(map(str, np.diff(self.bounds).tolist()))
        elif key == "text":
            found = [
                doc.text[int(doc.token_start[bounds[i]]) : int(doc.token_end[bounds[i + 1] - 1])]
                for i in range(n)
            ]
        else:
            wanted = "sent_id" if key == "id" else key
            found = [_comment(doc.comments.get(bounds[i], ()), wanted) for i in range(n)]
        return Values(np.repeat(strings.ids(found), np.diff(self.bounds)), strings)

    def _speakers(self) -> Values:
        """Of turns, else of the comment `# speaker = …`."""
        doc = self.doc
        if not len(doc.turn_start):
            return self._of_sentences("speaker")
        turn = token_turn(doc)[doc.word_token]
        return Values(np.append(doc.turn_speaker, np.int32(0))[turn], doc.strings)

    def _confidence(self, column: str) -> Values:
        """A confidence travels in MISC, and is a column here."""
        doc = self.doc
        values = getattr(doc, column)
        if values is None:
            return Values(np.zeros(doc.n_words, dtype=np.int32), ("",))
        if len(values) != doc.n_words or column == "sent_conf":  # of tokens: their first words
            spread = np.full(doc.n_words, np.nan, dtype=np.float32)
            first = doc.first_word[:-1]
            spread[first] = values
            values = spread
        known, codes = np.unique(values, return_inverse=True)
        table = ["" if np.isnan(value) else str(value) for value in known]
        return Values(codes.astype(np.int32), table)

    def _space_after(self) -> Values:
        """What MISC says, and else the text: that the next token touches the word."""
        doc = self.doc
        said, texts = Values(doc.misc, doc.strings, _Item("SpaceAfter")).distinct()
        verdict = np.zeros(max(said, default=0) + 1, dtype=np.int32)
        strings = Strings(["No"])
        verdict[said] = [strings.add(text) for text in texts]
        codes = verdict[doc.misc]
        touches = np.zeros(doc.n_tokens, dtype=bool)
        touches[:-1] = doc.token_end[:-1] == doc.token_start[1:]
        last = np.ones(doc.n_words, dtype=bool)
        last[:-1] = doc.word_token[1:] != doc.word_token[:-1]
        codes[(codes == 0) & last & touches[doc.word_token]] = 1
        return Values(codes, strings)

    def _counted(self, name: str) -> Ints:
        """Numbers plus one; 0 where there is none."""
        counts = np.diff(self.bounds)
        first = np.repeat(self.bounds[:-1], counts)
        n = self.doc.n_words
        if name == "id":
            return (np.arange(n) - first + 2).astype(np.int32)
        heads = self.heads
        if name == "head":
            own = np.where(heads >= 0, heads - first + 2, np.where(heads == ROOT, 1, 0))
            return own.astype(np.int32)
        if name == "children":
            return (np.bincount(heads[heads >= 0], minlength=n)[:n] + 1).astype(np.int32)
        return _depths(heads.tolist())


def _depths(heads: Sequence[int]) -> Ints:
    """Arcs from each word up to a root plus one; 0 below an unknown head or in a cycle."""
    depth = [-1] * len(heads)
    for start in range(len(heads)):
        path = []
        word = start
        while word >= 0 and depth[word] == -1:
            depth[word] = 0  # until it is known: whoever comes back here is in a cycle
            path.append(word)
            word = heads[word]
        above = depth[word] if word >= 0 else (0 if word == ROOT else -1)
        known = above > 0 or word == ROOT
        for distance, seen in enumerate(reversed(path)):
            depth[seen] = (above if above > 0 else 0) + 1 + distance if known else 0
    return np.array(depth, dtype=np.int32)


def _before(label: str) -> str:
    return label.partition(":")[0]


def _behind(label: str) -> str:
    return label.partition(":")[2]


@dataclass(frozen=True, slots=True)
class _Item:
    """One item of FEATS or MISC; one without a value is there with its own name."""

    key: str

    def __call__(self, packed: str) -> str:
        if self.key not in packed:
            return ""
        items = misc_items(packed)
        return items.get(self.key, "") or (self.key if self.key in items else "")


def _comment(comments: Sequence[str], wanted: str) -> str:
    """The value of a comment, or its name where it has none."""
    for comment in comments:
        key, equals, value = comment.lstrip("# ").partition("=")
        if key.strip() == wanted:
            return value.strip() if equals else wanted
    return ""
