"""Slow, obvious twins of the core's tokeniser: features spelled out character by character."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from caesura.document.characters import (
    AT,
    DASH,
    DIGIT,
    MARGIN,
    NEWLINE,
    SLASH,
    STOP,
    WORDLIKE,
    classify,
    code_points,
)

MASK = (1 << 64) - 1
BASE = 0x9E3779B97F4A7C15
A = 0xBF58476D1CE4E5B9
B = 0x94D049BB133111EB
WINDOW = 64
NOTHING: Mapping[str, int] = MappingProxyType({})


def stretch_hash(folded: list[int]) -> int:
    """The polynomial of the characters, by Horner's rule."""
    value = 0
    for code in folded:
        value = (value * BASE + code + 1) & MASK
    return value


def slot(template: int, value: int, bits: int) -> int:
    x = ((value & MASK) + (template + 1) * B) * A & MASK
    x = (x ^ (x >> 32)) * B & MASK
    x ^= x >> 29
    return x >> (64 - bits)


def chunk_kind(chunk: str, classes: list[int]) -> int:
    kind, at = 0, False
    for i, character in enumerate(chunk):
        if character == ":" and chunk[i + 1 : i + 3] == "//":
            kind |= 1
        elif character == "w" and chunk[i : i + 3] == "www" and classes[i + 3 : i + 4] == [STOP]:
            kind |= 2
        elif character in ":w":
            continue
        elif classes[i] == AT:
            at = True
        elif classes[i] == STOP and at and i + 1 < len(chunk):
            kind |= 4
        elif classes[i] == SLASH and i > 0:
            kind |= 16
        elif classes[i] == DIGIT:
            kind |= 8
    return kind


def cut_features(
    folded: list[int],
    classes: list[int],
    p: int,
    token: int,
    chunk: int,
    kind: int,
    bits: int,
    lexicon: set[str] = frozenset(),  # type: ignore[assignment]
    types: Mapping[str, int] = NOTHING,
) -> list[int]:
    """The features of the position before p; the lists have a margin on both sides."""

    def h(start: int, end: int) -> int:
        return stretch_hash(folded[start:end])

    k, f = classes, folded
    t, a = max(token, p - WINDOW), max(chunk, p - WINDOW)
    space = next(i for i in range(p, len(k) + 1) if i == len(k) or k[i] <= NEWLINE)
    b = min(space, p + WINDOW)
    whole = p - chunk < WINDOW and b - p < WINDOW
    left = p
    while left > t and left > p - 24 and k[left - 1] in WORDLIKE:
        left -= 1
    right = p
    while right < p + WINDOW and right < len(k) and k[right] in WORDLIKE:
        right += 1
    right = max(right, p + 1)

    def packed(*at: int) -> int:
        value = 0
        for i in at:
            value = (value << 5) | k[i]
        return value

    narrow = packed(p - 2, p - 1, p, p + 1)
    middle = (k[p - 3] << 30) | (narrow << 5) | k[p + 2]
    wide = ((k[p - 4] << 45) | (middle << 5) | k[p + 3]) & MASK
    pair = k[p - 1] * 32 + k[p]
    length, tail = min(p - t, 9), min(b - p, 4)
    first, last = f[p] + 1, f[p - 1] + 1
    after = 0
    if whole:
        lines, i = 0, space
        while i < p + WINDOW and k[i] in (1, NEWLINE):
            lines += k[i] == NEWLINE
            i += 1
        after = min(1 + 32 * lines, 65) * 32 + k[min(i, p + WINDOW)]
    so_far, rest = h(t, p), h(p, b)
    mixed, across = so_far * 31, h(p - 1, p + 1)
    flags = kind * 2 + (t > a)
    skip = 2097152
    values = [
        pair, last, first, across, h(p - 2, p), h(p, p + 2), h(p - 2, p + 1), h(p - 1, p + 2),
        h(p - 2, p + 2), h(p - 3, p), h(p, p + 3), h(p - 3, p + 3), h(p - 4, p), h(p, p + 4),
        narrow, middle, wide, so_far, mixed + first, mixed + h(p, p + 2), pair * 16 + length,
        wide * 16 + length, f[p + 1], f[p - 2], f[p - 2] * skip + f[p], f[p - 1] * skip + f[p + 1],
        narrow * 64 + flags,
    ]  # fmt: skip
    if lexicon:
        values += [0] * 13 + word_values(folded, p, token, lexicon)
        chosen = [*range(27), *range(40, 50)]
        return [slot(number, values[number], bits) for number in chosen]
    if whole:
        lefts, rights = h(left, p), h(p, right)
        values += [
            mixed + rest, rest * 31 + k[p - 1], h(a, p), h(a, b) * 31 + (p - a),
            lefts * 31 + rights, lefts * 31 + first, rights * 31 + last, across * 64 + flags,
            (pair * 8 + tail) * 8192 + after, (mixed + first) * 31 + after * 8 + tail,
            narrow * 8 + tail, (rest * 31 + first) * 64 + flags, kind * 64 + tail * 8 + first,
        ]  # fmt: skip
    rows = [slot(number, value, bits) for number, value in enumerate(values)]
    if whole and types:
        said = type_values(folded, classes, p, t, right, space, types)
        rows += [slot(60 + number, value, bits) for number, value in enumerate(said)]
    return rows


