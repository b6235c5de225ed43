"""The transition system and its oracle: table 1, swap totals, random documents, random walks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from caesura._core import oracle
from caesura.stages.joint_features import N_COLUMNS
from caesura.stages.joint_parser import SB, Inventory
from caesura.stages.word_table import FIRST_WORD, N_CONTEXT
from tests.reference import parse as naive

testing: Any = pytest.importorskip("caesura._core")._testing

LABELS = Inventory(("dep", "root"), (0,), (0,), (1,), single_root=False)
KINDS = ["SHIFT", "SWAP", "SB", "LA", "RA", "RA"]


def kinds_of(heads: list[int], starts: list[int], *, late=False, eager=False, single_root=False):
    system = Inventory(("dep", "root"), (0,), (0,), (1,), single_root=single_root).transitions
    labels = np.array([1 if head < 0 else 0 for head in heads], np.int32)
    marks = np.zeros(len(heads), bool)
    marks[starts] = True
    actions = oracle(system, np.array(heads, np.int32), labels, marks, late, eager)
    return [KINDS[a] if a >= 0 else int(a) for a in actions]


def test_table_1() -> None:
    # you said you have four cats | i have four cats | how old are they | (the document goes on)
    heads = [1, -1, 3, 1, 5, 3, 7, -1, 9, 7, 11, 12, -1, 12, -1]
    starts = [0, 6, 10, 14]
    short = {"SHIFT": "sh", "LA": "la", "RA": "ra", "SB": "SB", "SWAP": "sw"}
    early = " ".join(short[kind] for kind in kinds_of(heads, starts))
    assert early == (
        "sh sh la sh sh la sh sh SB la ra ra ra "
        "sh sh la sh sh SB la ra ra "
        "sh sh la sh la sh SB ra ra "
        "sh ra"
    )
    late = " ".join(short[kind] for kind in kinds_of(heads, starts, late=True))
    assert late == (
        "sh sh la sh sh la sh sh la ra ra ra SB "
        "sh sh la sh sh la ra ra SB "
        "sh sh la sh la sh ra ra SB "
        "sh ra"
    )


@pytest.mark.parametrize(
    ("n", "trees", "lazy", "eager"), [(3, 9, 2, 2), (4, 64, 40, 44), (5, 625, 771, 871)]
)
def test_swap_totals(n: int, trees: int, lazy: int, eager: int) -> None:
    totals = {True: 0, False: 0}
    count = 0
    for heads in naive.all_trees(n):
        count += 1
        for choice in totals:
            kinds = kinds_of(heads, [0], eager=choice)
            assert len(kinds) == 2 * n + 2 * kinds.count("SWAP")
            totals[choice] += kinds.count("SWAP")
    assert (count, totals[False], totals[True]) == (trees, lazy, eager)


def random_tree(rng: np.random.Generator, n: int) -> list[int]:
    order = rng.permutation(n)
    heads = [-1] * n
    for k in range(1, n):
        heads[order[k]] = int(order[rng.integers(k)])
    return heads


def random_document(rng: np.random.Generator, sentences: int) -> tuple[list[int], list[int]]:
    heads: list[int] = []
    starts = []
    for _ in range(sentences):
        base = len(heads)
        starts.append(base)
        tree = random_tree(rng, int(rng.integers(1, 8)))
        heads += [head + base if head >= 0 else -1 for head in tree]
    return heads, starts


@pytest.mark.parametrize("late", [False, True])
def test_random_documents_against_the_twin(late: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(150):
        heads, starts = random_document(rng, int(rng.integers(1, 6)))
        for eager in (False, True):
            for single in (False,) if late else (False, True):
                kinds = kinds_of(heads, starts, late=late, eager=eager, single_root=single)
                assert kinds == naive.oracle(
                    heads, starts, late=late, eager=eager, single_root=single
                )
                n, k = len(heads), kinds.count("SWAP")
                assert len(kinds) == 2 * n + 2 * k + len(starts) - 1


def test_a_cycle_has_no_derivation() -> None:
    assert kinds_of([1, 0, -1], [0]) == [-1]


def choices(can: int, inventory: Inventory) -> list[int]:
    """The labelled transitions of a set of kinds."""
    kinds = [[0], [1], [2]]
    for ids in (inventory.left, inventory.right, inventory.root):
        first = kinds[-1][-1] + 1
        kinds.append(list(range(first, first + len(ids))))
    return [action for bit, actions in enumerate(kinds) if can >> bit & 1 for action in actions]


@pytest.mark.parametrize("single_root", [False, True])
def test_10000_random_walks_never_end_dead(single_root: bool) -> None:
    rng = np.random.default_rng(2)
    inventory = Inventory(("dep", "root"), (0,), (0,), (1,), single_root=single_root)
    for walk in range(10_000):
        n = int(rng.integers(1, 8))
        states = testing.JointStates(
            inventory.transitions,
            np.zeros((n + FIRST_WORD, N_COLUMNS), np.uint64),
            np.zeros((n, N_CONTEXT), np.int32),
        )
        item = 0
        twin = naive.Configuration.initial(n) if walk % 20 == 0 else None
        heads, starts, steps = {}, [0], 0
        while not states.is_terminal(item):
            can = states.legal(item)
            if twin is not None:
                names = ("SHIFT", "SWAP", "SB", "LA", "RA", "RA0")
                expected = naive.legal(twin, single_root=single_root)
                assert {name for bit, name in enumerate(names) if can >> bit & 1} == expected
            options = choices(can, inventory)
            assert options, "dead end"
            action = int(rng.choice(options))
            item = states.apply(item, action)
            if twin is not None:
                twin = naive.apply(twin, (KINDS[action], "x"))
            dependent, head, last = states.item(item)
            if action == SB:
                starts.append(last)
            elif action > SB:
                heads[dependent] = head
            steps += 1
            assert steps < 2 * n + n * n + n
        assert sorted(heads) == list(range(n))
        if twin is not None:
            assert {d: h for d, (h, _) in twin.heads.items()} == heads
            assert twin.starts == tuple(starts)
        if single_root:
            bounds = [*starts, n]
            for a, b in itertools.pairwise(bounds):
                inside = [heads[w] for w in range(a, b)]
                assert inside.count(-1) == 1
                assert all(a <= h < b for h in inside if h >= 0)
