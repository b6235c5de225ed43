"""Sentences drawn from a grammar, word by word: the generative story told forwards."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from caesura.induce.parameters import Parameters

__all__ = ["draw_sentence"]


@dataclass
class _Word:
    """A word with its dependents on both sides, the nearest first."""

    label: int
    sides: tuple[list[_Word], list[_Word]] = field(default_factory=lambda: ([], []))

    def edge(self, side: int) -> int:
        """The class of the outermost word of the subtree on a side."""
        return self.sides[side][-1].edge(side) if self.sides[side] else self.label

    def put(self, head: int, classes: list[int], heads: list[int]) -> int:
        """Append the subtree in the order of the sentence; returns the place of the word."""
        left = [word.put(-1, classes, heads) for word in reversed(self.sides[0])]
        place = len(classes)
        classes.append(self.label)
        heads.append(head)
        right = [word.put(place, classes, heads) for word in self.sides[1]]
        for dependent in (*left, *right):
            heads[dependent] = place
        return place


def draw_sentence(
    parameters: Parameters, comp: int, rng: np.random.Generator, limit: int
) -> tuple[list[int], list[int]] | None:
    """Classes and heads (-1 the root) of one sentence; None if it has more than `limit` words."""
    root = parameters.root[min(comp, len(parameters.root) - 1)]
    stop = parameters.stop[min(comp, len(parameters.stop) - 1)]
    nearest = parameters.attach.shape[2] - 1
    left = limit

    def grow(row: np.ndarray) -> _Word | None:
        nonlocal left
        if left == 0:
            return None
        left -= 1
        word = _Word(int(rng.choice(len(row), p=row / row.sum())))
        for side in (0, 1):
            dependents, at = word.sides[side], word.label
            while rng.random() >= stop[side, int(not dependents), at]:
                near = 0 if dependents else nearest
                dependent = grow(parameters.attach[side, 0, near, word.label])
                if dependent is None:
                    return None
                dependents.append(dependent)
                if parameters.fringe[0]:
                    at = dependent.edge(side)
        return word

    top = grow(root)
    if top is None:
        return None
    classes: list[int] = []
    heads: list[int] = []
    top.put(-1, classes, heads)
    return classes, heads
