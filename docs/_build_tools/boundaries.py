"""The tables of docs/explanation/papers.md, from benchmarks/results/boundaries.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docs._build_tools.markdown import markdown, number
from docs._build_tools.published import CONSTRAINTS, STOP_PREDICTORS

__all__ = ["TABLES"]

Results = dict[str, Any]


def constraints(results: Results) -> str:
    """Fragments that satisfy each constraint, by the printed formulas and by the prose."""
    found = results["WSJ-sample"]["fragments"]
    rows = [
        [name, *(number(found[key][name], 1) for key in ("satisfied_literally", "satisfied"))]
        for name in CONSTRAINTS
    ]
    for row, paper in zip(rows, CONSTRAINTS.values(), strict=True):
        row.append(number(paper, 1))
    return markdown(["fragments, %", "printed formulas", "prose", "S11"], rows)


def _counted(rows: list[list[Any]]) -> str:
    return markdown(["", "number", "%"], [[n, f"{k:,}", number(p, 1)] for n, k, p in rows[:10]])


def edges(results: Results) -> str:
    """Tags at the edges of sentences and as their roots."""
    found = results["WSJ-sample"]["boundary_words"]
    rows = [[name, *(number(share, 1) for share in shares)] for name, *shares in found["tags"][:12]]
    return markdown(["%", *found["places"]], rows)


def distances(results: Results) -> str:
    """How far the distributions of tags lie apart, as far as the table is square."""
    found = results["WSJ-sample"]["boundary_words"]
    places = found["places"]
    rows = [
        [one, *(number(found["hellinger"].get(f"{one} / {other}"), 2) for other in places[1:])]
        for one in places[:-1]
    ]
    return markdown(["Hellinger distance", *places[1:]], rows)


def predictors(results: Results) -> str:
    """How well each context tells whether a head with a dependent takes another."""
    rows = [
        [
            row["predictor"],
            number(row["r2"], 4),
            number(STOP_PREDICTORS[row["predictor"]], 4),
            f"{row['aicc']:,.0f}",
        ]
        for row in results["WSJ-sample"]["stop_predictors"]
    ]
    return markdown(["predictor", "adjusted R²", "S12", "AICc"], rows)


def contingency(results: Results) -> str:
    """Clauses by final marks, and neighbours that are attached by marks between them."""
    found = results["WSJ-sample"]
    whole, near = found["completeness"], found["attachment"]
    rows = []
    for kind, told, phi in (
        ("clauses, others", {k: whole[k] for k in ("with_final_mark", "without")}, whole["phi"]),
        ("neighbours attached, not attached", near["neighbours"], near["phi"]),
    ):
        rows += [
            [f"{kind}: {name.replace('_', ' ')}", *(f"{n:,}" for n in pair), number(phi, 3)]
            for name, pair in told.items()
        ]
    return markdown(["", "yes", "no", "φ"], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "constraints": constraints,
    "fragments": lambda results: _counted(results["WSJ-sample"]["fragments"]["tag_sequences"]),
    "phrases": lambda results: _counted(results["WSJ-sample"]["constituents"]["labels"]),
    "dominating": lambda results: _counted(results["WSJ-sample"]["constituents"]["dominating"]),
    "edges": edges,
    "distances": distances,
    "predictors": predictors,
    "contingency": contingency,
}
