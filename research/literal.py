"""The printed formulas of sprawl, loose and strict (Spitkovsky et al. 2011), with their charts.

The formulas judge both edges of a seal at once. A dependent's two sides meet in one item [i, d, j],
so the charts take O(n^4) time; they are meant for comparison with the prose reading, which the
package follows and which needs no such item. The functions are those of `caesura.induce.inference`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from caesura.errors import UsageError
from caesura.induce import inference
from caesura.induce.backtrace import pick, seed_of, splitmix
from caesura.induce.chart import level, multiply, plus, rescale, times
from caesura.induce.factors import SPRAWL, STRICT, Factors, bounds, look_up, new_factors
from caesura.induce.inference import Best, Expected
from caesura.induce.models import Model
from caesura.induce.parameters import Floats, Ints, Parameters, each, empty, logs, ones
from caesura.induce.punctuation_constraints import code
from caesura.induce.sentences import Sentences
from caesura.jit import kernel

__all__ = ["FORMULAS", "arcs", "best", "draw", "expect", "least_risk", "likelihood"]

#: The constraints that are printed as formulas.
FORMULAS = ("sprawl", "loose", "strict")

#: Classes, marks, fragments and completeness of one sentence.
Words = tuple[Ints, Ints, Ints, int]


def _code(constraint: str) -> int:
    if constraint not in FORMULAS:
        raise UsageError(
            f"there is no formula for {constraint!r}", remedy=f"Formulas: {', '.join(FORMULAS)}."
        )
    return code(constraint)


def _freed(words: Words) -> Words:
    """A sentence as one fragment, which asks for nothing."""
    classes, marks, fragments, comp = words
    return classes, marks, np.zeros_like(fragments), comp


def expect(sentences: Sentences, parameters: Parameters, model: Model, constraint: str) -> Expected:
    """Expected counts; a sentence that the formula leaves without a tree is freed and marked."""
    number = _code(constraint)
    counts = empty(model, parameters.root.shape[-1])
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    for index, n in enumerate(sentences.lengths.tolist()):
        if not n:
            continue
        words = sentences.one(index)
        found, roots = np.zeros((n, n)), np.zeros(n)
        scores[index] = _expect(*words, parameters, number, counts, found, roots)
        if scores[index] == -np.inf:
            lifted[index] = 1
            scores[index] = _expect(*_freed(words), parameters, number, counts, found, roots)
    return Expected(counts, scores, lifted)


def likelihood(sentences: Sentences, parameters: Parameters, constraint: str) -> Floats:
    """The log-probability of each sentence, all trees that the formula allows together."""
    number = _code(constraint)
    return np.array(
        [_evidence(*sentences.one(i), parameters, number) for i in range(len(sentences))]
    )


def best(sentences: Sentences, parameters: Parameters, constraint: str) -> Best:
    """The best tree of each sentence; of equally good ones the leftmost."""
    number, table = _code(constraint), logs(parameters)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    scores = np.zeros(len(sentences))
    lifted = np.zeros(len(sentences), dtype=np.uint8)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a == b:
            continue
        words = sentences.one(index)
        scores[index] = _best(*words, table, number, heads[a:b])
        if scores[index] == -np.inf:
            lifted[index] = 1
            scores[index] = _best(*_freed(words), table, number, heads[a:b])
    return Best(heads, scores, lifted)


def draw(
    sentences: Sentences, parameters: Parameters | None, constraint: str, *, seed: int = 0
) -> Ints:
    """One tree for each sentence, drawn with its probability, or uniformly."""
    number = _code(constraint)
    if parameters is None:
        parameters = ones()
        sentences = sentences.with_classes(np.zeros_like(sentences.classes))
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        words = sentences.one(index)
        if a < b and _draw(*words, parameters, number, seed, index, heads[a:b]) == -np.inf:
            _draw(*_freed(words), parameters, number, seed, index, heads[a:b])
    return heads


def arcs(
    sentences: Sentences, index: int, parameters: Parameters, constraint: str
) -> tuple[Floats, Floats, float]:
    """Posterior of each arc [head, dependent] and root of one sentence, and its log-probability."""
    words = sentences.one(index)
    n = len(words[0])
    found, roots = np.zeros((n, n)), np.zeros(n)
    counts = each(np.zeros_like, parameters)
    total = _expect(*words, parameters, _code(constraint), counts, found, roots)
    return found, roots, float(total)


def least_risk(sentences: Sentences, parameters: Parameters, constraint: str) -> Ints:
    """For each sentence the tree with the most arcs expected to be right."""
    number = _code(constraint)
    heads = np.zeros(sentences.n_words, dtype=np.int32)
    for index, (a, b) in enumerate(pairwise(sentences.starts.tolist())):
        if a == b:
            continue
        fragments = sentences.fragments[a:b]
        found, roots, total = arcs(sentences, index, parameters, constraint)
        if total == -np.inf:
            found, roots, _ = inference.arcs(sentences, index, parameters)
            fragments = np.zeros_like(fragments)
        _best_arcs(found, roots, fragments, number, heads[a:b])
    return heads


# --------------------------------------------------------------------- charts


@kernel
def sealable(constraint: int, s: Factors, i: int, h: int, j: int) -> bool:
    """Whether h may dominate exactly i..j."""
    first_of, last_of = s.first, s.last
    mine = first_of[h]
    if j < last_of[j] and i < first_of[j] and not (constraint == SPRAWL and mine == first_of[j]):
        return False
    if i > first_of[i] and j > last_of[i] and not (constraint == SPRAWL and mine == first_of[i]):
        return False
    if constraint == STRICT and mine != last_of[h]:
        return i >= mine and j <= last_of[h]
    return True


@kernel
def _sealed(sums: bool, s: Factors, side: Floats, h: int, a: int, b: int, fringe: int) -> float:
    """The weight of h with both sides sealed, dominating a..b."""
    left = times(sums, side[0, h, a], s.stop[0, 1 if a == h else 0, a if fringe else h])
    right = times(sums, side[1, h, b], s.stop[1, 1 if b == h else 0, b if fringe else h])
    return times(sums, left, right)


@kernel
def _arc(s: Factors, n: int, h: int, d: int, adjacent: int, near: int) -> float:
    return s.near[h * n + d] if adjacent and near else s.far[h * n + d]


@kernel
def _fill(
    sums: bool, s: Factors, side: Floats, n: int, fringe: int, adjacent: int, constraint: int
) -> float:
    """Fill the open sides [direction, head, edge]; return the weight of all trees together."""
    for j in range(n):
        side[0, j, j] = side[1, j, j] = 1.0 if sums else 0.0
        for i in range(j - 1, -1, -1):
            for out in range(2):
                h, e = (i, j) if out == 1 else (j, i)
                total = 0.0 if sums else -np.inf
                # the head's side reached out to k before it took d, which covers the rest
                for k in range(i, j) if out == 1 else range(i + 1, j + 1):
                    near = 1 if k == h else 0
                    base = times(sums, side[out, h, k], s.go[out, near, k if fringe else h])
                    a, b = (k + 1, j) if out == 1 else (i, k - 1)
                    for d in range(a, b + 1):
                        if sealable(constraint, s, a, d, b):
                            way = times(sums, base, _arc(s, n, h, d, adjacent, near))
                            way = times(sums, way, _sealed(sums, s, side, d, a, b, fringe))
                            total = plus(sums, total, way)
                side[out, h, e] = total
    total = 0.0 if sums else -np.inf
    for r in range(n):
        if sealable(constraint, s, 0, r, n - 1):
            way = times(sums, s.root[r], _sealed(sums, s, side, r, 0, n - 1, fringe))
            total = plus(sums, total, way)
    return total


@kernel
def _weigh(
    s: Factors, side: Floats, n: int, fringe: int, adjacent: int, constraint: int
) -> tuple[float, float]:
    """Sums with scales that keep the total in range: the scaled total and its true logarithm."""
    taken = level(s, n) if n > 30 else 0.0
    total = _fill(True, s, side, n, fringe, adjacent, constraint)
    power, found = 0.0, np.array([-np.inf, np.inf])
    for _ in range(24):
        step = rescale(total, power, found)
        if step == 0.0:
            break
        multiply(s, n, np.exp(step))
        power += step
        total = _fill(True, s, side, n, fringe, adjacent, constraint)
    if total > 0.0:
        return total, np.log(total) + taken - power * (n - 1)
    return 0.0, -np.inf


@kernel
def _evidence(
    classes: Ints, marks: Ints, fragments: Ints, comp: int, parameters: Parameters, constraint: int
) -> float:
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    side: Floats = np.zeros((2, n, n))
    return _weigh(s, side, n, parameters.fringe[0], parameters.attach.shape[2] - 1, constraint)[1]


@kernel
def _expect(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    counts: Parameters,
    arcs: Floats,
    roots: Floats,
) -> float:
    """Add expected counts, fill arc posteriors [head, dependent] and roots.

    Returns the log-probability of the sentence; nothing is counted where there is no tree.
    """
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    fringe = parameters.fringe[0]
    adjacent = parameters.attach.shape[2] - 1
    side: Floats = np.zeros((2, n, n))
    total, score = _weigh(s, side, n, fringe, adjacent, constraint)
    if total == 0.0:
        return score
    rc = min(comp, counts.root.shape[0] - 1)
    sc = min(comp, counts.stop.shape[0] - 1)
    crosses = counts.attach.shape[1]
    outer: Floats = np.zeros((2, n, n))
    for r in range(n):
        if sealable(constraint, s, 0, r, n - 1):
            w = s.root[r] / total
            p = w * _sealed(True, s, side, r, 0, n - 1, fringe)
            roots[r] = p
            counts.root[rc, classes[r]] += p
            _seal(s, side, outer, counts, classes, sc, r, 0, n - 1, fringe, w)
    for j in range(n - 1, -1, -1):
        for i in range(j):
            for out in range(2):
                h, e = (i, j) if out == 1 else (j, i)
                w = outer[out, h, e]
                if w == 0.0:
                    continue
                for k in range(i, j) if out == 1 else range(i + 1, j + 1):
                    near = 1 if k == h else 0
                    at = k if fringe else h
                    go = s.go[out, near, at]
                    a, b = (k + 1, j) if out == 1 else (i, k - 1)
                    for d in range(a, b + 1):
                        if not sealable(constraint, s, a, d, b):
                            continue
                        x = w * go * _arc(s, n, h, d, adjacent, near)
                        inner = _sealed(True, s, side, d, a, b, fringe)
                        outer[out, h, k] += x * inner
                        p = x * inner * side[out, h, k]
                        arcs[h, d] += p
                        counts.go[sc, out, near, classes[at]] += p
                        over = 1 if crosses == 2 and marks[d] != marks[h] else 0
                        first = near if adjacent else 0
                        counts.attach[out, over, first, classes[h], classes[d]] += p
                        x *= side[out, h, k]
                        _seal(s, side, outer, counts, classes, sc, d, a, b, fringe, x)
    return score


@kernel
def _seal(
    s: Factors,
    side: Floats,
    outer: Floats,
    counts: Parameters,
    classes: Ints,
    sc: int,
    h: int,
    a: int,
    b: int,
    fringe: int,
    w: float,
) -> None:
    """Hand the outside weight of h over a..b on to its sides, and count its two stops."""
    near_a, near_b = 1 if a == h else 0, 1 if b == h else 0
    at_a, at_b = a if fringe else h, b if fringe else h
    w *= s.stop[0, near_a, at_a] * s.stop[1, near_b, at_b]
    outer[0, h, a] += w * side[1, h, b]
    outer[1, h, b] += w * side[0, h, a]
    p = w * side[0, h, a] * side[1, h, b]
    counts.stop[sc, 0, near_a, classes[at_a]] += p
    counts.stop[sc, 1, near_b, classes[at_b]] += p


# ---------------------------------------------------------------------- trees


@kernel
def _walk(
    sums: bool,
    s: Factors,
    side: Floats,
    n: int,
    fringe: int,
    adjacent: int,
    constraint: int,
    state: np.uint64,
    heads: Ints,
) -> None:
    """From the root to the leaves of one tree: drawn from sums, the leftmost best of maxima."""
    none = 0.0 if sums else -np.inf
    mode = 2 if sums else 0
    values = np.full(n * n + 1, none)
    for r in range(n):
        if sealable(constraint, s, 0, r, n - 1):
            values[r] = times(sums, s.root[r], _sealed(sums, s, side, r, 0, n - 1, fringe))
    state = splitmix(state)
    root = pick(values, n, mode, state)
    heads[root] = -1
    agenda = np.empty((4 * n + 8, 3), np.int32)
    agenda[0, 0], agenda[0, 1], agenda[0, 2] = 0, root, 0
    agenda[1, 0], agenda[1, 1], agenda[1, 2] = 1, root, n - 1
    size = 2
    while size > 0:
        size -= 1
        out, h, e = agenda[size, 0], agenda[size, 1], agenda[size, 2]
        if h == e:
            continue
        i, j = min(h, e), max(h, e)
        # one value for each pair of split and dependent
        width = j - i + 1
        values[: width * width] = none
        for k in range(i, j) if out == 1 else range(i + 1, j + 1):
            near = 1 if k == h else 0
            base = times(sums, side[out, h, k], s.go[out, near, k if fringe else h])
            a, b = (k + 1, j) if out == 1 else (i, k - 1)
            for d in range(a, b + 1):
                if sealable(constraint, s, a, d, b):
                    way = times(sums, base, _arc(s, n, h, d, adjacent, near))
                    way = times(sums, way, _sealed(sums, s, side, d, a, b, fringe))
                    values[(k - i) * width + d - i] = way
        state = splitmix(state)
        at = pick(values, width * width, mode, state)
        k, d = i + at // width, i + at % width
        heads[d] = h
        agenda[size, 0], agenda[size, 1], agenda[size, 2] = out, h, k
        size += 1
        agenda[size, 0], agenda[size, 1], agenda[size, 2] = out, d, e
        size += 1
        agenda[size, 0], agenda[size, 1] = 1 - out, d
        agenda[size, 2] = k + 1 if out == 1 else k - 1
        size += 1


@kernel
def _draw(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    seed: int,
    index: int,
    heads: Ints,
) -> float:
    """One tree, drawn with its probability among those allowed; the sentence's log-probability."""
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    fringe, adjacent = parameters.fringe[0], parameters.attach.shape[2] - 1
    side: Floats = np.zeros((2, n, n))
    total, score = _weigh(s, side, n, fringe, adjacent, constraint)
    if total > 0.0:
        _walk(True, s, side, n, fringe, adjacent, constraint, seed_of(seed, index), heads)
    return score


@kernel
def _best(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    heads: Ints,
) -> float:
    """The best tree by logarithms of parameters; -inf where there is none."""
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    fringe, adjacent = parameters.fringe[0], parameters.attach.shape[2] - 1
    side: Floats = np.zeros((2, n, n))
    score = _fill(False, s, side, n, fringe, adjacent, constraint)
    if score > -np.inf:
        _walk(False, s, side, n, fringe, adjacent, constraint, np.uint64(0), heads)
    return score


@kernel
def _best_arcs(arcs: Floats, roots: Floats, fragments: Ints, constraint: int, heads: Ints) -> float:
    """The tree whose arcs have the largest sum: minimum-risk decoding of posteriors."""
    n = roots.shape[0]
    s = new_factors(n)
    s.stop[:] = 0.0
    s.go[:] = 0.0
    for h in range(n):
        s.root[h] = roots[h]
        for d in range(n):
            s.far[h * n + d] = arcs[h, d]
    bounds(fragments, s.first, s.last)
    side: Floats = np.zeros((2, n, n))
    score = _fill(False, s, side, n, 0, 0, constraint)
    _walk(False, s, side, n, 0, 0, constraint, np.uint64(0), heads)
    return score
