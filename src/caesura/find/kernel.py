"""The search itself: a small machine with backtracking over the words of each sentence.

A program is a row of instructions in flat arrays. BIND tries the words that one node may be, one
after the other; RELATED and SAME look at words that are bound; NOT and END_NOT hold a part that
must fail; EMIT writes a match and goes back for the next. Every word that is tried is a step, and
a sentence that takes more steps or has more matches than allowed is cut short and marked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.find.codes import (
    AFTER,
    ALL,
    ANCESTORS,
    BEFORE,
    BIND,
    CHILD,
    CHILDREN,
    DESCENDANT,
    END_NOT,
    HEAD,
    NOT,
    ORDER,
    RELATED,
    SAME,
    SIBLING_BEFORE,
    SIBLING_NEXT,
    SIBLINGS,
    TEST,
)
from caesura.jit import kernel

__all__ = ["family", "search"]


@kernel
def family(heads: Any, first_child: Any, next_child: Any) -> None:
    """The first child of each word and the next child of its head, -1 where there is none."""
    first_child[:] = -1
    next_child[:] = -1
    for word in range(len(heads) - 1, -1, -1):
        head = heads[word]
        if head >= 0:
            next_child[word] = first_child[head]
            first_child[head] = word


@kernel
def _related(
    relation: int, a: int, b: int, low: int, high: int, heads: Any, next_child: Any, longest: int
) -> bool:
    if relation == CHILD:
        return bool(heads[b] == a)
    if relation == ORDER:
        return low <= b - a <= high
    if relation == DESCENDANT:
        word = b
        for depth in range(1, min(high, longest) + 1):
            word = heads[word]
            if word < 0:
                return False
            if word == a and depth >= low:
                return True
        return False
    if heads[a] < 0 or heads[a] != heads[b] or a == b:
        return False
    if relation == SIBLING_BEFORE:
        return a < b
    if relation == SIBLING_NEXT:
        return bool(next_child[a] == b)
    return True


@kernel
def search(
    code: Any,
    tests: Any,
    columns: Any,
    heads: Any,
    first_child: Any,
    next_child: Any,
    bounds: Any,
    begin: int,
    slots: int,
    most_steps: int,
    most_matches: int,
    rows: Any,
    cut: Any,
) -> tuple[int, int]:
    """Search sentences from `begin` on; returns the rows written and the sentence to go on with.

    `tests` has a bit for each test that a word passes. A row holds the word of each node, -1 for
    nodes that the program does not bind; those within NOT have slots but no place in the row. A
    sentence is begun only if all its matches have room.
    """
    size = len(code)
    word_of = np.full(slots, -1, dtype=np.int64)
    cursor = np.zeros(size, dtype=np.int64)
    limit = np.zeros(size, dtype=np.int64)
    stack = np.zeros(size + 1, dtype=np.int64)
    count = 0
    for sentence in range(begin, len(bounds) - 1):
        if count + most_matches > len(rows):
            return count, sentence
        start, end = bounds[sentence], bounds[sentence + 1]
        longest = end - start
        steps = 0
        found = 0
        depth = 0
        at = 0
        forward = True
        while True:
            if forward:
                op = code[at, 0]
                if op == BIND:
                    source, base = code[at, 2], word_of[code[at, 3]]
                    if source == ALL:
                        cursor[at], limit[at] = start, end
                    elif source == HEAD:
                        cursor[at], limit[at] = heads[base], 1
                    elif source == CHILDREN:
                        cursor[at] = first_child[base]
                    elif source == ANCESTORS:
                        cursor[at], limit[at] = heads[base], longest
                    elif source == AFTER:
                        cursor[at] = base + code[at, 4]
                        limit[at] = min(end, base + code[at, 5] + 1)
                    elif source == BEFORE:
                        cursor[at] = max(start, base - code[at, 5])
                        limit[at] = base - code[at, 4] + 1
                    else:
                        cursor[at] = first_child[heads[base]] if heads[base] >= 0 else -1
                    stack[depth] = at
                    depth += 1
                    forward = False
                    continue
                if op == RELATED:
                    second = word_of[code[at, 3]]
                    if code[at, 1] == DESCENDANT:
                        steps += 1 + longest // 16
                    forward = _related(
                        code[at, 1], word_of[code[at, 2]], second, code[at, 4], code[at, 5],
                        heads, next_child, longest,
                    )  # fmt: skip
                    if forward and code[at, 6] >= 0:
                        forward = (tests[second] >> code[at, 6]) & 1 == 1
                elif op == SAME:
                    left = columns[code[at, 2], word_of[code[at, 1]]]
                    right = columns[code[at, 4], word_of[code[at, 3]]]
                    same = left == right and left != 0
                    forward = same == (code[at, 5] == 1)
                elif op == TEST:
                    forward = (tests[word_of[code[at, 1]]] >> code[at, 2]) & 1 == 1
                elif op == NOT:
                    stack[depth] = at
                    depth += 1
                elif op == END_NOT:
                    # The part that must fail has not: forget what it tried, and go back.
                    while stack[depth - 1] != code[at, 1]:
                        depth -= 1
                    depth -= 1
                    forward = False
                else:
                    rows[count, :] = -1
                    for step in range(size):
                        if code[step, 0] == BIND and code[step, 7] >= 0:
                            node = code[step, 1]
                            rows[count, node] = word_of[node]
                    count += 1
                    found += 1
                    if found >= most_matches:
                        cut[sentence] = True
                        break
                    forward = False
                if forward:
                    at += 1
                continue
            if depth == 0:
                break
            at = stack[depth - 1]
            if code[at, 0] == NOT:
                depth -= 1
                at = code[at, 1] + 1
                forward = True
                continue
            # The next word that the node may be.
            source = code[at, 2]
            node = code[at, 1]
            test = code[at, 6]
            chosen = -1
            while True:
                word = cursor[at]
                if source in (ALL, AFTER, BEFORE):
                    if word >= limit[at]:
                        break
                    cursor[at] = word + 1
                else:
                    if word < 0:
                        break
                    if source in (CHILDREN, SIBLINGS):
                        cursor[at] = next_child[word]
                    else:
                        limit[at] -= 1
                        cursor[at] = heads[word] if limit[at] > 0 else -1
                steps += 1
                if test >= 0 and (tests[word] >> test) & 1 == 0:
                    continue
                chosen = word
                # Words of one part are different; those of a part that must not be are any.
                for step in range(depth - 2, -1, -1):
                    other = stack[step]
                    if code[other, 0] == NOT:
                        break
                    if word_of[code[other, 1]] == word:
                        chosen = -1
                        break
                if chosen >= 0:
                    break
            if steps > most_steps:
                cut[sentence] = True
                break
            if chosen < 0:
                depth -= 1
            else:
                word_of[node] = chosen
                at += 1
                forward = True
    return count, len(bounds) - 1
