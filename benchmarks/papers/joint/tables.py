"""Boundaries and trees of all systems, with Wilcoxon's tests over documents; calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.papers.joint.data import Data, Docs, Rows, blank, say
from benchmarks.papers.joint.systems import crf, learn, period_classifier, rules
from numpy.typing import NDArray

from caesura.document import UNKNOWN, YES
from caesura.evaluate.significance import wilcoxon
from caesura.learn.joint_parser import finish
from caesura.learn.tuning import f1, tune_bonus
from caesura.parse import Parse, Parser
from caesura.stages.labeller import write_starts
from caesura.stages.parse_constraints import label_numbers
from caesura.stages.tree_parser import probabilities


@dataclass
class Result:
    """What a system says about the dev documents, counted document by document."""

    system: str
    #: By document: right, found and gold inner starts; words with a known head; right arcs.
    counts: NDArray[np.int64]
    trees: bool

    def row(self) -> dict[str, Any]:
        right, found, gold, words, arcs = self.counts.sum(axis=0).tolist()
        opened = len(self.counts)
        row = {
            "system": self.system,
            "P*": 100 * right / max(1, found),
            "R*": 100 * right / max(1, gold),
            "Starts*": f1(right, found, gold),
            "Starts": f1(right + opened, found + opened, gold + opened),
        }
        return row | ({"LAS": 100 * arcs / max(1, words)} if self.trees else {})

    def by_document(self, metric: str) -> list[float]:
        if metric == "LAS":
            return [100 * arcs / max(1, words) for *_, words, arcs in self.counts.tolist()]
        return [f1(*row[:3]) for row in self.counts.tolist()]


def count(
    system: str,
    gold: Docs,
    starts: Sequence[NDArray[Any]],
    parses: Sequence[Parse] = (),
    labels: Sequence[str] = (),
) -> Result:
    rows = []
    for k, doc in enumerate(gold):
        said, told = starts[k][1:], doc.word_sent_start[1:] == YES
        known, arcs = doc.head != UNKNOWN, 0
        if parses:
            numbers = label_numbers(doc.strings, labels)[doc.deprel]
            same = known & (parses[k].heads == doc.head) & (numbers == parses[k].labels)
            arcs = int(same.sum())
        rows.append(
            (int((said & told).sum()), int(said.sum()), int(told.sum()), int(known.sum()), arcs)
        )
    return Result(system, np.array(rows, np.int64).reshape(-1, 5), bool(parses))


def reparsed(docs: Docs, parser: Parser, starts: Sequence[NDArray[Any]]) -> list[Parse]:
    """Documents split so and parsed by GOLD, sentence by sentence."""
    copies = [blank(doc) for doc in docs]
    for copy, marks in zip(copies, starts, strict=True):
        write_starts(copy, marks)
    return parser.analyse(copies)


def boundaries(data: Data) -> dict[str, Any]:
    """The tables without a second stage: no parser of single sentences is trained."""
    return tables(data, second_stage=False)


def tables(data: Data, *, second_stage: bool = True) -> dict[str, Any]:
    """Boundaries and trees of all systems, untuned and tuned, with their tests."""
    joint = learn(data, "joint")
    nosyntax = learn(data, "nosyntax")
    parser = learn(data, "gold") if second_stage else None
    held = data.of(data.documents, "held")
    dev = [blank(doc) for doc in data.dev_tagged("document")]
    classifiers = {
        "labeller": crf(data),
        "classifier": period_classifier(data),
        "rules": rules(data),
    }
    report: dict[str, Any] = {}
    told = [doc.word_sent_start == YES for doc in data.dev]

    def counted(name: str, docs: Docs, starts: Sequence[NDArray[Any]]) -> Result:
        if parser is None:
            return count(name, data.dev, starts)
        parses = reparsed(docs, parser, starts)
        return count(name, data.dev, starts, parses, parser.inventory.labels)

    gold = [counted("GOLD", data.dev_tagged("sentences"), told)] if second_stage else []
    for state in ("untuned", "tuned"):
        if state == "tuned":
            joint, nosyntax = (
                one.with_search(bonus=tune_bonus(one, held)[0]) for one in (joint, nosyntax)
            )
            classifiers = {
                name: one if name == "rules" else one.tune(data.of(data.gold, "held"))
                for name, one in classifiers.items()
            }
        found = {name: one.starts(data.dev) for name, one in classifiers.items()}
        found["NOSYNTAX"] = [parse.starts for parse in nosyntax.analyse(dev)]
        parses = joint.analyse(dev)
        found["JOINT-REPARSED"] = [parse.starts for parse in parses]
        results = gold + [counted(name, dev, starts) for name, starts in found.items()]
        starts = found["JOINT-REPARSED"]
        results.insert(-1, count("JOINT", data.dev, starts, parses, joint.inventory.labels))
        if not second_stage:
            del results[-1]
        report[state] = [result.row() for result in results]
        report[f"{state}, p"] = tests(results)
        say(f"{data.name} {state}")
    report["settings"] = [
        {"system": "JOINT", "bonus": joint.search.bonus},
        {"system": "NOSYNTAX", "bonus": nosyntax.search.bonus},
        *({"system": n, "threshold": c.threshold} for n, c in classifiers.items() if n != "rules"),
    ]
    return report


def tests(results: Sequence[Result]) -> Rows:
    """JOINT and JOINT-REPARSED against the others, document by document."""
    named = {result.system: result for result in results}
    rows = []
    for system, others in {
        "JOINT": ("labeller", "NOSYNTAX", "classifier", "rules"),
        "JOINT-REPARSED": ("labeller", "NOSYNTAX", "JOINT"),
    }.items():
        for other in others if system in named else ():
            row: dict[str, Any] = {"system": system, "against": other}
            for metric in ("Starts*", "LAS"):
                first, second = named[other], named[system]
                if (system == "JOINT") if metric == "Starts*" else first.trees:
                    better = second.row()[metric] - first.row()[metric]
                    row[f"{metric} difference"] = round(better, 2)
                    row[f"{metric} p"] = wilcoxon(
                        first.by_document(metric), second.by_document(metric)
                    )
            rows.append(row)
    return rows


# ----------------------------------------------------------------------------------- confidence


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
