"""Word classes without tags: clusters of frequent words, and word shapes of rare ones.

Frequent words are clustered by their neighbours (`caesura cluster`). A rare or unseen word has too
few neighbours and is classified by its shape: a digit, a capital, and its ending, if that is
frequent among rare words. In classes by context (see `context`) a word may have several classes.

Clustering by neighbours gives each very frequent word a class of its own, but a grammar needs few
classes of function words. So `regroup` removes the most frequent words from their classes and
groups them by the classes before and after them, independently of their frequency. In classes by
context it only separates them from the other words of their classes. `lexicalise` does the
opposite: it gives frequent words classes of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from caesura.cluster import cluster
from caesura.cluster.clustering import sentences_of
from caesura.document import Document
from caesura.document.punctuation import is_mark
from caesura.errors import UsageError
from caesura.induce.context import Context, learn_context, word_shape
from caesura.induce.parameters import Ints

#: Words seen less often are classed by their looks.
RARE = 5
#: The number of endings, of one or two letters, that distinguish rare words.
ENDINGS = 14


@dataclass(frozen=True)
class WordClassifier:
    """From words to names of classes."""

    words: Mapping[str, str] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
    #: Classes by context, in place of those of words and looks.
    context: Context | None = None

    def of(self, word: str) -> str:
        """The class of a word: its own, that of its lower-case form, or of its shape."""
        return (
            self.words.get(word) or self.words.get(word.lower()) or word_shape(word, self.endings)
        )

    def classify(self, doc: Document) -> list[str]:
        """The class of each word of a document."""
        if self.context is not None:
            return self.context.classify(doc)
        return [self.of(word) for word in doc.column("form")]


def classifier_of(rows: Iterable[tuple[str, str, int]], rare: int = RARE) -> WordClassifier:
    """A classifier from rows of word, class and count; rare words keep only their looks."""
    words: dict[str, str] = {}
    endings: Counter[str] = Counter()
    for word, name, count in rows:
        if count >= rare:
            words[word] = name
        elif len(word) > 3 and word.isalpha():
            low = word.lower()
            endings.update((low[-2:], low[-1:]))
    found = sorted(endings.items(), key=lambda item: (-item[1], item[0]))[:ENDINGS]
    return WordClassifier(words, tuple(ending for ending, _ in found))


def learn_classifier(
    documents: Sequence[Document | list[str]],
    number: str,
    morphology: float = 0.0,
    context: int = 0,
) -> WordClassifier:
    """So many classes of the frequent words of documents or sentences, by exchange clustering.

    With `morphology`, endings and shapes count, too. With `context`, so many iterations of a hidden
    Markov model follow, by which a word has its class in its sentence.
    """
    if not number.isdecimal() or int(number) < 1:
        raise UsageError(
            f"--classes {number}: no number of classes and no column",
            remedy="Classes: upos, xpos, form, a number, auto, or a file of `caesura cluster`.",
        )
    if context:
        sentences = list(sentences_of(documents))
        return WordClassifier(context=learn_context(sentences, int(number), context, RARE, ENDINGS))
    found = cluster(documents, int(number), min_count=RARE, morphology=morphology)
    return classifier_of(found.rows())


#: The largest share of the words that occur `RARE` times that is grouped.
FREQUENT_SHARE = 0.1


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
    return often[: min(words, int(FREQUENT_SHARE * len(often)))]


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


#: Between the class and the word in the name of such a class.
SEPARATOR = "_"
#: No word that is rarer than one in so many has a class of its own.
LEXICAL_SHARE = 1000


def lexicalise(
    classes: Ints, forms: Ints, names: tuple[str, ...], spelling: tuple[str, ...], least: int
) -> tuple[Ints, tuple[str, ...], dict[tuple[int, int], int]]:
    """New classes, their names, and the new class of each (form, class) that has one.

    A form has one if it occurs at least so often, and is one word in `LEXICAL_SHARE` or more: the
    size of tables is quadratic in the number of classes.
    """
    seen = np.bincount(forms, minlength=len(spelling))
    often = seen[forms] >= max(least, len(forms) // LEXICAL_SHARE)
    pairs = np.unique(np.stack((forms[often], classes[often]), axis=1), axis=0)
    lexicon: dict[tuple[int, int], int] = {}
    known = list(names)
    for form, old in pairs.tolist():
        lexicon[form, old] = len(known)
        known.append(f"{names[old]}{SEPARATOR}{spelling[form]}")
    new = classes.copy()
    for at in np.flatnonzero(often).tolist():
        new[at] = lexicon[int(forms[at]), int(classes[at])]
    return new, tuple(known), lexicon


def apply_lexicon(
    classes: Ints, words: list[str], names: tuple[str, ...], lexical: dict[str, int]
) -> Ints:
    """Classes of words of other texts: the word's own where the grammar has it."""
    if not lexical:
        return classes
    new = classes.copy()
    for at, word in enumerate(words):
        found = lexical.get(f"{names[classes[at]]}{SEPARATOR}{word}")
        if found is not None:
            new[at] = found
    return new
