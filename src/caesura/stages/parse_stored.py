"""What every parser with hashed features keeps in a model file, whatever its transitions are.

Packed weights, the templates that hash into them, the columns of tags and the word classes that the
templates read, and the calibration of confidences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura._core import ParserRows
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.models.packing import (
    MOST_DENSE,
    SparseRows,
    packed_in,
    unpack_sparse,
)
from caesura.stages.parse_rows import packed_rows, padded
from caesura.stages.word_table import TAG_COLUMNS

__all__ = ["DAMAGED", "Stored", "as_part", "options_of", "stored_in"]

DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."
#: What scores are counted in: the integers of a row of transitions, and their labels.
_MOST_TRANSITIONS: Final = 8192
#: The numbers of weights that a calibration may have (see `confidence.py`).
_CALIBRATED: Final = {"arcs": (3, 4), "starts": (3,)}


class Stored(NamedTuple):
    """What was read; `weights` are rows of bytes, as many as a power of two."""

    weights: SparseRows
    templates: tuple[str, ...]
    tags: tuple[str, ...]
    word_classes: Mapping[str, int]
    calibration: dict[str, list[float]]
    packed: Mapping[str, NDArray[Any]]

    def common(self) -> dict[str, Any]:
        """All but the weights, which each parser lays out in its own way."""
        return {name: value for name, value in self._asdict().items() if name != "weights"}


class _Labelled(Protocol):
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> int: ...


class _Hashed(Protocol):
    """A parser of which this can be kept."""

    templates: tuple[str, ...]
    rows: ParserRows
    tags: tuple[str, ...]
    word_classes: Mapping[str, int]
    calibration: dict[str, list[float]]
    packed: Mapping[str, NDArray[Any]] | None

    @property
    def inventory(self) -> _Labelled: ...


def as_part(parser: _Hashed, config: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Part:
    """The part of a parser: what all have, and what its own transitions and search need."""
    inventory, packed = parser.inventory, parser.packed
    if packed is None:
        packed = packed_rows(parser.rows, inventory.size)
    labels = {"deprel": list(inventory.labels)}
    kept = {**packed, **arrays}
    if parser.word_classes:
        labels["word-class-forms"] = list(parser.word_classes)
        kept["word-classes"] = np.array(list(parser.word_classes.values()), np.int32)
    return Part("parser", dict(config), labels, kept)


def options_of(parser: _Hashed) -> dict[str, Any]:
    """The templates and the calibration as options of a part."""
    return {
        "templates": list(parser.templates),
        "calibration": {name: list(values) for name, values in parser.calibration.items()},
    }


def stored_in(part: Part, size: int) -> Stored:
    """What a part keeps of a parser with so many labelled transitions, checked."""
    if size > _MOST_TRANSITIONS:
        what = f"the parser has {size:,} transitions, more than {_MOST_TRANSITIONS:,}"
        raise ModelError(what, remedy=DAMAGED)
    packed = packed_in(part)
    weights = unpack_sparse(packed, size)
    rows = len(weights.exponent)
    if weights.value.dtype != np.int8 or rows & (rows - 1) or not rows:
        raise ModelError("the parser's weights are not a table of bytes", remedy=DAMAGED)
    if rows * padded(size) > MOST_DENSE:
        raise ModelError("a table of the model is too large", remedy=DAMAGED)
    tags = tuple(part.option("tags", list, []))
    if not set(tags) <= set(TAG_COLUMNS):
        raise ModelError(f"the parser wants tags {tags}, which are unknown", remedy=DAMAGED)
    forms = part.labels.get("word-class-forms", [])
    numbers = part.array("word-classes", np.int32, (len(forms),)).tolist() if forms else []
    calibration = {
        name: list(map(float, values))
        for name, values in part.option("calibration", dict, {}).items()
    }
    if any(
        len(calibration.get(name, range(3))) not in sizes for name, sizes in _CALIBRATED.items()
    ):
        raise ModelError("the parser's calibration has the wrong length", remedy=DAMAGED)
    return Stored(
        weights,
        tuple(part.option("templates", list, [])),
        tags,
        dict(zip(forms, numbers, strict=True)),
        calibration,
        packed,
    )
