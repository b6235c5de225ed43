"""The figures of Choi & McCallum (2013) as tables: transitions by length, LAS by margin, growth."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from statistics import correlation, mean
from typing import Any

from papers_study.markdown import markdown, number

__all__ = ["TABLES"]

Results = dict[str, Any]


def _drawn(results: Results) -> dict[str, Results]:
    """The parsers of the figures by treebank."""
    found = results["parsers"].items()
    return {name.split("/")[1]: own for name, own in found if name.startswith("figures/")}


def lengths(results: Results) -> str:
    """Figures 1 and 6: transitions by length of the sentence, in training and in decoding."""
    rows = []
    for treebank, parser in _drawn(results).items():
        for where, found in parser["lengths"].items():
            rows += [
                [
                    f"{treebank}, {where}, {row['length']} words",
                    str(row["sentences"]),
                    number(row["words"], 1),
                    number(row["transitions"], 1),
                    number(row["transitions"] / row["words"]),
                ]
                for row in found["bins"]
            ]
    return markdown(["", "sentences", "mean length", "transitions", "a word"], rows)


def straight(results: Results) -> str:
    """How well a straight line fits transitions over length."""
    rows = [
        [f"{treebank}, {where}", number(found["slope"]), number(found["r2"], 4)]
        for treebank, parser in _drawn(results).items()
        for where, found in parser["lengths"].items()
    ]
    return markdown(["transitions by length", "for each word more", "r²"], rows)


def margins(results: Results) -> str:
    """Figure 3: LAS by margin, for several beams."""
    drawn = _drawn(results)
    beams = [key for key in next(iter(drawn.values()))["margins"][0] if key != "margin"]
    rows = [
        [f"{treebank}, {row['margin']:.2f}", *(number(row[beam]) for beam in beams)]
        for treebank, parser in drawn.items()
        for row in parser["margins"]
    ]
    return markdown(["LAS by margin", *beams], rows)


def _needs(results: Results, search: str) -> dict[int, float]:
    """Evaluations a sentence of CDT-Danish by width, the mean of the seeds that were measured."""
    found: dict[int, list[float]] = {}
    for name, parser in results["parsers"].items():
        if name.startswith("table5/CDT-Danish/"):
            for row in parser["rows"]:
                kind, _, width = row["search"].rpartition(" ")
                if row["search"] == "greedy":
                    found.setdefault(1, []).append(row["evaluations"])
                elif kind == search and width.isdigit():
                    found.setdefault(int(width), []).append(row["evaluations"])
    return {width: mean(found[width]) for width in sorted(found)}


def growth(results: Results) -> str:
    """Figure 5: evaluations by beam."""
    ours, other = _needs(results, "branching"), _needs(results, "beam")
    rows = [
        [shown, *(number(own.get(width), 1) for width in ours)]
        for shown, own in (("branching", ours), ("ordinary beam search", other))
    ]
    return markdown(["evaluations a sentence, beam", *map(str, ours)], rows)


def fits(results: Results) -> str:
    """How much of the growth of evaluations a line over the beam, or over its logarithm, tells."""
    ours = _needs(results, "branching")
    rows = []
    for most in (16, max(ours)):
        widths = [width for width in ours if width <= most]
        needs = [ours[width] for width in widths]
        cells = [
            correlation([float(scale(width)) for width in widths], needs) ** 2
            for scale in (float, log2)
        ]
        rows.append([f"beams up to {most}", *(number(cell, 3) for cell in cells)])
    return markdown(["r² of evaluations", "with the beam", "with its logarithm"], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "lengths": lengths,
    "straight": straight,
    "margins": margins,
    "growth": growth,
    "fits": fits,
}
