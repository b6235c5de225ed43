"""The tables of docs/explanation/induction-results.md, each made of the rows that were measured.

A table without a function of its own shows its columns as they are, in the order of `ORDER`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from docs._build_tools.markdown import cell, chosen, markdown

__all__ = ["table"]

Row = dict[str, Any]
#: Columns in the order of the page; others follow. Seconds vary with the machine and are left out.
ORDER = (
    "treebank",
    "left",
    "right",
    "short-first",
    "recombine",
    "joined",
    "without reparse",
    "rules",
    "rules@10",
    "no rules",
    "one start",
    "default",
    "vote",
    "context",
    "30 classes",
    "of",
    *(name + mark for name in ("start", "short", "lexical", "loose") for mark in ("", "+")),
    *(name + mark for name in ("basic", "basic, long only") for mark in ("", "+", ", undirected")),
    "undirected",
)
LEFT_OUT = ("seconds",)
#: The constraints, from the strongest to the weakest.
NAMES = ("strict", "loose", "sprawl", "tear", "thread")
#: What the papers have for them, and adjusted R² by head, fringe and both.
PAPERS = ("39.2", "74.0", "92.9", "94.7", "95.0", "0.073", "0.236", "0.332")


def plain(rows: Sequence[Row]) -> str:
    """Rows as they are; the treebank is in the first column."""
    found = {column for row in rows for column in row if not column.endswith(LEFT_OUT)}
    columns = [*(c for c in ORDER if c in found), *sorted(found - set(ORDER))]
    return chosen(rows, {c: "" if c == "treebank" else c for c in columns})


def _of_s12(row: Row) -> str:
    """What S12 reports of the nearest set: DMV, DBM-1, DBM-3 with sprawl."""
    figures = str(row.get("paper", "")).split()
    return ", ".join(figures[k] for k in (0, 1, 4)) if len(figures) == 5 else ""


def spread(rows: Sequence[Row]) -> str:
    columns = {
        "treebank": "",
        "tags": "tags",
        "dmv": "DMV",
        "dmv range": "range",
        "dbm1": "DBM-1",
        "dbm1 range": "range",
        "dbm1+": "DBM-1, sprawl",
        "curriculum": "curriculum (DBM-3)",
        "curriculum range": "range",
        "curriculum+": "curriculum, sprawl",
        "s12": "S12: DMV, DBM-1, DBM-3 + sprawl",
    }
    mean = {"tags": ""} if rows[-1]["treebank"] == "mean" else {}
    shown = [*rows[:-1], rows[-1] | mean]
    return chosen([row | {"s12": _of_s12(row)} for row in shown], columns)


def constraints(rows: Sequence[Row]) -> str:
    """Shares by the prose, in brackets by the printed formulas; adjusted R²."""
    predictors = {
        "head, direction": "R² head",
        "fringe, direction": "R² fringe",
        "head, fringe, direction": "R² both",
    }
    lines = [["", *NAMES, *predictors.values()]]
    for row in rows:
        if row["treebank"] == "mean":
            continue
        shares = [
            f"{row[name]:.1f} ({row[f'{name} (literal)']:.1f})" if name in NAMES[:3] else row[name]
            for name in NAMES
        ]
        lines.append([cell(row["treebank"]), *map(cell, shares)])
        lines[-1] += [f"{row[f'R² {name}']:.3f}" for name in predictors]
    lines.append(["S11 and S12, whole WSJ", *PAPERS])
    return markdown(lines[0], lines[1:])


def selected(rows: Sequence[Row]) -> str:
    """The recipe's own grammar and restarts joined; which is kept, and bits of their roots."""
    names = ("left", "right", "own", "joined", "chosen", "undirected")
    lines = [["", *names, "kept", "bits of roots, own", "joined"]]
    for row in rows:
        lines.append([cell(row["treebank"]), *(cell(row[name]) for name in names)])
        bits = [f"{row[f'{name}, roots']:.2f}" for name in ("own", "joined")]
        lines[-1] += [row["kept"], *bits] if "kept" in row else ["", "", ""]
    return markdown(lines[0], lines[1:])


def predicates(rows: Sequence[Row]) -> str:
    """The tags that are found, and the shares of words and roots; the same without tags."""
    names = ("over tags", "words", "roots", "words, no tags", "roots, no tags")
    return chosen(rows, {"treebank": "", **{name: name for name in names}})


