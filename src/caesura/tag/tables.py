"""Keyed weight tables and label transitions in the arrays of a model file's part, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import DamagedModel, LinearTable
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.models.packing import (
    SparseRows,
    pack,
    pack_keys,
    packed_in,
    unpack_dense,
    unpack_keys,
    unpack_sparse,
)
from caesura.tag.lattice import Transitions, empty_transitions

__all__ = ["moves_arrays", "part_moves", "part_table", "refusing", "table_arrays", "table_of"]

_DAMAGED: Final = "The file is damaged; train or fetch it again."

#: Columns into which a hashed table of trigrams is folded for packing.
_FOLD = 128


def table_arrays(
    prefix: str, keys: NDArray[np.uint32], weights: NDArray[np.float32], bits: int, floor: float
) -> dict[str, NDArray[Any]]:
    """A table with a key for each row; rows of which nothing is left are dropped."""
    alive = np.abs(weights).max(axis=1, initial=0.0) >= max(floor, np.finfo(np.float32).tiny)
    packed = pack(weights[alive], bits=bits, floor=floor)
    arrays = {f"{prefix}.{name}": array for name, array in packed.items()}
    return arrays | {f"{prefix}.gaps": pack_keys(keys[alive])}


def table_of(part: Part, prefix: str, classes: int) -> tuple[NDArray[np.uint32], SparseRows]:
    """The keys and rows of a table in a part."""
    keys = unpack_keys(part.array(f"{prefix}.gaps", np.uint32, (None,)))
    rows = unpack_sparse(packed_in(part, f"{prefix}."), classes)
    if len(keys) != len(rows.begin) - 1:
        raise ModelError(
            f"the model's {part.kind}: table {prefix} has {len(keys)} keys "
            f"for {len(rows.begin) - 1} rows",
            remedy=_DAMAGED,
        )
    return keys, rows


@contextmanager
def refusing() -> Iterator[None]:
    """Raise `ModelError` where the core refuses the arrays of a model."""
    try:
        yield
    except DamagedModel as error:
        raise ModelError(str(error), remedy=_DAMAGED) from error


def part_table(part: Part, prefix: str, classes: int) -> LinearTable:
    """A table ready for looking up features."""
    keys, rows = table_of(part, prefix, classes)
    with refusing():
        return LinearTable(keys, *rows, classes)


def moves_arrays(moves: Transitions, bits: int, floor: float) -> dict[str, NDArray[Any]]:
    pairs = pack(moves.pairs, bits=bits, floor=floor)
    arrays = {f"pairs.{name}": array for name, array in pairs.items()}
    if moves.order == 2:
        size = -(-len(moves.triples) // _FOLD) * _FOLD
        padded = np.zeros(size, np.float32)
        padded[: len(moves.triples)] = moves.triples
        triples = pack(padded.reshape(-1, _FOLD), bits=bits, floor=floor)
        arrays |= {f"triples.{name}": array for name, array in triples.items()}
    return arrays


def part_moves(part: Part, classes: int, order: int) -> Transitions:
    moves = empty_transitions(classes, order)
    pairs = unpack_dense(packed_in(part, "pairs."), classes)
    _same(part, "pairs", pairs.shape[0], classes + 1)
    moves.pairs[:] = pairs
    if order == 2:
        triples = unpack_dense(packed_in(part, "triples."), _FOLD).ravel()
        _same(part, "triples", len(triples), -(-len(moves.triples) // _FOLD) * _FOLD)
        moves.triples[:] = triples[: len(moves.triples)]
    return moves


def _same(part: Part, name: str, have: int, want: int) -> None:
    if have != want:
        raise ModelError(
            f"the model's {part.kind}: table {name} has {have} rows, not {want}",
            remedy=_DAMAGED,
        )
