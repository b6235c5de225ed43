"""The tables of Dridan & Oepen (2013) on docs/explanation/evaluation.md, from results/loss.json."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import lcm
from statistics import mean
from typing import Any

from docs._build_tools.markdown import difference, markdown, number
from docs._build_tools.published import DOCUMENT_PARSERS, DOCUMENT_SEGMENTERS

from caesura.evaluate.significance import wilcoxon

__all__ = ["TABLES"]

Results = dict[str, Any]
#: By output: where its sentences, tokens and tags come from.
INPUTS = {
    "raw": ("own", "own", "own"),
    "own sentences, gold tokens": ("own", "gold", "own"),
    "sentences": ("gold", "own", "own"),
    "tokens": ("gold", "gold", "own"),
    "tags": ("gold", "gold", "gold"),
}
LEVELS = ("SENT", "TOK", "TOK exact", "POS", "DEP")
#: The layer that a step from one output to the next mends.
LAYERS = {"raw": "sentences", "sentences": "tokens", "tokens": "tags"}


def _each(results: Results) -> Iterator[tuple[str, Results]]:
    for model, treebanks in sorted(results.items()):
        for treebank, said in sorted(treebanks.items()):
            yield f"`{model}`, {treebank}, {said['documents']} documents", said


def by_input(results: Results) -> str:
    """F1 of all levels, with sentences, tokens and tags of gold and of the system mixed."""
    rows = []
    for name, said in _each(results):
        for output, origins in INPUTS.items():
            levels = said["levels"][output]
            rows.append([name, *origins, *(number(levels[level]) for level in LEVELS)])
    head = ["", "sentences", "tokens", "tags", "SENT", "TOK", "exact, %", "POS", "DEP"]
    return markdown(head, rows)


def lost(results: Results) -> str:
    """Points of LAS that each layer costs the trees, each step tested over documents."""
    rows = []
    for name, said in _each(results):
        steps = {row["from"]: row for row in said["tests"] if row["metric"] == "LAS"}
        cells = [difference(steps[own]["difference"], steps[own]["p"]) for own in LAYERS]
        parser = number(said["stages"]["lost"]["LAS"]["parser"])
        rows.append([name, *cells, parser])
    return markdown(["LAS lost to", *LAYERS.values(), "parser"], rows)


def models(results: Results) -> str:
    """Models against each other from raw text: mean differences over documents, with p."""
    metrics = ("Sentences", "UPOS", "LAS")
    rows = []
    for treebank in sorted({name for own in results.values() for name in own}):
        having = [model for model in sorted(results) if treebank in results[model]]
        for one, other in combinations(having, 2):
            pair = [results[model][treebank] for model in (one, other)]
            # Every so many documents were parsed by a slow model: those that both have.
            share = lcm(*(said["share"] for said in pair))
            cells, units = [], 0
            for metric in metrics:
                first, second = (said["raw"][metric][:: share // said["share"]] for said in pair)
                units = len(first)
                cells.append(difference(mean(first) - mean(second), wilcoxon(second, first)))
            rows.append([f"`{one}` − `{other}`, {treebank}", str(units), *cells])
    return markdown(["raw text", "documents", "SENT", "POS", "LAS"], rows)


def paper_segmenters(results: Results) -> str:
    rows = []
    for corpus, levels in DOCUMENT_SEGMENTERS.items():
        rows += [
            [f"{corpus}, SENT, {who}", number(f1, 1), ""] for who, f1 in levels["SENT"].items()
        ]
        rows += [
            [f"{corpus}, TOK, {who}", number(both[0], 1), number(both[1], 1)]
            for who, both in levels["TOK"].items()
        ]
    return markdown(["paper, table 2", "F1", "exact, %"], rows)


def paper_parsers(results: Results) -> str:
    rows = [
        [f"{corpus}, {who}", *(number(f1, 1) for f1 in own)]
        for corpus, parsers in DOCUMENT_PARSERS.items()
        for who, own in parsers.items()
    ]
    head = ["paper, PS", "gold sentences and tokens", "raw text", "best sentences and tokens"]
    return markdown(head, rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "documents": by_input,
    "documents_lost": lost,
    "documents_models": models,
    "paper_segmenters": paper_segmenters,
    "paper_parsers": paper_parsers,
}
