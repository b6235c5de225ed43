"""How sure the parser is: probabilities of boundaries and arcs, calibrated on held-out documents.

A decision is judged by its margin over the next best transition of the same state and by its share
of the beam, the part of the items that descend from it a few steps later. A logistic regression on
the two turns them into the probability of being right (Platt 1999). An arc without a rival, such as
the last one to the root, was decided by the arcs before it: its probability is the share of such
arcs that are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import UNKNOWN, YES, Document
from caesura.stages.parse_scores import label_numbers

if TYPE_CHECKING:
    from caesura.stages.branching_parser import BranchingParser
    from caesura.stages.joint_parser import Parser
    from caesura.stages.parse_analysis import Parse

__all__ = ["calibrate", "probabilities"]

Floats = NDArray[np.float64]
#: Used until the parser is calibrated: bias, margin, share; for arcs also whether none rivals it.
_UNCALIBRATED: Final = {"arcs": [-0.5, 0.7, 1.0, 1.0], "starts": [0.0, 0.9, 0.5]}
#: The margin of a decision that has no rival is larger than this.
_NO_RIVAL: Final = 1e20


def _inputs(margins: NDArray[np.float32], shares: NDArray[np.float32]) -> Floats:
    """Bias, squashed margin, and share; the sign of a boundary's margin says yes or no."""
    margin = margins.astype(np.float64)
    squashed = np.sign(margin) * np.log1p(np.minimum(np.abs(margin), 1e6))
    sided = np.where(margin < 0, -1.0, 1.0) * shares
    return np.stack([np.ones(len(margin)), squashed, sided], axis=1)


def _arc_inputs(parse: Parse) -> Floats:
    """Those of arcs; without a rival only the last one counts."""
    alone = parse.arc_margins > _NO_RIVAL
    inputs = _inputs(parse.arc_margins, parse.arc_shares)
    inputs[alone] = 0.0
    return np.column_stack([inputs, alone])


def _sigmoid(x: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(x, -30, 30)))
    return result


def probabilities(
    calibration: Mapping[str, Sequence[float]], parse: Parse
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The probability that a sentence starts at each word, and that each word's arc is right."""
    weights = {**_UNCALIBRATED, **calibration}
    # A model that was calibrated without it has no weight for arcs without a rival.
    of_arcs = [*weights["arcs"], *_UNCALIBRATED["arcs"][len(weights["arcs"]) :]]
    starts = _sigmoid(
        _inputs(parse.start_margins, parse.start_shares) @ np.array(weights["starts"])
    )
    starts[:1] = 1.0
    # What was given, or could not be otherwise, has no rival.
    sure = np.abs(parse.start_margins) > _NO_RIVAL
    starts[sure] = parse.starts[sure]
    arcs = _sigmoid(_arc_inputs(parse) @ np.array(of_arcs))
    return starts.astype(np.float32), arcs.astype(np.float32)


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
