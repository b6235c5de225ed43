"""One pass over a stream of documents that counts what matters for training.

Memory does not grow with the text: distinct forms and sentences are remembered, by their hashes, up
to a limit; past it, later ones are not told apart from new ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from caesura.document import ROOT, UNKNOWN, Document, Ints
from caesura.document.trees import crossing_arcs, in_cycles
from caesura.inspect.advice import Advice, advise

__all__ = ["Inspection", "Lengths", "Share", "inspect"]

_FINAL_MARKS = tuple(".!?…。！？।؟۔")
#: So many distinct forms, and so many sentences, are remembered.
REMEMBERED = 2_000_000
_CLOSING = "\"'”’»)]}›"


class Share(msgspec.Struct, frozen=True):
    """How many, out of how many."""

    count: int
    of: int

    @property
    def percent(self) -> float:
        return 100 * self.count / self.of if self.of else 0.0


class Lengths(msgspec.Struct, frozen=True):
    """Sentence lengths in words."""

    mean: float
    median: int
    percentile_95: int
    longest: int
    #: How many sentences have 1, 2-5, 6-10, 11-20, 21-40, 41-80 and more words.
    histogram: dict[str, int]


class Inspection(msgspec.Struct, frozen=True):
    """What is in a treebank."""

    files: int
    documents: int
    named_documents: int
    paragraphs: int
    sentences: int
    tokens: int
    words: int
    characters: int
    multiword_tokens: int
    empty_nodes: int
    phrases: int
    turns: int
    sentence_lengths: Lengths
    #: Words that have a value, by column.
    filled: dict[str, Share]
    upos: dict[str, int]
    xpos: dict[str, int]
    deprel: dict[str, int]
    feats: dict[str, int]
    nonprojective_sentences: Share
    nonprojective_arcs: Share
    multi_root_sentences: Share
    rootless_sentences: Share
    cyclic_sentences: Share
    self_heads: int
    #: Tokens that touch the next one, among those that have a next one in their sentence.
    no_space_after: Share
    final_mark: Share
    initial_capital: Share
    repeated_sentences: Share
    one_sentence_documents: int
    distinct_forms: int
    warnings: list[Advice]


class _Counts:
    """The running counts."""

    def __init__(self) -> None:
        self.n: Counter[str] = Counter()
        self.labels: dict[str, Counter[str]] = {
            name: Counter() for name in ("upos", "xpos", "deprel", "feats")
        }
        self.filled: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.files: set[str | None] = set()
        self.forms: set[int] = set()
        self.seen: set[int] = set()
        #: Sentences in the document that is being read.
        self.in_document = 0

    def add(self, doc: Document) -> None:
        n = self.n
        self.files.add(doc.source)
        if not doc.continues:
            self.close()
            n["documents"] += 1
            n["named_documents"] += doc.id is not None or _says_newdoc(doc)
        n["tokens"] += doc.n_tokens
        n["words"] += doc.n_words
        n["characters"] += len(doc.text)
        n["paragraphs"] += _paragraphs(doc)
        n["multiword_tokens"] += int((np.bincount(doc.word_token) > 1).sum())
        n["empty_nodes"] += len(doc.empty_nodes)
        n["phrases"] += int((doc.node_leaf == -1).sum())
        n["turns"] += len(doc.turn_start)
        n["no_space_after"] += int(
            (_in_sentence(doc) & (doc.token_start[1:] == doc.token_end[:-1])).sum()
        )
        n["inner_tokens"] += int(_in_sentence(doc).sum())
        self._columns(doc)
        if doc.n_tokens:
            self._sentences(doc)

    def close(self) -> None:
        """Take note that a document ends."""
        self.n["one_sentence_documents"] += self.in_document == 1
        self.in_document = 0

    def _columns(self, doc: Document) -> None:
        for name in ("lemma", "upos", "xpos", "feats", "deprel", "deps", "misc", "form"):
            ids = getattr(doc, name)
            distinct, counts = np.unique(ids, return_counts=True)
            strings = doc.strings.take(distinct)
            if name == "form":
                if len(self.forms) < REMEMBERED:
                    self.forms.update(map(hash, strings))
                continue
            for string, count in zip(strings, counts.tolist(), strict=True):
                if string:
                    self.filled[name] += count
                    if name in self.labels:
                        self.labels[name][string] += count
        self.filled["head"] += int((doc.head != UNKNOWN).sum())

    def _sentences(self, doc: Document) -> None:
        n = self.n
        tokens = doc.sentence_bounds
        words = doc.first_word[tokens].tolist()
        self.in_document += len(tokens) - 1
        starts = doc.token_start[tokens[:-1]].tolist()
        ends = doc.token_end[tokens[1:] - 1].tolist()
        for (begin, end), start, stop in zip(pairwise(words), starts, ends, strict=True):
            text = doc.text[start:stop]
            n["sentences"] += 1
            self.lengths[end - begin] += 1
            n["final_mark"] += text.rstrip(_CLOSING).endswith(_FINAL_MARKS)
            n["initial_capital"] += text[:1] != text[:1].lower()
            mark = hash(text)
            n["repeated_sentences"] += mark in self.seen
            if len(self.seen) < REMEMBERED:
                self.seen.add(mark)
            heads = doc.head[begin:end]
            self._tree(np.where(heads >= 0, heads - begin, heads).astype(np.int32))

    def _tree(self, heads: Ints) -> None:
        n = self.n
        n["arcs"] += int((heads != UNKNOWN).sum())
        if not np.all(heads != UNKNOWN):
            return
        n["trees"] += 1
        roots = int((heads == ROOT).sum())
        n["multi_root"] += roots > 1
        n["rootless"] += roots == 0
        n["self_heads"] += int((heads == np.arange(len(heads))).sum())
        n["cyclic"] += bool(in_cycles(heads).any())
        crossing = int(crossing_arcs(heads).sum())
        n["nonprojective"] += crossing > 0
        n["crossing"] += crossing


def _says_newdoc(doc: Document) -> bool:
    return any(c.lstrip("# ").startswith("newdoc") for c in doc.comments.get(0, ()))


def _paragraphs(doc: Document) -> int:
    """Paragraphs that start in a document; a further piece may go on with the one before."""
    marks = doc.token_paragraph_start
    if doc.continues and doc.n_tokens:
        marks[0] = bool(np.any(doc.paragraph_start <= doc.token_start[0]))
    return int(marks.sum())


def _in_sentence(doc: Document) -> Any:
    """For each token but the last, whether the next one is in the same sentence."""
    inside = np.ones(max(doc.n_tokens - 1, 0), dtype=bool)
    if doc.n_tokens:
        inside[doc.sentence_bounds[1:-1] - 1] = False
    return inside


def _sentence_lengths(lengths: Counter[int]) -> Lengths:
    total = lengths.total()
    if not total:
        return Lengths(0.0, 0, 0, 0, {})

    def percentile(share: float) -> int:
        seen = 0
        for length in sorted(lengths):
            seen += lengths[length]
            if seen >= share * total:
                return length
        return max(lengths)

    bins = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 40), (41, 80))
    histogram = {
        (f"{low}-{high}" if low < high else str(low)): sum(
            count for length, count in lengths.items() if low <= length <= high
        )
        for low, high in bins
    }
    histogram["81+"] = sum(count for length, count in lengths.items() if length > 80)
    mean = sum(length * count for length, count in lengths.items()) / total
    return Lengths(round(mean, 2), percentile(0.5), percentile(0.95), max(lengths), histogram)


def inspect(documents: Iterable[Document]) -> Inspection:
    """Count what is in a stream of documents and say what to mind before training."""
    counts = _Counts()
    for document in documents:
        counts.add(document)
    counts.close()
    n = counts.n
    columns = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    plain = (
        "documents",
        "named_documents",
        "paragraphs",
        "sentences",
        "tokens",
        "words",
        "characters",
        "multiword_tokens",
        "empty_nodes",
        "phrases",
        "turns",
        "self_heads",
        "one_sentence_documents",
    )
    values: dict[str, Any] = {name: n[name] for name in plain}
    values |= {name: dict(labels.most_common()) for name, labels in counts.labels.items()}
    found = Inspection(
        files=len(counts.files),
        sentence_lengths=_sentence_lengths(counts.lengths),
        filled={name: Share(counts.filled[name], n["words"]) for name in columns},
        nonprojective_sentences=Share(n["nonprojective"], n["trees"]),
        nonprojective_arcs=Share(n["crossing"], n["arcs"]),
        multi_root_sentences=Share(n["multi_root"], n["trees"]),
        rootless_sentences=Share(n["rootless"], n["trees"]),
        cyclic_sentences=Share(n["cyclic"], n["trees"]),
        no_space_after=Share(n["no_space_after"], n["inner_tokens"]),
        final_mark=Share(n["final_mark"], n["sentences"]),
        initial_capital=Share(n["initial_capital"], n["sentences"]),
        repeated_sentences=Share(n["repeated_sentences"], n["sentences"]),
        distinct_forms=len(counts.forms),
        warnings=[],
        **values,
    )
    return msgspec.structs.replace(found, warnings=advise(found))
