"""Decoding many documents in one call: the search over each of them, and its trees written out.

`Decoder` is the working memory of one thread.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.jit import kernel
from caesura.learn.borrow import borrowed
from caesura.parse.options import SearchOptions
from caesura.parse.search.beam import DEAD, DONE, FULL, STUCK, advance
from caesura.parse.search.commit_prefix import Result, new_result, settle, write_path
from caesura.parse.search.frontier import Frontier, Search, how_to, new_frontier
from caesura.parse.stored import DAMAGED
from caesura.parse.transitions.graph_stack import Arena, grown, new_arena, reset
from caesura.parse.transitions.inventory import System
from caesura.parse.transitions.joint import Limits
from caesura.parse.word_table import FIRST_WORD, Words

__all__ = ["Decoder"]

#: Steps of the beam that an arena holds before it is compacted.
_STEPS: Final = 1024


@kernel
def _start(arena: Arena, frontier: Frontier) -> None:
    arena.used[:] = 1
    arena.scores[0] = 0.0
    state = arena.items[0]
    state[:] = 0
    state[0] = state[1] = state[2] = state[5] = -1
    state[7] = state[8] = -2
    state[9] = 1
    frontier.beam[0] = 0
    frontier.counts[0] = 1
    frontier.counts[4:] = 0


@kernel
def decode_all(
    scorer: Any,
    system: System,
    limits: Limits,
    words: Words,
    bounds: NDArray[np.int64],
    first: int,
    fresh: bool,
    arena: Arena,
    frontier: Frontier,
    marks: NDArray[np.int32],
    result: Result,
    search: Search,
) -> tuple[int, int]:
    """Decode instances from number `first` on; returns the first one that is not done, and why.

    Words of instance k are bounds[k] to bounds[k + 1]; in the word table each instance has its own
    two rows for the absent word and the root. One that did not fit goes on where it stopped.
    """
    words, arena, frontier, result = (
        borrowed(words),
        borrowed(arena),
        borrowed(frontier),
        borrowed(result),
    )
    for k in range(first, bounds.shape[0] - 1):
        a, b = bounds[k], bounds[k + 1]
        part = Words(
            words.table[a + FIRST_WORD * k : b + FIRST_WORD * (k + 1)],
            words.context[a:b],
        )
        out = Result(
            result.heads[a:b],
            result.labels[a:b],
            result.starts[a:b],
            result.arc_margins[a:b],
            result.start_margins[a:b],
            result.arc_shares[a:b],
            result.start_shares[a:b],
        )
        # What is not limited has no rows, here as there.
        own = Limits(
            limits.starts[a:b],
            limits.after[a:b],
            limits.heads[a:b],
            limits.labels[a:b],
            limits.wanted[a:b],
            limits.rank[a:b],
            limits.patient,
        )
        if fresh or k > first:
            _start(arena, frontier)
            out.starts[:1] = 1
        while True:
            why = advance(scorer, system, own, part, arena, frontier, search, True)
            if why != FULL:
                break
            settle(system, arena, frontier, out, marks)
            if 2 * arena.used[1] > arena.items.shape[0] or 2 * arena.used[0] > arena.nodes.shape[0]:
                return k, FULL
        if why != DONE:
            return k, why
        write_path(system, arena, frontier.beam[0], out)
    return bounds.shape[0] - 1, DONE


class Decoder:
    """Working memory of one thread, and the calls that use it."""

    def __init__(self, scorer: Any, system: System, n_actions: int, search: SearchOptions) -> None:
        self.scorer = scorer
        self.system = system
        self.search = search
        self.frontier = new_frontier(search.beam, n_actions)
        self.arena = new_arena(_STEPS * search.beam, 2 * _STEPS * search.beam)
        self.marks = np.zeros(len(self.arena.nodes), np.int32)
        self.how = how_to(search)

    def restart(self) -> None:
        """Forget the document."""
        reset(self.arena)
        self.frontier.beam[0] = 0
        self.frontier.counts[0] = 1
        self.frontier.counts[4:] = 0

    def grow(self) -> None:
        self.arena = grown(self.arena)
        self.marks = np.zeros(len(self.arena.nodes), np.int32)

    def nowhere(self, words: int, *, dead: bool) -> ModelError:
        """What is wrong with a parser that finds no way through words of which nothing is given."""
        steps = int(self.frontier.counts[5])
        what = f"the parser makes {steps:,} transitions for {words:,} words and goes nowhere"
        if dead:
            what = f"the parser finds no transition after {steps:,}: its scores are no numbers"
        return ModelError(what, remedy=DAMAGED)

    def decode(self, words: Words, bounds: NDArray[np.int64], limits: Limits) -> Result | None:
        """Trees and boundaries of all instances, heads counted from each one's first word.

        None if the limits cannot be kept by any derivation that was found.
        """
        result = new_result(int(bounds[-1]))
        at, fresh = 0, True
        while at < len(bounds) - 1:
            at, why = decode_all(
                self.scorer,
                self.system,
                limits,
                words,
                bounds,
                at,
                fresh,
                self.arena,
                self.frontier,
                self.marks,
                result,
                self.how,
            )
            if why == STUCK or (why == DEAD and not len(limits.starts) and not len(limits.heads)):
                raise self.nowhere(int(bounds[at + 1] - bounds[at]), dead=why == DEAD)
            if why == DEAD:
                return None
            if why == FULL:
                self.grow()
                fresh = False
        return result
