"""Stop priors from reducibility: where words can be left out, a subtree ended.

After Mareček & Straka (2013, "Stop-probability estimates computed on a large corpus improve
unsupervised dependency parsing"). A run of words is reducible if the sentence without it occurs in
the text as well; then it is likely to be a whole subtree, and its first word took nothing more to
the left and its last nothing more to the right. How often a class begins and ends such runs says
how probable it is to stop on that side. No tree and no tag is needed, but much text is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from caesura.document import Document
from caesura.document.punctuation import is_mark
from caesura.induce.corpus import Classifier, Corpus
from caesura.induce.models import Model
from caesura.induce.parameters import Floats, Parameters, empty

__all__ = ["Reduced", "prior_counts", "reduce_documents", "reduce_text", "stop_estimates"]

#: Longest sentences that are looked at, and longest runs that are left out of them.
LONGEST = 12
RUN = 4
#: The mean of the estimates: two words of three stop at once.
MEAN = 2.0 / 3.0


class Reduced(NamedTuple):
    """By class: how often it was seen, and how often it began and ended a reducible run."""

    seen: Floats
    #: [side, class]; the left side is that of beginnings.
    edges: Floats
    #: How many runs were reducible.
    runs: int


def reduce_text(
    sentences: Iterable[Sequence[str]], classes: Iterable[Sequence[int]], number: int
) -> Reduced:
    """Leave every short run out of every short sentence and look whether the rest occurs.

    `classes` are those of the words of each sentence, numbers below `number`.
    """
    pairs = [
        (tuple(words), tuple(kinds))
        for words, kinds in zip(sentences, classes, strict=True)
        if 0 < len(words) <= LONGEST
    ]
    known = {words for words, _ in pairs}
    seen, edges, runs = np.zeros(number), np.zeros((2, number)), 0
    for words, kinds in pairs:
        for kind in kinds:
            seen[kind] += 1
        for first in range(len(words)):
            for last in range(first, min(first + RUN, len(words))):
                if last - first + 1 == len(words):
                    continue
                if words[:first] + words[last + 1 :] in known:
                    runs += 1
                    edges[0, kinds[first]] += 1
                    edges[1, kinds[last]] += 1
    return Reduced(seen, edges, runs)


def reduce_documents(documents: Sequence[Document], words: Corpus, classes: Classifier) -> Reduced:
    """The same for documents, marks left out and case forgotten; classes by those of `words`."""
    number = {name: at for at, name in enumerate(words.names)}
    sentences: list[list[str]] = []
    kinds: list[list[int]] = []
    for doc in documents:
        forms, labels, sentence = doc.column("form"), classes(doc), doc.word_sentence.tolist()
        before = -1
        for form, label, at in zip(forms, labels, sentence, strict=True):
            if at != before:
                sentences.append([])
                kinds.append([])
                before = at
            if not is_mark(form, True):
                sentences[-1].append(form.lower())
                kinds[-1].append(number.get(label, 0))
    return reduce_text(sentences, kinds, len(words.names))


def stop_estimates(found: Reduced) -> Floats:
    """P(stop) by side and class, from how often a class was at the edge of a reducible run.

    Shares depend on how much text there is; so their order is taken, and classes are spread evenly
    about the mean by it, each weighing by its frequency.
    """
    size = len(found.seen)
    estimates = np.full((2, size), MEAN)
    for side in (0, 1):
        share = (found.edges[side] + 1e-3) / (found.seen + 1.0)
        used = np.flatnonzero(found.seen > 0)
        order = used[np.argsort(share[used], kind="stable")]
        weight = found.seen[order]
        place = (np.cumsum(weight) - weight / 2) / max(float(weight.sum()), 1e-300)
        estimates[side, order] = place ** (1.0 / MEAN - 1.0)
    return np.clip(estimates, 0.02, 0.98)


def prior_counts(estimates: Floats, model: Model, strength: float) -> Parameters:
    """Stops and goings-on that are counted before any are seen: so many for each class and side.

    Only first decisions are touched: what a fringe that was reached says is for the text to tell.
    """
    counts = empty(model, estimates.shape[1])
    counts.stop[:, :, 1] = strength * estimates[None]
    counts.go[:, :, 1] = strength * (1.0 - estimates[None])
    return counts
