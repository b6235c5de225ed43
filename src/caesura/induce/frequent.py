"""Groups of the most frequent words: a few closed classes, as grammarians have them.

Clustering by neighbours gives a frequent word a class of its own, `of` one and `in` another, since
each tells much about its neighbours. A grammar needs the opposite: few classes of function words
and many of content words. So the most frequent words are taken out of their classes and grouped
anew by what stands before and after them, each word counting the same however often it is seen.
Classes by context have groups of function words already, but with other words in them: there the
frequent words of a class are only parted from the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from caesura.document import Document
from caesura.document.punctuation import is_mark
from caesura.induce.word_classifier import RARE, WordClassifier

__all__ = ["doc_sentences", "group_frequent", "regroup"]

#: Of the words seen `RARE` times at most this share is grouped, whatever was asked for.
SHARE = 0.1


def doc_sentences(doc: Document) -> Iterator[list[str]]:
    """The words of each sentence of a document."""
    forms = doc.column("form")
    for first, last in pairwise(doc.first_word[doc.sentence_bounds].tolist()):
        yield forms[first:last]


def regroup(
    sentences: Sequence[Sequence[str]], known: WordClassifier, words: int = 60, groups: int = 10
) -> WordClassifier:
    """A classifier in which the most frequent words are so many groups of their own.

    Where classes are by context, the frequent words of each class are a class instead.
    """
    if known.context is not None:
        apart = frozenset(_most_frequent(sentences, words))
        return replace(known, context=replace(known.context, frequent=apart))
    found = group_frequent(sentences, known, words, groups)
    if len(found) < 2:
        return known
    group = {word: f"frequent {members[0]}" for members in found for word in members}
    classes = {word: group.get(word.lower(), name) for word, name in known.words.items()}
    return WordClassifier({**classes, **group}, known.endings)


def group_frequent(
    sentences: Sequence[Sequence[str]], known: WordClassifier, words: int = 60, groups: int = 10
) -> list[list[str]]:
    """The most frequent words in groups, the most frequent first; case is ignored.

    Two words are alike if the classes before them and the classes after them are: the smaller of
    the two affinities (Bhattacharyya) counts. Groups are merged by average affinity.
    """
    chosen = _most_frequent(sentences, words)
    if len(chosen) < 2:
        return [[word] for word in chosen]
    before, after = _contexts(sentences, known, chosen)
    alike = np.minimum(before @ before.T, after @ after.T)
    return [[chosen[i] for i in sorted(group)] for group in _merged(alike, groups)]


def _most_frequent(sentences: Sequence[Sequence[str]], words: int) -> list[str]:
    """At most so many words, written small, the most frequent first."""
    counts = Counter(w.lower() for s in sentences for w in s if not is_mark(w, True))
    often = [word for word, n in counts.most_common() if n >= RARE]
    return often[: min(words, int(SHARE * len(often)))]


def _contexts(
    sentences: Iterable[Sequence[str]], known: WordClassifier, chosen: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Square roots of the shares of classes before and after each chosen word."""
    place = {word: i for i, word in enumerate(chosen)}
    # a boundary and any mark are one class, rare words another
    number = {name: i + 2 for i, name in enumerate(sorted(set(known.words.values())))}

    def class_of(word: str) -> int:
        name = known.words.get(word) or known.words.get(word.lower())
        return number[name] if name is not None else int(not is_mark(word, True))

    cache: dict[str, int] = {}
    found = np.zeros((2, len(chosen), len(number) + 2))
    for sentence in sentences:
        ids = [0]
        for word in sentence:
            if word not in cache:
                cache[word] = class_of(word)
            ids.append(cache[word])
        ids.append(0)
        for at, word in enumerate(sentence):
            i = place.get(word.lower())
            if i is not None:
                found[0, i, ids[at]] += 1
                found[1, i, ids[at + 2]] += 1
    shares = np.sqrt(found / np.maximum(found.sum(axis=2, keepdims=True), 1.0))
    return shares[0], shares[1]


def _merged(alike: np.ndarray, groups: int) -> list[list[int]]:
    """Average-link clustering down to so many groups; of equal pairs the first is merged."""
    found = [[i] for i in range(len(alike))]
    near = alike.copy()
    np.fill_diagonal(near, -1.0)
    while len(found) > max(1, groups):
        one, two = sorted(int(i) for i in np.unravel_index(np.argmax(near), near.shape))
        a, b = len(found[one]), len(found[two])
        row = (a * near[one] + b * near[two]) / (a + b)
        near[one], near[:, one] = row, row
        near[one, one] = -1.0
        near = np.delete(np.delete(near, two, axis=0), two, axis=1)
        found[one] += found.pop(two)
    return found
