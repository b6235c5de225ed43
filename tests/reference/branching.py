"""Naive twins of the branching parser: lists for the transition system, dense AdaGrad in numpy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np


class NaiveState:
    """The configuration of Choi & McCallum (2013), table 1, as plain lists."""

    def __init__(self, n: int) -> None:
        self.stack = [0]
        self.deque: list[int] = []
        self.buffer = list(range(1, n + 1))
        self.arcs: dict[int, int] = {}

    def apply(self, name: str) -> None:
        i, j = self.stack[-1], self.buffer[0]
        arc, move = name.split("-")
        if arc == "LEFT":
            assert i != 0
            assert i not in self.arcs
            self.arcs[i] = j
        if arc == "RIGHT":
            assert j not in self.arcs
            self.arcs[j] = i
        if move == "SHIFT":
            self.stack += [*self.deque, self.buffer.pop(0)]
            self.deque = []
        else:
            self.stack.pop()
            assert i != 0
            if move == "PASS":
                self.deque.insert(0, i)
            else:
                assert i in self.arcs


def naive_oracle(state: NaiveState, heads: dict[int, int]) -> str:
    """Section 2.2 of the specification, word for word."""
    i, j = state.stack[-1], state.buffer[0]
    below = state.stack[:-1]
    shiftable = not any(heads[j] == k or heads.get(k) == j for k in below)
    later = any(heads[m] == i for m in state.buffer[1:])
    if i != 0 and heads[i] == j:
        return "LEFT-PASS" if later else "LEFT-REDUCE"
    if heads[j] == i:
        return "RIGHT-SHIFT" if shiftable else "RIGHT-PASS"
    if shiftable:
        return "NO-SHIFT"
    return "NO-REDUCE" if i in state.arcs and not later else "NO-PASS"


def trees(n: int) -> Iterator[dict[int, int]]:
    """All trees over n words with any number of roots, as the head of each word."""
    for heads in itertools.product(range(n + 1), repeat=n):
        tree = dict(enumerate(heads, 1))
        if all(tree[w] != w for w in tree) and all(reaches_root(tree, w) for w in tree):
            yield tree


def reaches_root(tree: dict[int, int], word: int) -> bool:
    for _ in range(len(tree) + 1):
        if word == 0:
            return True
        word = tree[word]
    return False


def is_projective(tree: dict[int, int]) -> bool:
    arcs = [(min(w, h), max(w, h)) for w, h in tree.items()]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def dense_adagrad(
    features: np.ndarray, legal: np.ndarray, gold: np.ndarray, rate: float, offset: float
) -> np.ndarray:
    """Section 2.6: every coordinate of every instance, in double precision."""
    weights = np.zeros((features.shape[1], legal.shape[1]))
    squares = np.zeros_like(weights)
    for x, can, y in zip(features, legal, gold, strict=True):
        scores = np.where(can, x @ weights, -np.inf)
        chance = np.exp(scores - scores.max())
        chance /= chance.sum()
        slope = np.outer(x, np.eye(len(can))[y] - chance)
        squares += slope**2
        weights += rate * slope / (offset + np.sqrt(squares))
    return weights
