"""Word classes without tags: clusters of frequent words, and the looks of rare ones.

Frequent words are clustered by their neighbours (`caesura cluster`). A rare word has too few
neighbours to tell, so it is classed by its looks: a digit in it, a capital, and its ending, where
that ending is a frequent one among rare words. Unseen words are rare words too. Classes by context
(see `context`) go further: a word may have several, and its neighbours tell which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from caesura.cluster import cluster
from caesura.cluster.clustering import sentences_of
from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce.context import Context, learn_context
from caesura.induce.looks import looks

__all__ = ["WordClassifier", "classifier_of", "learn_classifier"]

#: Words seen less often are classed by their looks.
RARE = 5
#: So many endings, of one or two letters, tell rare words apart.
ENDINGS = 14


@dataclass(frozen=True)
class WordClassifier:
    """From words to names of classes."""

    words: Mapping[str, str] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
    #: Classes by context, in place of those of words and looks.
    context: Context | None = None

    def of(self, word: str) -> str:
        """The class of a word: its own, that of its lower-case form, or by its looks."""
        return self.words.get(word) or self.words.get(word.lower()) or looks(word, self.endings)

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
