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


# ------------------------------------------------------------------------------------- features

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def atoms(
    c: Configuration,
    history: list[int],
    labels: dict[str, int],
    table: list[list[int]],
    context: list[list[int]],
    columns: tuple[str, ...],
    chosen: dict[int, int] | None = None,
    rows: int = 1,
) -> dict[str, int]:
    """Every atom that a template may name, read off an explicit configuration.

    `table` has a row for the absent word, one for the root, and `rows` for each word, of which
    `chosen` are those of the tags chosen for the words shifted so far.
    """
    n = (len(table) - 2) // rows
    tags = chosen or {}
    stack = list(reversed(c.stack))
    buffer = list(c.buffer)

    def at(items: list[int], k: int) -> int:
        return items[k] if k < len(items) else -2

    def beside(word: int, by: int) -> int:
        return word + by if word >= 0 and 0 <= word + by < n else -2

    s0, s1, b0 = at(stack, 0), at(stack, 1), at(buffer, 0)
    places = {
        **{f"s{k}": at(stack, k) for k in range(3)},
        **{f"b{k}": at(buffer, k) for k in range(3)},
        "s0-1": beside(s0, -1),
        "s0+1": beside(s0, 1),
        "s1-1": beside(s1, -1),
        "s1+1": beside(s1, 1),
        "b0-1": beside(b0, -1),
        "b0-2": beside(b0, -2),
    }
    values: dict[str, int] = {}
    for name, word in (("s0", s0), ("s1", s1)):
        arcs = [(d, labels[label]) for head, label, d in c.arcs if head == word and word >= 0]
        for side, own in (
            ("l", sorted(arc for arc in arcs if arc[0] < word)),
            ("r", sorted((arc for arc in arcs if arc[0] > word), reverse=True)),
        ):
            for k, suffix in enumerate(("", "2")):
                places[f"{name}{side}{suffix}"] = own[k][0] if k < len(own) else -2
                values[f"{name}{side}{suffix}.l"] = own[k][1] + 1 if k < len(own) else 0
            values[f"{name}.v{side}"] = min(len(own), 6)
            bits = {(label % 62) // 31 * 32 + label % 31 for _, label in own}
            values[f"{name}.s{side}"] = sum(1 << bit for bit in bits)

    def near(d: int) -> int:
        d = abs(d)
        return d if d <= 4 else (5 if d <= 10 else 6)

    last = max(c.starts)
    since = b0 - last
    steps = (0, 1, 2, 3, 4, 7, 12, 20, 40)
    values |= {
        "s1s0.d": near(s0 - s1) if s1 >= 0 else (7 if s1 == ROOT else 8),
        "s0b0.d": near(b0 - s0) if s0 >= 0 and b0 >= 0 else 7,
        "t1": history[-1] + 1 if history else 0,
        "t2": history[-2] + 1 if len(history) > 1 else 0,
        "length": next((k for k, top in enumerate(steps) if since <= top), 9) if b0 >= 0 else 10,
        "flags": {1: 1, 2: 2}.get(len(c.stack), 0)
        + 3 * c.swapped
        + (6 if b0 == last else (12 if b0 < 0 else (18 if b0 < last else 0))),
        "break": context[b0][0] if b0 >= 0 else 7,
        "speaker": context[b0][1] if b0 >= 0 else 7,
        "evidence": context[b0][2] if b0 >= 0 else 31,
        "layout": context[b0][3] if b0 >= 0 else 31,
    }
    sets = ("s0.sl", "s0.sr", "s1.sl", "s1.sr")
    found = {
        name: value + 1 if name in sets else (value + 1) * GOLDEN & MASK
        for name, value in values.items()
    }
    for name, word in places.items():
        # Of the words beside others and of the buffer, only those shifted lately are remembered.
        beside_others = name[0] == "b" or name[2:3] in ("-", "+")
        known = word in tags and (not beside_others or len(tags) - word <= 7)
        at_row = word * rows + (tags[word] if known else 0) + 2 if word >= 0 else word + 2
        for column, value in zip(columns, table[at_row], strict=True):
            found[f"{name}.{column}"] = value
    return found


def option_atoms(
    word: int,
    choice: int,
    table: list[list[int]],
    costs: list[list[int]],
    columns: tuple[str, ...],
) -> dict[str, int]:
    """The atoms of one tag that SHIFT may choose."""
    row = table[word * len(costs[word]) + choice + 2]
    found = {f"a.{column}": value for column, value in zip(columns, row, strict=True)}
    found["a.rank"] = (choice + 1) * GOLDEN & MASK
    found["a.prob"] = (min((costs[word][choice] - 1) // 16, 20) + 1) * GOLDEN & MASK
    return found


def row(template: str, seed: int, found: dict[str, int], size: int) -> int:
    """The row of a template's feature."""
    multipliers = (GOLDEN, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
    value = seed
    for name, multiplier in zip(template.split(), multipliers, strict=False):
        value += found[name] * multiplier
    value &= MASK
    value = (value ^ value >> 32) * 0xD6E8FEB86659FD93 & MASK
    return (value >> 32) & (size - 1)


def best_tree(score: Callable[[int, int], float], n: int) -> tuple[float, tuple[int, ...]]:
    """The best tree of n words with one root, by trying all heads; score(head, dependent)."""
    best: tuple[float, tuple[int, ...]] = (float("-inf"), ())
    for heads in product(range(-1, n), repeat=n):
        if heads.count(ROOT) == 1 and all(_reaches_root(heads, word) for word in range(n)):
            total = sum(score(head, word) for word, head in enumerate(heads))
            best = max(best, (total, heads))
    return best


def _reaches_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        word = heads[word]
        if word == ROOT:
            return True
    return False
