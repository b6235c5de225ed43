"""The learning curves of results/joint.json as the figures of the paper."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

__all__ = ["draw"]

_TITLES = {
    "Starts*": "F1 of inner sentence starts",
    "LAS": "LAS",
    "share": "share of the gold sequence used",
}


def draw(folder: Path, curves: dict[str, Any]) -> list[Path]:
    """One file for each figure, treebank and metric; returns the files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for name, curve in curves.items():
        figure, treebank, run = name.split("/", 2)
        groups.setdefault((figure, treebank), {})[run] = curve["rows"]
    written = []
    for (figure, treebank), runs in groups.items():
        for metric, title in _TITLES.items():
            shown = {run: rows for run, rows in runs.items() if any(metric in row for row in rows)}
            if not shown:
                continue
            picture, axes = pyplot.subplots(figsize=(6, 4))
            for (run, rows), mark in zip(shown.items(), itertools.cycle("osv^D*Px"), strict=False):
                own = [row for row in rows if metric in row]
                values = [row[metric] for row in own]
                # Curves that lie upon each other can still be told apart.
                axes.plot([row["epoch"] for row in own], values, f"{mark}-", alpha=0.7, label=run)
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.set_xlabel("epoch")
            axes.set_ylabel(title)
            axes.set_title(treebank)
            axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))
            path = folder / f"{figure}-{treebank}-{metric.strip('*').lower()}.svg"
            picture.savefig(path, bbox_inches="tight")
            pyplot.close(picture)
            written.append(path)
    return written
