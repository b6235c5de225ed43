"""Documents as sentences for induction: punctuation removed, classes for words, brackets.

Removed punctuation leaves traces: how many marks preceded a word, the fragment of each word, and
whether the sentence ended in a mark (Spitkovsky et al. 2011, 2012). Brackets (Pereira & Schabes
1992) come from mark-up and phrases; they nest, and those that cross a wider one are dropped. Heads
are never read here, except by `gold_heads`, for scoring and for supervised grammars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from caesura.document import ROOT, UNKNOWN, Document
from caesura.document.punctuation import parse_marks
from caesura.errors import InputError
from caesura.induce.parameters import Ints, Longs
from caesura.induce.sentences import Sentences

#: The class of a word that has none.
UNKNOWN_CLASS = "?"
#: Names a class for each word of a document.
Classifier = Callable[[Document], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentences, the names of their classes, and where each word came from."""

    sentences: Sentences
    #: Class names by number; 0 is the unknown class.
    names: tuple[str, ...]
    #: The form of each word, as a number in `forms`.
    words: Ints
    forms: tuple[str, ...]
    #: Document and index in it of each word.
    document: Ints
    index: Ints
    #: Document of each sentence.
    sentence_document: Ints
    #: How many marks were taken out.
    n_marks: int = 0

    def select(self, chosen: np.ndarray) -> Corpus:
        """Some of the sentences."""
        kept = self.sentences.words_of(chosen)
        return replace(
            self,
            sentences=self.sentences.select(chosen),
            words=self.words[kept],
            document=self.document[kept],
            index=self.index[kept],
            sentence_document=self.sentence_document[chosen],
        )

    def __len__(self) -> int:
        return len(self.sentences)


def word_classes(column: str) -> Classifier:
    """Classes that are the values of a column: `upos`, `xpos` or `form`."""
    return lambda doc: doc.column(column)


def corpus(
    documents: Iterable[Document],
    classes: Classifier,
    *,
    names: Sequence[str] | None = None,
    marks: str | Callable[[Document], np.ndarray] = "unicode",
    markup: bool = False,
    brackets: bool = False,
) -> Corpus:
    """Take the marks out and give each word its class.

    With `names` given, a class outside them becomes the unknown class; else names are collected.
    With `markup`, fragments are the inline elements of HTML instead of runs between marks. With
    `brackets`, sentences know the brackets of mark-up and of phrases.
    """
    table: dict[str, int] = {UNKNOWN_CLASS: 0}
    fixed = names is not None
    for name in names or ():
        table.setdefault(name, len(table))
    forms: dict[str, int] = {}
    parts: list[tuple[Ints, ...]] = []
    lengths: list[np.ndarray] = []
    comps: list[np.ndarray] = []
    owners: list[np.ndarray] = []
    taken = 0
    find = parse_marks(marks, induction=True).mask if isinstance(marks, str) else marks
    for number, doc in enumerate(documents):
        if not doc.n_words:
            continue
        mark = np.asarray(find(doc))
        kept = ~mark
        taken += int(mark.sum())
        labels = classes(doc)
        if not fixed:
            for label, word in zip(labels, kept.tolist(), strict=True):
                if word and label and label not in table:
                    table[label] = len(table)
        ids = np.array([table.get(label, 0) for label in labels], dtype=np.int32)
        spelled = doc.column("form")
        words = np.array([forms.setdefault(f, len(forms)) for f in spelled], dtype=np.int32)
        sentence = doc.word_sentence
        count = doc.n_sentences
        before = _marks_before(mark, sentence)
        fragments = _elements(doc) if markup else before
        last = np.searchsorted(sentence, np.arange(count), side="right") - 1
        parts.append(
            (
                ids[kept],
                before[kept],
                fragments[kept],
                words[kept],
                np.full(int(kept.sum()), number, dtype=np.int32),
                np.flatnonzero(kept).astype(np.int32),
                *(document_brackets(doc, kept) if brackets else ()),
            )
        )
        lengths.append(np.bincount(sentence[kept], minlength=count))
        comps.append(mark[last])
        owners.append(np.full(count, number))
    if not parts:
        raise InputError("there are no words in the text", remedy="Give a text that has some.")
    flat = [np.ascontiguousarray(np.concatenate(column)) for column in zip(*parts, strict=True)]
    sizes = np.concatenate(lengths)
    sentences = Sentences(
        flat[0],
        flat[1],
        flat[2],
        np.concatenate(comps).astype(np.uint8),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        *flat[6:],
    )
    result = Corpus(
        sentences,
        tuple(table),
        flat[3],
        tuple(forms),
        flat[4],
        flat[5],
        np.concatenate(owners).astype(np.int32),
        taken,
    )
    return result if np.all(sizes > 0) else result.select(sizes > 0)


