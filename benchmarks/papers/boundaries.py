"""What Spitkovsky et al. (2011, 2012) count in annotated trees: fragments, edges, predictors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import find_folder

from caesura.formats import read
from caesura.induce import analyses

Write = Callable[[dict[str, Any]], None]


def boundaries(
    write: Write, cache: Path, data: Path, *, treebank: str, files: str, column: str
) -> None:
    """The figures of `caesura inspect --boundaries`, most frequent rows of lists only."""
    paths = sorted(find_folder(treebank, data).glob(files))
    if not paths:
        raise SystemExit(f"{treebank} has no {files} in {data}")
    found = analyses.boundaries([doc for path in paths for doc in read(path)], column)
    shown = ("sentences", "with_marks_inside", "fragments", "constituents", "boundary_words")
    shown += ("stop_predictors", "attachment", "completeness")
    write({"boundaries": {key: first_rows(found[key]) for key in shown}})


def first_rows(value: Any, most: int = 15) -> Any:
    """Results whose lists of rows are cut."""
    if isinstance(value, dict):
        return {key: first_rows(own) for key, own in value.items()}
    return value[:most] if isinstance(value, list) else value


KINDS = {"boundaries": boundaries}
