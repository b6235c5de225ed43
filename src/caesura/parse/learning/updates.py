"""Learning from one instance: LaSO, early update, max-violation, DLaSO (Björkelund et al. 2016).

An update is a pair of items, a gold one and the best of the beam; only the steps after their last
common ancestor count. Steps are plain perceptron or passive-aggressive, and weights are averaged
lazily: `summed` collects each change times the tick at which it was made.

The delayed updates of an instance repeat each other: a model that sets no boundaries misses all of
them. Taken in turn, those that an earlier one has set right are left out; taken all, they go too
far, and the model swings from no boundaries to one before every word. By the passive-aggressive
rule an update is right only if gold leads by its errors (IN_TURN_LOSS), which few ever do.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.borrow import borrowed
from caesura.learn.updates import add, passive_aggressive
from caesura.parse.limits import Limits
from caesura.parse.scorers.dispatch import forget, score_into
from caesura.parse.scorers.linear import Linear32, find_rows
from caesura.parse.scorers.slots import fill_slots
from caesura.parse.search.beam import expand
from caesura.parse.search.frontier import Frontier, Search
from caesura.parse.transitions.graph_stack import (
    ABSENT,
    ACTION,
    DEPENDENT,
    GOLD,
    HEAD,
    LAST,
    NEXT,
    PARENT,
    SWAPPED,
    Arena,
)
from caesura.parse.transitions.inventory import SB, SHIFT, System
from caesura.parse.transitions.joint import apply
from caesura.parse.word_table import Words

__all__ = ["DLASO", "EARLY", "LASO", "MAX_VIOLATION", "Delta", "Gold", "learn", "new_delta"]

LASO: Final = 0
EARLY: Final = 1
MAX_VIOLATION: Final = 2
DLASO: Final = 3

ACCUMULATED: Final = 0
PER_UPDATE: Final = 1
IN_TURN: Final = 2
IN_TURN_LOSS: Final = 3

#: How long a perceptron step is. Any length learns the same; with this one scores are about as
#: large as after passive-aggressive steps, so that a bias or a pruning margin means the same.
PERCEPTRON_STEP: Final = 2.0**-8


class Gold(NamedTuple):
    """The gold derivation of an instance, and the trees and boundaries to count errors by."""

    actions: NDArray[np.int32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    starts: NDArray[np.bool_]


class Delta(NamedTuple):
    """A sparse difference of feature vectors: an open-addressing table over row and transition.

    What no longer fits is left out of the update, and counted.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float32]
    filled: NDArray[np.int64]
    used: NDArray[np.int64]
    dropped: NDArray[np.int64]


class Steps(NamedTuple):
    """How to update: passive-aggressive or not, delayed updates as one, all, or in turn; the cap
    of a passive-aggressive step, and 1 added to its loss or not."""

    passive: bool
    delayed: int
    cap: float
    plus: float


class Pairs(NamedTuple):
    """The updates of one instance: gold item, predicted item, step."""

    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    step: NDArray[np.int64]
    used: NDArray[np.int64]


