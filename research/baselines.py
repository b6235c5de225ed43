"""What the papers compare grammars with: chains, random trees, marks as words, filtered lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caesura.document import UNKNOWN, Document
from caesura.document.punctuation import parse_marks
from caesura.induce.corpus import Corpus, corpus, gold_heads, word_classes
from caesura.induce.em import finish
from caesura.induce.inference import best, draw
from caesura.induce.parameters import Ints, Parameters
from caesura.induce.priors import by_head, pulled
from caesura.induce.punctuation_constraints import fragments_of, holds
from caesura.induce.recipes import TrainingStage
from caesura.induce.selection import attach_left, attach_right
from caesura.induce.sentences import Sentences
from caesura.induce.training import View, learn
from research.kbest import k_best

__all__ = [
    "accuracy",
    "attach_left",
    "attach_right",
    "filtered",
    "punctuation_as_words",
    "random_trees",
]


def accuracy(words: Sentences, heads: Ints, gold: Ints, longest: int | None = None) -> float:
    """Directed accuracy in per cent, the root counted, over words whose head is known."""
    scored = gold != UNKNOWN
    if longest is not None:
        scored &= words.words_of(words.lengths <= longest)
    return 100.0 * float((heads == gold)[scored].mean()) if scored.any() else float("nan")


def random_trees(words: Sentences, seed: int = 0, constraint: str | None = None) -> Ints:
    """Trees drawn uniformly."""
    return draw(words, None, constraint, seed=seed)


def filtered(words: Sentences, parameters: Parameters, k: int, constraint: str) -> Ints:
    """The best of the k best trees that satisfies a constraint, or the best one if none does."""
    heads = best(words, parameters).heads.copy()
    for index in np.flatnonzero(words.inner).tolist():
        a, b = int(words.starts[index]), int(words.starts[index + 1])
        spans = fragments_of(words.fragments[a:b])
        for tree in k_best(words, index, parameters, k)[0]:
            if all(holds(tree, x, y, constraint) for x, y in spans):
                heads[a:b] = tree
                break
    return heads


def punctuation_as_words(
    training: Sequence[Document],
    test: Sequence[Document],
    column: str,
    stages: tuple[TrainingStage, ...],
    *,
    leaves: bool = True,
    marks: str | None = None,
    seed: int = 0,
) -> tuple[Corpus, Ints, Ints]:
    """Train and parse with the marks left in; words, their heads and the gold heads without them.

    Marks count neither in the lengths of sentences nor in distances, as in the paper.
    With `leaves`, a mark is never a head; else heads climb over marks (forgiving scoring). Marks
    are told by the column of the classes, if no other is named.
    """

    def none(doc: Document) -> np.ndarray:
        return np.zeros(doc.n_words, dtype=bool)

    whole = corpus(training, word_classes(column), marks=none)
    other = corpus(test, word_classes(column), marks=none, names=whole.names[1:])
    definition = parse_marks(marks or column, induction=True)
    is_word = np.concatenate([~definition.mask(d) for d in training if d.n_words])
    sentences = replace(whole.sentences, counted=is_word)
    pull = np.ones(len(whole.names))
    if leaves:
        for doc in training:
            marked = np.array(doc.column(column))[definition.mask(doc)]
            for name in set(marked.tolist()):
                pull[whole.names.index(name)] = 1e-12
    heads_of = by_head(pull)
    parameters = finish(
        learn(View(sentences, whole.names, pull=heads_of), stages, seed=seed)
    ).parameters
    heads = best(other.sentences, pulled(parameters, heads_of) if leaves else parameters).heads
    absolute = np.full(other.sentences.n_words, -1, dtype=np.int64)
    begin = np.repeat(other.sentences.starts[:-1], other.sentences.lengths)
    absolute[:] = np.where(heads >= 0, heads + begin, -1)
    kept = corpus(test, word_classes(column), marks=marks or column, names=whole.names[1:])
    # where each kept word stands among all words
    place = {(d, i): at for at, (d, i) in enumerate(zip(other.document, other.index, strict=True))}
    where = [place[d, i] for d, i in zip(kept.document, kept.index, strict=True)]
    back = {at: number for number, at in enumerate(where)}
    base = np.repeat(kept.sentences.starts[:-1], kept.sentences.lengths)
    ours = np.full(kept.sentences.n_words, -1, dtype=np.int32)
    for number, at in enumerate(where):
        h, steps = int(absolute[at]), 0
        while h >= 0 and h not in back and steps < 1000:
            h, steps = int(absolute[h]), steps + 1
        if h >= 0:
            ours[number] = back[h] - base[number]
    return kept, ours, gold_heads(test, kept)[0]
