"""The figures of Björkelund et al. (2016) as tables, from benchmarks/results/joint.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from papers_study.markdown import difference, markdown, number, p_value
from papers_study.runs import seeds

__all__ = ["TABLES"]

Results = dict[str, Any]
#: The updates that are compared, and what is an instance of learning.
UPDATES = ("dlaso", "laso", "greedy", "max-violation", "early")
REGIMES = {
    "whole": "whole documents",
    "long": "whole documents for longer",
    "chunks": "chunks of ten sentences",
}


def _at(curve: Results, epoch: int, key: str) -> float | None:
    return next((row.get(key) for row in curve["rows"] if row["epoch"] == epoch), None)


def _cells(curve: Results, epochs: Sequence[int]) -> list[str]:
    """F1 of starts and LAS after these epochs."""
    found = [[_at(curve, epoch, key) for key in ("Starts*", "LAS")] for epoch in epochs]
    return [" / ".join(number(v, 1) for v in both if v is not None) for both in found]


def _last(curves: Sequence[Results], key: str) -> float | None:
    found = [curve["rows"][-1].get(key) for curve in curves]
    known = [value for value in found if value is not None]
    return mean(known) if known else None


def _best(curve: Results) -> Results:
    """The epoch with the highest mean of starts and LAS, by which the paper chooses."""
    return max(curve["rows"], key=lambda row: row["Starts*"] + row["LAS"])


def figure3(results: Results) -> str:
    """The share of the gold sequences that was used, by epoch."""
    names = {
        "early, sentences": "figure3/GUM-speech/sentences/early",
        "max-violation, sentences": "figure3/GUM-speech/sentences/max-violation",
        "early, documents": "figure4/GUM-speech/whole/early/perceptron/1",
        "max-violation, documents": "figure4/GUM-speech/whole/max-violation/perceptron/1",
        "early, documents, PA": "figure4/GUM-speech/whole/early/pa/1",
        "max-violation, documents, PA": "figure4/GUM-speech/whole/max-violation/pa/1",
    }
    epochs = (1, 2, 3, 5, 10, 20, 30)
    rows = []
    for shown, name in names.items():
        curve = results["curves"].get(name)
        if curve:
            shares = [_at(curve, epoch, "share") for epoch in epochs]
            rows.append([shown, *(number(s * 100, 1) if s is not None else "" for s in shares)])
    return markdown(["% used after epoch", *map(str, epochs)], rows)


def figure4(results: Results, treebank: str) -> str:
    """All updates after the last epoch: the mean of the seeds that were run."""
    rows = []
    for regime, shown in REGIMES.items():
        for step in ("perceptron", "pa"):
            for update in UPDATES:
                own = seeds(results["curves"], f"figure4/{treebank}/{regime}/{update}/{step}")
                if not own:
                    continue
                epochs = max(curve["rows"][-1]["epoch"] for curve in own)
                own = [curve for curve in own if curve["rows"][-1]["epoch"] == epochs]
                best = [_best(curve) for curve in own]
                rows.append(
                    [
                        f"{shown}, {step}, {update}",
                        str(len(own)),
                        f"{epochs * own[0]['instances']:,}",
                        *(number(_last(own, key)) for key in ("Starts*", "LAS")),
                        *(number(mean(row[key] for row in best)) for key in ("Starts*", "LAS")),
                        "/".join(str(row["epoch"]) for row in best),
                    ]
                )
    head = ["", "seeds", "batches", r"Starts\*", "LAS", r"best: Starts\*", "LAS", "epoch"]
    return markdown(head, rows)


def figure4_curves(results: Results, treebank: str) -> str:
    """F1 of starts and LAS by epoch, first seed."""
    epochs = (1, 2, 3, 5, 10, 15, 20, 30, 60, 100)
    rows = []
    for regime, shown in REGIMES.items():
        for step in ("perceptron", "pa"):
            for update in UPDATES:
                curve = results["curves"].get(f"figure4/{treebank}/{regime}/{update}/{step}/1")
                if curve:
                    rows.append([f"{shown}, {step}, {update}", *_cells(curve, epochs)])
    return markdown(["epoch", *map(str, epochs)], rows)


def figure4_tests(results: Results) -> str:
    rows = [
        [
            f"{row['treebank']}, {REGIMES[row['regime']]}, {row['step']}: "
            f"{row['update']} − {row['against']}",
            str(row["seeds"]),
            *(
                difference(row[f"{metric} difference"], row[f"{metric} p"])
                for metric in ("Starts*", "LAS")
            ),
        ]
        for row in results["tests"]["updates"].values()
    ]
    return markdown(["", "seeds", r"Starts\* (p)", "LAS (p)"], rows)


def figure5(results: Results) -> str:
    widths = (1, 4, 8, 20)
    epochs = (1, 5, 8, 10, 15)
    rows = []
    for update, step in (("dlaso", "perceptron"), ("max-violation", "pa")):
        for width in widths:
            name = f"figure5/GUM-speech/{update}/{width}"
            if width == 8:
                name = f"figure4/GUM-speech/whole/{update}/{step}/1"
            curve = results["curves"].get(name)
            if curve:
                rows.append([f"{update}, beam {width}", *_cells(curve, epochs)])
    return markdown(["epoch", *map(str, epochs)], rows)


def figure5_tests(results: Results) -> str:
    def shown(run: str) -> str:
        _, update, width = run.split("/")
        return f"{update}, beam {width}"

    rows = [
        [
            f"{shown(row['run'])} − {shown(row['against'])}",
            *(
                difference(row[f"{metric} difference"], row[f"{metric} p"])
                for metric in ("Starts*", "LAS")
            ),
        ]
        for row in results["tests"]["beams"].values()
    ]
    return markdown(["after the last epoch", r"Starts\* (p)", "LAS (p)"], rows)


def figure6(results: Results) -> str:
    """F1 of starts with trees and with chains of words, the mean of the seeds that both have."""
    epochs = (1, 2, 3, 4, 5, 6, 8, 10, 15)
    rows = []
    for treebank in ("GUM-speech", "EWT-speech"):
        trees = seeds(results["curves"], f"figure4/{treebank}/chunks/laso/perceptron")
        chains = seeds(results["curves"], f"figure6/{treebank}/nosyntax")
        same = min(len(trees), len(chains))
        for shown, curves in (("with syntax", trees[:same]), ("without", chains[:same])):
            cells = []
            for epoch in epochs:
                found = [_at(curve, epoch, "Starts*") for curve in curves]
                known = [value for value in found if value is not None]
                cells.append(number(mean(known)) if known and len(known) == same else "")
            if same:
                rows.append([f"{treebank}, {shown} ({same} seeds)", *cells])
    return markdown(["epoch", *map(str, epochs)], rows)


def figure6_tests(results: Results) -> str:
    rows = [
        [
            row["treebank"],
            str(row["seeds"]),
            f"{row['Starts* difference']:+.2f}",
            p_value(row["Starts* p"]),
        ]
        for row in results["tests"]["syntax"].values()
    ]
    return markdown(["with − without syntax", "seeds", r"Starts\*", "p"], rows)


def choices(results: Results) -> str:
    """What choices of this package matter: DLaSO with other settings, after the last epoch."""
    rows = []
    for regime in ("whole", "chunks"):
        base = f"figure4/GUM-speech/{regime}/dlaso"
        names = {
            "as everywhere: perceptron, in turn, beam 8": f"{base}/perceptron/1",
            "perceptron, accumulated": f"choices/GUM-speech/{regime}/accumulated",
            "perceptron, one step each": f"choices/GUM-speech/{regime}/per-update",
            "PA, in turn": f"{base}/pa/1",
            "PA, in turn by the loss": f"choices/GUM-speech/{regime}/pa-in-turn-loss",
            "PA, accumulated": f"choices/GUM-speech/{regime}/pa-accumulated",
            "beam 20": f"choices/GUM-speech/{regime}/beam-20",
            "ten folds": f"choices/GUM-speech/{regime}/ten-folds",
            "the paper's templates": f"choices/GUM-speech/{regime}/paper-templates",
        }
        for told, name in names.items():
            curve = results["curves"].get(name)
            if curve:
                last = curve["rows"][-1]
                test = results["tests"]["choices"].get(name, {})
                five = [_at(curve, 5, key) for key in ("Starts*", "LAS")]
                rows.append(
                    [
                        f"{REGIMES[regime]}: {told}",
                        *(number(value) for value in five),
                        str(last["epoch"]),
                        number(last["Starts*"]),
                        number(last["LAS"]),
                        *(
                            difference(test.get(f"{metric} difference"), test.get(f"{metric} p"))
                            for metric in ("Starts*", "LAS")
                        ),
                    ]
                )
    head = ["", r"epoch 5: Starts\*", "LAS", "epoch", r"Starts\*", "LAS"]
    return markdown([*head, r"Starts\* − first row (p)", "LAS − first row (p)"], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "figure3": figure3,
    "figure4": lambda results: figure4(results, "GUM-speech"),
    "figure4_ewt": lambda results: figure4(results, "EWT-speech"),
    "figure4_curves": lambda results: figure4_curves(results, "GUM-speech"),
    "figure4_tests": figure4_tests,
    "figure5": figure5,
    "figure5_tests": figure5_tests,
    "figure6": figure6,
    "figure6_tests": figure6_tests,
    "choices": choices,
}
