"""Learns which tokens are several words: forms, rules and what doubtful forms stand between."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.stages.multiword_tokens import (
    CONTEXT_BITS,
    LONGEST_RULE,
    Splitter,
    Words,
    context_rows,
)

_MORE_CONTEXT: Final = 3


def tokens_with_words(doc: Document) -> Iterator[tuple[str, Words]]:
    """The surface and the words of each token."""
    forms = doc.column("form")
    first = doc.first_word.tolist()
    spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
    for token, (start, end) in enumerate(spans):
        yield doc.text[start:end], tuple(forms[first[token] : first[token + 1]])


def learn_splitter(
    docs: Iterable[Document],
    copies: Iterable[Document] = (),
    contractions: Mapping[str, Words] | None = None,
    classes: Mapping[str, int] | None = None,
    *,
    epochs: int = 10,
    rate: float = 0.2,
) -> Splitter:
    """Learn from documents whose tokens and words are known.

    From `copies` it is learned what doubtful forms stand between; how often they are several words
    is for the documents to say. Of `contractions` those are known that the documents do not show.
    """
    plain: Counter[str] = Counter()
    split: dict[str, Counter[Words]] = defaultdict(Counter)
    texts: list[list[tuple[str, Words]]] = []
    for doc in docs:
        tokens = list(tokens_with_words(doc))
        texts.append(tokens)
        for surface, words in tokens:
            lower = surface.lower()
            if len(words) > 1:
                split[lower][tuple(word.lower() for word in words)] += 1
            else:
                plain[lower] += 1
    splitter = Splitter(classes=classes or {})
    if not split:
        return splitter
    for lower, ways in split.items():
        words, _ = max(ways.items(), key=lambda item: (item[1], item[0]))
        yes, no = sum(ways.values()), plain[lower]
        if no == 0 or yes > 1 or yes >= no:
            splitter.known[lower] = words
        else:
            splitter.known[lower] = ()
        if no and splitter.known[lower]:
            splitter.doubtful[lower] = math.log((yes + 0.5) / (no + 0.5))
    for lower, words in (contractions or {}).items():
        if lower not in split and lower not in plain:
            splitter.known[lower] = words
    splitter.marks = _learn_marks(split, plain)
    _learn_rules(splitter, split, plain)
    texts += [list(tokens_with_words(copy)) for copy in copies]
    _learn_doubtful(splitter, texts, epochs, rate)
    return splitter


def _learn_marks(split: dict[str, Counter[Words]], plain: Counter[str]) -> frozenset[str]:
    """Marks that are mostly words of their own where they are written inside of a form."""
    yes: Counter[str] = Counter()
    for lower, ways in split.items():
        mark = max(ways.items(), key=lambda item: (item[1], item[0]))[0][-1]
        if len(mark) == 1 and not mark.isalnum() and mark in lower[1:-1]:
            yes[mark] += (lower.replace(mark, "", 1), mark) in ways
    no = Counter(letter for lower in plain for letter in {*lower[1:-1]} if letter in yes)
    return frozenset(mark for mark, count in yes.items() if count > max(1, no[mark]))


def _learn_rules(splitter: Splitter, split: dict[str, Counter[Words]], plain: Counter[str]) -> None:
    endings: dict[str, Counter[Words]] = defaultdict(Counter)
    beginnings: dict[str, Counter[Words]] = defaultdict(Counter)
    for lower, ways in split.items():
        words = max(ways.items(), key=lambda item: (item[1], item[0]))[0]
        same = _common(lower, words[0])
        tail = _common(lower[::-1], words[-1][::-1])
        if same >= tail:
            for at in range(same, max(0, same - _MORE_CONTEXT) - 1, -1):
                if 0 < len(lower) - at <= LONGEST_RULE:
                    endings[lower[at:]][(words[0][at:], *words[1:])] += 1
        else:
            cut = len(lower) - tail
            for at in range(cut, min(len(lower), cut + _MORE_CONTEXT) + 1):
                if 0 < at <= LONGEST_RULE:
                    kept = len(words[-1]) - (len(lower) - at)
                    beginnings[lower[:at]][(*words[:-1], words[-1][:kept])] += 1
    against_ending: Counter[str] = Counter()
    against_beginning: Counter[str] = Counter()
    for lower in plain:
        for size in range(1, min(LONGEST_RULE, len(lower)) + 1):
            if lower[-size:] in endings:
                against_ending[lower[-size:]] += 1
            if lower[:size] in beginnings:
                against_beginning[lower[:size]] += 1
    splitter.endings = _good_rules(endings, against_ending)
    splitter.beginnings = _good_rules(beginnings, against_beginning)
    # A form that is one word, though a rule would split it, must be remembered.
    for lower in plain:
        if lower not in splitter.known and splitter.candidate(lower) is not None:
            splitter.known[lower] = ()


def _good_rules(rules: dict[str, Counter[Words]], against: Counter[str]) -> dict[str, Words]:
    good: dict[str, Words] = {}
    for key, ways in rules.items():
        words, count = max(ways.items(), key=lambda item: (item[1], item[0]))
        if count > 1 and count > sum(ways.values()) - count + against[key]:
            good[key] = words
    return good


def _learn_doubtful(
    splitter: Splitter, texts: list[list[tuple[str, Words]]], epochs: int, rate: float
) -> None:
    cases: list[tuple[float, NDArray[np.int64], bool]] = []
    for tokens in texts:
        surfaces = [surface for surface, _ in tokens]
        for i, (surface, words) in enumerate(tokens):
            lower = surface.lower()
            if lower in splitter.doubtful:
                before, after = surfaces[max(0, i - 2) : i], surfaces[i + 1 : i + 3]
                rows = context_rows(surface, lower, before, after, splitter.classes)
                cases.append((splitter.doubtful[lower], rows, len(words) > 1))
    weights = np.zeros(1 << CONTEXT_BITS, dtype=np.float64)
    squares = np.zeros(1 << CONTEXT_BITS, dtype=np.float64)
    for _ in range(epochs):
        for bias, rows, truth in cases:
            score = bias + weights[rows].sum()
            gradient = 1.0 / (1.0 + math.exp(-min(30.0, max(-30.0, score)))) - truth
            squared = gradient * gradient + 1e-9
            squares[rows] += squared
            weights[rows] -= rate * gradient / np.sqrt(squares[rows])
    splitter.weights = weights.astype(np.float32)


def _common(left: str, right: str) -> int:
    n = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        n += 1
    return n
