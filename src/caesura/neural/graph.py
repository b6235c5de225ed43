"""The networks of older model files: the arrays of an ONNX graph.

The graph is the one that Caesura wrote, whose products, tables and norms come in a fixed order. It
is never run. Products may be in 8 bits by column, in 8 bits by blocks, or in floats, embeddings in
4 bits, in 8 or in floats; activations may be divided before they are rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.neural.protobuf import Graph, Node, read_graph
from caesura.neural.weights import (
    AGAIN,
    HEADS,
    LAYER,
    START,
    TAGS,
    Network,
    checked,
    eight_bits,
    parts_of_layers,
)

__all__ = ["from_graph", "network_of"]

Floats = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]

#: Products whose activations older files divide before they are rounded; the core does it there.
_DIVIDED: Final = (".out", ".ff1", ".ff2")
#: Operators of networks over characters, and the last version that runs them.
_CHARACTERS: Final = ("Conv", "LSTM")
_LAST: Final = "at commit 43828f9"
#: Operators of the graphs that Caesura wrote.
_KNOWN: Final = frozenset((
    "Add", "BitShift", "BitwiseAnd", "Cast", "Concat", "CumSum", "Div",
    "DynamicQuantizeMatMul", "Expand", "Gather", "GatherElements", "Gelu", "Identity",
    "LayerNormalization", "MatMul", "MatMulNBits", "Mul", "MultiHeadAttention", "Pad", "Range",
    "Reshape", "Shape", "Slice", "Split", "Squeeze", "Sub", "Transpose", "Unsqueeze",
))  # fmt: skip


def network_of(part: Part) -> Network:
    """The network of a part of a model file, of whatever version."""
    if "graph" in part.arrays:
        return from_graph(part.array("graph", np.uint8, (None,)).data)
    return Network.of(part)


def from_graph(data: bytes | memoryview) -> Network:
    """The network of an older model file, which is an ONNX graph in the order of our exporter."""
    try:
        graph = read_graph(data)
        if any(node.kind in _CHARACTERS for node in graph.nodes):
            raise ModelError(
                "this model is a network over characters, which is no longer supported",
                remedy=f"Caesura {_LAST} reads it. Or train it again with --init multi.",
            )
        unknown = sorted({node.kind for node in graph.nodes} - _KNOWN)
        if unknown:
            raise ModelError(f"its network has the operator {unknown[0]}", remedy=AGAIN)
        return checked(_Reader(graph).network())
    except (KeyError, IndexError, ValueError, TypeError, OverflowError) as error:
        raise ModelError("its network cannot be read", remedy=AGAIN) from error


class _Reader:
    """Takes the arrays out of a graph. Every failure is a KeyError, IndexError or ValueError."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = graph.nodes
        self.constants = graph.constants
        self.takes: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in node.takes:
                self.takes.setdefault(name, []).append(node)
        self.makes = {name: node for node in graph.nodes for name in node.gives}
        self.layers = len(self.of("MultiHeadAttention"))

    def of(self, kind: str) -> list[Node]:
        return [node for node in self.nodes if node.kind == kind]

    def array(self, node: Node, place: int) -> NDArray[Any]:
        return self.constants[node.takes[place]]

    def network(self) -> Network:
        products = self._products()
        tags = self._tag_sizes(products)
        arrays = {**self._features(), **products, **self._encoder(), "root": self._root()}
        arrays["mixture"] = self._mixture()
        heads = int(self.of("MultiHeadAttention")[0].numbers["num_heads"])
        eps = float(self.of("LayerNormalization")[0].numbers["epsilon"])
        return Network(arrays, tags, heads, eps)

    # -------------------------------------------------------------- products

    def _products(self) -> Arrays:
        """The products with a constant, which come in a fixed order."""
        kinds: dict[str, Callable[[Node], tuple[Arrays, NDArray[Any]]]] = {
            "DynamicQuantizeMatMul": self._fast,
            "MatMulNBits": self._blocks,
            "MatMul": self._float,
        }
        nodes = [n for n in self.nodes if n.kind in kinds and n.takes[1] in self.constants]
        names = [f"encoder.layers.{n}.{name}" for n in range(self.layers) for name in LAYER]
        names += HEADS
        at = names.index("tags")
        apart = len(nodes) == len(names) + len(TAGS) - 1
        if apart:
            # The oldest files have a product for each kind of tags.
            names[at : at + 1] = TAGS
        found: Arrays = {}
        for name, node in zip(names, nodes, strict=True):
            own, bias = kinds[node.kind](node)
            if name == START:
                found[f"{START}.weight"] = np.ascontiguousarray(_weight(own)[:, 0])
            else:
                found |= self._in_eight_bits(name, node, own)
            found[f"{name}.bias"] = bias
        if apart:
            self._join_tags(found)
        return found

    def _fast(self, node: Node) -> tuple[Arrays, NDArray[Any]]:
        own = {"weight": self.array(node, 1), "scale": self.array(node, 2)}
        if own["weight"].dtype != np.int8:
            raise ValueError("a product that is not in 8 bits")
        return own, self.array(node, 4)

    def _blocks(self, node: Node) -> tuple[Arrays, NDArray[Any]]:
        packed, scales = self.array(node, 1), self.array(node, 2)
        columns, blocks, _ = packed.shape
        parts = (packed.astype(np.float32) - 128) * scales.reshape(columns, blocks, 1)
        return {"weight": parts.reshape(columns, -1).T}, self.array(node, 5)

    def _float(self, node: Node) -> tuple[Arrays, NDArray[Any]]:
        (after,) = self.takes[node.gives[0]]
        if after.kind != "Add":
            raise ValueError("a product without a bias")
        return {"weight": self.array(node, 1)}, self.array(after, 1)

    def _factor(self, node: Node) -> NDArray[Any] | None:
        """What the activations of a product are multiplied by before they are rounded."""
        maker = self.makes.get(node.takes[0])
        if maker is None or maker.kind != "Mul" or maker.takes[1] not in self.constants:
            return None
        factor = self.array(maker, 1)
        return factor if factor.ndim == 1 else None

    def _in_eight_bits(self, name: str, node: Node, own: Arrays) -> Arrays:
        """The arrays of a product; those in blocks or floats are rounded by column."""
        factor = self._factor(node)
        if "scale" in own and (factor is None or name.endswith(_DIVIDED)):
            found = {f"{name}.{end}": array for end, array in own.items()}
            return found if factor is None else found | {f"{name}.factor": factor}
        weight = _weight(own)
        return eight_bits(name, weight if factor is None else weight * factor[:, None])

    def _join_tags(self, found: Arrays) -> None:
        for end in ("weight", "scale", "bias"):
            parts = [found.pop(f"{tag}.{end}") for tag in TAGS]
            found[f"tags.{end}"] = np.concatenate(parts, -1)

    def _split_sizes(self) -> NDArray[Any]:
        (split,) = (node for node in self.of("Split") if node.gives == [*TAGS])
        return self.array(split, 1)

    def _tag_sizes(self, products: Arrays) -> tuple[int, ...]:
        if any(node.gives == [*TAGS] for node in self.of("Split")):
            return tuple(self._split_sizes().tolist())
        sizes = []
        for tag in TAGS:
            maker = self.makes[tag]
            # In floats the bias is added to a product.
            bias = maker.takes[1] if maker.kind == "Add" else maker.takes[-1]
            sizes.append(len(self.constants[bias]))
        if sum(sizes) != len(products["tags.bias"]):
            raise ValueError("tags of other sizes than their products")
        return tuple(sizes)

    # ---------------------------------------------------------------- tables

    def _features(self) -> Arrays:
        """The tables that features of words look up, and the vectors of languages."""
        found: Arrays = {}
        for node in self.of("Gather"):
            if node.takes[0] == "features":
                (look,) = self.takes[node.gives[0]]
                number = int(self.array(node, 1))
                name = "manner.weight" if number < 0 else f"features.{number}.weight"
                found[name] = self.array(look, 0)
        return found

    def _root(self) -> NDArray[Any]:
        (root,) = (node for node in self.of("Expand") if node.takes[0] in self.constants)
        return self.array(root, 0)[0, 0]

    def _pieces(self) -> Arrays:
        """The embeddings of sub-words: plain, in 8 bits or in 4."""
        looks = [node for node in self.of("Gather") if node.takes[1] == "ids"]
        found = {"encoder.pieces.weight": self.array(looks[0], 0)}
        if len(looks) > 1:
            scale = self.array(looks[1], 0)
            eight = found["encoder.pieces.weight"].dtype == np.int8
            found["encoder.pieces.scale"] = scale[:, 0] if eight else scale
        return found

    def _encoder(self) -> Arrays:
        norms = self.of("LayerNormalization")
        names = ["encoder.norm"]
        names += [f"encoder.layers.{n}.norm{k}" for n in range(self.layers) for k in (1, 2)]
        found = self._pieces()
        for name, node in zip(names, norms, strict=True):
            found[f"{name}.weight"], found[f"{name}.bias"] = (
                self.array(node, 1),
                self.array(node, 2),
            )
        (place,) = (
            node for node in self.of("Slice")
            if node.takes[0] in self.constants and self.array(node, 0).ndim == 2
        )  # fmt: skip
        found["encoder.position.weight"] = self.array(place, 0)
        for node in self.of("Gather"):
            if node.numbers and node.takes[0] in self.constants and self.array(node, 0).ndim == 2:
                found["encoder.distance"] = self.array(node, 0)
        return found

    def _mixture(self) -> Floats:
        """How much each layer counts; the last one alone where there is no mixture."""
        norms = [node.gives[0] for node in self.of("LayerNormalization")][2::2]
        parts = [
            float(self.array(node, 1))
            for name in norms
            for node in self.takes.get(name, ())
            if node.kind == "Mul"
            and node.takes[1] in self.constants
            and not self.array(node, 1).ndim
        ]
        if not parts:
            return parts_of_layers(None, self.layers)
        if len(parts) != self.layers:
            raise ValueError("a mixture without some layers")
        return np.array(parts, np.float32)


def _weight(own: Arrays) -> Floats:
    """The weights of a product as floats, [in, out]."""
    weight = own["weight"].astype(np.float32)
    return weight * own["scale"] if "scale" in own else weight
