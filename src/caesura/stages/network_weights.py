"""The arrays of a network, in a model file and in the core.

Weights are stored in 8 bits with one scale per column, embeddings in 4 or 8 bits, and the rest as
floats, under names close to those of `Net.state_dict`. `learn.network.export` converts trained
weights to these arrays and back; `network_onnx` reads them from older files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.file import Part

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]

#: The tags that a network scores, in the order of their columns.
TAGS: Final = ("upos", "xpos", "feats", "lemma")
#: Products of a layer, and of the heads in the order of old graphs; `start.1` stays in floats.
LAYER: Final = ("qkv", "out", "ff1", "ff2")
START: Final = "start.1"
HEADS: Final = (
    "start.0.linear", START, "tags.linear", "tags",
    "arc_dep.linear", "arc_head.linear", "arc", "label_dep.linear", "label_head.linear",
)  # fmt: skip
PIECES: Final = "encoder.pieces"
POSITION: Final = "encoder.position.weight"
DISTANCE: Final = "encoder.distance"

#: The prefix of arrays in a model file, and the option that describes them.
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
        """The number of sub-words."""
        return len(self.arrays[f"{PIECES}.weight"])

    @property
    def positions(self) -> int:
        """The sub-words that a window may have."""
        return len(self.arrays[POSITION])

    @property
    def features(self) -> int:
        """The number of tables of word features."""
        return sum(name.startswith("features.") for name in self.arrays)

    @property
    def bits(self) -> int:
        """The bits of a value of the embeddings."""
        return 4 if self.arrays[f"{PIECES}.weight"].dtype == np.uint8 else 8

    def part_arrays(self) -> Arrays:
        """The arrays of a model file."""
        return {_PREFIX + name: array for name, array in self.arrays.items()}

    def part_option(self) -> dict[str, Any]:
        """The option of a model file."""
        return {_OPTION: {"tags": list(self.tags), "heads": self.heads, "eps": self.eps}}

    @classmethod
    def of(cls, part: Part) -> Network:
        """The network in a part of a model file; see `onnx_graph.network_of` for older files."""
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
        return cls(arrays, tuple(tags), heads, eps).checked()

    def checked(self) -> Network:
        """Refuse a network without the arrays of its description."""
        try:
            arrays = self.arrays
            sizes = (self.pieces, self.positions, len(arrays["root"]), len(arrays["mixture"]))
            if arrays["tags.bias"].shape != (sum(self.tags),) or not all(sizes):
                raise ModelError("its network has arrays of other sizes than it says", remedy=AGAIN)
        except (KeyError, TypeError, IndexError) as error:
            raise ModelError(f"its network lacks the array {error}", remedy=AGAIN) from error
        return self

    def core_arrays(self) -> dict[str, object]:
        """The arrays as the core takes them."""
        found: dict[str, object] = {
            name: np.require(array, requirements=("C", "A")) for name, array in self.arrays.items()
        }
        scale = self.arrays.get(f"{PIECES}.scale")
        if scale is not None:
            found[f"{PIECES}.scale"] = scale.astype(np.float32)
        return found


def layer_shares(mixture: Floats | None, layers: int) -> Floats:
    """The weight of each layer in the vectors of words, from the parameters of a mixture."""
    if mixture is None:
        return np.eye(1, layers, layers - 1, dtype=np.float32)[0]
    powers = np.exp(mixture[:-1] - mixture[:-1].max())
    found: Floats = (powers / powers.sum() * mixture[-1]).astype(np.float32)
    return found
