"""Three linear learners over the same examples: logistic regression, perceptron, hinge loss.

Multinomial logistic regression with AdaGrad (Choi & McCallum 2013, algorithm 2; Duchi et al. 2011)
touches all labels of the features that a state has and no others: where a feature is 0 its
gradient is 0, so that this is exact. Labels whose chance is off by less than `least` can be left
alone, too: that is most of them after an epoch, and nothing is lost with 0.01. The other two
learners are there for the paper's comparison.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.updates import adagrad, add
from caesura.parse.learning.branching_examples import Examples

__all__ = ["HINGE", "LEARNERS", "LOGISTIC", "PERCEPTRON", "learn"]

LOGISTIC: Final = 0
PERCEPTRON: Final = 1
HINGE: Final = 2
LEARNERS: Final = {"logistic": LOGISTIC, "perceptron": PERCEPTRON, "svm": HINGE}


@kernel
def _scores(
    weights: NDArray[np.float32], rows: NDArray[np.int32], scores: NDArray[np.float32]
) -> None:
    width = scores.shape[0]
    for a in range(width):
        scores[a] = 0.0
    for t in range(rows.shape[0]):
        r = rows[t]
        for a in range(width):
            scores[a] += weights[r, a]


@kernel
def _logistic(
    weights: NDArray[np.float32],
    squares: NDArray[np.float32],
    rows: NDArray[np.int32],
    slopes: NDArray[np.float32],
    touched: NDArray[np.int64],
    number: int,
    rate: np.float32,
    offset: np.float32,
) -> None:
    """A step of AdaGrad for the labels that are `touched`, of which there are `number`."""
    for t in range(rows.shape[0]):
        r = rows[t]
        for k in range(number):
            a = touched[k]
            slope = slopes[a]
            weights[r, a] += adagrad(squares, (r, a), slope, slope * slope, rate, offset)


@kernel
def learn(
    examples: Examples,
    order: NDArray[np.int64],
    kinds: NDArray[np.int32],
    learner: int,
    weights: NDArray[np.float32],
    more: NDArray[np.float32],
    rate: float,
    offset: float,
    least: float,
    tick: float,
) -> tuple[float, int]:
    """One pass; returns the summed loss and how many states were wrong.

    `more` holds the sums of squares (logistic regression, hinge loss) or, for averaging, the sum
    of tick times step (perceptron).
    """
    labels = kinds.shape[0]
    scores = np.zeros(weights.shape[1], np.float32)
    slopes = np.zeros(weights.shape[1], np.float32)
    touched = np.zeros(weights.shape[1], np.int64)
    step, floor, one = np.float32(rate), np.float32(offset), np.float32(1.0)
    loss, wrong = 0.0, 0
    for k in range(order.shape[0]):
        x = order[k]
        rows, gold, can = examples.rows[x], examples.gold[x], examples.legal[x]
        _scores(weights, rows, scores)
        best, rival = -1, -1
        for a in range(labels):
            if can & (1 << kinds[a]) != 0:
                if best < 0 or scores[a] > scores[best]:
                    best = a
                if a != gold and (rival < 0 or scores[a] > scores[rival]):
                    rival = a
        if best != gold:
            wrong += 1
        tick += 1.0
        if learner == LOGISTIC:
            top, total = scores[best], np.float32(0.0)
            for a in range(labels):
                if can & (1 << kinds[a]) != 0:
                    slopes[a] = np.exp(scores[a] - top)
                    total += slopes[a]
                else:
                    slopes[a] = 0.0
            loss += np.log(total) - (scores[gold] - top)
            number = 0
            for a in range(labels):
                slopes[a] = (1.0 if a == gold else 0.0) - slopes[a] / total
                if abs(slopes[a]) > least:
                    touched[number] = a
                    number += 1
            _logistic(weights, more, rows, slopes, touched, number, step, floor)
        elif rival >= 0:
            need = np.float32(0.0) if learner == PERCEPTRON else np.float32(1.0)
            behind = scores[rival] + need - scores[gold]
            if behind < 0.0 or (learner == PERCEPTRON and best == gold):
                continue
            loss += behind
            for t in range(rows.shape[0]):
                r = rows[t]
                if learner == PERCEPTRON:
                    add(weights, more, (r, gold), one, np.float32(tick))
                    add(weights, more, (r, rival), -one, np.float32(tick))
                else:
                    weights[r, gold] += adagrad(more, (r, gold), one, one, step, floor)
                    weights[r, rival] += adagrad(more, (r, rival), -one, one, step, floor)
    return loss, wrong
