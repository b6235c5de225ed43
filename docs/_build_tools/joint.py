"""The tables and figures of Björkelund et al. (2016), from benchmarks/results/joint.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from benchmarks.papers.collect import seeds
from docs._build_tools.markdown import difference, markdown, number, p_value
from docs._build_tools.published import JOINT_TABLE2, JOINT_TABLE3, JOINT_TABLE4

__all__ = ["TABLES"]

Results = dict[str, Any]
#: The sets of the tables, with punctuation and without.
WRITTEN = {
    "UD_English-EWT": "EWT",
    "UD_English-GUM": "GUM",
    "WSJ-sample": "WSJ-sample",
}
SPOKEN = {
    "EWT-speech": "EWT-speech",
    "GUM-speech": "GUM-speech",
    "WSJ-sample-speech": "WSJ-sample-speech",
    "UD_French-ParisStories": "French: ParisStories",
    "UD_Norwegian-NynorskLIA": "Norwegian: NynorskLIA",
    "UD_Slovenian-SST": "Slovenian: SST",
}
STATES = ("untuned", "tuned")
SYSTEMS = ("labeller", "classifier", "rules", "NOSYNTAX", "JOINT")
PARSERS = ("GOLD", *SYSTEMS, "JOINT-REPARSED")
#: A difference is marked if chance would give it so rarely, as in the paper.
LEVEL = 0.01


def _marks(table: Results, state: str, system: str, metric: str) -> str:
    """† better than with the labeller's boundaries, ‡ than with those of NOSYNTAX, * than JOINT."""
    marks = ""
    for row in table[f"{state}, p"]:
        mark = {"labeller": "†", "NOSYNTAX": "‡", "JOINT": r"\*"}.get(row["against"], "")
        better = row.get(f"{metric} difference", 0) or 0
        p = row.get(f"{metric} p")
        if row["system"] == system and better > 0 and p is not None and p < LEVEL:
            marks += mark
    return marks


def _measure(name: str, metric: str) -> str:
    """What a row of LAS measures: WSJ-sample has no labels, so its LAS is UAS."""
    return " (UAS)" if metric == "LAS" and name.startswith("WSJ-sample") else ""


def _systems(tables: Results, sets: dict[str, str], systems: Sequence[str], metric: str) -> str:
    rows = []
    for name, shown in sets.items():
        table = tables.get(name)
        for state in STATES if table else ():
            found = {row["system"]: row for row in table[state]}
            cells = [
                number(found[system][metric]) + _marks(table, state, system, metric)
                if system in found
                else ""
                for system in systems
            ]
            rows.append([f"{shown}{_measure(name, metric)}, {state}", *cells])
    return markdown(["", *systems], rows)


def _tests(tables: Results, sets: dict[str, str], metric: str) -> str:
    pairs = [
        (row["system"], row["against"])
        for row in next(iter(tables.values()))["tuned, p"]
        if row["against"] in ("labeller", "NOSYNTAX", "classifier", "JOINT")
        and (metric == "LAS" or row["system"] == "JOINT")
    ]
    rows = []
    for name, shown in sets.items():
        table = tables.get(name)
        for state in STATES if table else ():
            found = {(row["system"], row["against"]): row for row in table[f"{state}, p"]}
            cells = []
            for pair in pairs:
                row = found.get(pair, {})
                cells.append(difference(row.get(f"{metric} difference"), row.get(f"{metric} p")))
            rows.append([f"{shown}{_measure(name, metric)}, {state}", *cells])
    return markdown(["", *(f"{a} − {b}" for a, b in pairs)], rows)


def _with_breaks(results: Results) -> tuple[Results, dict[str, str]]:
    """The tables with paragraph breaks and without, and how they are called."""
    found: Results = {}
    shown: dict[str, str] = {}
    for name, told in results["breaks"].items():
        for seen in ("breaks", "no breaks"):
            found[f"{name}, {seen}"] = told[seen]
            shown[f"{name}, {seen}"] = f"{WRITTEN[name]} ({told['documents']} documents), {seen}"
    return found, shown


def _labelled(results: Results) -> Results:
    """The tables; where they have no labeller, that of a run of its own with the same data."""
    tables = dict(results["tables"])
    for name, own in results["labellers"].items():
        seen = {row["state"]: row for row in own if row["breaks"]}
        table = tables.get(name, {})
        if table and all(row["system"] != "labeller" for row in table["tuned"]):
            tables[name] = table | {state: [*table[state], seen[state]] for state in STATES}
    return tables


def labellers(results: Results) -> str:
    """The labeller with and without paragraph breaks."""
    rows = []
    for name, own in results["labellers"].items():
        found = {(row["breaks"], row["state"]): row["Starts*"] for row in own}
        cells = [number(found[key]) for key in ((True, "untuned"), (True, "tuned"))]
        cells += [number(found[key]) for key in ((False, "untuned"), (False, "tuned"))]
        rows.append([WRITTEN[name], *cells])
    head = [f"{breaks}, {state}" for breaks in ("breaks", "no breaks") for state in STATES]
    return markdown(["labeller", *head], rows)


def paper_table2(results: Results) -> str:
    rows = [
        [system, number(own["WSJ"]), number(own.get("Switchboard"))]
        for system, own in JOINT_TABLE2.items()
    ]
    return markdown(["paper, dev", "WSJ", "Switchboard"], rows)


def _paper(table: dict[str, dict[str, float]]) -> str:
    sets = ("WSJ", "Switchboard", "WSJ*")
    rows = [[system, *(number(own[name]) for name in sets)] for system, own in table.items()]
    return markdown(["paper, test", *(name.replace("*", r"\*") for name in sets)], rows)


def switchboard(results: Results) -> str:
    rows = [
        [f"{row['system']}, {state}", *(number(row[key]) for key in ("P*", "R*", "Starts*"))]
        for state in STATES
        for row in results["switchboard"][state]
    ]
    return markdown(["", r"P\*", r"R\*", r"Starts\*"], rows)


def confidence(results: Results, kind: str) -> str:
    rows = [
        [
            row["bin"],
            f"{row['n']:.0f}",
            number(row["mean confidence"]),
            number(row["right"]),
            number(row.get("expected calibration error")),
        ]
        for row in results["confidence"][kind]
    ]
    return markdown(["bin", "n", "mean confidence", "right", "expected calibration error"], rows)


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
    "labellers": labellers,
    "paper2": paper_table2,
    "paper3": lambda results: _paper(JOINT_TABLE3),
    "paper4": lambda results: _paper(JOINT_TABLE4),
    "table2": lambda results: _systems(_labelled(results), WRITTEN, SYSTEMS, "Starts*"),
    "table2_tests": lambda results: _tests(results["tables"], WRITTEN, "Starts*"),
    "breaks": lambda results: _systems(*_with_breaks(results), SYSTEMS, "Starts*"),
    "breaks_tests": lambda results: _tests(*_with_breaks(results), "Starts*"),
    "table3": lambda results: _systems(results["tables"], SPOKEN, SYSTEMS, "Starts*"),
    "table3_tests": lambda results: _tests(results["tables"], SPOKEN, "Starts*"),
    "table4": lambda results: _systems(results["tables"], SPOKEN | WRITTEN, PARSERS, "LAS"),
    "table4_tests": lambda results: _tests(results["tables"], SPOKEN | WRITTEN, "LAS"),
    "switchboard": switchboard,
    "boundary_confidence": lambda results: confidence(results, "boundaries"),
    "arc_confidence": lambda results: confidence(results, "arcs"),
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
