"""How punctuation fragments may bear on trees: five constraints, from strict to thread.

Spitkovsky, Alshawi & Jurafsky (2011) define them in prose and in formulas that ask for less: the
formulas let the words of a fragment hang side by side from one head outside it, the prose demands
one head inside. Charts follow the prose, by local conditions; `holds` judges whole trees, by
definition, in both readings.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.errors import UsageError

#: Best trees are put together greedily, fragment by fragment; all else is as under loose.
SPLIT = "loose-split"
#: From the weakest to the strongest; the numbers are those of the core.
CONSTRAINTS: dict[str, int] = {
    "none": 0,
    "thread": 1,
    "tear": 2,
    "sprawl": 3,
    "loose": 4,
    "strict": 5,
    SPLIT: 4,
}


def code(name: str | None) -> int:
    """The number of a constraint."""
    key = (name or "none").lower()
    if key not in CONSTRAINTS:
        raise UsageError(
            f"unknown constraint {name!r}", remedy=f"Constraints are: {', '.join(CONSTRAINTS)}."
        )
    return CONSTRAINTS[key]


def holds(
    heads: npt.ArrayLike,
    x: int,
    y: int,
    constraint: str,
    *,
    literal: bool = False,
    reach: tuple[list[int], list[int]] | None = None,
) -> bool:
    """Whether a tree satisfies a constraint on the fragment x..y (both included).

    Heads are positions in the sentence and -1 for the root. A fragment of one word, or one that
    is the whole sentence, asks for nothing. `reach` may give what `spans` found for the tree.
    """
    tree = np.asarray(heads)
    n = len(tree)
    if x >= y or (x == 0 and y == n - 1) or constraint == "none":
        return True
    left, right = reach or spans(tree)
    if constraint in ("tear", "thread"):
        return _whole(tree, left, right, x, y, threads=constraint == "thread")
    if literal:
        return all(_seal(left[h], h, right[h], x, y, constraint) for h in range(n))
    outside = [i for i in range(x, y + 1) if not x <= tree[i] <= y]
    if len(outside) != 1:
        return False
    head = outside[0]
    inner = [i for i in range(x, y + 1) if i != head]
    if constraint == "sprawl":
        return True
    if any(left[i] < x or right[i] > y for i in inner):
        return False
    return constraint == "loose" or bool(left[head] >= x and right[head] <= y)


def spans(heads: npt.ArrayLike) -> tuple[list[int], list[int]]:
    """The first and the last word below each word, itself included."""
    tree = np.asarray(heads).tolist()
    left, right = list(range(len(tree))), list(range(len(tree)))
    for i in range(len(tree)):
        h, steps = tree[i], 0
        while h >= 0 and steps <= len(tree):
            left[h], right[h] = min(left[h], i), max(right[h], i)
            h, steps = tree[h], steps + 1
    return left, right


def _seal(i: int, h: int, j: int, x: int, y: int, constraint: str) -> bool:
    """The printed formulas for the seal [i, j] of h."""
    inside = x <= h <= y
    cross = (i < x <= j < y) or (x < i <= y < j)
    if constraint == "sprawl":
        return not (cross and not inside)
    if constraint == "loose":
        return not cross
    return not (cross or (inside and (i < x or j > y)))


def _whole(
    tree: npt.NDArray[np.int_], left: list[int], right: list[int], x: int, y: int, threads: bool
) -> bool:
    """Tear: no outside child is sealed inside the fragment (thread: if it hangs from inside)."""
    for h, parent in enumerate(tree.tolist()):
        if parent < 0:
            continue
        i, j = left[h], right[h]
        if parent > h:
            torn = x <= j < y and h < x
            if torn and (not threads or parent <= y):
                return False
        else:
            torn = x < i <= y and h > y
            if torn and (not threads or parent >= x):
                return False
    return True


def fragments_of(numbers: npt.ArrayLike) -> list[tuple[int, int]]:
    """The fragments of a sentence as pairs of first and last word."""
    labels = np.asarray(numbers)
    if not len(labels):
        return []
    cuts = np.flatnonzero(labels[1:] != labels[:-1])
    starts = [0, *(int(c) + 1 for c in cuts)]
    ends = [*(int(c) for c in cuts), len(labels) - 1]
    return list(zip(starts, ends, strict=True))
