"""The number of word classes, by the cost of held-out words.

For each number the frequent words of nine sentences in ten are clustered, and a small grammar over
the classes is learned from them. The cost of the rest is measured in bits per word: the classes
under the grammar, and each word given its class. Few classes predict little, many are learned from
too few words. No tree is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from caesura.cluster.clustering import sentences_of
from caesura.document import Document
from caesura.induce.corpus import Corpus, corpus
from caesura.induce.em import finish
from caesura.induce.parameters import Floats, Parameters
from caesura.induce.recipes import Regime, TrainingStage
from caesura.induce.selection import bits_per_word
from caesura.induce.training import View, learn
from caesura.induce.word_classes import WordClassifier, learn_classifier, regroup

#: The numbers that are tried, from few to many.
NUMBERS = (15, 20, 30, 50, 80)
#: The number for texts that are too small.
USUAL = 30
#: One sentence in so many is held out.
EVERY = 10
#: The size of the sample in words, in blocks of `EVERY` sentences spread over the text.
SAMPLE = 150_000
#: What is added to the count of each word in its class, and as many unseen words as it has types.
ALPHA = 0.1
#: Longer sentences are not used: the chart takes cubic time.
LONGEST = 45
FIRST = TrainingStage(
    "number", "dbm1", "pieces", 15, "harmonic", Regime("soft", "fixed", 10, smoothing=0.1)
)


def numbers_tried(
    documents: Sequence[Document],
    class_text: Sequence[Document] = (),
    *,
    numbers: Iterable[int] = NUMBERS,
    morphology: float = 0.0,
    frequent: int = 60,
    groups: int = 10,
    marks: str = "unicode",
) -> Iterator[tuple[int, float]]:
    """Numbers of classes and their held-out bits, one after the other.

    `class_text` is more text for the clusters; nothing of it is held out. Bits are infinite where
    the text has too little to learn from and to hold out.
    """
    sentences = list(sentences_of(documents))
    part = _parts([len(words) for words in sentences])
    known = [words for words, where in zip(sentences, part.tolist(), strict=True) if where >= 0]
    text = [*known, *sentences_of(class_text)]
    for number in numbers:
        classifier = learn_classifier(text, str(number), morphology)
        if frequent:
            classifier = regroup(text, classifier, frequent, groups)
        yield number, _bits(documents, part, classifier, marks)


def fewest(bits: Mapping[int, float]) -> int:
    """The number with the fewest bits; of equals the smallest, and `USUAL` where none could."""
    if not np.isfinite(list(bits.values())).any():
        return USUAL
    return min(bits, key=lambda number: (round(bits[number], 6), number))


def _parts(lengths: Sequence[int]) -> np.ndarray:
    """By sentence: 1 for training, 0 for clustering only, -1 for held-out sentences."""
    number = np.arange(len(lengths))
    blocks = max(1, -(-sum(lengths) // SAMPLE))
    looked = (number // EVERY) % blocks == 0
    return np.where(~looked, 0, np.where(number % EVERY == EVERY - 1, -1, 1))


def _bits(
    documents: Sequence[Document], part: np.ndarray, classifier: WordClassifier, marks: str
) -> float:
    words = corpus(documents, classifier.classify, marks=marks)
    offsets = np.concatenate(([0], np.cumsum([doc.n_sentences for doc in documents])))
    first = words.sentences.starts[:-1]
    owner = np.array(
        [
            offsets[doc] + documents[doc].word_sentence[index]
            for doc, index in zip(
                words.document[first].tolist(), words.index[first].tolist(), strict=True
            )
        ],
        dtype=np.int64,
    )
    short = words.sentences.up_to(LONGEST)
    train, held = (words.select(short & (part[owner] == side)) for side in (1, -1))
    if not len(held) or not len(train.sentences.select(train.sentences.up_to(FIRST.limit))):
        return np.inf
    learnt = finish(learn(View(train.sentences, words.names), (FIRST,)))
    return held_out_bits(train, held, learnt.parameters)


def held_out_bits(train: Corpus, held: Corpus, parameters: Parameters) -> float:
    """Bits a held-out word: of the classes under a grammar, and of the words given the classes."""
    return bits_per_word(held.sentences, parameters) + float(_emitted(train, held).mean())


def _emitted(train: Corpus, held: Corpus) -> Floats:
    """By held-out word: bits of the word given its class."""
    size = len(train.names)
    pairs = Counter(zip(train.sentences.classes.tolist(), train.words.tolist(), strict=True))
    tokens = np.bincount(train.sentences.classes, minlength=size)
    types = np.bincount([name for name, _ in pairs], minlength=size)
    # as many words again as were seen are still to come, at least ten
    total = tokens + ALPHA * (types + np.maximum(types, 10))
    seen = np.array(
        [
            pairs[pair]
            for pair in zip(held.sentences.classes.tolist(), held.words.tolist(), strict=True)
        ],
        dtype=float,
    )
    return np.asarray(-np.log2((seen + ALPHA) / total[held.sentences.classes]))
