"""Whether one system is better than another, or the difference could be chance.

Wilcoxon's signed-rank test over documents (Björkelund et al. 2016, section 5): zero differences are
dropped; exact up to 25 pairs, ties included, else the normal approximation corrected for ties.
The paired bootstrap (Efron; Koehn 2004) and approximate randomisation (Noreen 1989) resample
documents and compare micro-averaged F1. All of them give the same figures on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError
from caesura.evaluate.score import Score

__all__ = [
    "Significance",
    "bootstrap",
    "compare_units",
    "randomisation",
    "untested",
    "wilcoxon",
]

Floats = NDArray[np.float64]

#: Up to so many pairs the distribution of Wilcoxon's statistic is computed exactly.
EXACT_PAIRS = 25
SAMPLES = 10_000
#: Rows of samples that are drawn at a time.
BATCH = 500
#: A test needs units that may differ from each other.
LEAST_UNITS = 2


@dataclass(frozen=True)
class Significance:
    """The difference of two systems in one metric, in points of F1 (second minus first).

    With fewer than two units there is a difference but no test of it.
    """

    metric: str
    units: int
    unit: str
    difference: float
    wilcoxon: float | None = None
    bootstrap: float | None = None
    randomisation: float | None = None
    #: A 95% confidence interval of the difference.
    low: float | None = None
    high: float | None = None

    @property
    def tested(self) -> bool:
        return self.wilcoxon is not None

    def as_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "unit": self.unit,
            "units": self.units,
            "difference": self.difference,
            "confidence_interval": [self.low, self.high] if self.tested else None,
            "p_wilcoxon": self.wilcoxon,
            "p_bootstrap": self.bootstrap,
            "p_randomisation": self.randomisation,
        }


def _ranks(values: Floats) -> Floats:
    """Ranks from 1, equal values sharing the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places].astype(np.float64)


def wilcoxon(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float:
    """The two-sided p-value of the signed-rank test over pairs."""
    difference = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    # Differences of equal counts may differ in the last bit.
    difference = np.round(difference[np.abs(difference) > 1e-12], 10)
    n = len(difference)
    if n == 0:
        return 1.0
    ranks = _ranks(np.abs(difference))
    positive = float(ranks[difference > 0].sum())
    if n <= EXACT_PAIRS:
        # Twice the ranks are whole numbers, ties or not: count the subsets with each sum.
        steps = np.round(2 * ranks).astype(np.int64)
        ways = np.zeros(int(steps.sum()) + 1, dtype=np.float64)
        ways[0] = 1
        for step in steps.tolist():
            ways[step:] = ways[step:] + ways[:-step]
        at = round(2 * positive)
        smaller, larger = ways[: at + 1].sum(), ways[at:].sum()
        return float(min(1.0, 2 * min(smaller, larger) / 2.0**n))
    mean = n * (n + 1) / 4
    ties = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum() / 48
    z = (positive - mean) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def _counts(scores: Sequence[Score]) -> Floats:
    return np.array([(s.gold, s.system, s.correct) for s in scores], dtype=np.float64).reshape(
        -1, 3
    )


def _f1(counts: Floats) -> Floats:
    both = counts[..., 0] + counts[..., 1]
    return np.where(both > 0, 200 * counts[..., 2] / np.maximum(both, 1), 0.0)


def bootstrap(
    first: Sequence[Score], second: Sequence[Score], *, samples: int = SAMPLES, seed: int = 1
) -> tuple[float, float, float]:
    """Paired bootstrap: p-value (two-sided) and a 95% interval of the difference of F1."""
    one, other = _counts(first), _counts(second)
    observed = float(_f1(other.sum(axis=0)) - _f1(one.sum(axis=0)))
    rng = np.random.default_rng(seed)
    n = len(one)
    found = np.empty(samples)
    for begin in range(0, samples, BATCH):
        size = min(BATCH, samples - begin)
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
        found[begin : begin + size] = _f1(drawn @ other) - _f1(drawn @ one)
    low, high = np.quantile(found, [0.025, 0.975])
    extreme = np.count_nonzero(np.abs(found - observed) >= abs(observed) - 1e-12)
    return (int(extreme) + 1) / (samples + 1), float(low), float(high)


def randomisation(
    first: Sequence[Score], second: Sequence[Score], *, samples: int = SAMPLES, seed: int = 1
) -> float:
    """Approximate randomisation: how often random swaps of documents differ as much (two-sided)."""
    one, other = _counts(first), _counts(second)
    total, change = one.sum(axis=0), other - one
    observed = abs(float(_f1(other.sum(axis=0)) - _f1(total)))
    rng = np.random.default_rng(seed)
    extreme = 0
    for begin in range(0, samples, BATCH):
        size = min(BATCH, samples - begin)
        swapped = (rng.random((size, len(one))) < 0.5).astype(np.float64) @ change
        left, right = _f1(total + swapped), _f1(other.sum(axis=0) - swapped)
        extreme += int(np.count_nonzero(np.abs(left - right) >= observed - 1e-12))
    return (extreme + 1) / (samples + 1)


def compare_units(
    metric: str,
    first: Sequence[Score],
    second: Sequence[Score],
    *,
    unit: str = "document",
    samples: int = SAMPLES,
    seed: int = 1,
) -> Significance:
    """All three tests on the counts of two systems for the same documents, if there are two."""
    if len(first) != len(second):
        raise InputError(f"{len(first)} documents of one system, {len(second)} of the other")
    kept = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a.gold or b.gold]
    one, other = [first[i] for i in kept], [second[i] for i in kept]
    difference = float(_f1(_counts(other).sum(axis=0)) - _f1(_counts(one).sum(axis=0)))
    if len(one) < LEAST_UNITS:
        return Significance(metric, len(one), unit, difference)
    p, low, high = bootstrap(one, other, samples=samples, seed=seed)
    return Significance(
        metric,
        len(one),
        unit,
        difference,
        wilcoxon([s.f1 for s in one], [s.f1 for s in other]),
        p,
        randomisation(one, other, samples=samples, seed=seed),
        low,
        high,
    )


def untested(found: Sequence[Significance]) -> str:
    """Why some of the differences are not tested, in one sentence; nothing if all are."""
    left_out = [test for test in found if not test.tested]
    if not left_out:
        return ""
    unit, most = left_out[0].unit, max(test.units for test in left_out)
    plural = "" if most == 1 else "s"
    names = ", ".join(test.metric for test in left_out)
    what = "no test can be made" if len(left_out) == len(found) else f"no test of {names}"
    advice = ""
    if unit == "document":
        advice = "; --unit sentence tests over sentences, which are not independent in one document"
    return f"{what}: gold has {most or 'no'} {unit}{plural} to count, and a test needs two{advice}"