def markup(rows: Sequence[Row]) -> str:
    lines = [["", "spans", *NAMES]]
    for row in rows:
        spans = row.get("spans")
        lines.append([row["source"], "" if spans is None else f"{spans:,}"])
        lines[-1] += [cell(float(row[name])) for name in NAMES]
    return markdown(lines[0], lines[1:])


def models(rows: Sequence[Row]) -> str:
    columns = {
        "treebank": "",
        "dmv": "DMV",
        "dbm1": "DBM-1",
        "dbm3": "DBM-3",
        "+sprawl": "with sprawl",
        "s12": "S12: DMV, DBM-1, DBM-3 + sprawl",
    }
    shown = [row | {"s12": _of_s12(row)} for row in rows if row["treebank"] != "mean"]
    universal = [row for row in shown if row["treebank"].split("-")[0] not in ("WSJ", "CDT")]
    universal = [row for row in universal if not row["treebank"].startswith("CoNLL")]
    whole = [row for row in universal if not isinstance(row["dbm3"], str)]
    means: Row = {"treebank": "mean of Universal Dependencies"}
    for column in ("dmv", "dbm1"):
        means[column] = _mean(universal, column)
    for column in ("dbm3", "+sprawl"):
        means[column] = _mean(whole, column)
    return chosen([*shown, means], columns)


def _mean(rows: Sequence[Row], column: str) -> float:
    return float(sum(row[column] for row in rows) / max(1, len(rows)))


def factorial(rows: Sequence[Row]) -> str:
    """Each cell: decoded with none, sprawl and loose."""
    trained = ("none", "thread", "tear", "sprawl", "loose")
    return chosen(rows, {"treebank": "trained with"} | {name: name for name in trained})


def baselines(rows: Sequence[Row]) -> str:
    columns = {
        "treebank": "",
        "left": "left",
        "right": "right",
        "random": "random",
        "supervised": "supervised DMV",
        "+sprawl": "with sprawl",
        "10-best, sprawl": "10 best, sprawl",
        "marks as leaves": "marks as leaves",
        "marks as words": "marks as words",
    }
    return chosen([row for row in rows if row["treebank"] != "mean"], columns)


def untagged(rows: Sequence[Row]) -> str:
    names = ("own text, 30", "own text, 50", "more text, 30", "more text, 50")
    columns = {"treebank": "", "tags": "gold tags"} | {name: name for name in names}
    return chosen([row for row in rows if row["treebank"] != "mean"], columns)


def granularity(rows: Sequence[Row]) -> str:
    columns = {
        "tags": "as they are",
        "content words in three": "content words split in three at random",
        "function words apart": "prepositions and determiners by word",
        "nouns together": "all nouns together",
    }
    return chosen(rows, columns)


def speed(rows: Sequence[Row]) -> str:
    by_model = {(row["model"], row["length"]): row for row in rows}
    head = ["words", "DMV: E-step", "best tree", "DBM-3, loose: E-step", "best tree"]
    lines = [head]
    for n in dict.fromkeys(row["length"] for row in rows):
        both = [by_model[model, n] for model in ("dmv", "dbm3")]
        lines.append([str(n), *(f"{row[what]:,}" for row in both for what in ("E-step", "best"))])
    return markdown(lines[0], lines[1:])


def million(rows: Sequence[Row]) -> str:
    lines = [["words", "sentences", "classes", "CPU minutes"]]
    for row in rows:
        counts = [f"{row[name]:,}" for name in ("words", "sentences", "classes")]
        lines.append([*counts, f"{row['cpu minutes']:.1f}"])
    return markdown(lines[0], lines[1:])


TABLES: dict[str, Callable[[Sequence[Row]], str]] = {
    "predicates": predicates,
    "chosen": selected,
    "unseen": selected,
    "turned": selected,
    "spread": spread,
    "constraints": constraints,
    "markup": markup,
    "models": models,
    "factorial": factorial,
    "baselines": baselines,
    "untagged": untagged,
    "granularity": granularity,
    "speed": speed,
    "million": million,
}


def table(name: str, rows: Sequence[Row]) -> str:
    """The table of this name."""
    return TABLES.get(name, plain)(rows)
