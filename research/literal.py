"""The printed formulas of sprawl, loose and strict (Spitkovsky et al. 2011), with their chart.

The formulas judge both edges of a seal at once. A dependent's two sides meet in one item [i, d, j],
so the chart takes O(n^4) time; it is meant for comparison with the prose reading, which the
package follows and which needs no such item. The chart adds logarithms in NumPy. The functions are
those of `caesura.induce.inference`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import UsageError
from caesura.induce.inference import Best, Expected
from caesura.induce.parameters import Floats, Ints, Model, Parameters, each, empty, logs, ones
from caesura.induce.punctuation_constraints import fragments_of
from caesura.induce.sentences import Sentences

__all__ = ["FORMULAS", "arcs", "best", "draw", "expect", "least_risk", "likelihood"]

#: The constraints that are printed as formulas.
FORMULAS = ("sprawl", "loose", "strict")
#: Scores this close, relative to a logarithm, are equal.
TIE = 1e-9
LEFT, RIGHT = 0, 1

#: Classes, marks, fragments and completeness of one sentence.
Words = tuple[Ints, Ints, Ints, int]
#: Which of some ways to build an item to take.
Choose = Callable[[Floats], int]


def _check(constraint: str) -> None:
    if constraint not in FORMULAS:
        raise UsageError(
            f"there is no formula for {constraint!r}", remedy=f"Formulas: {', '.join(FORMULAS)}."
        )


def expect(sentences: Sentences, parameters: Parameters, model: Model, constraint: str) -> Expected:
    """Expected counts; a sentence that the formula leaves without a tree is freed and marked."""
    counts = empty(model, parameters.root.shape[-1])
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    table = logs(parameters)
    for index, n in enumerate(sentences.lengths.tolist()):
        if n:
            chart = _chart(sentences.one(index), table, constraint)
            if chart.total == -np.inf:
                lifted[index] = 1
                chart = _chart(_freed(sentences.one(index)), table, constraint)
            scores[index] = chart.total
            chart.add_counts(counts)
    return Expected(counts, scores, lifted)


def likelihood(sentences: Sentences, parameters: Parameters, constraint: str) -> Floats:
    """The log-probability of each sentence, all trees that the formula allows together."""
    table = logs(parameters)
    words = map(sentences.one, range(len(sentences)))
    return np.array([_chart(one, table, constraint).total for one in words])


def best(sentences: Sentences, parameters: Parameters, constraint: str) -> Best:
    """The best tree of each sentence; of equally good ones the leftmost."""
    table = logs(parameters)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a < b:
            chart = _chart(sentences.one(index), table, constraint, np.max)
            if chart.total == -np.inf:
                lifted[index] = 1
                chart = _chart(_freed(sentences.one(index)), table, constraint, np.max)
            scores[index] = chart.total
            heads[a:b] = chart.tree(_first_best)
    return Best(heads, scores, lifted)


def draw(
    sentences: Sentences, parameters: Parameters | None, constraint: str, *, seed: int = 0
) -> Ints:
    """One tree for each sentence, drawn with its probability, or uniformly."""
    if parameters is None:
        parameters = ones()
        sentences = sentences.with_classes(np.zeros_like(sentences.classes))
    table, rng = logs(parameters), np.random.default_rng(seed)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    charts: dict[bytes, _Chart] = {}  # of sentences that look alike

    def by_weight(ways: Floats) -> int:
        upto = np.cumsum(np.exp(ways - ways.max()))
        return int(np.searchsorted(upto, rng.random() * upto[-1], side="right"))

    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a < b:
            words = sentences.one(index)
            key = b"".join((*(row.tobytes() for row in words[:3]), bytes([words[3]])))
            if key not in charts:
                charts[key] = _chart(words, table, constraint)
                if charts[key].total == -np.inf:
                    charts[key] = _chart(_freed(words), table, constraint)
            heads[a:b] = charts[key].tree(by_weight)
    return heads


def arcs(
    sentences: Sentences, index: int, parameters: Parameters, constraint: str
) -> tuple[Floats, Floats, float]:
    """Posterior of each arc [head, dependent] and root of one sentence, and its log-probability."""
    chart = _chart(sentences.one(index), logs(parameters), constraint)
    found, roots = chart.add_counts(each(np.zeros_like, parameters))
    return found, roots, chart.total


def least_risk(sentences: Sentences, parameters: Parameters, constraint: str) -> Ints:
    """For each sentence the tree with the most arcs expected to be right."""
    table = logs(parameters)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a < b:
            words = sentences.one(index)
            chart = _chart(words, table, constraint)
            if chart.total == -np.inf:
                words = _freed(words)
                chart = _chart(words, table, constraint)
            found, roots = chart.add_counts(each(np.zeros_like, parameters))
            none = np.zeros((2, 2, b - a))
            factors = _Factors(np.stack((found, found)), roots, none, none)
            allowed = _allowed(words[2], constraint)
            heads[a:b] = _Chart(words, factors, allowed, fringe=False, plus=np.max).tree(
                _first_best
            )
    return heads


def _first_best(ways: Floats) -> int:
    top = ways.max()
    return int(np.flatnonzero(ways >= top - TIE * (1.0 + abs(top)))[0])


def _freed(words: Words) -> Words:
    """A sentence as one fragment, which asks for nothing."""
    classes, marks, fragments, comp = words
    return classes, marks, np.zeros_like(fragments), comp


# ---------------------------------------------------------------------- chart


class _Factors(NamedTuple):
    """Logarithms of the decisions of a sentence."""

    #: [near, head, dependent]
    attach: Floats
    root: Floats
    #: [side, near, position of the head or of the fringe]
    stop: Floats
    go: Floats


def _factors(words: Words, table: Parameters) -> _Factors:
    classes, marks, _, comp = words
    n = len(classes)
    side = (np.arange(n) > np.arange(n)[:, None]).astype(int)
    cross = (marks != marks[:, None]) * (table.attach.shape[1] - 1)
    attach = table.attach[side, cross, :, classes[:, None], classes]
    decisions = min(comp, len(table.stop) - 1)
    return _Factors(
        np.stack((attach[..., 0], attach[..., -1])),
        table.root[min(comp, len(table.root) - 1), classes],
        table.stop[decisions][:, :, classes],
        table.go[decisions][:, :, classes],
    )


def _allowed(fragments: Ints, constraint: str) -> NDArray[np.bool_]:
    """[head, a, b]: whether the head may dominate exactly a..b."""
    n = len(fragments)
    first, last = np.zeros(n, int), np.zeros(n, int)
    for a, b in fragments_of(fragments):
        first[a : b + 1], last[a : b + 1] = a, b
    h, a, b = np.ogrid[:n, :n, :n]
    cut_right = (b < last[b]) & (a < first[b])
    cut_left = (a > first[a]) & (b > last[a])
    if constraint == "sprawl":
        cut_right = cut_right & (first[h] != first[b])
        cut_left = cut_left & (first[h] != first[a])
    cut: NDArray[np.bool_] = cut_right | cut_left
    if constraint == "strict":
        cut = cut | ((first[h] != last[h]) & ((a < first[h]) | (b > last[h])))
    return ~cut & (a <= h) & (h <= b)


def _chart(
    words: Words, table: Parameters, constraint: str, plus: Any = np.logaddexp.reduce
) -> _Chart:
    _check(constraint)
    allowed = _allowed(words[2], constraint)
    return _Chart(words, _factors(words, table), allowed, bool(table.fringe[0]), plus)


class _Chart:
    """Logarithms of weights of open sides, filled when it is made."""

    def __init__(
        self,
        words: Words,
        factors: _Factors,
        allowed: NDArray[np.bool_],
        fringe: bool,
        plus: Any,
    ) -> None:
        self.words, self.factors, self.allowed, self.fringe = words, factors, allowed, fringe
        n = len(words[0])
        # [side, head, edge]: reached so far, and with the decision to go on or to stop
        self.side, self.open, self.sealed = (np.full((2, n, n), -np.inf) for _ in range(3))
        for j in range(n):
            for i in range(j, -1, -1):
                for side, h, e in ((RIGHT, i, j), (LEFT, j, i)):
                    total = plus(self.ways(side, h, e), axis=None) if i < j else 0.0
                    at, near = e if fringe else h, int(e == h)
                    self.side[side, h, e] = total
                    self.open[side, h, e] = total + factors.go[side, near, at]
                    self.sealed[side, h, e] = total + factors.stop[side, near, at]
        self.total = float(plus(self.roots())) if n else 0.0
        self.ways = cache(self.ways)  # type: ignore[method-assign]

    def roots(self) -> Floats:
        """The weight of all trees with each root."""
        n = len(self.words[0])
        whole = self.factors.root + self.sealed[LEFT, :, 0] + self.sealed[RIGHT, :, n - 1]
        return np.where(self.allowed[:, 0, n - 1], whole, -np.inf)

    def ways(self, side: int, h: int, e: int) -> Floats:
        """All ways in which the side of h reaches e: [split, dependent].

        The side reached out to the split before it took the dependent, which covers the rest.
        """
        low, high = min(h, e), max(h, e)
        splits, dependents = slice(low, high), slice(low + 1, high + 1)
        if side == LEFT:
            splits, dependents = dependents, splits
        # for dependents by rows: the inner side reaches to the split, the outer one to e
        inner = self.sealed[1 - side, dependents, dependents]
        outer = self.sealed[side, dependents, e]
        arcs = np.repeat(self.factors.attach[0, h, dependents][None], high - low, axis=0)
        arcs[0 if side == RIGHT else -1] = self.factors.attach[1, h, dependents]
        ways = self.open[side, h, splits][:, None] + arcs + inner.T + outer
        if side == RIGHT:
            allowed = self.allowed[dependents, dependents, e]
        else:
            allowed = self.allowed[dependents, e, dependents]
        return np.where(allowed.T, ways, -np.inf)

    def tree(self, choose: Choose) -> Ints:
        """The heads of one tree, by what is chosen of the ways to build each item."""
        n = len(self.words[0])
        heads = np.full(n, -1, dtype=np.int32)
        root = choose(self.roots())
        agenda = [(LEFT, root, 0), (RIGHT, root, n - 1)]
        while agenda:
            side, h, e = agenda.pop()
            if h != e:
                ways = self.ways(side, h, e)
                split, dependent = divmod(choose(ways.ravel()), ways.shape[1])
                k, d = min(h, e) + split + (side == LEFT), min(h, e) + dependent + (side == RIGHT)
                heads[d] = h
                inner = k + 1 if side == RIGHT else k - 1
                agenda += [(side, h, k), (side, d, e), (1 - side, d, inner)]
        return heads

    def add_counts(self, counts: Parameters) -> tuple[Floats, Floats]:
        """Add expected counts; returns the posteriors of arcs [head, dependent] and of roots.

        The expected number of each item is divided among the ways to build it.
        """
        classes, marks, _, comp = self.words
        n = len(classes)
        found, roots = np.zeros((n, n)), np.zeros(n)
        if self.total == -np.inf:
            return found, roots
        roots = np.exp(self.roots() - self.total)
        np.add.at(counts.root[min(comp, len(counts.root) - 1)], classes, roots)
        decisions = min(comp, len(counts.stop) - 1)
        stop, go = counts.stop[decisions], counts.go[decisions]
        crosses, adjacents = counts.attach.shape[1:3]
        used = np.zeros((2, n, n))  # how often each open side is, and is sealed
        seals = np.zeros((2, n, n))
        seals[LEFT, :, 0] += roots
        seals[RIGHT, :, n - 1] += roots
        for j in range(n - 1, -1, -1):
            for i in range(j + 1):
                for side, h, e in ((RIGHT, i, j), (LEFT, j, i)):
                    at, near = e if self.fringe else h, int(e == h)
                    stop[side, near, classes[at]] += seals[side, h, e]
                    number = used[side, h, e] + seals[side, h, e]
                    if i == j or number == 0.0:
                        continue
                    share = number * np.exp(self.ways(side, h, e) - self.side[side, h, e])
                    for split, dependent in np.argwhere(share > 0.0).tolist():
                        p = share[split, dependent]
                        k, d = i + split + (side == LEFT), i + dependent + (side == RIGHT)
                        nearest = int(k == h)
                        used[side, h, k] += p
                        found[h, d] += p
                        go[side, nearest, classes[k if self.fringe else h]] += p
                        cross = int(crosses == 2 and marks[d] != marks[h])
                        first = nearest if adjacents == 2 else 0
                        counts.attach[side, cross, first, classes[h], classes[d]] += p
                        seals[side, d, e] += p
                        seals[1 - side, d, k + 1 if side == RIGHT else k - 1] += p
        return found, roots
