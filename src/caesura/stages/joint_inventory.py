"""The labelled transitions of one model: which labels left, right and root arcs may carry.

They are learned from the training trees, so that a root arc is only ever offered root labels and
a label that never stands to the left of its head is not offered there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import JointSystem
from caesura.errors import InputError

__all__ = ["SB", "SHIFT", "SWAP", "Inventory"]

SHIFT: Final = 0
SWAP: Final = 1
SB: Final = 2
FIRST_ARC: Final = 3


@dataclass(frozen=True)
class Inventory:
    """Labels, those that each kind of arc may carry, and the switches of the system."""

    labels: tuple[str, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    root: tuple[int, ...]
    single_root: bool = True
    sb: bool = True

    @property
    def size(self) -> int:
        return FIRST_ARC + len(self.left) + len(self.right) + len(self.root)

    def names(self) -> list[str]:
        """Readable transitions in the order of their ids."""
        arcs = [("LA", self.left), ("RA", self.right), ("RA0", self.root)]
        named = [f"{kind}:{self.labels[label]}" for kind, ids in arcs for label in ids]
        return ["SHIFT", "SWAP", "SB", *named]

    @cached_property
    def transitions(self) -> JointSystem:
        """The transition system of the core."""
        left, right, root = (
            np.array(kind, np.int32) for kind in (self.left, self.right, self.root)
        )
        return JointSystem(len(self.labels), left, right, root, self.single_root, self.sb)

    @classmethod
    def learn(
        cls,
        trees: Iterable[tuple[NDArray[np.int32], Sequence[str]]],
        *,
        single_root: bool = True,
        sb: bool = True,
        known: Inventory | None = None,
    ) -> Inventory:
        """Collect the labels of each kind of arc from pairs of heads and labels.

        What is `known` is kept; its labels keep their numbers, which features are made of.
        """
        seen: tuple[dict[str, int], ...] = ({}, {}, {})
        if known is not None:
            for names_of, ids in zip(seen, (known.left, known.right, known.root), strict=True):
                names_of.update((known.labels[label], 0) for label in ids)
        for heads, names in trees:
            for dependent, (head, name) in enumerate(zip(heads.tolist(), names, strict=True)):
                if head >= -1 and name:
                    kind = 2 if head == -1 else (0 if head > dependent else 1)
                    seen[kind][name] = seen[kind].get(name, 0) + 1
        old = known.labels if known is not None else ()
        labels = old + tuple(sorted(set().union(*seen).difference(old)))
        if not seen[2]:
            raise InputError(
                "the training trees have no root", remedy="Give trees whose HEAD column is filled."
            )
        number = {name: i for i, name in enumerate(labels)}
        left, right, root = (tuple(sorted(number[name] for name in kind)) for kind in seen)
        # A tree of one word needs no other label, yet a longer text must still be parsed.
        left = left or right or root
        right = right or left
        return cls(labels, left, right, root, single_root, sb)
