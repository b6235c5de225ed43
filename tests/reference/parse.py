"""Slow, obvious twins of the joint parser: configurations as plain lists, search by brute force.

Words are 0..n-1 and the artificial root is -1. Transitions are tuples: ("SHIFT",), ("SWAP",),
("SB",), ("LA", label), ("RA", label).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product

ROOT = -1
Transition = tuple[str, ...]


@dataclass(frozen=True)
class Configuration:
    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[tuple[int, str, int], ...] = ()
    starts: tuple[int, ...] = (0,)
    shifted: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def initial(cls, n: int) -> Configuration:
        return cls((ROOT,), tuple(range(n)))

    @property
    def terminal(self) -> bool:
        return not self.buffer and self.stack == (ROOT,)

    @property
    def swapped(self) -> bool:
        return any(word in self.shifted for word in self.buffer)

    @property
    def heads(self) -> dict[int, tuple[int, str]]:
        return {dependent: (head, label) for head, label, dependent in self.arcs}


def legal(c: Configuration, *, single_root: bool, sb: bool = True) -> set[str]:
    """Kinds of transitions, a root arc named RA0."""
    kinds = set()
    last = max(c.starts)
    if c.buffer:
        b0 = c.buffer[0]
        if b0 != last or len(c.stack) == 1 or c.swapped:
            kinds.add("SHIFT")
        if sb and last < b0 and not c.swapped:
            kinds.add("SB")
    if len(c.stack) >= 2:
        s1, s0 = c.stack[-2:]
        if s1 == ROOT:
            closed = not c.buffer or (c.buffer[0] == last and not c.swapped)
            if closed or not single_root:
                kinds.add("RA0")
        else:
            kinds |= {"LA", "RA"}
            if s1 < s0:
                kinds.add("SWAP")
    return kinds


def apply(c: Configuration, t: Transition) -> Configuration:
    if t[0] == "SHIFT":
        b0 = c.buffer[0]
        return replace(c, stack=(*c.stack, b0), buffer=c.buffer[1:], shifted=c.shifted | {b0})
    if t[0] == "SB":
        return replace(c, starts=(*c.starts, c.buffer[0]))
    s1, s0 = c.stack[-2:]
    rest = c.stack[:-2]
    if t[0] == "SWAP":
        return replace(c, stack=(*rest, s0), buffer=(s1, *c.buffer))
    if t[0] == "LA":
        return replace(c, stack=(*rest, s0), arcs=(*c.arcs, (s0, t[1], s1)))
    return replace(c, stack=(*rest, s1), arcs=(*c.arcs, (s1, t[1], s0)))


def in_order(heads: list[int]) -> list[int]:
    """Rank of each word in the in-order traversal of the tree."""
    order: list[int] = []

    def visit(node: int) -> None:
        children = [i for i, head in enumerate(heads) if head == node]
        for child in children:
            if child < node:
                visit(child)
        if node != ROOT:
            order.append(node)
        for child in children:
            if child > node:
                visit(child)

    visit(ROOT)
    return [order.index(i) for i in range(len(heads))]


def components(heads: list[int]) -> list[int]:
    """A number for each word; words of one maximal projective component share it."""
    part = list(range(len(heads)))
    missing = [heads.count(i) for i in range(len(heads))]
    stack, buffer = [ROOT], list(range(len(heads)))

    def link(a: int, b: int) -> None:
        if ROOT not in (a, b):
            old, new = part[a], part[b]
            part[:] = [new if p == old else p for p in part]

    while True:
        s1, s0 = (stack[-2], stack[-1]) if len(stack) >= 2 else (None, None)
        if s1 is not None and s1 != ROOT and heads[s1] == s0 and missing[s1] == 0:
            link(s1, s0)
            missing[s0] -= 1
            del stack[-2]
        elif s1 is not None and heads[s0] == s1 and missing[s0] == 0:
            link(s0, s1)
            if s1 != ROOT:
                missing[s1] -= 1
            del stack[-1]
        elif buffer:
            stack.append(buffer.pop(0))
        else:
            return part


def oracle(
    heads: list[int],
    starts: list[int],
    *,
    late: bool = False,
    eager: bool = False,
    single_root: bool = False,
) -> list[str]:
    """Kinds of transitions that build the trees of a document."""
    rank, part = in_order(heads), components(heads)
    c = Configuration.initial(len(heads))
    kinds = []
    while not c.terminal:
        arcs = c.heads
        kind = "SHIFT"

        def done(word: int, arcs: dict[int, tuple[int, str]] = arcs) -> bool:
            return all(i in arcs for i, head in enumerate(heads) if head == word)

        s1, s0 = c.stack[-2:] if len(c.stack) >= 2 else (None, None)
        b0 = c.buffer[0] if c.buffer else None
        may = legal(c, single_root=single_root)
        if b0 in starts and "SB" in may and (not late or len(c.stack) == 1):
            kind = "SB"
        elif s1 is not None and s1 != ROOT and heads[s1] == s0 and done(s1):
            kind = "LA"
        elif s1 is not None and heads[s0] == s1 and done(s0) and (s1 != ROOT or "RA0" in may):
            kind = "RA"
        elif (
            s1 is not None
            and s1 != ROOT
            and rank[s1] > rank[s0]
            and (eager or b0 is None or part[b0] != part[s0])
        ):
            kind = "SWAP"
        kinds.append(kind)
        c = apply(c, (kind, "x"))
    assert [c.heads[i][0] for i in range(len(heads))] == heads
    assert list(c.starts) == starts
    return kinds


def all_trees(n: int, *, single_root: bool = True) -> Iterator[list[int]]:
    """Every tree over n words."""
    for heads in product(range(-1, n), repeat=n):
        if single_root and heads.count(ROOT) != 1:
            continue
        if all(_reaches_root(heads, i) for i in range(n)):
            yield list(heads)


def _reaches_root(heads: tuple[int, ...], i: int) -> bool:
    for _ in range(len(heads)):
        if i == ROOT:
            return True
        i = heads[i]
    return i == ROOT


def derivations(
    n: int, transitions: Callable[[Configuration], list[Transition]]
) -> Iterator[list[tuple[Configuration, Transition]]]:
    """Every complete derivation, as pairs of a configuration and the transition taken in it."""

    def extend(
        c: Configuration, steps: list[tuple[Configuration, Transition]]
    ) -> Iterator[list[tuple[Configuration, Transition]]]:
        if c.terminal:
            yield steps
            return
        for t in transitions(c):
            yield from extend(apply(c, t), [*steps, (c, t)])

    yield from extend(Configuration.initial(n), [])
