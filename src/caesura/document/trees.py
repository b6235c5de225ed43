"""Trees as arrays of heads: cycles, crossing arcs, and what is under a word.

Heads count from 0 in the array, or are ROOT or UNKNOWN. An arc is projective if its head dominates
every word between its ends; the root arc counts as one from before the first word. A file may hold
heads that are no tree, so every walk ends in a cycle too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.document.schema import ROOT, Ints


def above(heads: Ints, word: int) -> list[int]:
    """The head of a word, the head of that, and so on; a cycle is walked once."""
    found: list[int] = []
    seen = {word}
    head = int(heads[word])
    while head >= 0 and head not in seen:
        found.append(head)
        seen.add(head)
        head = int(heads[head])
    return found


def below(heads: Ints, word: int) -> list[int]:
    """A word and all that hang on it, directly or not, rising."""
    children: dict[int, list[int]] = {}
    for child, head in enumerate(heads.tolist()):
        children.setdefault(head, []).append(child)
    found, wait = {word}, [word]
    while wait:
        new = [child for child in children.get(wait.pop(), ()) if child not in found]
        found.update(new)
        wait += new
    return sorted(found)


def in_cycles(head: Ints) -> NDArray[np.bool_]:
    """Whether each word leads back to itself or into a cycle: pointer doubling over all words."""
    n = len(head)
    end = n
    step = np.append(np.where(head >= 0, head, end), end)
    longest = 1
    while longest < n + 1:
        doubled = step[step]
        if np.array_equal(doubled, step):
            break
        step, longest = doubled, 2 * longest
        if np.all(step == end):
            break
    inside: NDArray[np.bool_] = step[:n] != end
    return inside


def nonprojective(heads: Ints) -> bool:
    """Whether two arcs of one sentence cross (heads from 0, ROOT or UNKNOWN)."""
    arcs = [
        (min(head, word), -max(head, word))
        for word, head in enumerate(heads.tolist())
        if head >= ROOT and head != word
    ]
    # Opened from left to right and the longest first, nested arcs close in reverse.
    ends: list[int] = []
    for left, minus_right in sorted(arcs):
        while ends and ends[-1] <= left:
            ends.pop()
        if ends and ends[-1] < -minus_right:
            return True
        ends.append(-minus_right)
    return False


def crossing_arcs(heads: Ints) -> NDArray[np.bool_]:
    """For each word of one sentence, whether the arc to its head is not projective."""
    n = len(heads)
    crossing = np.zeros(n, dtype=bool)
    if not nonprojective(heads):
        return crossing
    parents = heads.tolist()
    for word, head in enumerate(parents):
        if head < ROOT or head == word:
            continue
        low, high = min(head, word), max(head, word)
        crossing[word] = any(not _under(parents, between, head) for between in range(low + 1, high))
    return crossing


def _under(parents: list[int], word: int, head: int) -> bool:
    """Whether a head, which may be ROOT, dominates a word."""
    for _ in range(len(parents) + 1):
        if word == head:
            return True
        if word < 0:
            return False
        word = parents[word]
    return False
