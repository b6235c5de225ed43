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

from caesura.models.packing import pack, pack_keys
from caesura.stages.tagger_tables import FOLD, Transitions


def adagrad(square: NDArray[Any], at: Any, slope: Any, squared: Any, rate: Any, offset: Any) -> Any:
    """The step uphill that AdaGrad makes on some weights (Duchi, Hazan & Singer 2011).

    `square` collects the squares of their slopes; `at` is their index.
    """
    square[at] += squared
    return rate * slope / (offset + np.sqrt(square[at]))


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
