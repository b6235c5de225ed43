"""The network's computation in floats: the reference of the one in 8 bits in the core."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from caesura.learn.network.pretrained import EncoderShape, relative_buckets

Floats = NDArray[np.float64]
_erf = np.vectorize(math.erf)


def gelu(x: Floats) -> Floats:
    found: Floats = 0.5 * x * (1 + _erf(x / math.sqrt(2)))
    return found


def random_weights(shape: EncoderShape, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Weights of a small network under the names of `Net.state_dict`."""
    random = np.random.default_rng(seed)
    h = shape.hidden

    def some(*size: int) -> NDArray[np.float32]:
        return (random.standard_normal(size) * 0.05).astype(np.float32)

    found = {
        "encoder.pieces.weight": some(shape.vocabulary, h),
        "encoder.position.weight": some(shape.positions, h),
        "encoder.norm.weight": 1 + some(h),
        "encoder.norm.bias": some(h),
        "root": some(h),
        "arc": some(128, 128),
        "arc_bias": some(128),
        "label": some(33, 5, 33),
        "mixture": random.standard_normal(shape.layers + 1).astype(np.float32),
        "start.1.weight": some(1, 128),
        "start.1.bias": some(1),
    }
    if shape.buckets:
        found["encoder.distance.weight"] = some(shape.buckets, shape.heads) * 10
    sizes = {"qkv": (3 * h, h), "out": (h, h), "ff1": (shape.inner, h), "ff2": (h, shape.inner)}
    for n in range(shape.layers):
        for name, size in sizes.items():
            found[f"encoder.layers.{n}.{name}.weight"] = some(*size)
            found[f"encoder.layers.{n}.{name}.bias"] = some(size[0])
        for name in ("norm1", "norm2"):
            found[f"encoder.layers.{n}.{name}.weight"] = 1 + some(h)
            found[f"encoder.layers.{n}.{name}.bias"] = some(h)
    for n, values in enumerate((16, 3, 16)):
        found[f"features.{n}.weight"] = some(values, h)
        found[f"features.{n}.weight"][0] = 0
    for name, size in (("start.0", 128), ("tags", 128), ("arc_dep", 128), ("arc_head", 128),
                       ("label_dep", 32), ("label_head", 32)):  # fmt: skip
        found[f"{name}.linear.weight"] = some(size, h)
        found[f"{name}.linear.bias"] = some(size)
    for name, size in (("upos", 7), ("xpos", 9), ("feats", 11), ("lemma", 13)):
        found[f"{name}.weight"] = some(size, 128)
        found[f"{name}.bias"] = some(size)
    return found


def words(
    w: Mapping[str, NDArray[np.float32]],
    shape: EncoderShape,
    inputs: Mapping[str, NDArray[np.int64]],
) -> Floats:
    """The vectors of words, of the weights as `learn.network.net.Net.state_dict` names them."""
    ids, mask, word, first, last, features = (
        inputs[name] for name in ("ids", "mask", "word", "first", "last", "features")
    )

    def linear(x: Floats, name: str) -> Floats:
        return _linear(w, x, name)

    def norm(x: Floats, name: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt(x.var(-1, keepdims=True) + shape.eps)
        found: Floats = scaled * w[f"{name}.weight"] + w[f"{name}.bias"]
        return found

    windows, length = ids.shape
    tables = range(features.shape[2])
    added = sum(w[f"features.{n}.weight"][features[:, :, n]] for n in tables)
    extra = np.concatenate([np.zeros_like(added[:, :1]), added], 1)
    x = w["encoder.pieces.weight"][ids].astype(np.float64)
    x = x + w["encoder.position.weight"][shape.first_position :][:length]
    x = norm(x + np.stack([extra[b][word[b]] for b in range(windows)]), "encoder.norm")
    bias = (mask[:, None, None, :] - 1.0) * 1e4
    if shape.buckets:
        table = w["encoder.distance.weight"][relative_buckets(length, shape.buckets)]
        bias = bias + table.transpose(2, 0, 1)[None]
    states = []
    for n in range(shape.layers):
        name = f"encoder.layers.{n}"
        q, k, v = (
            part.reshape(windows, length, shape.heads, -1).transpose(0, 2, 1, 3)
            for part in np.split(linear(x, f"{name}.qkv"), 3, -1)
        )
        points = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1]) + bias
        powers = np.exp(points - points.max(-1, keepdims=True))
        mixed = (powers / powers.sum(-1, keepdims=True)) @ v
        mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape)
        x = norm(x + linear(mixed, f"{name}.out"), f"{name}.norm1")
        inner = gelu(linear(x, f"{name}.ff1"))
        x = norm(x + linear(inner, f"{name}.ff2"), f"{name}.norm2")
        states.append(x)
    total = states[-1]
    if "mixture" in w:
        parts = np.exp(w["mixture"][:-1])
        parts = parts / parts.sum() * w["mixture"][-1]
        total = sum(part * state for part, state in zip(parts, states, strict=True))
    found = np.zeros((windows, first.shape[1], shape.hidden))
    for b in range(windows):
        for j in range(first.shape[1]):
            found[b, j] = total[b, first[b, j] : last[b, j] + 1].mean(0)
    if "manner.weight" in w:
        found = found + w["manner.weight"][features[:, :, -1]]
    return found


def forward(
    w: Mapping[str, NDArray[np.float32]],
    shape: EncoderShape,
    inputs: Mapping[str, NDArray[np.int64]],
) -> dict[str, Floats]:
    """The outputs of `learn.network.net.Net`."""
    vectors = words(w, shape, inputs)

    def mlp(x: Floats, name: str) -> Floats:
        return gelu(_linear(w, x, f"{name}.linear"))

    root = np.broadcast_to(w["root"], (len(vectors), 1, shape.hidden))
    rooted = np.concatenate([root, vectors], 1)
    tags, head = mlp(vectors, "tags"), mlp(rooted, "arc_head")
    arcs = mlp(vectors, "arc_dep") @ w["arc"] @ head.transpose(0, 2, 1)
    return {
        "start": _linear(w, mlp(vectors, "start.0"), "start.1")[:, :, 0],
        **{name: _linear(w, tags, name) for name in ("upos", "xpos", "feats", "lemma")},
        "arc": arcs + (head * w["arc_bias"]).sum(-1)[:, None, :],
        "label_dep": mlp(vectors, "label_dep"),
        "label_head": mlp(rooted, "label_head"),
    }


def _linear(w: Mapping[str, NDArray[np.float32]], x: Floats, name: str) -> Floats:
    found: Floats = x @ w[f"{name}.weight"].T.astype(np.float64) + w[f"{name}.bias"]
    return found
