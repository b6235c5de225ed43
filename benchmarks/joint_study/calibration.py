"""Whether confidences mean what they say: mean confidence against the share that was right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import UNKNOWN, YES
from caesura.learn.joint_parser import finish
from caesura.stages.parse_constraints import label_numbers
from caesura.stages.tree_parser import probabilities
from joint_study.data import Data, Rows, blank, say
from joint_study.systems import learn


def calibration(data: Data) -> dict[str, Any]:
    """Boundaries and arcs of JOINT on dev, calibrated on the held-out part of training."""
    held = data.of(data.documents, "held")
    parser = finish(learn(data, "joint"), held, tune=True)
    dev = [blank(doc) for doc in data.dev_tagged("document")]
    said: dict[str, list[NDArray[Any]]] = {"boundaries": [], "arcs": []}
    true: dict[str, list[NDArray[Any]]] = {"boundaries": [], "arcs": []}
    for doc, parse in zip(data.dev, parser.analyse(dev), strict=True):
        starts, arcs = probabilities(parser.calibration, parse)
        said["boundaries"].append(starts[1:])
        true["boundaries"].append(doc.word_sent_start[1:] == YES)
        known = doc.head != UNKNOWN
        labels = label_numbers(doc.strings, parser.inventory.labels)[doc.deprel]
        said["arcs"].append(arcs[known])
        true["arcs"].append(((parse.heads == doc.head) & (parse.labels == labels))[known])
    report: dict[str, Any] = {}
    for kind in said:
        rows, error = reliability(np.concatenate(said[kind]), np.concatenate(true[kind]))
        report[f"confidence of {kind}"] = rows
        say(f"{data.name} {kind}: expected calibration error {error:.2f}")
    return report


def reliability(said: NDArray[Any], true: NDArray[Any]) -> tuple[Rows, float]:
    """Ten bins of equal width, a line for all, and the expected calibration error in points."""
    said = said.astype(np.float64)
    bins = np.minimum((said * 10).astype(int), 9)
    rows: Rows = []
    error = 0.0
    for k in range(10):
        own = bins == k
        if own.any():
            confidence, right = 100 * said[own].mean(), 100 * true[own].mean()
            error += own.mean() * abs(confidence - right)
            name = f"{k / 10:.1f}-{(k + 1) / 10:.1f}"
            rows.append(_row(name, own.sum(), confidence, right))
    whole = _row("all", len(said), 100 * said.mean(), 100 * true.mean())
    return [*rows, whole | {"expected calibration error": error}], error


def _row(name: str, n: int, confidence: float, right: float) -> dict[str, Any]:
    return {"bin": name, "n": int(n), "mean confidence": float(confidence), "right": float(right)}
