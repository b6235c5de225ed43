"""Keyed weight tables and label transitions in the arrays of a model file's part, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import DamagedModel, LinearTable
from caesura.errors import ModelError
from caesura.learn.updates import average
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

__all__ = [
    "Transitions",
    "moves_arrays",
    "part_moves",
    "part_table",
    "refusing",
    "table_arrays",
    "table_of",
    "transition_sizes",
]

_DAMAGED: Final = "The file is damaged; train or fetch it again."

#: Columns into which a hashed table of trigrams is folded for packing.
_FOLD = 128
#: Up to this many labels, every label trigram has a weight of its own; beyond, they are hashed to
#: so many places.
_DENSE: Final = 128
_HASHED: Final = 1 << 21
#: Rows that are packed at a time, which bounds the memory that it takes.
_BLOCK: Final = 1 << 14


class Transitions(NamedTuple):
    """Weights of label bigrams and trigrams; without trigrams the chain is of first order."""

    pairs: NDArray[np.float32]
    triples: NDArray[np.float32]


def transition_sizes(classes: int, order: int) -> tuple[tuple[int, int], int]:
    """The shape of a table of bigrams and the length of one of trigrams."""
    size = (classes + 1) ** 3 if classes <= _DENSE else _HASHED
    return (classes + 1, classes), size if order == 2 else 0


def table_arrays(
    prefix: str,
    keys: NDArray[np.uint32],
    tables: NDArray[np.float32],
    ticks: int,
    bits: int,
    floor: float,
) -> dict[str, NDArray[Any]]:
    """The average of a table with a key for each row; rows of which nothing is left are dropped.

    `tables` holds weights, sums of squared slopes and totals.
    """
    least = max(floor, np.finfo(np.float32).tiny)
    blocks = []
    for first in range(0, max(1, len(keys)), _BLOCK):
        weight, _, total = tables[:, first : first + _BLOCK]
        averaged = average(weight, total, ticks)
        alive = np.abs(averaged).max(axis=1, initial=0.0) >= least
        packed = pack(averaged[alive], bits=bits, floor=floor)
        blocks.append(packed | {"keys": keys[first : first + _BLOCK][alive]})
    joined = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    joined["gaps"] = pack_keys(joined.pop("keys"))
    return {f"{prefix}.{name}": array for name, array in joined.items()}


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
    if len(moves.triples):
        size = -(-len(moves.triples) // _FOLD) * _FOLD
        padded = np.zeros(size, np.float32)
        padded[: len(moves.triples)] = moves.triples
        triples = pack(padded.reshape(-1, _FOLD), bits=bits, floor=floor)
        arrays |= {f"triples.{name}": array for name, array in triples.items()}
    return arrays


def part_moves(part: Part, classes: int, order: int) -> Transitions:
    shape, size = transition_sizes(classes, order)
    pairs = unpack_dense(packed_in(part, "pairs."), classes)
    _same(part, "pairs", len(pairs), shape[0])
    triples = np.zeros(0, np.float32)
    if order == 2:
        triples = unpack_dense(packed_in(part, "triples."), _FOLD).ravel()
        _same(part, "triples", len(triples), -(-size // _FOLD) * _FOLD)
    return Transitions(pairs, triples[:size])


def _same(part: Part, name: str, have: int, want: int) -> None:
    if have != want:
        raise ModelError(
            f"the model's {part.kind}: table {name} has {have} rows, not {want}",
            remedy=_DAMAGED,
        )
