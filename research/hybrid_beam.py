"""Ordinary beam search over the same transitions and the same classifier, to compare with.

All items of the beam make a step together, and the best sequences so far are kept, by the sum of
the logarithms of their chances or by their mean; finished ones stay as they are. As in branching,
decisions are remembered by all that the classifier sees of a state, so that the two can be compared
by the evaluations that they need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.branching_options import BranchOptions
from caesura.parse.scorers.classifier import (
    Classifier,
    Scratch,
    choose,
    fill,
    new_scratch,
    signature,
    split_action,
)
from caesura.parse.search.branching import (
    COUNTERS,
    EVALUATIONS,
    REMEMBERED,
    SENTENCES,
    STEPS,
    Paths,
    Search,
    new_paths,
)
from caesura.parse.search.branching_decode import search_of
from caesura.parse.search.branching_trees import HEADLESS, Trees, new_trees, write_tree
from caesura.parse.transitions.hybrid import (
    NEXT,
    ArcLimits,
    State,
    apply,
    legal,
    new_state,
    no_arc_limits,
    reset,
)

__all__ = ["BeamSearcher"]


class Bank(NamedTuple):
    """The states of the beam. An item keeps the place of its parent unless a sister has it.

    `place` has the place of each rank, of this beam and the next; `heirs` counts the children that
    a rank has, and `free` lists the places of those that have none.
    """

    at: NDArray[np.int64]
    stack: NDArray[np.int32]
    deque: NDArray[np.int32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    kids: NDArray[np.int32]
    sets: NDArray[np.uint64]
    place: NDArray[np.int64]
    heirs: NDArray[np.int64]
    free: NDArray[np.int64]


class History(NamedTuple):
    """By step and rank: the rank of the parent, the transition (-1: finished), its chance."""

    parent: NDArray[np.int32]
    action: NDArray[np.int32]
    chance: NDArray[np.float32]


class Candidates(NamedTuple):
    """The best ways to go on."""

    total: NDArray[np.float64]
    parent: NDArray[np.int32]
    action: NDArray[np.int32]
    chance: NDArray[np.float32]


class Memo(NamedTuple):
    """The best labels of states by their signature, an open-addressing table; 0 is free."""

    keys: NDArray[np.uint64]
    found: NDArray[np.int64]
    tops: NDArray[np.int64]
    chances: NDArray[np.float64]
    used: NDArray[np.int64]


def new_memo(width: int, bits: int = 14) -> Memo:
    size = 1 << bits
    return Memo(
        np.zeros(size, np.uint64),
        np.zeros(size, np.int64),
        np.zeros((size, width), np.int64),
        np.zeros((size, width)),
        np.zeros(size // 2 + 1, np.int64),
    )


@kernel
def _forget(memo: Memo) -> None:
    for k in range(memo.used[0]):
        memo.keys[memo.used[k + 1]] = np.uint64(0)
    memo.used[0] = 0


@kernel
def _labels(
    classifier: Classifier,
    scratch: Scratch,
    state: State,
    limits: ArcLimits,
    can: int,
    memo: Memo,
    width: int,
    memory: bool,
    counts: NDArray[np.int64],
) -> int:
    """Put the best labels of a state that was filled in into the scratch; returns their number."""
    if not memory:
        counts[EVALUATIONS] += 1
        return int(choose(classifier, scratch, state, limits, can, width))
    key = signature(scratch, can)
    mask = np.uint64(memo.keys.shape[0] - 1)
    at = key & mask
    while memo.keys[at] != np.uint64(0) and memo.keys[at] != key:
        at = (at + np.uint64(1)) & mask
    if memo.keys[at] == key:
        counts[REMEMBERED] += 1
        found = memo.found[at]
        for a in range(found):
            scratch.tops[a], scratch.chances[a] = memo.tops[at, a], memo.chances[at, a]
        return int(found)
    counts[EVALUATIONS] += 1
    found = choose(classifier, scratch, state, limits, can, width)
    if memo.used[0] + 1 < memo.used.shape[0]:
        memo.used[0] += 1
        memo.used[memo.used[0]] = at
        memo.keys[at], memo.found[at] = key, found
        for a in range(found):
            memo.tops[at, a], memo.chances[at, a] = scratch.tops[a], scratch.chances[a]
    return int(found)


@kernel
def _state(bank: Bank, k: int) -> State:
    return State(
        bank.at[k],
        bank.stack[k],
        bank.deque[k],
        bank.heads[k],
        bank.labels[k],
        bank.kids[k],
        bank.sets[k],
    )


@kernel
def _copy(bank: Bank, source: int, target: int) -> None:
    """Copy a state as far as it or the one that it takes the place of has come."""
    reached = max(bank.at[source, NEXT], bank.at[target, NEXT])
    for k in range(4):
        bank.at[target, k] = bank.at[source, k]
    for w in range(min(reached + 1, bank.heads.shape[1])):
        bank.stack[target, w] = bank.stack[source, w]
        bank.deque[target, w] = bank.deque[source, w]
        bank.heads[target, w] = bank.heads[source, w]
        bank.labels[target, w] = bank.labels[source, w]
        for k in range(6):
            bank.kids[target, w, k] = bank.kids[source, w, k]
        bank.sets[target, w, 0] = bank.sets[source, w, 0]
        bank.sets[target, w, 1] = bank.sets[source, w, 1]


@kernel
def _inherit(bank: Bank, best: Candidates, kept: int, size: int) -> None:
    """Find a place for each child: the last child of a parent has the parent's, no copy is made.

    The others get a copy in a place that is free, since no more items are kept than there are
    places. Places of the next beam are in the second row.
    """
    for rank in range(size):
        bank.heirs[rank] = 0
    for k in range(kept):
        bank.heirs[best.parent[k]] += 1
    free = 0
    for at in range(bank.at.shape[0]):
        taken = False
        for rank in range(size):
            taken = taken or (bank.place[0, rank] == at and bank.heirs[rank] > 0)
        if not taken:
            bank.free[free] = at
            free += 1
    used = 0
    for k in range(kept):
        parent = best.parent[k]
        place = bank.place[0, parent]
        bank.heirs[parent] -= 1
        if bank.heirs[parent] > 0:
            _copy(bank, place, bank.free[used])
            place = bank.free[used]
            used += 1
        bank.place[1, k] = place
    for k in range(kept):
        bank.place[0, k] = bank.place[1, k]


@kernel
def _insert(
    kept: int, width: int, best: Candidates, total: float, parent: int, action: int, chance: float
) -> int:
    at = kept
    while at > 0 and best.total[at - 1] < total:
        at -= 1
    if at >= width:
        return kept
    kept = min(kept + 1, width)
    for k in range(kept - 1, at, -1):
        best.total[k], best.parent[k] = best.total[k - 1], best.parent[k - 1]
        best.action[k], best.chance[k] = best.action[k - 1], best.chance[k - 1]
    best.total[at], best.parent[at] = total, parent
    best.action[at], best.chance[at] = action, chance
    return kept


@kernel
def _goes_on(bank: Bank, size: int, words: int, mean: bool) -> bool:
    """Whether an item can still win: a sum of logarithms only falls, a mean may rise."""
    open_ones = 0
    for rank in range(size if mean else 1):
        open_ones += 1 if bank.at[bank.place[0, rank], NEXT] <= words else 0
    return open_ones > 0


@kernel
def _sentence(
    classifier: Classifier,
    table: NDArray[np.uint64],
    words: int,
    limits: ArcLimits,
    search: Search,
    bank: Bank,
    scratch: Scratch,
    memo: Memo,
    history: History,
    best: Candidates,
    sums: NDArray[np.float64],
    paths: Paths,
    counts: NDArray[np.int64],
) -> bool:
    """The best sequence of one sentence, as sequence 0; false if there is no room.

    `sums` has a column for sums of logarithms or chances, one for lengths, and twice as many rows
    as the beam is wide.
    """
    width = search.beam
    _forget(memo)
    for k in range(width):
        reset(_state(bank, k), words)
    bank.place[0, 0] = 0
    sums[0, 0], sums[0, 1] = 0.0, 0.0
    size, step, now = 1, 0, 0
    while _goes_on(bank, size, words, search.mean):
        if step >= history.parent.shape[0] or step >= paths.actions.shape[0]:
            return False
        kept = 0
        for rank in range(size):
            state = _state(bank, bank.place[0, rank])
            if state.at[NEXT] > words:
                key = sums[now + rank, 0] / (sums[now + rank, 1] if search.mean else 1.0)
                kept = _insert(kept, width, best, key, rank, -1, 1.0)
                continue
            can = legal(state, limits, search.single_root)
            fill(scratch, table, state)
            found = _labels(
                classifier, scratch, state, limits, can, memo, width, search.memory, counts
            )
            for a in range(found):
                chance = scratch.chances[a]
                key = (sums[now + rank, 0] + chance) / (sums[now + rank, 1] + 1.0)
                if not search.mean:
                    key = sums[now + rank, 0] + np.log(max(chance, 1e-30))
                kept = _insert(kept, width, best, key, rank, scratch.tops[a], chance)
        other = width - now
        _inherit(bank, best, kept, size)
        for k in range(kept):
            history.parent[step, k], history.action[step, k] = best.parent[k], best.action[k]
            history.chance[step, k] = best.chance[k]
            sums[other + k] = sums[now + best.parent[k]]
            if best.action[k] >= 0:
                chance = np.float64(best.chance[k])
                sums[other + k, 0] += chance if search.mean else np.log(max(chance, 1e-30))
                sums[other + k, 1] += 1.0
                kind, label = split_action(classifier, best.action[k])
                apply(_state(bank, bank.place[0, k]), kind, label)
        size, now = kept, other
        step += 1
    # From the last step back, then turned round.
    length, rank = 0, 0
    for s in range(step - 1, -1, -1):
        if history.action[s, rank] >= 0:
            length += 1
        rank = history.parent[s, rank]
    at, rank = length, 0
    for s in range(step - 1, -1, -1):
        if history.action[s, rank] >= 0:
            at -= 1
            paths.actions[at], paths.chances[at] = history.action[s, rank], history.chance[s, rank]
        rank = history.parent[s, rank]
    paths.begin[0], paths.begin[1], paths.fork[0] = 0, length, 0
    counts[SENTENCES] += 1
    counts[STEPS] += length
    return True


@kernel
def _decode(
    classifier: Classifier,
    table: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    first: int,
    limits: ArcLimits,
    search: Search,
    headless: int,
    root_label: int,
    bank: Bank,
    state: State,
    scratch: Scratch,
    memo: Memo,
    history: History,
    best: Candidates,
    sums: NDArray[np.float64],
    paths: Paths,
    second: NDArray[np.int64],
    chance: NDArray[np.float64],
    counts: NDArray[np.int64],
    trees: Trees,
) -> Any:
    for k in range(first, bounds.shape[0] - 1):
        a, b = bounds[k], bounds[k + 1]
        part = table[a + 2 * k : b + 2 * (k + 1)]
        if not _sentence(
            classifier,
            part,
            b - a,
            limits,
            search,
            bank,
            scratch,
            memo,
            history,
            best,
            sums,
            paths,
            counts,
        ):
            return k
        out = Trees(trees.heads[a:b], trees.labels[a:b], trees.chances[a:b], trees.shares[a:b])
        write_tree(
            classifier,
            part,
            b - a,
            limits,
            search,
            headless,
            root_label,
            state,
            scratch,
            paths,
            0,
            second,
            chance,
            out,
        )
    return bounds.shape[0] - 1


class BeamSearcher:
    """As `caesura.parse.search.branching_decode.Brancher`, with a beam."""

    def __init__(
        self, classifier: Classifier, options: BranchOptions, root_label: int, longest: int
    ) -> None:
        width = options.beam
        self.classifier = classifier
        self.search = search_of(options)
        self.headless = HEADLESS[options.headless]
        self.root_label = root_label
        one = new_state(longest)
        self.bank = Bank(
            *(np.zeros((width, *column.shape), column.dtype) for column in one),
            np.zeros((2, width), np.int64),
            np.zeros(width, np.int64),
            np.zeros(width, np.int64),
        )
        self.state = one
        columns = classifier.table.shape[1]
        self.scratch = new_scratch(len(classifier.templates.seeds), columns, max(2, width))
        self.memo = new_memo(width)
        self.best = Candidates(
            np.zeros(width),
            np.zeros(width, np.int32),
            np.zeros(width, np.int32),
            np.zeros(width, np.float32),
        )
        self.sums = np.zeros((2 * width, 2))
        self.second = np.zeros((longest + 1, 2), np.int64)
        self.chance = np.zeros(longest + 1, np.float64)
        self.counts = np.zeros(len(COUNTERS), np.int64)
        self._room(1 << 10)

    def _room(self, steps: int) -> None:
        shape = (steps, self.search.beam)
        self.history = History(
            np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.float32)
        )
        self.paths = new_paths(1, steps)

    def decode(self, table: NDArray[np.uint64], bounds: NDArray[np.int64]) -> Trees:
        """The trees of sentences, heads counted from each one's first word."""
        trees = new_trees(int(bounds[-1]))
        at = 0
        while True:
            at = _decode(
                self.classifier,
                table,
                bounds,
                at,
                no_arc_limits(),
                self.search,
                self.headless,
                self.root_label,
                self.bank,
                self.state,
                self.scratch,
                self.memo,
                self.history,
                self.best,
                self.sums,
                self.paths,
                self.second,
                self.chance,
                self.counts,
                trees,
            )
            if at == len(bounds) - 1:
                return trees
            self._room(4 * len(self.history.parent))

    def counters(self) -> dict[str, int]:
        return dict(zip(COUNTERS, self.counts.tolist(), strict=True))
