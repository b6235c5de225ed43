"""What an inner layer of the network says of words in languages without blanks, learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.stages.network_word_boundaries import NEAR, Layer, WordBoundaries, units
from caesura.stages.token_decoder import passages

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class CutOptions:
    """How odds are learned. The layer and the share were chosen on the dev files of Chinese."""

    layer: int = 8
    hidden: int = 32
    epochs: int = 12
    rate: float = 2e-3
    decay: float = 1e-2
    #: Inputs and hidden numbers that are left out at random.
    dropout: float = 0.2
    batch: int = 256
    #: How much of the log-odds the tokeniser is told: it has odds of its own.
    share: float = 0.8
    seed: int = 0


class Lessons(NamedTuple):
    """Vectors of units, with NEAR empty ones around each passage; the places to learn from."""

    vectors: NDArray[np.float16]
    places: NDArray[np.int64]
    begins: NDArray[np.bool_]


def lessons(layer: Layer, docs: Iterable[Document], language: int) -> Lessons:
    """All places of documents where one character follows another."""
    vectors: list[NDArray[np.float16]] = []
    places: list[NDArray[np.int64]] = []
    begins: list[NDArray[np.bool_]] = []
    at = 0
    for doc in docs:
        offset = 0
        for passage in passages(doc.text):
            spans = units(passage)
            if len(spans) > 1:
                own = layer.vectors(passage, spans, language).astype(np.float16)
                rows = np.pad(own, ((NEAR, NEAR), (0, 0)))
                glued = np.flatnonzero(spans[1:, 0] == spans[:-1, 1]) + 1
                vectors.append(rows)
                places.append(at + NEAR + glued)
                begins.append(np.isin(spans[glued, 0] + offset, doc.token_start))
                at += len(rows)
            offset += len(passage)
    return Lessons(np.concatenate(vectors), np.concatenate(places), np.concatenate(begins))


def _near(data: Lessons, places: NDArray[np.int64]) -> Floats:
    rows = [data.vectors[places + step] for step in range(-NEAR, NEAR)]
    return np.concatenate(rows, 1).astype(np.float32)


def learn(data: Lessons, options: CutOptions) -> tuple[Floats, Floats, Floats]:
    """Weights of the hidden layer, its bias, and those behind it: AdamW, one cycle of rates."""
    random = np.random.default_rng(options.seed)
    some = _near(data, random.permutation(data.places)[:5000])
    mean, deviation = some.mean(0), some.std(0) + 1e-3
    size, hidden = some.shape[1], options.hidden
    weights = [
        (random.standard_normal((size, hidden)) / np.sqrt(size)).astype(np.float32),
        np.zeros(hidden, np.float32),
        (random.standard_normal(hidden) / np.sqrt(hidden)).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
    n, keep = len(data.places), np.float32(1 - options.dropout)
    steps = options.epochs * -(-n // options.batch)
    step = 0
    for _ in range(options.epochs):
        order = random.permutation(n)
        for at in range(0, n, options.batch):
            step += 1
            rows = order[at : at + options.batch]
            x = (_near(data, data.places[rows]) - mean) / deviation
            x *= (random.random(x.shape, np.float32) < keep) / keep
            first, bias, second, last = weights
            raw = x @ first + bias
            kept = (random.random(raw.shape, np.float32) < keep) / keep
            h = np.maximum(raw, 0) * kept
            chance = 1 / (1 + np.exp(-(h @ second + last)))
            error = (chance - data.begins[rows]).astype(np.float32) / len(rows)
            back = (error[:, None] * second) * (raw > 0) * kept
            slopes = [x.T @ back, back.sum(0), h.T @ error, error.sum(keepdims=True)]
            rate = options.rate * min(1.0, step / (0.3 * steps), (steps - step) / (0.7 * steps))
            for weight, slope, (one, two) in zip(weights, slopes, moments, strict=True):
                one += 0.1 * (slope - one)
                two += 0.001 * (slope * slope - two)
                move = (one / (1 - 0.9**step)) / (np.sqrt(two / (1 - 0.999**step)) + 1e-8)
                weight -= np.float32(rate) * (move + options.decay * weight)
    first, bias, second, last = weights
    first = first / deviation[:, None]
    bias = bias - mean @ first
    told = np.concatenate([second, last]) * np.float32(options.share)
    return first, bias, told


def boundaries_of(
    docs: Mapping[str, Sequence[Document]],
    layer: Layer,
    codes: Sequence[str],
    options: CutOptions | None = None,
) -> WordBoundaries:
    """What is learned from the documents of each language; `codes` are all of the network's."""
    options = options or CutOptions()
    numbers = {code: codes.index(code) + 1 for code in docs}
    found = [learn(lessons(layer, own, numbers[code]), options) for code, own in docs.items()]
    first, bias, second = (np.stack(parts) for parts in zip(*found, strict=True))
    return WordBoundaries(numbers, layer, first, bias, second)