def _marks_before(mark: np.ndarray, sentence: np.ndarray) -> Ints:
    """How many marks stand before each word in its sentence, leading ones not counted."""
    total = np.cumsum(mark)
    starts = np.flatnonzero(np.concatenate(([True], sentence[1:] != sentence[:-1])))
    first = np.searchsorted(np.flatnonzero(~mark), starts)
    kept = np.append(np.flatnonzero(~mark), len(mark) - 1)
    base = total[kept[np.minimum(first, len(kept) - 1)]]
    return np.asarray(np.maximum(total - base[np.cumsum(_first(sentence)) - 1], 0), dtype=np.int32)


def _first(sentence: np.ndarray) -> np.ndarray:
    return np.concatenate(([True], sentence[1:] != sentence[:-1]))


def _elements(doc: Document) -> Ints:
    """Fragments from mark-up: outermost inline elements; every other word is a fragment."""
    numbers = np.arange(doc.n_words, dtype=np.int32)
    starts = doc.token_start[doc.word_token]
    ends = doc.token_end[doc.word_token]
    sentence = doc.word_sentence
    order = np.lexsort((-doc.markup_end, doc.markup_start))
    reach = 0
    for k in order.tolist():
        if doc.markup_start[k] < reach:
            continue
        inside = np.flatnonzero((starts >= doc.markup_start[k]) & (ends <= doc.markup_end[k]))
        if len(inside) > 1 and sentence[inside[0]] == sentence[inside[-1]]:
            numbers[inside] = inside[0]
            reach = int(doc.markup_end[k])
    return numbers


def gold_heads(documents: Sequence[Document], words: Corpus) -> tuple[Ints, Longs]:
    """The annotated head of each kept word, as a position in its sentence (-1 the root).

    A head that was taken out is replaced by its nearest kept ancestor. Also returned: how many
    heads of each sentence are unknown.
    """
    heads = np.full(words.sentences.n_words, UNKNOWN, dtype=np.int32)
    starts = words.sentences.starts
    begin = np.repeat(starts[:-1], words.sentences.lengths)
    for number, doc in enumerate(documents):
        mine = np.flatnonzero(words.document == number)
        if not len(mine):
            continue
        place = np.full(doc.n_words, -1, dtype=np.int64)
        place[words.index[mine]] = mine
        for at in mine.tolist():
            head, steps = int(doc.head[words.index[at]]), 0
            while head >= 0 and place[head] < 0 and steps <= doc.n_words:
                head, steps = int(doc.head[head]), steps + 1
            if head >= 0:
                heads[at] = place[head] - begin[at]
            else:
                heads[at] = head
    owner = words.sentences.owner
    missing = np.bincount(owner[heads == UNKNOWN], minlength=len(words)).astype(np.int64)
    assert ROOT == -1
    return heads, missing


Bracket = tuple[int, int]


def nested(brackets: Iterable[Bracket], n: int) -> list[Bracket]:
    """The informative brackets of a sentence of n words that nest, wider ones first.

    Left out are brackets of one word or of the whole sentence, and those that cross a wider one.
    """
    wanted = {(x, y) for x, y in brackets if 0 <= x < y < n and (x, y) != (0, n - 1)}
    kept: list[Bracket] = []
    for x, y in sorted(wanted, key=lambda b: (b[0] - b[1], b[0])):
        if not any(a < x <= b < y or x < a <= y < b for a, b in kept):
            kept.append((x, y))
    return kept


