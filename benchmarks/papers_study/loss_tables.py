"""The tables of Dridan & Oepen (2013) on docs/explanation/evaluation.md, from results/loss.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from papers_study.joint_tables import markdown, number

__all__ = ["TABLES"]

Results = dict[str, Any]
#: How the paper's levels are called in the scores of CoNLL 2018; trees are of dependencies here.
LEVELS = {"SENT": "Sentences", "TOK": "Tokens", "POS": "UPOS", "DEP": "LAS"}


def by_input(results: Results) -> str:
    """F1 of all levels from ever better input, and the points that each layer costs the trees."""
    rows = []
    for model, treebanks in sorted(results.items()):
        for treebank, said in sorted(treebanks.items()):
            stages = said["stages"]["stages"]
            for at, stage in enumerate(stages):
                name = "raw text" if stage == "raw" else f"gold {stage}"
                cells = [said["stages"]["reached"][metric][at] for metric in LEVELS.values()]
                rows.append([f"`{model}`, {treebank}, {name}", *(number(f1) for f1 in cells)])
    return markdown(["F1", *LEVELS], rows)


def mixed(results: Results) -> str:
    """LAS with sentences and tokens of gold and of the system in all combinations."""
    origins = ("caesura", "gold")
    pairs = [(s, t) for s in origins for t in origins]
    shown = {"caesura": "own", "gold": "gold"}
    rows = []
    for model, treebanks in sorted(results.items()):
        for treebank, said in sorted(treebanks.items()):
            found = {tuple(row["from"]): row["cells"][0] for row in said["cross"]["rows"]}
            cells = [number(found.get(pair)) for pair in pairs]
            rows.append([f"`{model}`, {treebank}", *cells])
    head = [f"{shown[s]} sentences, {shown[t]} tokens" for s, t in pairs]
    return markdown(["LAS", *head], rows)


def lost(results: Results) -> str:
    rows = []
    layers: list[str] = []
    for model, treebanks in sorted(results.items()):
        for treebank, said in sorted(treebanks.items()):
            points = said["stages"]["lost"]["LAS"]
            layers = list(points)
            rows.append([f"`{model}`, {treebank}", *(number(points[layer]) for layer in layers)])
    return markdown(["LAS lost to", *layers], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "documents": by_input,
    "documents_mixed": mixed,
    "documents_lost": lost,
}
