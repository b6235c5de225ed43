"""Slow, obvious twins of the tagging kernels: every label sequence of a chain, one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

Scores = Sequence[Sequence[float]]


def sequence_score(
    labels: Sequence[int],
    emissions: Scores,
    pairs: Scores,
    triples: dict[tuple[int, int, int], float],
    start: int,
) -> float:
    """Emissions plus bigrams plus trigrams; `start` stands twice before the first word."""
    history = [start, start, *labels]
    total = 0.0
    for i, label in enumerate(labels):
        before, last = history[i], history[i + 1]
        total += emissions[i][label] + pairs[last][label]
        total += triples.get((before, last, label), 0.0)
    return total


def all_scores(
    emissions: Scores,
    pairs: Scores,
    triples: dict[tuple[int, int, int], float],
    start: int,
    allowed: Sequence[Sequence[int]],
) -> dict[tuple[int, ...], float]:
    return {
        labels: sequence_score(labels, emissions, pairs, triples, start)
        for labels in itertools.product(*allowed)
    }


def log_sum(scores: dict[tuple[int, ...], float]) -> float:
    top = max(scores.values())
    return top + math.log(sum(math.exp(value - top) for value in scores.values()))


def best(scores: dict[tuple[int, ...], float]) -> float:
    return max(scores.values())


def marginal(scores: dict[tuple[int, ...], float], i: int, label: int) -> float:
    z = log_sum(scores)
    return sum(math.exp(v - z) for labels, v in scores.items() if labels[i] == label)


def candidates(scores: Sequence[float], margin: float, width: int) -> list[int]:
    """Labels within the margin of the best, best first, lower labels first among equals."""
    floor = max(scores) - margin
    ranked = sorted(range(len(scores)), key=lambda y: (-scores[y], y))
    return [y for y in ranked if scores[y] >= floor][:width]


def shape(form: str) -> str:
    """Character kinds, runs longer than two cut to two."""
    kinds = "".join(
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else "-" for c in form
    )
    return "".join("".join(itertools.islice(group, 2)) for _, group in itertools.groupby(kinds))
