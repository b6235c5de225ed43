"""Slow, obvious twins of the tagging kernels: every label sequence of a chain, one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

from tests.reference.learn import fold, mix

Scores = Sequence[Sequence[float]]
#: The attributes of the edge of a sentence.
EDGE = (9, 0)
_SALT = 0x2545F4914F6CDD1D
_LABEL_SALT = 0x6A09E667F3BCC909


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


def candidates(scores: Sequence[float], margin: float, width: int, must: int = -1) -> list[int]:
    """Labels within the margin of the best, best first, lower labels first among equals.

    The label `must` is one of them in any case.
    """
    floor = max(scores) - margin
    ranked = sorted(range(len(scores)), key=lambda y: (-scores[y], y))
    kept = [y for y in ranked if scores[y] >= floor][:width]
    return kept if must < 0 or must in kept else [*kept[: width - 1], must]


def feature_keys(
    sentences: Sequence[Sequence[Sequence[int]]],
    templates: Sequence[Sequence[tuple[int, int]]],
    labels: Sequence[Sequence[int]] | None = None,
    label_atom: int = -1,
) -> list[list[list[int | None]]]:
    """The key of each template at each word: attributes of words at distances, hashed.

    A word is its attributes; beyond a sentence they are those of `EDGE`. With labels, features are
    those of a column given the label.
    """
    found = []
    for s, words in enumerate(sentences):
        rows = []
        for i in range(len(words)):
            row: list[int | None] = []
            for number, atoms in enumerate(templates):
                state = mix(_SALT + number)
                if labels is not None:
                    state = mix(_LABEL_SALT + number + (labels[s][i] << 16))
                present = True
                for attribute, distance in atoms:
                    inside = 0 <= i + distance < len(words)
                    if attribute == label_atom and labels is not None:
                        value = labels[s][i + distance] + 2 if inside else 1
                    else:
                        value = (words[i + distance] if inside else EDGE)[attribute]
                    present = present and value != 0
                    state = fold(state, value)
                row.append(mix(state) >> 32 if present else None)
            rows.append(row)
        found.append(rows)
    return found


def frequent(keys: Sequence[Sequence[Sequence[int | None]]], cutoff: int) -> list[int]:
    """The keys that occur often enough, rising."""
    counts = Counter(key for rows in keys for row in rows for key in row if key is not None)
    return sorted(key for key, times in counts.items() if times >= cutoff)


class Logistic:
    """Multinomial logistic regression, by AdaGrad; a weight for each feature and value."""

    def __init__(self, rate: float, offset: float) -> None:
        self.rate, self.offset, self.tick = rate, offset, 1
        self.weight: Counter[tuple[int, int]] = Counter()
        self.square: Counter[tuple[int, int]] = Counter()
        self.total: Counter[tuple[int, int]] = Counter()

    def learn(self, features: Sequence[int], gold: int, size: int) -> float:
        """A step on one word; its log loss before."""
        scores = [sum(self.weight[f, k] for f in features) for k in range(size)]
        shares = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
        for f, k in itertools.product(features, range(size)):
            slope = (k == gold) - shares[k]
            if abs(slope) >= 1e-3:
                self.square[f, k] += slope**2
                step = self.rate * slope / (self.offset + math.sqrt(self.square[f, k]))
                self.weight[f, k] += step
                self.total[f, k] += self.tick * step
        self.tick += 1
        return -math.log(shares[gold])


def shape(form: str) -> str:
    """Character kinds, runs longer than two cut to two."""
    kinds = "".join(
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else "-" for c in form
    )
    return "".join("".join(itertools.islice(group, 2)) for _, group in itertools.groupby(kinds))
