"""Greedy and beam search over the transitions of a document (Björkelund et al. 2016, section 3.2).

The search asks a scorer for the scores of an item's transitions and knows nothing else about it.
Terminal items stay in the beam unchanged, since derivations differ in length; ties go to the
earlier parent and then to the lower transition. The kernel stops when the arena is full or words
run out, and goes on where it stopped as if it had not, so a document may be endless.

With a margin the beam is as wide as the text is ambiguous, which is selectional branching (Choi &
McCallum 2013) for a beam over documents: an item offers only transitions that score close to its
best one (boundaries from farther, other labels from nearer, as the options say), items far behind
the best are dropped, and of items with the same future, which features cannot tell apart any more,
only the best goes on (Huang & Sagae 2010).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.borrow import borrowed
from caesura.parse.limits import Limits
from caesura.parse.scorers.dispatch import forget, score_into
from caesura.parse.scorers.simd_sums import at_least, highest, lowest_bit
from caesura.parse.search.frontier import NO_MARGIN, Frontier, Search, insert
from caesura.parse.search.patience import lose_patience
from caesura.parse.transitions.graph_stack import (
    ACTION,
    BELOW,
    CHAIN,
    HEIRS,
    LAST,
    NEXT,
    PARENT,
    PREVIOUS,
    RIVALS,
    STACK,
    SWAPPED,
    TOKEN,
    Arena,
    mixed,
)
from caesura.parse.transitions.inventory import (
    FIRST_ARC,
    SB,
    SHIFT,
    System,
)
from caesura.parse.transitions.joint import (
    CAN_LEFT,
    CAN_RIGHT,
    CAN_ROOT,
    CAN_SB,
    apply,
    is_terminal,
    legal,
    limit,
)
from caesura.parse.word_table import (
    AT_LINES,
    EVIDENCE_COLUMN,
    EVIDENCE_ODDS,
    LAYOUT_COLUMN,
    LAYOUT_ODDS,
    PLAIN_COLUMN,
    TOLD_COLUMN,
    Words,
)

__all__ = [
    "DEAD",
    "DONE",
    "FULL",
    "STUCK",
    "WANTING",
    "advance",
    "expand",
    "most_steps",
]

# Why `advance` returned.
DONE: Final = 0
WANTING: Final = 1
FULL: Final = 2
DEAD: Final = 3
STUCK: Final = 4

#: Transitions of a document of so many words, and of each of its words, beyond which it leads
#: nowhere. Trees of treebanks take two or three a word, but SWAP can be made for every two words.
_STEPS: Final = 1000
_STEPS_A_WORD: Final = 64
#: Words beyond the next one that features look at.
LOOK_AHEAD: Final = 3
#: It is looked this often in the time of its patience whether the beam agrees.
_LOOKS: Final = 4
#: Steps after which the beam is asked how many of its items descend from a decision.
AGREEMENT: Final = 8
#: A margin where there was no other choice.
CERTAIN: Final = np.float32(1e30)
#: The score of a transition that may not be made, and one that only such transitions are below.
LOST: Final = -CERTAIN
ALMOST_LOST: Final = np.float32(-1e29)
_ROUNDING: Final = np.float32(1e-5)
_NOWHERE: Final = -1e300


@kernel(counted=False)
def most_steps(n: int, given: bool) -> int:
    """Transitions that n words may take; where heads are given, as many as there can be.

    A word is shifted once and again after each SWAP, of which there is one for two words at most,
    since only words in their order may be swapped; it gets one head, and SB comes before it once.
    """
    most = n * (n + 2)
    return most if given else min(most, _STEPS + _STEPS_A_WORD * n)


@kernel(forceinline=True, counted=False)
def _kind(system: System, action: int) -> int:
    """What a transition does, whatever the label of its arc."""
    if action < FIRST_ARC:
        return action
    arc = action - FIRST_ARC
    if arc < system.left:
        return FIRST_ARC
    return FIRST_ARC + 1 if arc < system.left + system.right else FIRST_ARC + 2


@kernel(forceinline=True, counted=False)
def _lose(scores: NDArray[np.float32], first: int, last: int) -> None:
    for a in range(first, last):
        scores[a] = LOST


@kernel(forceinline=True, counted=False)
def _lose_illegal(
    scores: NDArray[np.float32], system: System, limits: Limits, can: int, s0: int, s1: int
) -> None:
    """Give the lowest score to the transitions that may not be made."""
    for a in range(FIRST_ARC):
        if can & (1 << a) == 0:
            scores[a] = LOST
    left, right = FIRST_ARC + system.left, FIRST_ARC + system.left + system.right
    root = right + system.root
    first_left, last_left = FIRST_ARC, left if can & CAN_LEFT != 0 else FIRST_ARC
    first_right, last_right = left, right if can & CAN_RIGHT != 0 else left
    first_root, last_root = right, root if can & CAN_ROOT != 0 else right
    if limits.labels.size > 0:
        # A given label that this kind of arc never carries is written over the result instead.
        if s1 >= 0 and limits.labels[s1] >= 0 and system.left_of[limits.labels[s1]] >= 0:
            first_left = system.left_of[limits.labels[s1]]
            last_left = min(last_left, first_left + 1)
        if s0 >= 0 and limits.labels[s0] >= 0:
            label = limits.labels[s0]
            if system.right_of[label] >= 0:
                first_right = system.right_of[label]
                last_right = min(last_right, first_right + 1)
            if system.root_of[label] >= 0:
                first_root = system.root_of[label]
                last_root = min(last_root, first_root + 1)
    _lose(scores, FIRST_ARC, min(first_left, left))
    _lose(scores, last_left, min(first_right, right))
    _lose(scores, max(last_right, left), min(first_root, root))
    _lose(scores, max(last_root, right), scores.shape[0])


@kernel(forceinline=True, counted=False)
def _key(arena: Arena, item: int) -> Any:
    """Items with equal keys have the same transitions before them, with the same scores."""
    state = arena.items[item]
    key = arena.keys[state[STACK], CHAIN]
    if state[SWAPPED] >= 0:
        key = mixed(key, arena.keys[state[SWAPPED], CHAIN])
    key = mixed(key, (np.int64(state[NEXT]) << 32) + state[LAST])
    return mixed(key, (np.int64(state[ACTION]) << 32) + state[PREVIOUS])


@kernel(forceinline=True, counted=False)
def _is_known(frontier: Frontier, used: int, key: Any) -> Any:
    known = False
    for k in range(used):
        known |= frontier.keys[k] == key
    return known


@kernel(forceinline=True, counted=False)
def _told(search: Search, gap: Any) -> Any:
    """What tokeniser and layout say for a boundary, beside what the scorer has learned of it."""
    evidence = 0.0
    if gap[PLAIN_COLUMN] == 0:
        evidence = search.evidence * EVIDENCE_ODDS[gap[EVIDENCE_COLUMN]]
        if gap[LAYOUT_COLUMN] != 0:
            evidence *= AT_LINES
    return evidence + search.layout * LAYOUT_ODDS[gap[TOLD_COLUMN]]


@kernel(counted=False)
def expand(
    scorer: Any,
    system: System,
    limits: Limits,
    words: Words,
    arena: Arena,
    frontier: Frontier,
    search: Search,
) -> int:
    """Replace the beam by the best candidates of all its items; returns their number."""
    n = words.context.shape[0]
    scores, beam, counts = frontier.scores, frontier.beam, frontier.counts
    nodes, items = arena.nodes, arena.items
    width = search.width
    kept = 0
    for rank in range(counts[0]):
        item = beam[rank]
        base = arena.scores[item]
        if is_terminal(arena, item, n):
            kept = insert(frontier, kept, width, base, item, -1, CERTAIN)
            continue
        can = legal(system, arena, item, n)
        if limits.starts.size > 0 or limits.heads.size > 0:
            can = limit(limits, can, arena, item, n)
        if can == 0:
            continue
        counts[2] += 1
        score_into(scorer, words, arena, item, scores)
        if can & CAN_SB != 0:
            gap = words.context[items[item, NEXT]]
            scores[SB] += search.bonus if gap[PLAIN_COLUMN] == 0 else search.plain
            if search.evidence != 0 or search.layout != 0:
                # What speaks for a boundary speaks against the next word in this sentence: the
                # arcs that may still come before either are left as they are.
                told = _told(search, gap)
                scores[SHIFT if told > 0 else SB] -= abs(told)
        stack = items[item, STACK]
        s0 = nodes[stack, TOKEN]
        s1 = nodes[nodes[stack, BELOW], TOKEN] if s0 >= 0 else -2
        _lose_illegal(scores, system, limits, can, s0, s1)
        # Best and second best, from which the margin of each choice follows.
        best = highest(scores)
        block, found = 0, at_least(scores, 0, best)
        while found == 0 and block + 32 < scores.shape[0]:
            block += 32
            found = at_least(scores, block, best)
        if found == 0 or best < ALMOST_LOST:
            # Scores that are no numbers, or none of a transition that may be made.
            continue
        best_action = block + lowest_bit(found)
        scores[best_action] = LOST
        second = highest(scores)
        scores[best_action] = best
        if width == 1:
            margin = best - second
            if best_action == SHIFT and can & CAN_SB != 0:
                margin = best - scores[SB]
            kept = insert(frontier, kept, 1, base + best, item, best_action, margin)
            continue
        worst = frontier.totals[kept - 1] if kept == width else _NOWHERE
        if base + best <= worst:
            continue
        # Rounded down: what passes is compared exactly below.
        floor = max(np.float32(worst - base), ALMOST_LOST, best - np.float32(search.margin))
        floor -= abs(floor) * _ROUNDING
        # Whoever is not far ahead of another label of the same arc takes no other way by it.
        floor_of_labels = best - np.float32(search.label_margin)
        kind = _kind(system, best_action)
        for block in range(0, scores.shape[0], 32):
            found = at_least(scores, block, floor)
            while found != 0:
                a = block + lowest_bit(found)
                found &= found - 1
                if scores[a] < floor_of_labels and a != best_action and _kind(system, a) == kind:
                    continue
                if base + scores[a] > worst:
                    margin = scores[a] - (second if a == best_action else best)
                    if a == SHIFT and can & CAN_SB != 0:
                        margin = scores[a] - scores[SB]
                    kept = insert(frontier, kept, width, base + scores[a], item, a, margin)
                    worst = frontier.totals[kept - 1] if kept == width else _NOWHERE
        least = best - np.float32(search.start_margin)
        if can & CAN_SB != 0 and least <= scores[SB] < floor and base + scores[SB] > worst:
            margin = scores[SB] - best
            kept = insert(frontier, kept, width, base + scores[SB], item, SB, margin)
    while kept > 1 and frontier.totals[kept - 1] < frontier.totals[0] - search.behind:
        kept -= 1
    used, older = 0, arena.used[1]
    for k in range(kept):
        action = frontier.actions[k]
        new = frontier.parents[k]
        if action >= 0:
            new_items, new_nodes = arena.used[1], arena.used[0]
            new = apply(system, limits, arena, frontier.parents[k], action)
            arena.scores[new] = frontier.totals[k]
            arena.margins[new] = frontier.margins[k]
            if search.margin < NO_MARGIN:
                key = _key(arena, new)
                if _is_known(frontier, used, key):
                    # An item with the same future scores at least as high.
                    arena.used[1], arena.used[0] = new_items, new_nodes
                    continue
                frontier.keys[used] = key
        beam[used] = new
        used += 1
    kept = used
    counts[0] = kept
    counts[1] += 1
    if width > 1:
        _note_agreement(arena, frontier, older)
    return kept


@kernel(forceinline=True, counted=False)
def _note_agreement(arena: Arena, frontier: Frontier, older: int) -> None:
    """Count the items of the beam for the decisions that they descend from.

    Items that are older than this step, the terminal ones, were counted when they were made.
    """
    items = arena.items
    fresh = 0
    for rank in range(frontier.counts[0]):
        fresh += frontier.beam[rank] >= older
    for rank in range(frontier.counts[0]):
        item = frontier.beam[rank]
        if item < older:
            continue
        for _ in range(AGREEMENT):
            item = items[item, PARENT]
            if item <= 0:
                break
        if item > 0:
            items[item, HEIRS] += 1
            items[item, RIVALS] = fresh


@kernel(counted=False)
def advance(
    scorer: Any,
    system: System,
    limits: Limits,
    words: Words,
    arena: Arena,
    frontier: Frontier,
    search: Search,
    ended: bool,
) -> int:
    """Search until the best item is terminal, words run out, or the arena is full.

    Every round adds a transition to all items, and there are no more rounds than `most_steps`.
    """
    scorer, system, limits = borrowed(scorer), borrowed(system), borrowed(limits)
    words, arena, frontier = borrowed(words), borrowed(arena), borrowed(frontier)
    n = words.context.shape[0]
    look = max(1, search.patience // _LOOKS)
    most = most_steps(n, limits.heads.size > 0)
    forget(scorer)
    while True:
        if is_terminal(arena, frontier.beam[0], n) and ended:
            return DONE
        if not ended:
            for rank in range(frontier.counts[0]):
                if arena.items[frontier.beam[rank], NEXT] + LOOK_AHEAD > n:
                    return WANTING
        if (
            arena.used[1] + search.width > arena.items.shape[0]
            or arena.used[0] + 2 * search.width > arena.nodes.shape[0]
        ):
            return FULL
        if frontier.counts[5] >= most:
            return STUCK
        kept = expand(scorer, system, limits, words, arena, frontier, search)
        if kept == 0:
            return DEAD
        frontier.counts[4] += 1
        frontier.counts[5] += 1
        if frontier.counts[4] % look == 0:
            lose_patience(arena, frontier, search.patience)
