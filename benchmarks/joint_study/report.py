"""Tables in Markdown, and curves as the figures of the paper."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from joint_study.data import Rows


def draw(folder: Path, treebank: str, report: dict[str, Rows]) -> None:
    """Curves as figures of the paper: one file for each experiment and metric."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    wanted = {
        "updates": ("Starts*", "LAS", "share"),
        "beams": ("Starts*",),
        "syntax": ("Starts*",),
        "share": ("share",),
    }
    titles = {"Starts*": "F1 of inner sentence starts", "share": "% of the gold sequence used"}
    for experiment, metrics in wanted.items():
        for metric in metrics if experiment in report else ():
            figure, axes = pyplot.subplots(figsize=(6, 4))
            names = dict.fromkeys(row["run"] for row in report[experiment])
            for name, mark in zip(names, itertools.cycle("osv^D*Px"), strict=False):
                own = [row for row in report[experiment] if row["run"] == name and metric in row]
                values = [r[metric] for r in own]
                # Curves that lie upon each other can still be told apart.
                axes.plot([r["epoch"] for r in own], values, f"{mark}-", alpha=0.7, label=name)
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.set_xlabel("epoch")
            axes.set_ylabel(titles.get(metric, metric))
            axes.set_title(treebank)
            axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))
            what = metric.strip("*").lower()
            figure.savefig(folder / f"{treebank}-{experiment}-{what}.svg", bbox_inches="tight")
            pyplot.close(figure)


def table(rows: Rows) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names] + [[_cell(name, row.get(name, "")) for name in names] for row in rows]
    lines = ["| " + " | ".join(line) + " |" for line in cells]
    return "\n".join([lines[0], "|" + "---|" * len(names), *lines[1:]])


def _cell(name: str, value: Any) -> str:
    if isinstance(value, float) and name.endswith(" p"):
        return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)
