"""From sequences to trees: the best one, words without a head, confidences, whole batches.

The transition system may leave words without a head, about which the paper says nothing. They hang
on the root (`root`), on what the parser thought second best (`clearnlp`, as ClearNLP does), or
the sentence gets one root word and the others hang on it (`single-root`).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.parse.scorers.classifier import (
    Classifier,
    Scratch,
    chances_of,
    choose,
    evaluate,
    fill,
    fill_pair,
    split_action,
)
from caesura.parse.search.branching import (
    STUCK,
    Forks,
    Memo,
    Paths,
    Search,
    best_of,
    branch,
    replay,
)
from caesura.parse.transitions.hybrid import (
    LEFT_PASS,
    LEFT_REDUCE,
    NEXT,
    NO_HEAD,
    RIGHT_PASS,
    RIGHT_SHIFT,
    SIZE,
    STACK,
    ArcLimits,
    State,
    apply,
    is_arc,
    legal,
    reset,
)

__all__ = ["CLEARNLP", "HEADLESS", "SINGLE_ROOT", "TO_ROOT", "Trees", "decode_all", "write_tree"]

TO_ROOT: Final = 0
CLEARNLP: Final = 1
SINGLE_ROOT: Final = 2
HEADLESS: Final = {"root": TO_ROOT, "clearnlp": CLEARNLP, "single-root": SINGLE_ROOT}
_LEFT: Final = (1 << LEFT_REDUCE) | (1 << LEFT_PASS)
_RIGHT: Final = (1 << RIGHT_SHIFT) | (1 << RIGHT_PASS)


class Trees(NamedTuple):
    """By word of a batch: head (-1 for the root), label, chance of the arc's step, share of it."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    chances: NDArray[np.float32]
    shares: NDArray[np.float32]


def new_trees(words: int) -> Trees:
    return Trees(
        np.zeros(words, np.int32),
        np.zeros(words, np.int32),
        np.zeros(words, np.float32),
        np.ones(words, np.float32),
    )


@kernel
def _reaches(state: State, low: int, high: int) -> bool:
    """Whether `high` is `low` or above it."""
    for _ in range(state.at[SIZE] + 1):
        if low <= 0 or low == high:
            break
        low = state.heads[low]
    return bool(low > 0 and low == high)


@kernel
def _pair(
    classifier: Classifier,
    scratch: Scratch,
    table: NDArray[np.uint64],
    state: State,
    head: int,
    word: int,
    label: int,
) -> tuple[Any, float]:
    """The label and chance of an arc in a fresh state that has only these two words."""
    for k in range(12, 15):
        scratch.places[k] = -1
    fill_pair(scratch, table, state, min(head, word), max(head, word))
    evaluate(classifier, scratch)
    chances_of(classifier, scratch, (1 << 7) - 1, -1, -1, 1)
    best = scratch.sums[scratch.tops[0]]
    highest = scratch.chances[0]
    kinds = _LEFT if head > word else _RIGHT
    found = chances_of(classifier, scratch, kinds, label, label, 1)
    if found == 0:
        return np.int64(max(label, 0)), 0.0
    top = scratch.tops[0]
    chance = highest * np.exp((scratch.sums[top] - best) * classifier.unit)
    return np.int64(classifier.labels[top]), chance


@kernel
def _second_best(
    classifier: Classifier,
    scratch: Scratch,
    table: NDArray[np.uint64],
    limits: ArcLimits,
    search: Search,
    state: State,
    paths: Paths,
    number: int,
    words: int,
    second: NDArray[np.int64],
    chance: NDArray[np.float64],
) -> None:
    """For each word the likeliest arc that was second best where no arc was made: head, label."""
    second[:, 0] = -1
    reset(state, words)
    fork, at = paths.fork[number], 0
    steps = fork + paths.begin[number + 1] - paths.begin[number]
    while at < steps:
        action = paths.actions[at] if at < fork else paths.actions[paths.begin[number] + at - fork]
        kind, label = split_action(classifier, action)
        if not is_arc(kind):
            can = legal(state, limits, search.single_root)
            fill(scratch, table, state)
            if choose(classifier, scratch, state, limits, can, 2) > 1:
                other, name = split_action(classifier, scratch.tops[1])
                i, j = state.stack[state.at[STACK] - 1], state.at[NEXT]
                if is_arc(other):
                    left = other in (LEFT_REDUCE, LEFT_PASS)
                    word, head = (i, j) if left else (j, i)
                    if second[word, 0] < 0 or scratch.chances[1] > chance[word]:
                        second[word, 0], second[word, 1] = head, name
                        chance[word] = scratch.chances[1]
        apply(state, kind, label)
        at += 1


@kernel
def _hang(
    classifier: Classifier,
    scratch: Scratch,
    table: NDArray[np.uint64],
    limits: ArcLimits,
    state: State,
    words: int,
    word: int,
    second: NDArray[np.int64],
    root_label: int,
) -> None:
    """Find a head for one word, as ClearNLP does."""
    label = limits.labels[word] if limits.labels.shape[0] > 0 else -1
    if second[word, 0] >= 0 and not _reaches(state, second[word, 0], word):
        state.heads[word], state.labels[word] = second[word, 0], second[word, 1]
        return
    best, head, name = -1.0, 0, root_label
    for k in range(words + 1):
        if k != word and not _reaches(state, k, word):
            found, chance = _pair(classifier, scratch, table, state, k, word, label)
            if chance > best:
                best, head, name = chance, k, found
    state.heads[word], state.labels[word] = head, name


