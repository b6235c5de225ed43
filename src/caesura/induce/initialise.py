"""Initial grammars: random trees, distances, harmonic, uniform, another grammar, brackets.

Count transforms restart from a learned grammar (Spitkovsky, Alshawi & Jurafsky 2013): `symmetric`
discards the direction of arcs, `simple` all sentences with punctuation inside, and a join adds the
counts of the trees of several grammars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from caesura.errors import UsageError
from caesura.induce.inference import best, count, draw
from caesura.induce.parameters import (
    Floats,
    Ints,
    Model,
    Parameters,
    add,
    empty,
    normalise,
    uniform,
)
from caesura.induce.priors import Pull, by_head
from caesura.induce.sentences import Sentences

#: How probable a head with a dependent on a side is done there, of classes at the fringe that are
#: as often at the edge of a fragment as any; chosen on the dev parts of WSJ-sample and Hungarian.
DONE = 0.98

#: Readings of the paper's weights by distance, and what they are shared out over.
SHARES = {"distance": "none", "distance-sides": "side", "distance-pairs": "pairs"}
INITIALISERS = ("random", *SHARES, "harmonic", "uniform", "brackets")


def initialise(
    name: str,
    sentences: Sentences,
    model: Model,
    classes: int,
    *,
    seed: int = 0,
    constraint: str | None = None,
    smoothing: float = 1.0,
    pull: Pull | None = None,
) -> Parameters:
    """The first grammar, by the name of the way it is made."""
    if name in ("random", "brackets"):
        # One tree per sentence, uniformly (under a constraint, or within brackets), counted (S12).
        if name == "random":
            heads = draw(sentences, None, constraint, seed=seed)
        else:
            heads = draw_within(sentences, seed)
        return normalise(count(sentences, heads, model, classes), model, smoothing)
    if name in SHARES:
        return from_distances(sentences, model, classes, share=SHARES[name])
    if name == "harmonic":
        return harmonic(sentences, model, classes, pull=pull)
    if name == "uniform":
        return uniform(model, classes)
    raise UsageError(
        f"unknown initialiser {name!r}", remedy=f"Initialisers are: {', '.join(INITIALISERS)}."
    )


def draw_within(sentences: Sentences, seed: int = 0) -> Ints:
    """A tree for each sentence, uniformly among those that respect its brackets.

    A tree respects a bracket if one of its words heads all the others and only that word has
    dependents outside (the constraint loose). Such a tree is a tree over the bracket's own words
    and a tree in which the bracket is one word, so that drawing both uniformly draws the whole
    uniformly.
    """
    groups: list[list[int]] = []  # words, or -1 - the number of a bracket, innermost first
    opening, closing = sentences.opening, sentences.closing
    if opening is None or closing is None:
        return draw(sentences, seed=seed)
    opens, closes = opening.tolist(), closing.tolist()
    for start, n in zip(sentences.starts.tolist(), sentences.lengths.tolist(), strict=False):
        stack: list[list[int]] = [[]]
        for word in range(start, start + n):
            stack.extend([] for _ in range(opens[word]))
            stack[-1].append(word)
            for _ in range(closes[word]):
                groups.append(stack.pop())
                stack[-1].append(-len(groups))
        groups.append(stack[0])
    drawn = draw(Sentences.of([[0] * len(group) for group in groups]), seed=seed).tolist()
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    base = np.repeat(sentences.starts[:-1], sentences.lengths).tolist()
    root_of: list[int] = []
    at = 0
    for group in groups:
        words = [item if item >= 0 else root_of[-item - 1] for item in group]
        root = -1
        for word, head in zip(words, drawn[at : at + len(group)], strict=True):
            if head < 0:
                root = word
                heads[word] = -1
            else:
                heads[word] = words[head] - base[word]
        root_of.append(root)
        at += len(group)
    return heads


def from_grammar(
    sentences: Sentences,
    parameters: Parameters,
    model: Model,
    classes: int,
    *,
    relabelled: Ints | None = None,
    constraint: str | None = None,
    smoothing: float = 1.0,
    workers: int = 1,
) -> Parameters:
    """Parse with another grammar and count, perhaps over other classes of the same words."""
    heads = best(sentences, parameters, constraint, workers=workers).heads
    words = sentences if relabelled is None else sentences.with_classes(relabelled)
    return normalise(count(words, heads, model, classes), model, smoothing)


def _by_length(
    sentences: Sentences, weigh: Callable[[npt.NDArray[np.int64]], Floats], attach: Floats
) -> None:
    """Add weights [head, dependent], which depend on places only, to attachments by class.

    Places are counted in the words that count; those between two of them share the place of the
    one before.
    """
    lengths = sentences.lengths
    if sentences.counted is not None:
        before = np.cumsum(sentences.counted, dtype=np.int64)
        for a, b in pairwise(sentences.starts.tolist()):
            _add(attach, sentences.classes[None, a:b], weigh(before[a:b]))
        return
    for n in np.unique(lengths).tolist():
        if n == 0:
            continue
        rows = sentences.starts[:-1][lengths == n][:, None] + np.arange(n)
        _add(attach, sentences.classes[rows], weigh(np.arange(n)))


def _add(attach: Floats, classes: Ints, weights: Floats) -> None:
    n = classes.shape[1]
    for h in range(n):
        for d in range(n):
            if h != d:
                np.add.at(attach[int(d > h)], (classes[:, h], classes[:, d]), weights[h, d])


def _root_by_frequency(sentences: Sentences, counts: Parameters) -> None:
    share = np.repeat(1.0 / np.maximum(sentences.lengths, 1), sentences.lengths)
    counts.root[:] += np.bincount(sentences.classes, share, minlength=counts.root.shape[-1])


def from_distances(
    sentences: Sentences, model: Model, classes: int, *, share: str = "none"
) -> Parameters:
    """Attachment by 1 + 1/lg(1 + distance), roots by frequency, stops a half (S11).

    The paper does not say what the weights are shared out over. Weights of all pairs are summed
    as they are; or shared out first over the words on one `side` of a head, or over all `pairs`
    of a sentence. The first is the only one whose accuracies before any training are near those
    of its table 6.
    """
    attach = np.zeros((2, classes, classes))

    def weigh(places: npt.NDArray[np.int64]) -> Floats:
        distance = np.abs(np.subtract.outer(places, places))
        weights = 1.0 + 1.0 / np.log2(1.0 + np.maximum(distance, 1))
        np.fill_diagonal(weights, 0.0)
        if share == "none":
            return np.asarray(weights)
        if share == "pairs":
            return np.asarray(weights / max(weights.sum(), 1e-300))
        lower, upper = np.tril(weights), np.triu(weights)
        for side in (lower, upper):
            side /= np.maximum(side.sum(axis=1, keepdims=True), 1e-300)
        return np.asarray(lower + upper)

    _by_length(sentences, weigh, attach)
    counts = empty(model, classes)
    counts.attach[:] = attach[:, None, None]
    _root_by_frequency(sentences, counts)
    parameters = normalise(counts, model, 1e-6)
    half = np.full_like(parameters.stop, 0.5)
    return parameters._replace(stop=half, go=half.copy())


def harmonic(
    sentences: Sentences,
    model: Model,
    classes: int,
    kappa: float = 1.0,
    pull: Pull | None = None,
    smoothing: float = 1e-3,
) -> Parameters:
    """Heads by 1/(distance + kappa), stops by the expected number of children (Klein & Manning).

    With a `pull`, words are heads and roots in proportion to it. Stops that depend on the fringe
    begin with `fringe_stops`.
    """
    counts = empty(model, classes)
    attach = np.zeros((2, classes, classes))
    if pull is None:
        pull = by_head(np.ones(classes))
    root, pair = np.maximum(pull.root, 1e-12), np.maximum(pull.attach, 1e-12)
    lengths = sentences.lengths
    for n in np.unique(lengths).tolist():
        if n == 0:
            continue
        words = sentences.classes[sentences.starts[:-1][lengths == n][:, None] + np.arange(n)]
        distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        near = 1.0 / (distance + kappa)
        np.fill_diagonal(near, 0.0)
        roots = root[words] / root[words].sum(axis=1, keepdims=True)
        # shares [sentence, head, dependent]: of each dependent, what the root leaves
        right = np.where(np.subtract.outer(np.arange(n), np.arange(n)) < 0, 1, 0)
        shares = near[None] * pair[right[None], words[:, :, None], words[:, None, :]]
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        shares *= 1.0 - roots[:, None, :] if n > 1 else 0.0
        counts.root[:] += np.bincount(words.ravel(), roots.ravel(), minlength=classes)
        for h in range(n):
            for d in range(n):
                if h != d:
                    np.add.at(attach[int(d > h)], (words[:, h], words[:, d]), shares[:, h, d])
        for side, among in ((0, np.tril(near, -1) > 0), (1, np.triu(near, 1) > 0)):
            # As if every word chose its head by itself: how many children a head then has.
            taken = shares * among[None]
            children = taken.sum(axis=2)
            some = 1.0 - np.prod(1.0 - taken, axis=2)
            first = np.minimum(1.0, children)
            for table, adjacent, value in (
                (counts.go, 1, first),
                (counts.stop, 1, 1.0 - first),
                (counts.go, 0, children - some),
                (counts.stop, 0, some),
            ):
                table[:, side, adjacent] += np.bincount(
                    words.ravel(), value.ravel(), minlength=classes
                )
    counts.attach[:] = attach[:, None, None]
    parameters = normalise(counts, model, smoothing)
    if model.stop_fringe:
        parameters.stop[:, :, 0] = fringe_stops(sentences, classes)
        parameters.go[:, :, 0] = 1.0 - parameters.stop[:, :, 0]
    return parameters


def fringe_stops(sentences: Sentences, classes: int) -> Floats:
    """How probable it is, by side and class at the fringe, that a head with dependents stops.

    Before any tree is known, fringes are informative: a class that begins (or ends) sentences and
    fragments more often than others does is more often where a head is done. The odds of `DONE`
    are multiplied by how much more often.
    """
    seen = np.bincount(sentences.classes, minlength=classes) + 2.0
    stop = np.empty((2, classes))
    for side, ends in enumerate(_ends(sentences)):
        often = (np.bincount(sentences.classes[ends], minlength=classes) + 1.0) / seen
        odds = DONE / (1.0 - DONE) * often / max(float(ends.mean()), 1e-12)
        stop[side] = odds / (1.0 + odds)
    return stop


def nudged(parameters: Parameters, strength: float, seed: int) -> Parameters:
    """Probabilities with their logarithms moved by normal noise, made probabilities again."""
    rng = np.random.default_rng(seed)

    def moved(table: Floats) -> Floats:
        return np.asarray(table * np.exp(strength * rng.standard_normal(table.shape)))

    root, attach = moved(parameters.root), moved(parameters.attach)
    root /= np.maximum(root.sum(axis=-1, keepdims=True), 1e-300)
    attach /= np.maximum(attach.sum(axis=-1, keepdims=True), 1e-300)
    stop, go = moved(parameters.stop), moved(parameters.go)
    stop = stop / np.maximum(stop + go, 1e-300)
    return parameters._replace(root=root, attach=attach, stop=stop, go=1.0 - stop)


def _ends(sentences: Sentences) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """By word: whether it is the first, and the last, of its sentence or fragment.

    A head whose dependents extend so far is complete.
    """
    new = np.ones(sentences.n_words + 1, dtype=bool)
    owner = sentences.owner
    new[1:-1] = (owner[1:] != owner[:-1]) | (sentences.fragments[1:] != sentences.fragments[:-1])
    return new[:-1], new[1:]


TRANSFORMS = ("symmetric", "simple", "join")


def rerooted(sentences: Sentences, heads: Ints, seed: int = 0) -> Ints:
    """Each tree with the same arcs, undirected, and a root drawn uniformly from its words."""
    rng = np.random.default_rng(seed)
    found = heads.copy()
    for a, b in pairwise(sentences.starts.tolist()):
        if a == b:
            continue
        tree = heads[a:b].tolist()
        word, above = int(rng.integers(b - a)), -1
        while word >= 0:  # turn the arcs between the new root and the old one
            tree[word], above, word = above, word, tree[word]
        found[a:b] = tree
    return found


def transformed(
    name: str,
    sentences: Sentences,
    grammars: Sequence[Parameters],
    model: Model,
    classes: int,
    *,
    seen: Sequence[Sentences] = (),
    constraint: str | None = None,
    smoothing: float = 0.1,
    seed: int = 0,
    workers: int = 1,
) -> Parameters:
    """The grammar of transformed parses, from which EM starts again.

    `seen` are the sentences over the classes of each grammar, where these are not all the same.
    """
    parts = []
    for grammar, view in zip(grammars, seen or [sentences] * len(grammars), strict=True):
        words, heads = sentences, best(view, grammar, constraint, workers=workers).heads
        if name == "symmetric":
            heads = rerooted(words, heads, seed)
        elif name == "simple":
            whole = ~words.inner & (words.comps > 0)
            if whole.any():
                heads, words = heads[words.words_of(whole)], words.select(whole)
        parts.append(count(words, heads, model, classes, workers))
    return normalise(add(parts), model, smoothing)
