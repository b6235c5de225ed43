"""The arrays of a network: in a model file, in the core and in PyTorch.

A `Network` is what a model file holds and what the core reads: weights in 8 bits with one scale a
column, embeddings in 4 or 8 bits, the rest as floats, under names close to those of
`Net.state_dict`. This module makes one of the weights that training chose (`quantised`) and of the
arrays of a model file (`Network.of`), and gives the weights back as floats (`Network.floats`);
`graph` reads those of older files.

Encoder families (`shape.FAMILIES`) differ in arrays alone here: positions before the first are left
out, and a bias by distance is there or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.neural.shape import EncoderShape, relative_buckets

__all__ = [
    "AGAIN",
    "HEADS",
    "LAYER",
    "START",
    "TAGS",
    "Network",
    "checked",
    "eight_bits",
    "parts_of_layers",
    "quantised",
]

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]

#: The tags that a network scores, in the order of their columns.
TAGS: Final = ("upos", "xpos", "feats", "lemma")
#: Products of a layer, and those of the heads in the order of a graph; `start.1` stays in floats.
LAYER: Final = ("qkv", "out", "ff1", "ff2")
START: Final = "start.1"
HEADS: Final = (
    "start.0.linear", START, "tags.linear", "tags",
    "arc_dep.linear", "arc_head.linear", "arc", "label_dep.linear", "label_head.linear",
)  # fmt: skip
_PIECES: Final = "encoder.pieces"
_POSITION: Final = "encoder.position.weight"
_DISTANCE: Final = "encoder.distance"
#: Numbers of an embedding in 4 bits that share a scale.
_BLOCK: Final = 32
#: Buckets of the bias by distance in every encoder that has one.
_BUCKETS: Final = 32

#: What the name of an array in a model file begins with, and the option that describes them.
_PREFIX: Final = "network/"
_OPTION: Final = "network"
AGAIN: Final = "The file is damaged or made by another program; train or fetch it again."


@dataclass(frozen=True)
class Network:
    """The arrays of a network, and what they do not show.

    `tags` counts the columns of each of TAGS.
    """

    arrays: Mapping[str, NDArray[Any]]
    tags: tuple[int, ...]
    heads: int
    eps: float = 1e-12

    @property
    def pieces(self) -> int:
        """Sub-words that it knows."""
        return len(self.arrays[f"{_PIECES}.weight"])

    @property
    def positions(self) -> int:
        """Sub-words that a window may have."""
        return len(self.arrays[_POSITION])

    @property
    def features(self) -> int:
        """Tables of the features of words."""
        return sum(name.startswith("features.") for name in self.arrays)

    @property
    def bits(self) -> int:
        """Bits of a number of the embeddings."""
        return 4 if self.arrays[f"{_PIECES}.weight"].dtype == np.uint8 else 8

    # ------------------------------------------------------------ model file

    def part_arrays(self) -> Arrays:
        return {_PREFIX + name: array for name, array in self.arrays.items()}

    def part_option(self) -> dict[str, Any]:
        return {_OPTION: {"tags": list(self.tags), "heads": self.heads, "eps": self.eps}}

    @classmethod
    def of(cls, part: Part) -> Network:
        """The network of a part of a model file, see `graph.network_of` for older ones."""
        told = part.option(_OPTION, dict, {})
        tags, heads, eps = told.get("tags"), told.get("heads"), told.get("eps")
        whole = isinstance(tags, list) and len(tags) == len(TAGS)
        if (
            not whole
            or not all(type(n) is int and n >= 0 for n in [*tags, heads])
            or not heads
            or not isinstance(eps, float)
        ):
            raise ModelError("its network is not described", remedy=AGAIN)
        arrays = {
            name.removeprefix(_PREFIX): array
            for name, array in part.arrays.items()
            if name.startswith(_PREFIX)
        }
        return checked(cls(arrays, tuple(tags), heads, eps))

    # -------------------------------------------------------------- the core

    def core_arrays(self) -> dict[str, object]:
        """The arrays as the core takes them."""
        found: dict[str, object] = {
            name: np.require(array, requirements=("C", "A")) for name, array in self.arrays.items()
        }
        scale = self.arrays.get(f"{_PIECES}.scale")
        if scale is not None:
            found[f"{_PIECES}.scale"] = scale.astype(np.float32)
        return found

    # --------------------------------------------------------------- PyTorch

    def shape(self) -> EncoderShape:
        """The sizes of the encoder."""
        arrays = self.arrays
        return EncoderShape(
            vocabulary=self.pieces,
            hidden=len(arrays["root"]),
            layers=len(arrays["mixture"]),
            heads=self.heads,
            inner=len(arrays["encoder.layers.0.ff1.bias"]),
            # Positions before the first were left out.
            positions=len(arrays[_POSITION]),
            eps=self.eps,
            buckets=_BUCKETS if _DISTANCE in arrays else 0,
        )

    def floats(self) -> dict[str, Floats]:
        """The weights as `Net.state_dict` names them, without those of labels."""
        found: dict[str, Floats] = {}
        for name, array in self.arrays.items():
            product, _, end = name.rpartition(".")
            if name == f"{_PIECES}.weight":
                found[name] = _table(array, self.arrays.get(f"{_PIECES}.scale"))
            elif f"{product}.scale" in self.arrays and product != _PIECES:
                if end in ("weight", "bias"):
                    self._add_product(found, product, end)
            elif name not in (f"{_PIECES}.scale", "mixture", _DISTANCE):
                found[name] = np.array(array, np.float32)
        found[f"{START}.weight"] = found[f"{START}.weight"][None]
        parts = self.arrays["mixture"].astype(np.float64)
        if parts[:-1].any() or parts[-1] != 1.0:
            total = parts.sum()
            logs = np.log(np.maximum(parts / total, 1e-12))
            found["mixture"] = np.append(logs, total).astype(np.float32)
        if _DISTANCE in self.arrays:
            found[f"{_DISTANCE}.weight"] = _by_bucket(self.arrays[_DISTANCE])
        return found

    def _add_product(self, found: dict[str, Floats], product: str, end: str) -> None:
        """Add the weights or the bias of a product in 8 bits."""
        arrays = self.arrays
        array = arrays[f"{product}.{end}"].astype(np.float32)
        if end == "weight":
            array = array * arrays[f"{product}.scale"]
            if f"{product}.factor" in arrays:
                array = array * arrays[f"{product}.factor"][:, None]
        if product == "arc":
            found["arc" if end == "weight" else "arc_bias"] = array
        elif product == "tags":
            parts = np.split(array, np.cumsum(self.tags)[:-1], -1)
            found.update({f"{tag}.{end}": part.T for tag, part in zip(TAGS, parts, strict=True)})
        else:
            found[f"{product}.{end}"] = np.ascontiguousarray(array.T)


def checked(network: Network) -> Network:
    """Refuse a network without the arrays that its description promises."""
    try:
        arrays = network.arrays
        sizes = (network.pieces, network.positions, len(arrays["root"]), len(arrays["mixture"]))
        if arrays["tags.bias"].shape != (sum(network.tags),) or not all(sizes):
            raise ModelError("its network has arrays of other sizes than it says", remedy=AGAIN)
    except (KeyError, TypeError, IndexError) as error:
        raise ModelError(f"its network lacks the array {error}", remedy=AGAIN) from error
    return network


# ------------------------------------------------------------------ from training


def quantised(
    weights: Mapping[str, NDArray[Any]], shape: EncoderShape, *, bits: int = 8
) -> Network:
    """The network of trained weights: products in 8 bits, embeddings in 4 or 8."""
    plain = {name: np.asarray(array, np.float32) for name, array in weights.items()}
    tags = tuple(len(plain[f"{tag}.bias"]) for tag in TAGS)
    arrays: Arrays = {}
    arrays |= _embeddings(plain.pop(f"{_PIECES}.weight"), bits)
    arrays[_POSITION] = plain.pop(_POSITION)[shape.first_position :]
    table = plain.pop(f"{_DISTANCE}.weight", None)
    if table is not None:
        arrays[_DISTANCE] = _by_distance(table, len(arrays[_POSITION]))
    arrays["mixture"] = parts_of_layers(plain.pop("mixture", None), shape.layers)
    arrays[f"{START}.weight"] = plain.pop(f"{START}.weight")[0]
    together = [[plain.pop(f"{tag}.{end}") for tag in TAGS] for end in ("weight", "bias")]
    plain["tags.weight"], plain["tags.bias"] = (np.concatenate(parts) for parts in together)
    plain["arc.weight"], plain["arc.bias"] = plain.pop("arc").T, plain.pop("arc_bias")
    products = [f"encoder.layers.{n}.{name}" for n in range(shape.layers) for name in LAYER]
    for product in (*products, *HEADS):
        if product != START:
            arrays |= eight_bits(product, plain.pop(f"{product}.weight").T)
    # Labels are scored apart, and the vectors of treebanks serve training alone.
    rest = {n: a for n, a in plain.items() if n != "label" and not n.startswith("habits.")}
    return Network(arrays | rest, tags, shape.heads, float(np.float32(shape.eps)))


def eight_bits(name: str, weight: Floats) -> Arrays:
    """A product in 8 bits, of weights [in, out]."""
    scale = (np.maximum(np.abs(weight).max(0), 1e-12) / 127).astype(np.float32)
    rounded = np.ascontiguousarray(np.rint(weight / scale).astype(np.int8))
    return {f"{name}.weight": rounded, f"{name}.scale": scale}


def _embeddings(table: Floats, bits: int) -> Arrays:
    """Rows of the embeddings: one scale a row of 8 bits, one a block of 4.

    In a block of 4 bits the largest number is kept exactly.
    """
    rows, size = table.shape
    if bits == 8 or size % _BLOCK:
        scale = (np.maximum(np.abs(table).max(1), 1e-12) / 127).astype(np.float32)
        rounded = np.rint(table / scale[:, None]).astype(np.int8)
        return {f"{_PIECES}.weight": rounded, f"{_PIECES}.scale": scale}
    parts = table.reshape(rows, size // _BLOCK, _BLOCK)
    at = np.abs(parts).argmax(-1)
    largest = np.take_along_axis(parts, at[:, :, None], -1)[:, :, 0]
    scales = (largest / -8).astype(np.float16)
    safe = np.where(scales == 0, 1, scales).astype(np.float32)
    values = np.clip(np.rint(parts / safe[:, :, None]) + 8, 0, 15).astype(np.uint8)
    values = values.reshape(rows, size)
    # Two numbers a byte: the first half of a row below, the second above.
    packed = values[:, : size // 2] | (values[:, size // 2 :] << 4)
    return {f"{_PIECES}.weight": packed, f"{_PIECES}.scale": scales}


def _table(rows: NDArray[Any], scale: NDArray[Any] | None) -> Floats:
    """The embeddings as floats."""
    if scale is None:
        return np.array(rows, np.float32)
    if rows.dtype == np.int8:
        return rows.astype(np.float32) * scale.astype(np.float32)[:, None]
    values = np.concatenate([rows & 15, rows >> 4], 1).astype(np.float32) - 8
    parts = values.reshape(len(rows), scale.shape[1], -1) * scale.astype(np.float32)[:, :, None]
    found: Floats = parts.reshape(values.shape)
    return found


def parts_of_layers(mixture: Floats | None, layers: int) -> Floats:
    """How much each layer counts in the vectors of words."""
    if mixture is None:
        return np.eye(1, layers, layers - 1, dtype=np.float32)[0]
    powers = np.exp(mixture[:-1] - mixture[:-1].max())
    found: Floats = (powers / powers.sum() * mixture[-1]).astype(np.float32)
    return found


def _line(longest: int) -> NDArray[np.int64]:
    """The bucket of each distance, from that of the last place to the first on."""
    row = relative_buckets(longest, _BUCKETS)
    return np.concatenate([row[longest - 1, : longest - 1], row[0, :longest]])


def _by_distance(table: Floats, longest: int) -> Floats:
    """What attention adds by distance, [head, distance], of a table [bucket, head]."""
    return np.ascontiguousarray(table[_line(longest)].T)


def _by_bucket(values: NDArray[Any]) -> Floats:
    """The table of buckets that values by distance were made of."""
    table = np.zeros((_BUCKETS, len(values)), np.float32)
    table[_line((values.shape[1] + 1) // 2)] = values.T
    return table
