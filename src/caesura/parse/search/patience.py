"""The best item decides where the beam does not agree for too long.

Without this an endless document would need endless memory. When to look is told by the steps of
the search alone, so that neither the room of the arena nor the pieces in which words come in, nor
the documents before this one, have a say in where items are dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caesura.jit import kernel
from caesura.parse.transitions.graph_stack import NEXT, PARENT, Arena

if TYPE_CHECKING:
    from caesura.parse.search.frontier import Frontier

__all__ = ["lose_patience"]


@kernel
def _common(arena: Arena, beam: Any, n: int, work: Any) -> int:
    """The last item that the first n items of the beam descend from; `work` is room for n."""
    low = beam[0]
    for rank in range(n):
        work[rank] = beam[rank]
        low = min(low, beam[rank])
    while True:
        # Parents lie before their children, so whoever lies behind the first one has to go back.
        agree = True
        for rank in range(n):
            item = work[rank]
            while item > low:
                item = arena.items[item, PARENT]
            work[rank] = item
            if item < low:
                low = item
                agree = False
        if agree:
            for rank in range(n):
                agree &= work[rank] == low
            if agree:
                return int(low)


@kernel
def lose_patience(arena: Arena, frontier: Frontier, patience: int) -> None:
    """After `patience` words without agreement drop the items that disagree with the best one.

    Who shares its past up to half as many words ago stays. counts[3] counts the times.
    """
    items, beam, n = arena.items, frontier.beam, frontier.counts[0]
    best = beam[0]
    # Item 0 is the last one known that all descend from.
    if n == 1 or items[best, NEXT] - items[0, NEXT] <= patience:
        return
    if items[best, NEXT] - items[_common(arena, beam, n, frontier.parents), NEXT] <= patience:
        return
    until = items[best, NEXT] - patience // 2
    ancestor = best  # parents lie before their children, so all ways end at item 0
    while items[ancestor, NEXT] > until and ancestor > 0:
        ancestor = items[ancestor, PARENT]
    kept = 1
    for rank in range(1, n):
        item = beam[rank]
        while item > ancestor:
            item = items[item, PARENT]
        if item == ancestor:
            beam[kept] = beam[rank]
            kept += 1
    frontier.counts[0] = kept
    frontier.counts[3] += 1