def new_delta(bits: int = 18) -> Delta:
    size = 1 << bits
    return Delta(
        np.full(size, -1, np.int64),
        np.zeros(size, np.float32),
        np.zeros(size, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )


def new_pairs(steps: int) -> Pairs:
    gold, predicted, step = (np.zeros(max(1, steps), np.int64) for _ in range(3))
    return Pairs(gold, predicted, step, np.zeros(1, np.int64))


@kernel
def _add(delta: Delta, key: int, value: float) -> None:
    mask = delta.keys.shape[0] - 1
    slot = (key * 0x9E3779B1) >> 7 & mask
    while delta.keys[slot] != key:  # an eighth of the slots stays free
        if delta.keys[slot] < 0:
            if delta.used[0] > mask - mask // 8:
                delta.dropped[0] += 1
                return
            delta.keys[slot] = key
            delta.values[slot] = 0.0
            delta.filled[delta.used[0]] = slot
            delta.used[0] += 1
            break
        slot = (slot + 1) & mask
    delta.values[slot] += value


@kernel
def _clear(delta: Delta) -> None:
    for k in range(delta.used[0]):
        delta.keys[delta.filled[k]] = -1
    delta.used[0] = 0


@kernel
def _errors(gold: Gold, system: System, arena: Arena, item: int) -> int:
    """How many wrong arcs and boundary decisions the transition to this item made."""
    state = arena.items[item]
    action = state[ACTION]
    if action == SB:
        return 0 if gold.starts[state[DEPENDENT]] else 1
    if action == SHIFT:
        parent = arena.items[state[PARENT]]
        missed = (
            system.sb != 0
            and parent[SWAPPED] < 0
            and parent[NEXT] > parent[LAST]
            and gold.starts[parent[NEXT]]
        )
        return int(missed)
    if action > SB:
        word = state[DEPENDENT]
        if gold.heads[word] == ABSENT:
            return 0
        if gold.heads[word] != state[HEAD]:
            return 1
        return 1 if gold.labels[word] >= 0 and gold.labels[word] != system.labels[action] else 0
    return 0


@kernel
def _take(
    delta: Delta,
    scorer: Linear32,
    words: Words,
    arena: Arena,
    item: int,
    value: float,
) -> None:
    """Add the features of the step that made this item."""
    scratch = scorer.scratch
    fill_slots(scratch, words, arena, arena.items[item, PARENT])
    templates = scorer.templates
    size = scorer.table.shape[0]
    find_rows(scratch.rows, scratch.slots, templates, size, 0, templates.seeds.shape[0])
    width = scorer.table.shape[1]
    action = arena.items[item, ACTION]
    for t in range(scratch.rows.shape[0]):
        _add(delta, np.int64(scratch.rows[t]) * width + action, value)


@kernel
def _collect(
    delta: Delta,
    scorer: Linear32,
    system: System,
    words: Words,
    arena: Arena,
    gold: Gold,
    right: int,
    wrong: int,
) -> int:
    """Add the difference of two derivations since their common ancestor; returns the errors."""
    errors = 0
    while right != wrong:  # parents lie before their children, and item 0 before all
        if right > wrong:
            _take(delta, scorer, words, arena, right, 1.0)
            right = arena.items[right, PARENT]
        else:
            errors += _errors(gold, system, arena, wrong)
            _take(delta, scorer, words, arena, wrong, -1.0)
            wrong = arena.items[wrong, PARENT]
    return errors


@kernel
def _step(
    delta: Delta,
    table: NDArray[np.float32],
    summed: NDArray[np.float32],
    tick: float,
    steps: Steps,
    errors: int,
    violation: float,
    again: bool,
) -> None:
    """Move the weights along the difference, and forget it.

    The weights have changed since the difference was found if it is looked at `again`: what is
    no longer a violation, or has no loss any more, is left alone.
    """
    width = table.shape[1]
    rate = PERCEPTRON_STEP
    if steps.passive or again:
        norm = margin = 0.0
        for k in range(delta.used[0]):
            slot = delta.filled[k]
            value = delta.values[slot]
            norm += value * value
            if again:
                margin += value * table[delta.keys[slot] // width, delta.keys[slot] % width]
        if again:
            violation = -margin
        enough = float(errors) if steps.delayed == IN_TURN_LOSS else 0.0
        if norm == 0.0 or (margin > 0.0 and margin >= enough):
            rate = 0.0
        elif steps.passive:
            rate = passive_aggressive(errors + violation + steps.plus, norm, steps.cap)
    if rate > 0.0:
        for k in range(delta.used[0]):
            slot = delta.filled[k]
            change = np.float32(rate * delta.values[slot])
            if change != 0.0:
                at = (delta.keys[slot] // width, delta.keys[slot] % width)
                add(table, summed, at, change, np.float32(tick))
    _clear(delta)


@kernel
def _best_start(arena: Arena, frontier: Frontier, item: int) -> None:
    frontier.beam[0] = item
    frontier.counts[0] = 1


@kernel
def learn(
    scorer: Linear32,
    summed: NDArray[np.float32],
    tick: float,
    system: System,
    limits: Limits,
    words: Words,
    gold: Gold,
    arena: Arena,
    frontier: Frontier,
    delta: Delta,
    pairs: Pairs,
    update: int,
    steps: Steps,
    search: Search,
) -> int:
    """Decode one instance beside its gold derivation and update; returns the steps used."""
    scorer, system, limits = borrowed(scorer), borrowed(system), borrowed(limits)
    words, gold, arena = borrowed(words), borrowed(gold), borrowed(arena)
    frontier, delta, pairs = borrowed(frontier), borrowed(delta), borrowed(pairs)
    total = gold.actions.shape[0]
    forget(scorer)
    arena.used[:] = 1
    frontier.counts[0] = 1
    frontier.beam[0] = 0
    arena.scores[0] = 0.0
    pairs.used[0] = 0
    gold_item = 0
    inside = True
    worst = 0.0
    covered = total
    for step in range(total):
        expand(scorer, system, limits, words, arena, frontier, search)
        found = -1
        if inside:
            for rank in range(frontier.counts[0]):
                item = frontier.beam[rank]
                own = arena.items[item, PARENT] == gold_item
                if own and arena.items[item, ACTION] == gold.actions[step]:
                    found = item
        if found >= 0:
            gold_item = found
        else:
            action = gold.actions[step]
            score_into(scorer, words, arena, gold_item, frontier.scores)
            score = arena.scores[gold_item] + np.float64(frontier.scores[action])
            gold_item = apply(system, limits, arena, gold_item, action)
            arena.scores[gold_item] = score
            inside = False
        arena.items[gold_item, GOLD] = 1
        best = frontier.beam[0]
        lost = not inside or (step == total - 1 and best != gold_item)
        if update == MAX_VIOLATION:
            violation = arena.scores[best] - arena.scores[gold_item]
            if best != gold_item and violation >= worst:
                worst = violation
                pairs.gold[0], pairs.predicted[0], pairs.step[0] = gold_item, best, step + 1
                pairs.used[0] = 1
                covered = step + 1
            continue
        if not lost:
            continue
        at = pairs.used[0]
        pairs.gold[at], pairs.predicted[at], pairs.step[at] = gold_item, best, step + 1
        pairs.used[0] += 1
        if update == EARLY:
            covered = step + 1
            break
        if update == LASO:
            errors = _collect(delta, scorer, system, words, arena, gold, gold_item, best)
            violation = arena.scores[best] - arena.scores[gold_item]
            _step(delta, scorer.table, summed, tick, steps, errors, violation, False)
            forget(scorer)
        _best_start(arena, frontier, gold_item)
        inside = True
    if update != LASO:
        errors = 0
        violation = 0.0
        for k in range(pairs.used[0]):
            right, wrong = pairs.gold[k], pairs.predicted[k]
            errors += _collect(delta, scorer, system, words, arena, gold, right, wrong)
            violation += arena.scores[wrong] - arena.scores[right]
            if steps.delayed != ACCUMULATED or k == pairs.used[0] - 1:
                again = steps.delayed >= IN_TURN and k > 0
                _step(delta, scorer.table, summed, tick, steps, errors, violation, again)
                errors = 0
                violation = 0.0
    return covered
