"""Weights of linear learners: averages, tables of a model file, and the state of a checkpoint.

Averaging keeps no history: `total` collects tick times step, so that the average of the weights
over ticks 1..n is `weight - total / n` for a step made at tick t and seen from t + 1 on. A tick
passes with each instance, whether or not it brought an update.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import LearnedWeights, ParserRows, largest_weights, round_rows
from caesura.errors import UsageError
from caesura.models.packing import (
    pack,
    pack_keys,
)
from caesura.stages.tagger_tables import FOLD, Transitions
from caesura.stages.tree_parser import entries


def average(
    weight: NDArray[np.float32], total: NDArray[np.float32], ticks: float
) -> NDArray[np.float32]:
    """The average of the weights over all ticks so far."""
    if ticks <= 0:
        return weight.copy()
    averaged: NDArray[np.float32] = weight - total * np.float32(1.0 / ticks)
    return averaged


def pack_state(name: str, *tables: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """The cells at which any of the tables is not zero, and their values in each."""
    touched = np.zeros(tables[0].size, bool)
    for table in tables:
        touched |= table.ravel() != 0
    narrow = touched.size < 1 << 32
    at = np.flatnonzero(touched).astype(np.uint32 if narrow else np.int64)
    state: dict[str, NDArray[Any]] = {f"{name}:at": at}
    for number, table in enumerate(tables):
        state[f"{name}:{number}"] = table.ravel()[at]
    return state


def unpack_state(
    state: Mapping[str, NDArray[Any]], name: str, *tables: NDArray[np.float32]
) -> None:
    """Put the cells back; all others become zero."""
    at = state[f"{name}:at"]
    for number, table in enumerate(tables):
        flat = table.reshape(-1)
        flat[:] = 0
        flat[at] = state[f"{name}:{number}"]


#: Rows that are packed at a time, which bounds the memory that it takes.
_BLOCK: Final = 1 << 14


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


def moves_arrays(moves: Transitions, bits: int, floor: float) -> dict[str, NDArray[Any]]:
    pairs = pack(moves.pairs, bits=bits, floor=floor)
    arrays = {f"pairs.{name}": array for name, array in pairs.items()}
    if len(moves.triples):
        size = -(-len(moves.triples) // FOLD) * FOLD
        padded = np.zeros(size, np.float32)
        padded[: len(moves.triples)] = moves.triples
        triples = pack(padded.reshape(-1, FOLD), bits=bits, floor=floor)
        arrays |= {f"triples.{name}": array for name, array in triples.items()}
    return arrays


#: Largest exponent of a row: 127 << 15 a thousand times still fits into 32 bits.
MOST_SHIFT: Final = 14
_MOST: Final = 127
#: Weights of a model file are lower (see `models/packing.py`).
_HIGHEST: Final = 2.0**64


def to_bytes(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """The 8-bit table of padded float rows, and the unit in which its integers count."""
    tops = np.zeros(len(weights), np.float32)
    largest_weights(weights, tops)
    shifts, lowest = _shifts(tops)
    unit = float(2.0**lowest)
    table = np.zeros(weights.shape, np.int8)
    round_rows(weights, shifts, unit, table)
    return table, unit


def rounded(weights: LearnedWeights, ticks: int) -> ParserRows:
    """The averages of learned weights over so many ticks, in 8 bits."""
    tops = weights.largest(ticks)
    if not np.all(tops < _HIGHEST):
        raise UsageError(
            "the weights of the parser grow without bound",
            remedy="Set a cap for passive-aggressive steps (--set cap=1).",
        )
    shifts, lowest = _shifts(tops)
    counts, columns, values = weights.rounded(ticks, shifts, float(2.0**lowest))
    rows = weights.rows()
    exponents = np.zeros(len(weights), np.int8)
    exponents[rows] = shifts + lowest
    all_counts = np.zeros(len(weights), np.uint16)
    all_counts[rows] = counts
    return ParserRows(all_counts, columns, values, exponents, weights.width)


def _shifts(tops: NDArray[np.float32]) -> tuple[NDArray[np.int8], int]:
    """How rows of these highest weights are shifted, and the exponent of the unit."""
    full = tops > 0
    needed = np.zeros(len(tops), np.int32)
    needed[full] = np.ceil(np.log2(tops[full] / _MOST)).astype(np.int32)
    lowest = int(needed[full].max(initial=0)) - MOST_SHIFT
    return np.clip(needed - lowest, 0, MOST_SHIFT).astype(np.int8), lowest


def lean_rows(rows: ParserRows, share: float) -> ParserRows:
    """Rows without the given share of their weights, the smallest of them."""
    numbers, table = rows.filled()
    at, column, weights = entries(table, rows.unit)
    if not len(weights) or share <= 0:
        return rows
    sizes = np.abs(weights)
    small = sizes < np.quantile(sizes, share)
    table[at[small], column[small]] = 0
    return ParserRows.of_rows(len(rows), numbers, table, rows.unit)