@kernel
def _one_root(
    classifier: Classifier,
    scratch: Scratch,
    table: NDArray[np.uint64],
    limits: ArcLimits,
    state: State,
    words: int,
    made: NDArray[np.float32],
    root_label: int,
) -> None:
    """Keep one word on the root, the surest, and hang the other ones on it."""
    keep, sure = 0, -1.0
    for w in range(1, words + 1):
        if state.heads[w] == 0 or state.heads[w] == NO_HEAD:
            if limits.heads.shape[0] > 0 and limits.heads[w] == 0:
                chance = 3.0
            elif state.heads[w] == 0:
                chance = 1.0 + made[w - 1]
            else:
                _, chance = _pair(classifier, scratch, table, state, 0, w, -1)
            if chance > sure:
                keep, sure = w, chance
    if state.heads[keep] == NO_HEAD:
        state.labels[keep] = root_label
        state.heads[keep] = 0
    for w in range(1, words + 1):
        if w != keep and (state.heads[w] == 0 or state.heads[w] == NO_HEAD):
            if limits.heads.shape[0] > 0 and limits.heads[w] == 0:
                continue
            label = limits.labels[w] if limits.labels.shape[0] > 0 else -1
            name, _ = _pair(classifier, scratch, table, state, keep, w, label)
            state.heads[w], state.labels[w] = keep, name


@kernel
def write_tree(
    classifier: Classifier,
    table: NDArray[np.uint64],
    words: int,
    limits: ArcLimits,
    search: Search,
    headless: int,
    root_label: int,
    state: State,
    scratch: Scratch,
    paths: Paths,
    number: int,
    second: NDArray[np.int64],
    chance: NDArray[np.float64],
    out: Trees,
) -> None:
    """The tree of one sequence with all words attached."""
    reset(state, words)
    fork = paths.fork[number]
    steps = fork + paths.begin[number + 1] - paths.begin[number]
    for w in range(words):
        out.chances[w] = 0.0
    for s in range(steps):
        at = s if s < fork else paths.begin[number] + s - fork
        kind, label = split_action(classifier, paths.actions[at])
        if is_arc(kind):
            left = kind in (LEFT_REDUCE, LEFT_PASS)
            word = state.stack[state.at[STACK] - 1] if left else state.at[NEXT]
            out.chances[word - 1] = paths.chances[at]
        apply(state, kind, label)
    missing = False
    for w in range(1, words + 1):
        missing = missing or state.heads[w] == NO_HEAD
    if headless == SINGLE_ROOT:
        roots = 0
        for w in range(1, words + 1):
            if state.heads[w] == 0:
                roots += 1
        if missing or roots != 1:
            _one_root(classifier, scratch, table, limits, state, words, out.chances, root_label)
    elif missing and headless == CLEARNLP:
        _second_best(
            classifier, scratch, table, limits, search, state, paths, number, words, second, chance
        )
        for w in range(1, words + 1):
            if state.heads[w] == NO_HEAD:
                _hang(classifier, scratch, table, limits, state, words, w, second, root_label)
    for w in range(1, words + 1):
        head, label = state.heads[w], state.labels[w]
        if head == NO_HEAD:
            head, label = 0, root_label
        out.heads[w - 1], out.labels[w - 1] = head - 1, label


@kernel
def _shares(
    classifier: Classifier,
    words: int,
    state: State,
    paths: Paths,
    number: int,
    out: Trees,
) -> None:
    """How much of all sequences, weighted by their chances, agrees with each arc of the tree."""
    highest = paths.logs[0]
    for r in range(number):
        highest = max(highest, paths.logs[r])
    total = 0.0
    for w in range(words):
        out.shares[w] = 0.0
    for r in range(number):
        weight = np.exp(paths.logs[r] - highest)
        total += weight
        replay(classifier, state, paths, r, words, -1)
        for w in range(words):
            if state.heads[w + 1] - 1 == out.heads[w] and state.labels[w + 1] == out.labels[w]:
                out.shares[w] += weight
    for w in range(words):
        out.shares[w] /= total


@kernel
def decode_all(
    classifier: Classifier,
    table: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    first: int,
    limits: ArcLimits,
    search: Search,
    headless: int,
    root_label: int,
    confidence: bool,
    state: State,
    scratch: Scratch,
    memo: Memo,
    forks: Forks,
    paths: Paths,
    second: NDArray[np.int64],
    chance: NDArray[np.float64],
    counts: NDArray[np.int64],
    trees: Trees,
) -> Any:
    """Decode sentences from number `first` on; returns the first for which there was no room.

    One whose search leads nowhere is told by -1 minus its number.
    Words of sentence k are bounds[k] to bounds[k + 1]; in the word table each sentence has two rows
    more, for the absent word and the root. Given heads have one place more, for the root.
    """
    for k in range(first, bounds.shape[0] - 1):
        a, b = bounds[k], bounds[k + 1]
        words = b - a
        part = table[a + 2 * k : b + 2 * (k + 1)]
        fixed = limits
        if limits.heads.shape[0] > 0:
            fixed = ArcLimits(limits.heads[a + k : b + k + 1], limits.labels[a + k : b + k + 1])
        number = branch(
            classifier, part, words, fixed, search, state, scratch, memo, forks, paths, counts
        )
        if number == STUCK:
            return -k - 1
        if number < 0:
            return k
        out = Trees(trees.heads[a:b], trees.labels[a:b], trees.chances[a:b], trees.shares[a:b])
        best = best_of(paths, number)
        write_tree(
            classifier,
            part,
            words,
            fixed,
            search,
            headless,
            root_label,
            state,
            scratch,
            paths,
            best,
            second,
            chance,
            out,
        )
        if confidence:
            _shares(classifier, words, state, paths, number, out)
    return bounds.shape[0] - 1
