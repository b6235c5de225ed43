"""Slow, obvious twins of the charts: every tree of a short sentence, one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from hypothesis import strategies as st

from caesura.induce.parameters import Model, Parameters, empty, normalise
from caesura.induce.punctuation_constraints import fragments_of, holds

Tree = tuple[int, ...]


@cache
def projective_trees(n: int) -> tuple[Tree, ...]:
    """All projective trees over n words with one root; heads are positions, -1 the root."""
    found = []
    for heads in itertools.product(range(-1, n), repeat=n):
        if heads.count(-1) == 1 and is_projective_tree(heads):
            found.append(heads)
    return tuple(found)


def total_weight(classes: list[int], parameters: Parameters) -> float:
    """The probability of all trees of a DMV together, by the recursion over plain numbers."""
    attach, stop, go = parameters.attach[:, 0, 0], parameters.stop[0], parameters.go[0]

    @cache
    def side(out: int, h: int, edge: int) -> float:
        """All ways in which the dependents of h on one side reach to an edge."""
        if edge == h:
            return 1.0
        total, step = 0.0, 1 if out else -1
        for k in range(h, edge, step):  # the side reached to k before it took d
            base = side(out, h, k) * go[out, int(k == h), classes[h]]
            for d in range(k + step, edge + step, step):
                inner = sealed(1 - out, d, k + step) * sealed(out, d, edge)
                total += base * attach[out, classes[h], classes[d]] * inner
        return total

    def sealed(out: int, h: int, edge: int) -> float:
        return float(side(out, h, edge) * stop[out, int(edge == h), classes[h]])

    n = len(classes)
    return sum(
        float(parameters.root[0, classes[r]]) * sealed(0, r, 0) * sealed(1, r, n - 1)
        for r in range(n)
    )


def is_projective_tree(heads: Tree) -> bool:
    n = len(heads)
    above = []
    for i in range(n):
        chain, h = [i], heads[i]
        while h >= 0:
            if h in chain:
                return False
            chain.append(h)
            h = heads[h]
        above.append(set(chain))
    return all(
        heads[d] in above[k]
        for d in range(n)
        if heads[d] >= 0
        for k in range(min(d, heads[d]) + 1, max(d, heads[d]))
    )


def events(
    heads: Tree, classes: list[int], marks: list[int], comp: int
) -> Iterator[tuple[str, dict[str, int]]]:
    """The decisions of a tree, as the generative story tells them."""
    n = len(heads)

    def edge(word: int, direction: int) -> int:
        below = [word, *(edge(d, direction) for d in range(n) if heads[d] == word)]
        return max(below) if direction else min(below)

    yield "root", {"class": classes[heads.index(-1)], "comp": comp}
    for h in range(n):
        for direction in (0, 1):
            children = [d for d in range(n) if heads[d] == h and (d > h) == bool(direction)]
            children.sort(key=lambda d: abs(d - h))
            at = h
            for rank, d in enumerate(children):
                context = {"comp": comp, "dir": direction, "adj": int(rank == 0)}
                yield "go", {**context, "head": classes[h], "edge": classes[at]}
                cross = int(marks[h] != marks[d])
                yield (
                    "attach",
                    {**context, "cross": cross, "head": classes[h], "class": classes[d]},
                )
                at = edge(d, direction)
            context = {"comp": comp, "dir": direction, "adj": int(not children)}
            yield "stop", {**context, "head": classes[h], "edge": classes[at]}


def cell(name: str, e: dict[str, int], parameters: Parameters) -> tuple[int, ...]:
    """Where in its table an event stands."""
    if name == "root":
        return min(e["comp"], parameters.root.shape[0] - 1), e["class"]
    if name == "attach":
        cross = min(e["cross"], parameters.attach.shape[1] - 1)
        adjacent = min(e["adj"], parameters.attach.shape[2] - 1)
        return e["dir"], cross, adjacent, e["head"], e["class"]
    comp = min(e["comp"], parameters.stop.shape[0] - 1)
    return comp, e["dir"], e["adj"], e["edge"] if parameters.fringe[0] else e["head"]


def probability(
    heads: Tree, classes: list[int], marks: list[int], comp: int, parameters: Parameters
) -> float:
    product = 1.0
    for name, event in events(heads, classes, marks, comp):
        product *= float(getattr(parameters, name)[cell(name, event, parameters)])
    return product


def expected_counts(
    trees: list[Tree], classes: list[int], marks: list[int], comp: int, parameters: Parameters
) -> tuple[Parameters, float]:
    """Expected counts over given trees, and their total probability."""
    counts = Parameters(*(np.zeros_like(t) for t in parameters[:4]), parameters.fringe)
    weights = [probability(t, classes, marks, comp, parameters) for t in trees]
    total = math.fsum(weights)
    for tree, weight in zip(trees, weights, strict=True):
        for name, event in events(tree, classes, marks, comp):
            getattr(counts, name)[cell(name, event, counts)] += weight / total
    return counts, total


def fragmentations(n: int) -> Iterator[list[int]]:
    """Fragment numbers of the words, for every way to cut n words into runs."""
    for cuts in itertools.product((0, 1), repeat=n - 1):
        yield [0, *itertools.accumulate(cuts)]


def random_parameters(model: Model, classes: int, seed: int) -> Parameters:
    """Parameters far from uniform."""
    rng = np.random.default_rng(seed)
    shape = empty(model, classes)
    counts = Parameters(*(rng.random(t.shape) ** 2 for t in shape[:4]), shape.fringe)
    return normalise(counts, model, 0.01)


def allowed(tree: Tree, fragments: list[int], name: str, *, literal: bool = False) -> bool:
    """Whether a tree satisfies a constraint on all fragments, by its definition."""
    return all(holds(tree, x, y, name, literal=literal) for x, y in fragments_of(fragments))


@st.composite
def sentence(draw: st.DrawFn, most: int = 5) -> tuple[list[int], list[int], int]:
    """Classes, fragments and completeness of a short sentence."""
    n = draw(st.integers(1, most))
    classes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    cuts = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    return classes, np.cumsum(cuts).tolist(), draw(st.integers(0, 1))
