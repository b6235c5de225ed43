"""Columns that follow when rows are chosen or the text grows, as the schema declares them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from caesura.document import Document, Longs
from caesura.document.schema import Level


def moved_offsets(doc: Document, move: Callable[[Longs], Longs]) -> dict[str, Any]:
    """The columns of offsets, but for those of tokens, each offset moved."""
    return {
        column.name: move(getattr(doc, column.name))
        for column in doc.schema.columns
        if column.kind == "offsets" and column.level != "token"
    }


def rows_of(doc: Document, level: Level, numbers: Any, but: Collection[str]) -> dict[str, Any]:
    """The columns of a level that there are, but for those named, with the rows of some numbers."""
    found = {}
    for column in doc.schema.at(level):
        value = getattr(doc, column.name)
        if column.name in but or value is None:
            continue
        if column.is_array:
            found[column.name] = value[numbers]
        elif column.kind == "k-best":
            found[column.name] = value.of(numbers)
    return found
