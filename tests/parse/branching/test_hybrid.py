"""The seven transitions: the paper's example step by step, and every tree of up to five words."""

import numpy as np
import pytest

from caesura._core import derive_transitions
from caesura.stages.branching_parser import KINDS
from tests.reference.branching import NaiveState, is_projective, naive_oracle, trees

HybridState = pytest.importorskip("caesura._core")._testing.HybridState
NONE = np.zeros(0, np.int32)
#: Table 3 of Choi & McCallum (2013): head of each word.
TABLE3 = {1: 7, 2: 6, 3: 4, 4: 1, 5: 6, 6: 4, 7: 0, 8: 7}
TABLE3_STEPS = (
    ["NO-SHIFT"] * 3
    + ["LEFT-REDUCE", "NO-PASS", "RIGHT-SHIFT", "NO-SHIFT", "LEFT-REDUCE", "RIGHT-PASS"]
    + ["LEFT-REDUCE", "NO-SHIFT", "NO-REDUCE", "NO-REDUCE", "LEFT-REDUCE"]
    + ["RIGHT-SHIFT", "RIGHT-SHIFT"]
)


def as_array(tree):
    return np.array([-1, *(tree[w] for w in sorted(tree))], np.int32)


def initial(words, heads=NONE):
    """A state in which these heads are given (-1: free)."""
    return HybridState(words, heads, np.full_like(heads, -1))


def derive(tree):
    """The oracle's transitions, each checked to be legal, and the state that they end in."""
    gold = as_array(tree)
    state = initial(len(tree))
    steps = []
    while not state.terminal:
        kind = state.oracle(gold, False)
        assert state.legal(False) & 1 << kind
        steps.append(KINDS[kind])
        state.apply(kind, 0)
    return steps, state


def test_a_batch_is_derived_in_one_call():
    several = [tree for n in (1, 2, 3, 4) for tree in trees(n)]
    heads = np.concatenate([as_array(tree) for tree in several])
    bounds = np.cumsum([0, *(len(tree) for tree in several)])
    kinds, labels, lengths = derive_transitions(heads, np.maximum(heads, 0), bounds, False)
    steps = [KINDS[kind] for kind in kinds]
    for tree, end in zip(several, np.cumsum(lengths).tolist(), strict=True):
        expected, _ = derive(tree)
        assert steps[end - len(expected) : end] == expected
    assert np.array_equal(labels == -1, np.isin(kinds, [2, 3, 6]))


def test_table_3_of_the_paper_step_by_step():
    naive = NaiveState(8)
    for step in TABLE3_STEPS:
        assert naive_oracle(naive, TABLE3) == step
        naive.apply(step)
    steps, state = derive(TABLE3)
    assert steps == TABLE3_STEPS
    assert dict(enumerate(state.heads[1:], 1)) == TABLE3


def test_states_of_table_3():
    state = initial(8)
    for step in TABLE3_STEPS[:9]:
        state.apply(KINDS.index(step), 0)
    # After 4 → 6 was made by a pass: root, 1 and 2 on the stack, 4 passed, 6 next.
    assert state.stack.tolist() == [0, 1, 2]
    assert state.deque.tolist() == [4]
    assert state.next == 6


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_every_tree_is_reproduced_within_the_bounds(n):
    longest = flattest = 0
    for tree in trees(n):
        steps, state = derive(tree)
        assert dict(enumerate(state.heads[1:], 1)) == tree
        naive = NaiveState(n)
        for step in steps:
            assert naive_oracle(naive, tree) == step
            naive.apply(step)
        assert naive.arcs == tree
        longest = max(longest, len(steps))
        if is_projective(tree):
            assert not any(step.endswith("PASS") for step in steps)
            flattest = max(flattest, len(steps))
    assert flattest == 2 * n - 1
    assert longest == {1: 1, 2: 3, 3: 6, 4: 10, 5: 14}[n]


def test_random_legal_steps_never_make_a_cycle_and_end_in_time():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(1, 9))
        state = initial(n)
        steps = 0
        while not state.terminal:
            kinds = [k for k in range(7) if state.legal(False) & 1 << k]
            assert kinds
            state.apply(int(rng.choice(kinds)), 0)
            steps += 1
        assert n <= steps <= n * (n + 1) // 2
        heads = state.heads
        for word in range(1, n + 1):
            seen = set()
            while word > 0:
                assert word not in seen
                seen.add(word)
                word = heads[word]


def test_the_oracle_repairs_what_it_can_after_a_wrong_step():
    # The arc 1 → 2 is made although gold has 2 → 1: 1 goes headless and 3 is still attached.
    gold = np.array([-1, 2, 0, 2], np.int32)
    state = initial(3)
    state.apply(KINDS.index("NO-SHIFT"), 0)
    state.apply(KINDS.index("RIGHT-SHIFT"), 0)
    steps = []
    while not state.terminal:
        kind = state.oracle(gold, False)
        assert state.legal(False) & 1 << kind
        steps.append(KINDS[kind])
        state.apply(kind, 0)
    assert steps == ["RIGHT-SHIFT"]
    assert state.heads[1:].tolist() == [-1, 1, 2]


def right_arcs(state, gold, single):
    """Follow the oracle to the end: how many heads are right, words without one on the root."""
    state = state.copy()
    while not state.terminal:
        state.apply(state.oracle(gold, single), 0)
    rooted = single and 0 in state.heads[1:]
    return sum(
        head == gold[w] or (head == -1 and gold[w] == 0 and not rooted)
        for w, head in enumerate(state.heads)
        if w > 0
    )


@pytest.mark.parametrize("single", [False, True])
def test_what_is_as_right_as_the_oracle_loses_no_arc(single):
    rng = np.random.default_rng(3)
    every = [as_array(tree) for n in (3, 4, 5) for tree in trees(n)]
    seen = 0
    for gold in rng.permuted(np.arange(len(every)))[:300].tolist():
        gold = every[gold]
        n = len(gold) - 1
        state = initial(n)
        while not state.terminal:
            can = state.legal(single)
            wanted = state.oracle(gold, single)
            right = state.also_right(gold, single, wanted)
            assert right & ~can == 0
            most = right_arcs(state, gold, single)
            for kind in range(7):
                if right & 1 << kind and kind != wanted:
                    other = state.copy()
                    other.apply(kind, 0)
                    assert right_arcs(other, gold, single) >= most
                    seen += 1
            state.apply(int(rng.choice([k for k in range(7) if can & 1 << k])), 0)
    assert seen > 100


def test_given_heads_are_kept_whatever_else_is_chosen():
    rng = np.random.default_rng(2)
    for n in (3, 4, 5):
        every = list(trees(n))
        for _ in range(150):
            tree = every[int(rng.integers(len(every)))]
            heads = as_array(tree)
            heads[1:][rng.random(n) < 0.5] = -1
            state = initial(n, heads)
            while not state.terminal:
                kinds = [k for k in range(7) if state.legal(False) & 1 << k]
                assert kinds
                state.apply(int(rng.choice(kinds)), 0)
            fixed = heads >= 0
            assert np.array_equal(np.array(state.heads)[fixed], heads[fixed])
