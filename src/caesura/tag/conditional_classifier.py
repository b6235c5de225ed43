"""A column given the tag: multinomial logistic regression among the values seen with the tag.

FEATS and lemma rules are nearly settled by the word and its tag, so they need no chain of their
own. Every feature is conjoined with the tag; column k of a row is the tag's k-th value, which
keeps rows short. Trained by AdaGrad (Duchi, Hazan & Singer 2011) with averaging.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel
from caesura.learn.hashing import fold, mix
from caesura.learn.updates import adagrad, add
from caesura.tag.default_templates import ATTRIBUTES

__all__ = [
    "Options",
    "conditional_epoch",
    "conditional_hash",
    "conditional_hashes",
    "options_of",
]

_SALT = np.uint64(0x6A09E667F3BCC909)
_TAG = len(ATTRIBUTES)


class Options(NamedTuple):
    """The values a tag allows: `values[bounds[tag]:bounds[tag + 1]]`, most frequent first."""

    bounds: NDArray[np.int32]
    values: NDArray[np.int32]


def options_of(
    tags: NDArray[np.int32], values: NDArray[np.int32], n_tags: int, cutoff: int = 1
) -> Options:
    """The values seen with each tag, most frequent first; ties go to the lower value."""
    size = int(values.max()) + 1 if len(values) else 1
    pairs, counts = np.unique(tags.astype(np.int64) * size + values, return_counts=True)
    order = np.lexsort((pairs % size, -counts, pairs // size))
    tag, value, count = (pairs // size)[order], (pairs % size)[order], counts[order]
    first = np.ones(len(tag), bool)
    first[1:] = tag[1:] != tag[:-1]
    keep = first | (count >= cutoff)
    bounds = np.searchsorted(tag[keep], np.arange(n_tags + 1)).astype(np.int32)
    return Options(bounds, value[keep].astype(np.int32))


@kernel(inline="always")
def conditional_hash(
    attributes: NDArray[np.uint64],
    types: NDArray[np.int32],
    tags: NDArray[np.int32],
    i: int,
    begin: int,
    end: int,
    template: NDArray[np.int32],
) -> np.uint64:
    """The hash of one template at word i, conjoined with the word's tag; 0 if there is none."""
    state = mix(_SALT + np.uint64(template[0]) + (np.uint64(tags[i]) << np.uint64(16)))
    for a in range(template[1]):
        at = i + template[3 + 2 * a]
        inside = begin <= at < end
        if template[2 + 2 * a] == _TAG:
            value = np.uint64(tags[at] + 2) if inside else np.uint64(1)
        else:
            value = attributes[types[at] if inside else 0, template[2 + 2 * a]]
        if value == np.uint64(0):
            return np.uint64(0)
        state = fold(state, value)
    return mix(state)


@kernel
def conditional_hashes(
    attributes: NDArray[np.uint64],
    types: NDArray[np.int32],
    tags: NDArray[np.int32],
    begins: NDArray[np.int64],
    templates: NDArray[np.int32],
    bounds: NDArray[np.int32],
    hashes: NDArray[np.uint64],
) -> None:
    """The hashes of all words whose tag leaves a choice."""
    for window in range(begins.shape[0] - 1):
        for i in range(begins[window], begins[window + 1]):
            if bounds[tags[i] + 1] - bounds[tags[i]] < 2:
                continue
            for t in range(templates.shape[0]):
                hashes[i, t] = conditional_hash(
                    attributes, types, tags, i, begins[window], begins[window + 1], templates[t]
                )


@kernel
def conditional_epoch(
    weight: NDArray[np.float32],
    square: NDArray[np.float32],
    total: NDArray[np.float32],
    rows: NDArray[np.int32],
    sizes: NDArray[np.int32],
    gold: NDArray[np.int32],
    importance: NDArray[np.float32],
    order: NDArray[np.int64],
    rate: float,
    offset: float,
    ticks: int,
) -> float:
    """One pass over words with `sizes` options each, `gold` among them; the log loss."""
    scores = np.zeros(weight.shape[1], np.float64)
    loss = 0.0
    for turn in range(order.shape[0]):
        i = order[turn]
        tick = float(ticks + turn)
        n = sizes[i]
        for k in range(n):
            scores[k] = 0.0
        for t in range(rows.shape[1]):
            row = rows[i, t]
            if row >= 0:
                for k in range(n):
                    scores[k] += weight[row, k]
        top = scores[0]
        for k in range(1, n):
            top = max(top, scores[k])
        mass = 0.0
        for k in range(n):
            scores[k] = np.exp(scores[k] - top)
            mass += scores[k]
        loss -= np.log(scores[gold[i]] / mass) * importance[i]
        for k in range(n):
            slope = -scores[k] / mass
            if k == gold[i]:
                slope += 1.0
            slope *= importance[i]
            if abs(slope) < 1e-3:
                continue
            squared = slope * slope
            for t in range(rows.shape[1]):
                row = rows[i, t]
                if row >= 0:
                    step = adagrad(square, (row, k), slope, squared, rate, offset)
                    add(weight, total, (row, k), step, tick)
    return loss