def bracketed(sentences: Sentences, brackets: Iterable[Iterable[Bracket]]) -> Sentences:
    """Sentences with brackets, given for each as pairs of first and last word."""
    opening = np.zeros(sentences.n_words, dtype=np.int32)
    closing = np.zeros(sentences.n_words, dtype=np.int32)
    bounds = zip(sentences.starts.tolist(), sentences.lengths.tolist(), brackets, strict=False)
    for start, n, known in bounds:
        for x, y in nested(known, n):
            opening[start + x] += 1
            closing[start + y] += 1
    return replace(sentences, opening=opening, closing=closing)


def document_brackets(doc: Document, kept: np.ndarray) -> tuple[Ints, Ints]:
    """Brackets of a document's mark-up and phrases, by kept word: how many open and close there."""
    opening, closing = (np.zeros(len(kept), dtype=np.int32) for _ in range(2))
    place = np.cumsum(kept) - 1  # of each word among the kept ones
    sentence = doc.word_sentence
    size = np.bincount(sentence[kept], minlength=doc.n_sentences)
    first = np.concatenate(([0], np.cumsum(size)))
    found: dict[int, list[Bracket]] = {}
    for words in _spans(doc):
        inside = words[kept[words]]
        if len(inside) > 1 and sentence[inside[0]] == sentence[inside[-1]]:
            number = int(sentence[inside[0]])
            base = int(first[number])
            bracket = (int(place[inside[0]]) - base, int(place[inside[-1]]) - base)
            found.setdefault(number, []).append(bracket)
    words = np.flatnonzero(kept)
    for number, brackets in found.items():
        for x, y in nested(brackets, int(size[number])):
            opening[words[first[number] + x]] += 1
            closing[words[first[number] + y]] += 1
    return opening[kept], closing[kept]


def _spans(doc: Document) -> Iterable[np.ndarray]:
    """The words of every inline element and of every phrase."""
    starts, ends = doc.token_start[doc.word_token], doc.token_end[doc.word_token]
    for a, b in zip(doc.markup_start.tolist(), doc.markup_end.tolist(), strict=True):
        yield np.flatnonzero((starts >= a) & (ends <= b))
    low = np.full(len(doc.node_label), doc.n_words, dtype=np.int64)
    high = np.full(len(doc.node_label), -1, dtype=np.int64)
    for node in range(len(low) - 1, -1, -1):
        leaf, parent = int(doc.node_leaf[node]), int(doc.node_parent[node])
        if leaf >= 0:
            low[node] = high[node] = leaf
        elif leaf == -1 and high[node] > low[node]:
            yield np.arange(low[node], high[node] + 1)
        if parent >= 0:
            low[parent] = min(low[parent], low[node])
            high[parent] = max(high[parent], high[node])


#: Under so many sentences there is too little to learn from.
FEW = 100
#: So many words a sentence, on average, and sentences are probably not split.
LONG = 60


def oddities(words: Corpus, used: npt.NDArray[np.bool_]) -> Iterator[str]:
    """What is odd, where `used` are the sentences that are short enough to learn from."""
    sentences = words.sentences
    if not words.n_marks:
        yield (
            "no word of the text is a punctuation mark, so nothing shows where phrases end. If it "
            "has marks, choose another definition: --marks unicode."
        )
    elif not sentences.comps.any():
        yield "no sentence ends in a mark: are its sentences split?"
    if sentences.n_words > LONG * len(sentences):
        yield (
            f"sentences have {sentences.n_words // len(sentences)} words on average: split them "
            "first (where each is a line: caesura tokenize --rules --newline-is-boundary), or "
            "raise --max-length."
        )
    if 2 * int((sentences.lengths == 1).sum()) > len(sentences):
        yield (
            "most sentences have one word, which tells nothing of trees: is the text split into "
            "words? Scripts without spaces need a tokeniser of their language first."
        )
    number = int(used.sum())
    if 0 < number < FEW:  # without any, the recipe reports an error
        yield (
            f"only {number} sentence{'s' if number > 1 else ''} to learn from: which way arcs go "
            "will be a matter of chance. Give more text."
        )
    if len(np.unique(sentences.classes)) == 1:
        yield (
            "all words are in one class, so trees follow positions only. Give more text, or other "
            "--classes."
        )
