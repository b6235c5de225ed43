"""The tables of docs/explanation/joint-results.md from benchmarks/results/joint.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from papers_study import joint_figures
from papers_study.markdown import difference, markdown, number
from papers_study.published import JOINT_TABLE2, JOINT_TABLE3, JOINT_TABLE4

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
            rows.append([f"{shown}, {state}", *cells])
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
            rows.append([f"{shown}, {state}", *cells])
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
    **joint_figures.TABLES,
}
