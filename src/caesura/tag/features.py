"""From word types and templates to feature hashes, once for all tokens of the training data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.hashing import fold, mix
from caesura.tag.templates import Templates

__all__ = ["FeatureRows", "feature_rows", "mixed_hash", "mixed_hashes", "neighbours", "spot_hashes"]

_SALT = np.uint64(0x2545F4914F6CDD1D)


class FeatureRows(NamedTuple):
    """Rows of the weight table: by type for spot templates, by token for mixed ones; -1 is none."""

    around: NDArray[np.int32]
    bounds: NDArray[np.int32]
    spot: NDArray[np.int32]
    mixed: NDArray[np.int32]


@kernel
def neighbours(
    types: NDArray[np.int32],
    begins: NDArray[np.int64],
    places: NDArray[np.int32],
    around: NDArray[np.int32],
) -> None:
    """The types at the places around each word; 0 beyond the ends of a window."""
    for window in range(begins.shape[0] - 1):
        for i in range(begins[window], begins[window + 1]):
            for p in range(places.shape[0]):
                at = i + places[p]
                inside = begins[window] <= at < begins[window + 1]
                around[i, p] = types[at] if inside else 0


@kernel
def spot_hashes(
    attributes: NDArray[np.uint64], spot: NDArray[np.int32], hashes: NDArray[np.uint64]
) -> None:
    """The hash of each spot template for each type; 0 where an attribute is absent."""
    for t in range(attributes.shape[0]):
        for s in range(spot.shape[0]):
            state = mix(_SALT + np.uint64(spot[s, 0]))
            for a in range(spot[s, 1]):
                value = attributes[t, spot[s, 2 + 2 * a]]
                if value == np.uint64(0):
                    state = np.uint64(0)
                    break
                state = fold(state, value)
            hashes[t, s] = mix(state) if state != np.uint64(0) else state


@kernel(inline="always")
def mixed_hash(
    attributes: NDArray[np.uint64],
    types: NDArray[np.int32],
    i: int,
    begin: int,
    end: int,
    template: NDArray[np.int32],
) -> np.uint64:
    """The hash of one mixed template at word i of a window; 0 where an attribute is absent."""
    state = mix(_SALT + np.uint64(template[0]))
    for a in range(template[1]):
        at = i + template[3 + 2 * a]
        word = types[at] if begin <= at < end else 0
        value = attributes[word, template[2 + 2 * a]]
        if value == np.uint64(0):
            return np.uint64(0)
        state = fold(state, value)
    return mix(state)


@kernel
def mixed_hashes(
    attributes: NDArray[np.uint64],
    types: NDArray[np.int32],
    begins: NDArray[np.int64],
    mixed: NDArray[np.int32],
    hashes: NDArray[np.uint64],
) -> None:
    for window in range(begins.shape[0] - 1):
        for i in range(begins[window], begins[window + 1]):
            for m in range(mixed.shape[0]):
                hashes[i, m] = mixed_hash(
                    attributes, types, i, begins[window], begins[window + 1], mixed[m]
                )


def feature_rows(
    attributes: NDArray[np.uint64],
    types: NDArray[np.int32],
    begins: NDArray[np.int64],
    templates: Templates,
    cutoff: int = 1,
    keys: NDArray[np.uint32] | None = None,
) -> tuple[FeatureRows, NDArray[np.uint32]]:
    """Number the features of the training data; those seen fewer than `cutoff` times get no row.

    With `keys` given, those are the features there are. Returns the rows and the sorted keys.
    """
    spots = np.zeros((len(attributes), len(templates.spot)), np.uint64)
    spot_hashes(attributes, templates.spot, spots)
    mixed = np.zeros((len(types), len(templates.mixed)), np.uint64)
    mixed_hashes(attributes, types, begins, templates.mixed, mixed)
    around = np.zeros((len(types), len(templates.places)), np.int32)
    neighbours(types, begins, templates.places, around)
    spot_keys = (spots >> np.uint64(32)).astype(np.uint32)
    mixed_keys = (mixed >> np.uint64(32)).astype(np.uint32)
    if keys is None:
        keys = _frequent(spot_keys, spots != 0, mixed_keys, mixed != 0, around, templates, cutoff)
    rows = []
    for found, present in ((spot_keys, spots != 0), (mixed_keys, mixed != 0)):
        at = np.searchsorted(keys, found)
        at[at == len(keys)] = 0
        known = present & (keys[at] == found) if len(keys) else np.zeros(found.shape, bool)
        rows.append(np.where(known, at, -1).astype(np.int32))
    return FeatureRows(around, templates.bounds, rows[0], rows[1]), keys


def _frequent(
    spot_keys: NDArray[np.uint32],
    spot_there: NDArray[np.bool_],
    mixed_keys: NDArray[np.uint32],
    mixed_there: NDArray[np.bool_],
    around: NDArray[np.int32],
    templates: Templates,
    cutoff: int,
) -> NDArray[np.uint32]:
    parts = [mixed_keys[mixed_there]]
    weights = [np.ones(len(parts[0]), np.int64)]
    for p in range(len(templates.places)):
        counts = np.bincount(around[:, p], minlength=len(spot_keys))
        for s in range(templates.bounds[p], templates.bounds[p + 1]):
            there = spot_there[:, s]
            parts.append(spot_keys[there, s])
            weights.append(counts[there])
    keys, where = np.unique(np.concatenate(parts), return_inverse=True)
    totals = np.bincount(where, weights=np.concatenate(weights), minlength=len(keys))
    return keys[totals >= cutoff]
