"""Brackets that are known in part, from mark-up or from phrases that somebody marked.

Brackets (Pereira & Schabes 1992) nest; those that cross a wider one are left out. `initialise`
draws trees that respect them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.induce.parameters import Ints
from caesura.induce.sentences import Sentences

__all__ = ["bracketed", "document_brackets", "nested"]

Bracket = tuple[int, int]


def nested(brackets: Iterable[Bracket], n: int) -> list[Bracket]:
    """The brackets that say something about a sentence of n words and nest: wider ones first.

    Left out are brackets of one word or of the whole sentence, and those that cross a wider one.
    """
    wanted = {(x, y) for x, y in brackets if 0 <= x < y < n and (x, y) != (0, n - 1)}
    kept: list[Bracket] = []
    for x, y in sorted(wanted, key=lambda b: (b[0] - b[1], b[0])):
        if not any(a < x <= b < y or x < a <= y < b for a, b in kept):
            kept.append((x, y))
    return kept


def bracketed(sentences: Sentences, brackets: Iterable[Iterable[Bracket]]) -> Sentences:
    """Sentences that know brackets, given for each as pairs of first and last word."""
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
