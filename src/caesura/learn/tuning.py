"""Tuning and calibration on held-out documents: scores, the boundary bonus, the bias, confidences.

The boundary bonus trades precision of sentence starts for recall and is in scores. The bias goes on
from what was tuned, in a unit of its own: `measured` finds its scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.document import UNKNOWN, YES, Document
from caesura.learn.folds import epoch_order
from caesura.stages.bias import GRID, BiasScale
from caesura.stages.branching_parser import BranchingParser
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_constraints import label_numbers
from caesura.stages.tree_parser import (
    _NO_RIVAL,
    _UNCALIBRATED,
    Floats,
    _arc_inputs,
    _inputs,
    _sigmoid,
)
from caesura.stages.word_table import is_edited

if TYPE_CHECKING:
    from caesura.stages.tree_parser import Parse


class Labelled(Protocol):
    """The transitions of a parser, of whatever system, with the labels of its arcs."""

    @property
    def labels(self) -> tuple[str, ...]: ...


def f1(right: float, found: float, gold: float) -> float:
    """F1 in per cent; where there is nothing to find and nothing was found it is 100."""
    return 200.0 * right / (found + gold) if found + gold else 100.0


def scores(
    docs: Sequence[Document], parses: Sequence[Parse], inventory: Labelled, *, trees: bool = True
) -> dict[str, float]:
    """LAS and UAS over words with a known head; starts without and with document-initial ones."""
    words = heads = both = right = found = gold = 0
    for doc, parse in zip(docs, parses, strict=True):
        known = doc.head != UNKNOWN
        same = known & (parse.heads == doc.head)
        numbers = label_numbers(doc.strings, inventory.labels)
        words += int(known.sum())
        heads += int(same.sum())
        both += int((same & (numbers[doc.deprel] == parse.labels)).sum())
        told = doc.word_sent_start[1:] == YES
        right += int((told & parse.starts[1:]).sum())
        found += int(parse.starts[1:].sum())
        gold += int(told.sum())
    opened = sum(1 for doc in docs if doc.n_words)
    starts = f1(right, found, gold)
    result = {"Starts": starts, "StartsAll": f1(right + opened, found + opened, gold + opened)}
    if trees and words:
        las = 100.0 * both / words
        result = {"LAS": las, "UAS": 100.0 * heads / words, **result, "mean": (las + starts) / 2}
    return result


#: A text with fewer boundaries says too little.
LEAST: Final = 12
#: Words of held-out text that are enough to measure on.
ENOUGH: Final = 10_000
#: The first bonus that is tried, and the last: from there on a bonus decides everything.
_FIRST: Final = 0.05
_LAST: Final = 200.0
#: Powers of two by which the number of boundaries may be off, and how often it is halved.
_CLOSE: Final = 0.02
_HALVINGS: Final = 10
#: Counts the boundaries of a text that is decoded with a bonus.
Count = Callable[[float], int]


def measure(count: Count) -> tuple[float, ...] | None:
    """The bonus for each bias of `GRID`; None if there are too few boundaries to tell.

    A number of boundaries that no bonus gives, as four times as many where every second word is
    one, is taken from the line through the points next to it.
    """
    known = {0.0: count(0.0)}
    if known[0.0] < LEAST:
        return None
    found = {0.0: 0.0}
    for bias in sorted(GRID, key=abs)[1:]:
        bonus = _find(count, known, known[0.0] * 2.0**bias, math.copysign(1.0, bias))
        if bonus is not None:
            found[bias] = bonus
    if len(found) == 1:
        return None
    for bias in sorted(GRID, key=abs):
        if bias not in found:
            found[bias] = _beyond(found, bias)
    points = [float(f"{found[bias]:.4g}") for bias in GRID]
    middle = len(GRID) // 2
    for k in range(middle - 1, -1, -1):  # a search is not quite monotone; a scale is
        points[k] = min(points[k], points[k + 1])
    for k in range(middle + 1, len(GRID)):
        points[k] = max(points[k], points[k - 1])
    return tuple(points)


def _find(count: Count, known: dict[float, int], target: float, sign: float) -> float | None:
    """The bonus of this sign that gives this many boundaries, more or less; None: there is none.

    `known` are all bonuses that were tried, with their counts.
    """

    def off(size: float) -> float:
        bonus = sign * size
        if bonus not in known:
            known[bonus] = count(bonus)
        # Above 0 once there are as many as wanted, or as few. A half keeps 0 a number.
        return sign * math.log2((known[bonus] + 0.5) / (target + 0.5))

    tried = sorted(abs(bonus) for bonus in known if bonus * sign >= 0)
    high = next((size for size in tried if off(size) >= 0), None)
    if high is None:
        high = max(tried[-1], _FIRST / 2)
        while off(high) < 0:
            high *= 2
            if high > _LAST:
                return None
    low = max(abs(bonus) for bonus in known if bonus * sign >= 0 and abs(bonus) < high)
    for _ in range(_HALVINGS):
        a, b = off(low), off(high)
        if min(abs(a), abs(b)) <= _CLOSE or high - low < 1e-3 * high:
            break
        share = min(max(-a / (b - a), 0.2), 0.8)
        middle = low + share * (high - low)
        if off(middle) >= 0:
            high = middle
        else:
            low = middle
    return sign * min((low, high), key=lambda size: abs(off(size)))


def _beyond(found: Mapping[float, float], bias: float) -> float:
    """A point on the line through the two that are nearest."""
    a, b = sorted(found, key=lambda other: abs(other - bias))[:2]
    return found[a] + (bias - a) * (found[b] - found[a]) / (b - a)


def sample(docs: Sequence[Document], words: int = ENOUGH) -> list[Document]:
    """About so many words of some documents, from all over them; the same ones every time."""
    left = words
    chosen: dict[int, Document] = {}
    for k in epoch_order(len(docs), 1, 1).tolist() if docs else ():
        doc = docs[k]
        if left <= 0:
            break
        tokens = min(doc.n_tokens, left)
        chosen[k] = doc if tokens == doc.n_tokens else doc.cut(0, tokens)
        left -= doc.n_words
    return [chosen[k] for k in sorted(chosen)]


def boundaries(starts: Iterable[int]) -> int:
    """The boundaries within documents, from the number of sentences of each."""
    return sum(max(0, number - 1) for number in starts)


def measured(scale: BiasScale, counts: Mapping[str, Count]) -> BiasScale:
    """The same scale with what could be measured: `edited`, `unedited`, or both."""
    found = {kind: measure(count) for kind, count in counts.items()}
    return replace(scale, **{kind: points for kind, points in found.items() if points})


def tune_bonus(
    parser: Parser, docs: Sequence[Document], *, metric: str = "Starts", steps: int = 12
) -> tuple[float, dict[float, dict[str, float]]]:
    """The bonus with the highest score on documents, and the scores of all that were tried.

    First a grid over the range in which boundaries are decided, then the half-way points around
    the best; of equal ones the smallest change wins.
    """
    untuned = parser.with_search(bonus=0.0, bias=0.0)
    plain = untuned.analyse(docs)
    margins = np.concatenate([p.start_margins[1:] for p in plain])
    near = np.abs(margins[(np.abs(margins) < 1e20) & (margins != 0)])
    if not len(near):
        return 0.0, {}
    # A quarter of the decisions lie nearer than this; the useful bonuses do too.
    unit = float(np.quantile(near, 0.25)) / 4
    tried: dict[float, dict[str, float]] = {}

    def value(bonus: float) -> float:
        if bonus not in tried:
            parses = plain if bonus == 0 else untuned.with_search(bonus=bonus).analyse(docs)
            tried[bonus] = scores(docs, parses, parser.inventory)
        return tried[bonus][metric]

    def best() -> float:
        return max(tried, key=lambda bonus: (tried[bonus][metric], -abs(bonus)))

    for k in range(-2, steps - 2):
        value(round(k * unit, 3))
    for width in (unit / 2, unit / 4):
        centre = best()
        value(round(centre - width, 3))
        value(round(centre + width, 3))
    return best(), dict(sorted(tried.items()))


def measure_scale(parser: Parser, docs: Sequence[Document]) -> BiasScale:
    """Measure the scale of the bias on held-out documents, for edited text and transcripts apart.

    A kind of text of which there is too little keeps the scale of the parser.
    """
    own = parser.search.bonus

    def counting(chosen: Sequence[Document]) -> Count:
        def count(bonus: float) -> int:
            parses = parser.with_search(bonus=own + bonus, bias=0.0).analyse(chosen)
            return boundaries(int(parse.starts.sum()) for parse in parses)

        return count

    kinds: dict[str, list[Document]] = {"edited": [], "unedited": []}
    for doc in docs:
        if doc.n_words:
            kinds["edited" if is_edited(doc) else "unedited"].append(doc)
    return measured(
        parser.scale, {kind: counting(sample(found)) for kind, found in kinds.items() if found}
    )


def calibrate(parser: Parser | BranchingParser, docs: Sequence[Document]) -> dict[str, list[float]]:
    """Fit the probabilities on documents with gold trees that the parser has not seen."""
    rows: dict[str, list[Floats]] = {"arcs": [], "starts": []}
    truth: dict[str, list[NDArray[np.bool_]]] = {"arcs": [], "starts": []}
    for doc, parse in zip(docs, parser.analyse(docs), strict=True):
        numbers = label_numbers(doc.strings, parser.inventory.labels)
        right = (parse.heads == doc.head) & (parse.labels == numbers[doc.deprel])
        known = doc.head != UNKNOWN
        rows["arcs"].append(_arc_inputs(parse)[known])
        truth["arcs"].append(right[known])
        free = np.abs(parse.start_margins) < _NO_RIVAL
        free[:1] = False
        rows["starts"].append(_inputs(parse.start_margins, parse.start_shares)[free])
        truth["starts"].append((doc.word_sent_start == YES)[free])
    return {
        kind: _fit(np.concatenate(rows[kind]), np.concatenate(truth[kind]), _UNCALIBRATED[kind])
        for kind in rows
        if sum(map(len, truth[kind]))
    }


def _fit(inputs: Floats, right: NDArray[np.bool_], start: Sequence[float]) -> list[float]:
    """Logistic regression by Newton's method, with a little weight decay."""
    weights = np.array(start, np.float64)
    decay = 1e-3 * np.eye(inputs.shape[1])
    for _ in range(50):
        p = _sigmoid(inputs @ weights)
        slope = inputs.T @ (right - p) - decay @ weights
        curve = (inputs * (p * (1 - p))[:, None]).T @ inputs + decay
        step = np.linalg.solve(curve, slope)
        weights += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-6:
            break
    return [round(float(w), 6) for w in weights]
