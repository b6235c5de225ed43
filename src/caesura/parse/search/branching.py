"""Selectional branching (Choi & McCallum 2013, section 3): branches where the classifier is unsure.

The one-best sequence is made first. Where its best label leads by no more than a margin, the next
best ones are remembered; the likeliest of them are then followed to the end, each from the state of
the one-best sequence where it leaves it. A branch that comes back to what was seen before costs
nothing: decisions are remembered by all that the classifier sees of a state.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.scorers.classifier import (
    Classifier,
    Scratch,
    choose,
    fill,
    signature,
    split_action,
)
from caesura.parse.transitions.hybrid import NEXT, NO_HEAD, ArcLimits, State, apply, legal, reset

__all__ = [
    "COUNTERS",
    "STUCK",
    "Forks",
    "Memo",
    "Paths",
    "Search",
    "branch",
    "most_steps",
    "new_forks",
    "new_memo",
    "new_paths",
    "replay",
]

#: What is counted: sentences, steps of the one-best sequences, evaluations of the classifier,
#: decisions that were remembered, low-confidence alternatives, sequences, wins of the one-best,
#: and the most evaluations that the paper's bound d·t - e allows.
COUNTERS: Final = (
    "sentences",
    "steps",
    "evaluations",
    "remembered",
    "unsure",
    "sequences",
    "one_best",
    "bound",
)
SENTENCES, STEPS, EVALUATIONS, REMEMBERED, UNSURE, SEQUENCES, ONE_BEST, BOUND = range(8)
_MEMO_LOAD: Final = 2
#: What `branch` returns of a sentence that leads nowhere.
STUCK: Final = -2
#: Transitions of a sentence, and of each of its words, beyond which it does. Trees of treebanks
#: take two or three a word, but each word can pass all those before it.
_STEPS: Final = 1000
_STEPS_A_WORD: Final = 64


class Search(NamedTuple):
    """Beam, margin, alternatives of one state, and switches (see `BranchOptions`)."""

    beam: int
    margin: float
    k: int
    mean: bool
    skip_labels: bool
    keep_attached: bool
    single_root: bool
    memory: bool
    waves: int


class Paths(NamedTuple):
    """Sequences: that of branch r lies at begin[r] to begin[r + 1], from its fork on.

    `second` has the next best action of a step that was unsure, -1 elsewhere.
    """

    actions: NDArray[np.int32]
    chances: NDArray[np.float32]
    second: NDArray[np.int32]
    second_chance: NDArray[np.float32]
    begin: NDArray[np.int64]
    fork: NDArray[np.int64]
    score: NDArray[np.float64]
    logs: NDArray[np.float64]


class Forks(NamedTuple):
    """Low-confidence alternatives, best first: where they leave the one-best, and their chance."""

    step: NDArray[np.int64]
    action: NDArray[np.int64]
    chance: NDArray[np.float64]


class Memo(NamedTuple):
    """Decisions by the signature of the state, as an open-addressing table; 0 is free."""

    keys: NDArray[np.uint64]
    action: NDArray[np.int64]
    chance: NDArray[np.float64]
    second: NDArray[np.int64]
    second_chance: NDArray[np.float64]
    used: NDArray[np.int64]


def new_paths(beam: int, steps: int) -> Paths:
    return Paths(
        np.zeros(steps, np.int32),
        np.zeros(steps, np.float32),
        np.full(steps, -1, np.int32),
        np.zeros(steps, np.float32),
        np.zeros(beam + 1, np.int64),
        np.zeros(beam, np.int64),
        np.zeros(beam, np.float64),
        np.zeros(beam, np.float64),
    )


def new_forks(beam: int) -> Forks:
    return Forks(np.zeros(beam, np.int64), np.zeros(beam, np.int64), np.zeros(beam, np.float64))


def new_memo(bits: int = 13) -> Memo:
    size = 1 << bits
    return Memo(
        np.zeros(size, np.uint64),
        np.zeros(size, np.int64),
        np.zeros(size, np.float64),
        np.zeros(size, np.int64),
        np.zeros(size, np.float64),
        np.zeros(size // _MEMO_LOAD + 1, np.int64),
    )


@kernel
def _forget(memo: Memo) -> None:
    for k in range(memo.used[0]):
        memo.keys[memo.used[k + 1]] = np.uint64(0)
    memo.used[0] = 0


@kernel
def _place(memo: Memo, key: np.uint64) -> int:
    """Where a key is, or the free place where it belongs: half of the places stay free."""
    mask = np.uint64(memo.keys.shape[0] - 1)
    at = key & mask
    while memo.keys[at] != np.uint64(0) and memo.keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return int(at)


@kernel
def _remember(
    memo: Memo, key: np.uint64, action: int, chance: float, second: int, second_chance: float
) -> None:
    if memo.used[0] + 1 >= memo.used.shape[0]:
        return
    at = _place(memo, key)
    if memo.keys[at] == np.uint64(0):
        memo.used[0] += 1
        memo.used[memo.used[0]] = at
    memo.keys[at] = key
    memo.action[at], memo.chance[at] = action, chance
    memo.second[at], memo.second_chance[at] = second, second_chance


@kernel
def _unsure(classifier: Classifier, scratch: Scratch, search: Search, found: int, a: int) -> bool:
    """Whether the a-th best label of a state that was evaluated may start a branch."""
    if a >= found or scratch.chances[0] - scratch.chances[a] > search.margin:
        return False
    if not search.skip_labels:
        return True
    return bool(classifier.kinds[scratch.tops[a]] != classifier.kinds[scratch.tops[0]])


@kernel
def _insert(forks: Forks, kept: int, most: int, step: int, action: int, chance: float) -> int:
    at = kept
    while at > 0 and forks.chance[at - 1] < chance:
        at -= 1
    if at >= most:
        return kept
    kept = min(kept + 1, most)
    for k in range(kept - 1, at, -1):
        forks.step[k], forks.action[k] = forks.step[k - 1], forks.action[k - 1]
        forks.chance[k] = forks.chance[k - 1]
    forks.step[at], forks.action[at], forks.chance[at] = step, action, chance
    return kept


@kernel
def replay(
    classifier: Classifier, state: State, paths: Paths, number: int, words: int, steps: int
) -> None:
    """Make the state after so many steps of a sequence; -1 for all of them."""
    reset(state, words)
    own = paths.begin[number + 1] - paths.begin[number]
    fork = paths.fork[number]
    if steps < 0:
        steps = fork + own
    for s in range(steps):
        action = paths.actions[s] if s < fork else paths.actions[paths.begin[number] + s - fork]
        kind, label = split_action(classifier, action)
        apply(state, kind, label)


@kernel
def most_steps(words: int, given: bool) -> int:
    """Transitions that a sentence may take; where heads are given, as many as there can be.

    Before the next word is shifted each word of the stack is looked at once.
    """
    most = words * (words + 3) // 2
    return most if given else min(most, _STEPS + _STEPS_A_WORD * words)


@kernel
def _score(total: float, logs: float, steps: int, mean: bool) -> float:
    if mean:
        return total / max(steps, 1)
    return logs


@kernel
def branch(
    classifier: Classifier,
    table: NDArray[np.uint64],
    words: int,
    limits: ArcLimits,
    search: Search,
    state: State,
    scratch: Scratch,
    memo: Memo,
    forks: Forks,
    paths: Paths,
    counts: NDArray[np.int64],
) -> int:
    """All sequences of one sentence; returns their number, or -1 if there is no room for them.

    STUCK is returned if one of them has more steps than a sentence may have (`most_steps`). Waves
    come to an end since there are so many of them at most, and no more sequences than the beam.
    Sequence 0 is the one-best; `best_of` tells which has won.
    """
    room = paths.actions.shape[0]
    most = most_steps(words, limits.heads.shape[0] > 0)
    _forget(memo)
    reset(state, words)
    kept, unsure, evaluations, remembered, length = 0, 0, 0, 0, 0
    total, logs = 0.0, 0.0
    alternatives = search.k if search.beam > 1 else 1
    later = 2 if search.waves > 1 else 1
    while state.at[NEXT] <= words:
        if length >= most:
            return STUCK
        if length >= room:
            return -1
        can = legal(state, limits, search.single_root)
        fill(scratch, table, state)
        found = choose(classifier, scratch, state, limits, can, alternatives)
        evaluations += 1
        action, chance = scratch.tops[0], scratch.chances[0]
        if search.beam > 1:
            if search.memory:
                other = scratch.tops[1] if _unsure(classifier, scratch, search, found, 1) else -1
                key = signature(scratch, can)
                _remember(memo, key, action, chance, other, scratch.chances[1])
            for a in range(1, found):
                if _unsure(classifier, scratch, search, found, a):
                    unsure += 1
                    other, less = scratch.tops[a], scratch.chances[a]
                    kept = _insert(forks, kept, search.beam - 1, length, other, less)
        paths.actions[length], paths.chances[length] = action, chance
        total += chance
        logs += np.log(max(chance, 1e-30))
        length += 1
        kind, label = split_action(classifier, action)
        apply(state, kind, label)
    paths.begin[0], paths.begin[1], paths.fork[0] = 0, length, 0
    paths.score[0], paths.logs[0] = _score(total, logs, length, search.mean), logs
    attached = _attached(state, words)
    longest, number, base, wave = length, 1, 0, 1
    while kept > 0:
        for f in range(kept):
            fork, used = forks.step[f], paths.begin[number]
            before = min(fork, paths.fork[base])
            reset(state, words)
            total, logs, steps = 0.0, 0.0, 0
            for s in range(fork):
                at = s if s < before else paths.begin[base] + s - before
                if s >= before and base > 0:
                    # The part of the branch that this one leaves is its own, too.
                    if used + steps >= room:
                        return -1
                    paths.actions[used + steps] = paths.actions[at]
                    paths.chances[used + steps] = paths.chances[at]
                    paths.second[used + steps] = -1
                    steps += 1
                kind, label = split_action(classifier, paths.actions[at])
                apply(state, kind, label)
                total += paths.chances[at]
                logs += np.log(max(paths.chances[at], np.float32(1e-30)))
            action, chance = forks.action[f], forks.chance[f]
            other, less, made = -1, 0.0, fork
            while True:
                if made >= most:
                    return STUCK
                made += 1
                if used + steps >= room:
                    return -1
                paths.actions[used + steps], paths.chances[used + steps] = action, chance
                paths.second[used + steps], paths.second_chance[used + steps] = other, less
                total += chance
                logs += np.log(max(chance, 1e-30))
                steps += 1
                kind, label = split_action(classifier, action)
                apply(state, kind, label)
                if state.at[NEXT] > words:
                    break
                can = legal(state, limits, search.single_root)
                fill(scratch, table, state)
                key = np.uint64(0)
                if search.memory:
                    key = signature(scratch, can)
                    at = _place(memo, key)
                    if memo.keys[at] != np.uint64(0):
                        action, chance = memo.action[at], memo.chance[at]
                        other, less = memo.second[at], memo.second_chance[at]
                        remembered += 1
                        continue
                found = choose(classifier, scratch, state, limits, can, later)
                evaluations += 1
                action, chance = scratch.tops[0], scratch.chances[0]
                other, less = -1, 0.0
                if _unsure(classifier, scratch, search, found, 1):
                    other, less = scratch.tops[1], scratch.chances[1]
                if search.memory:
                    _remember(memo, key, action, chance, other, less)
            shared = paths.fork[base] if base > 0 else fork
            longest = max(longest, shared + steps)
            if search.keep_attached and _attached(state, words) < attached:
                # Counted, since it was followed, but it cannot win.
                logs, total = -1e30, -1e30
            paths.fork[number] = shared
            paths.begin[number + 1] = used + steps
            paths.score[number] = _score(total, logs, shared + steps, search.mean)
            paths.logs[number] = logs
            number += 1
        # Another wave leaves the best branch where it was unsure itself.
        best, kept = best_of(paths, number), 0
        if wave < search.waves and best != base:
            for at in range(paths.begin[best] + 1, paths.begin[best + 1]):
                if paths.second[at] >= 0 and search.beam > number:
                    step = paths.fork[best] + at - paths.begin[best]
                    second, less = paths.second[at], paths.second_chance[at]
                    kept = _insert(forks, kept, search.beam - number, step, second, less)
                    unsure += 1
        base, wave = best, wave + 1
    counts[SENTENCES] += 1
    counts[STEPS] += length
    counts[EVALUATIONS] += evaluations
    counts[REMEMBERED] += remembered
    counts[UNSURE] += unsure
    counts[SEQUENCES] += number
    counts[BOUND] += number * longest - number * (number - 1) // 2
    if best_of(paths, number) == 0:
        counts[ONE_BEST] += 1
    return number


@kernel
def best_of(paths: Paths, number: int) -> int:
    """The sequence with the highest score; of equal ones the first."""
    best = 0
    for r in range(1, number):
        if paths.score[r] > paths.score[best]:
            best = r
    return best


@kernel
def _attached(state: State, words: int) -> int:
    count = 0
    for w in range(1, words + 1):
        if state.heads[w] != NO_HEAD:
            count += 1
    return count
