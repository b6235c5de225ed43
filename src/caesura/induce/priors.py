"""Priors of a grammar: factors of arcs, rules that hold in expectation, and stops.

A `Pull` multiplies the probabilities of arcs and roots in the E-step only; the grammar itself is
re-estimated, so a pull only decides among analyses that the text leaves open.

Rules in expectation are posterior regularisation (Naseem, Chen, Barzilay & Johnson 2010): of all
distributions over trees under which the expected share of arcs that follow the rules reaches a
bound, the one closest to the grammar multiplies each such arc by the same factor, which is found by
bisection.

Stop priors come from reducibility (Mareček & Straka 2013). A run of words is reducible if the
sentence without it occurs in the text as well; then it is likely to be a whole subtree, so its
first word stopped on the left and its last word on the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from caesura.document import Document
from caesura.document.punctuation import is_mark
from caesura.induce.corpus import Classifier, Corpus
from caesura.induce.inference import expect
from caesura.induce.parameters import Floats, Longs, Model, Parameters, empty
from caesura.induce.sentences import Sentences


class Harmony(NamedTuple):
    """Classes whose arcs lie on the side on which some heads have some dependents."""

    #: By class, one or zero: the heads and the dependents that lead, and those that follow.
    heads: Floats
    dependents: Floats
    follow: Floats


class Pull(NamedTuple):
    """Factors of roots [class] and of arcs [direction, class of the head, of the dependent]."""

    root: Floats
    attach: Floats
    #: By class: how strongly its words are kept to one side of their heads; see `one_sided`.
    sided: Floats
    #: Which classes branch to the same side as others do, if any; see `in_harmony`.
    harmony: Harmony | None = None


def by_head(weight: Floats) -> Pull:
    """A pull by the class of the head alone, which the root has, too."""
    size = len(weight)
    attach = np.ascontiguousarray(np.broadcast_to(weight[None, :, None], (2, size, size)))
    return Pull(weight, attach, np.zeros(size))


def by_root(weight: Floats) -> Pull:
    """A pull on roots alone."""
    size = len(weight)
    return Pull(weight, np.ones((2, size, size)), np.zeros(size))


def pulled(parameters: Parameters, pull: Pull) -> Parameters:
    """Parameters under which every arc and every root weighs by its classes."""
    return parameters._replace(
        attach=parameters.attach * pull.attach[:, None, None],
        root=parameters.root * pull.root[None],
    )


def one_sided(pull: Pull, counts: Parameters | None) -> Pull:
    """The pull, with arcs of one-sided classes multiplied by the share of their side.

    Adpositions, articles and their like stand before their heads or after them, whatever these
    are; a split-head grammar has no number for that. The shares are those of the last counts.
    """
    if counts is None or not pull.sided.any():
        return pull
    arcs = counts.attach.sum(axis=(1, 2, 3)) + 1.0
    share = (arcs / arcs.sum(axis=0)) ** pull.sided
    return pull._replace(attach=pull.attach * share[:, None, :])


def in_harmony(pull: Pull, counts: Parameters | None) -> Pull:
    """The pull, with arcs of classes in harmony multiplied by how often the side was that of verbs.

    Where verbs stand behind their nouns, heads stand behind their dependents in general (Greenberg
    1963). The factor is twice the share of the side in the last counts and at most one, so a
    language in which verbs have nouns on both sides is left as it is.
    """
    if counts is None or pull.harmony is None:
        return pull
    heads, dependents, follow = pull.harmony
    leading = counts.attach.sum(axis=(1, 2)) * heads[:, None] * dependents
    arcs = leading.sum(axis=(1, 2)) + 1.0
    factor = np.minimum(2.0 * arcs / arcs.sum(), 1.0)
    both_follow = np.outer(follow, follow) > 0
    side = np.where(both_follow, factor[:, None, None], 1.0)
    return pull._replace(attach=pull.attach * side)


def to_the(power: float, pull: Pull) -> Pull:
    """The same pull, stronger or weaker."""
    return pull._replace(root=pull.root**power, attach=pull.attach**power)


def both(one: Pull | None, two: Pull | None) -> Pull | None:
    """Two pulls at once."""
    if one is None or two is None:
        return one or two
    return Pull(
        one.root * two.root,
        one.attach * two.attach,
        one.sided + two.sided,
        one.harmony or two.harmony,
    )


def lexical(pull: Pull, classes: Longs) -> Pull:
    """The pull over new classes, each of which is part of an old one."""
    return Pull(
        pull.root[classes],
        np.ascontiguousarray(pull.attach[:, classes][:, :, classes]),
        pull.sided[classes],
        None if pull.harmony is None else Harmony(*(table[classes] for table in pull.harmony)),
    )


#: The factor is found on so many sentences, spread over all.
SAMPLE = 400
#: Rules that even this factor does not make followed cannot be.
STRONGEST = 1e6
STEPS = 12


def with_factor(follows: Pull, factor: float) -> Pull:
    """The pull that multiplies roots and arcs that follow the rules by a factor.

    Written as a division of the others, so that no product leaves the range of numbers.
    """
    weak = 1.0 / factor
    return Pull(
        np.where(follows.root > 0, 1.0, weak),
        np.where(follows.attach > 0, 1.0, weak),
        follows.sided,
    )


def share_that_follows(counts: Parameters, follows: Pull) -> float:
    """The expected share of roots and arcs that follow the rules."""
    good = float((counts.attach * follows.attach[:, None, None]).sum())
    good += float((counts.root * follows.root[None]).sum())
    return good / max(float(counts.attach.sum() + counts.root.sum()), 1e-300)


def factor_for(
    words: Sentences,
    parameters: Parameters,
    model: Model,
    follows: Pull,
    share: float,
    constraint: str | None = None,
    workers: int = 1,
) -> float:
    """The smallest factor under which the expected share reaches its bound; 1 if it does as is."""
    chosen = np.zeros(len(words), dtype=bool)
    chosen[:: max(1, -(-len(words) // SAMPLE))] = True
    sample = words.select(chosen)

    def reaches(factor: float) -> bool:
        drawn = pulled(parameters, with_factor(follows, factor))
        counts = expect(sample, drawn, model, constraint, workers).counts
        return share_that_follows(counts, follows) >= share

    if reaches(1.0):
        return 1.0
    low, high = 0.0, float(np.log(STRONGEST))
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(float(np.exp(middle))) else (middle, high)
    return float(np.exp(high))


#: The longest sentences that are used, and the longest runs that are removed from them.
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
    """Remove every short run from every short sentence and check whether the rest occurs.

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

    Only first decisions have priors; later ones are left to the text.
    """
    counts = empty(model, estimates.shape[1])
    counts.stop[:, :, 1] = strength * estimates[None]
    counts.go[:, :, 1] = strength * (1.0 - estimates[None])
    return counts
