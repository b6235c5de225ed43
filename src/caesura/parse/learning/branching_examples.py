"""What the classifier learns from: states of oracle sequences, or of the parser's own sequences.

The feature rows of every state are found once, so that an epoch only adds and updates rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.scorers.classifier import (
    Classifier,
    Scratch,
    chances_of,
    evaluate,
    fill,
    find_rows,
    split_action,
)
from caesura.parse.search.branching import STUCK, Forks, Memo, Paths, Search, branch, replay
from caesura.parse.transitions.hybrid import (
    LEFT_PASS,
    LEFT_REDUCE,
    NEXT,
    RIGHT_PASS,
    RIGHT_SHIFT,
    STACK,
    ArcLimits,
    State,
    also_right,
    apply,
    legal,
    oracle,
    reset,
)

__all__ = ["Examples", "Gold", "derive", "new_examples", "observe_all"]


class Gold(NamedTuple):
    """Trees of all sentences: heads and labels with one place more for each root; bounds."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    bounds: NDArray[np.int64]


class Examples(NamedTuple):
    """States: feature rows, the right label, the transitions that are legal, the sentence."""

    rows: NDArray[np.int32]
    gold: NDArray[np.int32]
    legal: NDArray[np.uint8]
    sentence: NDArray[np.int32]


def new_examples(states: int, templates: int) -> Examples:
    return Examples(
        np.zeros((states, templates), np.int32),
        np.zeros(states, np.int32),
        np.zeros(states, np.uint8),
        np.zeros(states, np.int32),
    )


@kernel
def _gold_label(state: State, kind: int, labels: NDArray[np.int32]) -> int:
    if kind in (LEFT_REDUCE, LEFT_PASS):
        return int(labels[state.stack[state.at[STACK] - 1]])
    if kind in (RIGHT_SHIFT, RIGHT_PASS):
        return int(labels[state.at[NEXT]])
    return -1


@kernel
def derive(
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    limits: ArcLimits,
    single_root: bool,
    state: State,
    kinds_out: NDArray[np.int32],
    labels_out: NDArray[np.int32],
) -> int:
    """The oracle's sequence for a tree; returns its length."""
    words = heads.shape[0] - 1
    reset(state, words)
    at = 0
    while state.at[NEXT] <= words:
        kind = oracle(state, heads, limits, single_root)
        kinds_out[at], labels_out[at] = kind, _gold_label(state, kind, labels)
        apply(state, kind, labels_out[at])
        at += 1
    return at


@kernel
def _observe(
    classifier: Classifier,
    table: NDArray[np.uint64],
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    limits: ArcLimits,
    single_root: bool,
    paths: Paths,
    number: int,
    skip: int,
    numbers: NDArray[np.int32],
    state: State,
    scratch: Scratch,
    out: Examples,
    at: int,
) -> int:
    """Write the states of one sequence from place `at` on; returns the next free place or -1."""
    words = heads.shape[0] - 1
    reset(state, words)
    step = 0
    while state.at[NEXT] <= words:
        can = legal(state, limits, single_root)
        kind = oracle(state, heads, limits, single_root)
        label = _gold_label(state, kind, labels)
        gold = numbers[kind, label + 1]
        if gold >= 0 and step >= skip:
            if at >= out.gold.shape[0]:
                return -1
            fill(scratch, table, state)
            right = 0 if number < 0 else also_right(state, heads, limits, single_root, kind)
            if right & (right - 1) != 0:
                # Several are as right: the one that the parser likes best is learned.
                evaluate(classifier, scratch)
                chances_of(classifier, scratch, right, -1, -1, 1)
                gold = scratch.tops[0]
            else:
                find_rows(scratch, classifier.templates, classifier.table.shape[0])
            for t in range(scratch.rows.shape[0]):
                out.rows[at, t] = np.int32(scratch.rows[t])
            out.gold[at], out.legal[at] = gold, np.uint8(can)
            at += 1
        if number >= 0:
            fork = paths.fork[number]
            place = step if step < fork else paths.begin[number] + step - fork
            kind, label = split_action(classifier, paths.actions[place])
        apply(state, kind, label)
        step += 1
    return at


@kernel
def _most_right(
    classifier: Classifier,
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    state: State,
    paths: Paths,
    number: int,
) -> int:
    """The sequence whose tree has most right arcs with right labels; of equal ones the first."""
    words = heads.shape[0] - 1
    best, most = 0, -1
    for r in range(number):
        replay(classifier, state, paths, r, words, -1)
        right = 0
        for w in range(1, words + 1):
            if state.heads[w] == heads[w] and state.labels[w] == labels[w]:
                right += 1
        if right > most:
            best, most = r, right
    return best


@kernel
def observe_all(
    classifier: Classifier,
    table: NDArray[np.uint64],
    gold: Gold,
    first: int,
    asked: NDArray[np.bool_],
    own: bool,
    twice: bool,
    limits: ArcLimits,
    search: Search,
    numbers: NDArray[np.int32],
    state: State,
    scratch: Scratch,
    memo: Memo,
    forks: Forks,
    paths: Paths,
    counts: NDArray[np.int64],
    out: Examples,
    at: int,
) -> tuple[int, int, bool]:
    """Write the states of sentences from number `first` on, of those `asked` for only.

    They are those of the oracle's sequences, or with `own` those of the one-best sequence and of
    the one with most right arcs (Choi & McCallum 2013, section 3.3); what the two share is written
    once for each with `twice`. `numbers` gives the classifier's label for a transition (row) and
    an arc's label (column, 0 for none); states whose right label was never seen are left out.
    Returns the next sentence, the next free place, and whether `paths` was too small.
    """
    bounds = gold.bounds
    for k in range(first, bounds.shape[0] - 1):
        if not asked[k]:
            continue
        a, b = bounds[k], bounds[k + 1]
        part = table[a + 2 * k : b + 2 * (k + 1)]
        heads, labels = gold.heads[a + k : b + k + 1], gold.labels[a + k : b + k + 1]
        best = -1
        if own:
            number = branch(
                classifier, part, b - a, limits, search, state, scratch, memo, forks, paths, counts
            )
            if number == STUCK:  # nothing can be learned from where it goes
                continue
            if number < 0:
                return k, at, True
            best = _most_right(classifier, heads, labels, state, paths, number)
        filled = at
        for turn in range(2):
            if turn == 1 and best <= 0:
                break
            chosen = best if turn == 1 or not own else 0
            skip = paths.fork[best] if turn == 1 and not twice else 0
            filled = _observe(
                classifier,
                part,
                heads,
                labels,
                limits,
                search.single_root,
                paths,
                chosen,
                skip,
                numbers,
                state,
                scratch,
                out,
                filled,
            )
            if filled < 0:
                return k, at, False
        for place in range(at, filled):
            out.sentence[place] = k
        at = filled
    return bounds.shape[0] - 1, at, False
