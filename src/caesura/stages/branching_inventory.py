"""The labels of the classifier: transitions with the labels of their arcs, as training saw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["KINDS", "HybridInventory"]

#: The transitions, by their numbers (see `core/parse/hybrid.h`).
KINDS: Final = (
    "LEFT-REDUCE",
    "RIGHT-SHIFT",
    "NO-SHIFT",
    "NO-REDUCE",
    "LEFT-PASS",
    "RIGHT-PASS",
    "NO-PASS",
)


@dataclass(frozen=True)
class HybridInventory:
    """Labels of arcs, the label of root arcs, and pairs (transition, arc's label or -1)."""

    labels: tuple[str, ...]
    root: int
    actions: tuple[tuple[int, int], ...]
    #: Sentence boundaries are given, never found.
    sb: bool = False
    single_root: bool = True

    @property
    def size(self) -> int:
        return len(self.actions)

    def names(self) -> list[str]:
        """Readable transitions in the order of their ids."""
        return [
            KINDS[kind] + (f":{self.labels[label]}" if label >= 0 else "")
            for kind, label in self.actions
        ]

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Transitions and arcs' labels of all labels of the classifier."""
        pairs = np.array(self.actions, np.int32).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def numbers(self) -> NDArray[np.int32]:
        """The classifier's label for a transition (row) and an arc's label + 1 (column)."""
        table = np.full((len(KINDS), len(self.labels) + 1), -1, np.int32)
        for number, (kind, label) in enumerate(self.actions):
            table[kind, label + 1] = number
        return table

    @classmethod
    def learn(
        cls,
        labels: Sequence[str],
        roots: Iterable[int],
        pairs: Iterable[tuple[int, int]],
        single_root: bool,
    ) -> HybridInventory:
        """Pairs in the order in which the oracle's sequences have them; the commonest root."""
        counted = Counter(roots)
        root = min(counted, key=lambda label: (-counted[label], label)) if counted else 0
        return cls(tuple(labels), root, tuple(dict.fromkeys(pairs)), single_root=single_root)