def type_values(
    folded: list[int],
    k: list[int],
    p: int,
    token: int,
    right: int,
    space: int,
    types: Mapping[str, int],
) -> list[int]:
    """What is known of the type at a period, a hyphen or a unit; nothing anywhere else."""

    def known(start: int, end: int, mask: int) -> int:
        return types.get("".join(map(chr, folded[start:end])), 0) & mask

    i, lines = min(space, p + WINDOW), 0
    while i < p + WINDOW and k[i] in (1, NEWLINE):
        lines |= k[i] == NEWLINE
        i += 1
    end = i
    while end < p + WINDOW and k[end] in WORDLIKE:
        end += 1
    inside, case = (1 << 18) - 1 | 1 << 20, 1 << 21 | 1 << 22
    if k[p] == STOP:
        where, what, following = 1, known(token, p + 1, inside), known(i, end, case)
    elif k[p - 1] == STOP:
        where, what, following = 2, known(token, p, inside), known(i, end, case)
    elif k[p] == DASH:
        where, what, following = 3, known(token, p + 1, 1 << 18), 0
    elif k[p - 1] == DASH:
        where, what, following = 4, known(token, p, 1 << 18), known(p, right, case)
    elif k[p - 1] == DIGIT and k[p] in WORDLIKE:
        where, what, following = 5, known(p, right, 1 << 19), 0
    else:
        return []
    after = (k[i] * 2 + lines) * 8 + min(space - p, 4)
    value, pair = what * 8 + where, k[p - 1] * 32 + k[p]
    return [
        value * 1024 + pair,
        value * 1024 + after,
        (value * 1024 + after) * (1 << 24) + following,
        (value * 1024 + pair) * 32 + k[p + 1],
        (value * 1024 + pair) * 1024 + after,
    ]


def word_values(folded: list[int], p: int, token: int, lexicon: set[str]) -> list[int]:
    """What the known words around p say; words are those of up to five characters."""

    def known(start: int, end: int) -> bool:
        return "".join(map(chr, folded[start:end])) in lexicon

    after = sum(1 << size for size in range(1, 6) if known(p, p + size))
    before = sum(1 << size for size in range(1, 6) if known(p - size, p))
    spans = [(s, s + size) for size in range(2, 6) for s in range(p - size + 1, p)]
    across = sum(1 << bit for bit, (start, end) in enumerate(spans) if known(start, end))
    ends = p - token <= 5 and known(token, p)
    goes_on = p - token < 5 and any(known(token, p + size) for size in range(1, 6))
    state = min(p - token, 7) * 4 + ends + 2 * goes_on
    masks = before * 64 + after
    first, last = folded[p] + 1, folded[p - 1] + 1
    return [
        after, before, across, masks, masks * 4096 + across, across * 2097152 + first,
        across * 2097152 + last, state * 128 + after, state * 4096 + across,
        (masks * 8 + min(p - token, 7)) * 4 + ends + 2 * goes_on,
    ]  # fmt: skip


def cut(
    text: str,
    weights: np.ndarray,
    bits: int,
    lexicon: set[str] = frozenset(),  # type: ignore[assignment]
    chunks: Sequence[tuple[str, ...]] = (),
    types: Mapping[str, int] = NOTHING,
    odds: Sequence[float] = (),
    forced: Collection[int] = (),
) -> list[tuple[int, int]]:
    """The tokens of a text, decided position by position; `odds` of characters are added. Tokens
    begin where it is `forced`.
    """
    padded_classes, padded_folded = classify(code_points(text))
    classes, folded = padded_classes.tolist(), padded_folded.tolist()
    known = {"".join(parts): parts for parts in chunks}
    tokens: list[tuple[int, int]] = []
    token = chunk = kind = 0
    opened = False
    skip_to = 0
    for p in range(MARGIN, MARGIN + len(text) + 1):
        if p < skip_to:
            continue
        if classes[p] <= NEWLINE:
            if opened:
                tokens.append((token - MARGIN, p - MARGIN))
            opened = False
            continue
        if not opened:
            token = chunk = p
            end = p
            while classes[end] > NEWLINE and end < p + WINDOW:
                end += 1
            parts = known.get(text[p - MARGIN : end - MARGIN])
            if parts is not None:
                for part in parts:
                    tokens.append((token - MARGIN, token - MARGIN + len(part)))
                    token += len(part)
                skip_to = end
                continue
            opened = True
            kind = chunk_kind("".join(map(chr, folded[p:end])), classes[p:end])
            continue
        rows = cut_features(folded, classes, p, token, chunk, kind, bits, lexicon, types)
        more = odds[p - MARGIN] if odds else 0.0
        if p - MARGIN in forced or math.fsum([more, *(float(weights[row]) for row in rows)]) > 0:
            tokens.append((token - MARGIN, p - MARGIN))
            token = p
    return tokens


def logistic_step(
    weights: np.ndarray, squares: np.ndarray, rows: list[int], truth: bool, rate: float
) -> float:
    """One step of AdaGrad in double precision; returns the loss."""
    score = sum(float(weights[row]) for row in rows)
    probability = 1 / (1 + math.exp(-score))
    gradient = probability - truth
    for row in rows:
        squares[row] += gradient * gradient
        weights[row] -= rate * gradient / math.sqrt(squares[row])
    return -math.log(probability if truth else 1 - probability)
