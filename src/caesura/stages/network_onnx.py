"""The networks of older model files: the arrays of an ONNX graph.

The graph is one that Caesura wrote, whose products, tables and norms have a fixed order. It is
never run. Products are in 8 bits by column, in 8 bits by blocks, or in floats, embeddings in 4
bits, in 8 or in floats; activations may be divided before they are rounded. Of the file format
(onnx.proto) only the relevant fields are read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.models.packing import pack_product
from caesura.stages.network_weights import (
    AGAIN,
    DISTANCE,
    HEADS,
    LAYER,
    PIECES,
    POSITION,
    START,
    TAGS,
    Network,
    layer_shares,
)

Arrays = dict[str, NDArray[Any]]

#: Products whose activations older files divide before they are rounded; the core does it there.
_DIVIDED: Final = (".out", ".ff1", ".ff2")
#: Products with a constant: a matrix in 8 bits by column, in 8 bits by blocks, and in floats.
_PRODUCTS: Final = ("DynamicQuantizeMatMul", "MatMulNBits", "MatMul")
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

#: Numbers of fields: of a model; of a graph; of a node; of an attribute; of a tensor.
_GRAPH, _FUNCTIONS = 7, 25
_NODE, _TENSOR, _SPARSE = 1, 5, 15
_TAKES, _GIVES, _KIND, _ATTRIBUTE = 1, 2, 4, 5
_NAME, _FLOAT, _INTEGER = 1, 2, 3
_DIMS, _TYPE, _LABEL, _RAW, _ELSEWHERE, _WHERE = 1, 2, 8, 9, 13, 14
_TYPES: Final = {1: "<f4", 2: "<u1", 3: "<i1", 6: "<i4", 7: "<i8", 10: "<f2"}
#: Kinds of values: an integer of any length, 8 bytes, bytes with their length, 4 bytes.
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
#: The most dimensions of a constant.
_DEEP: Final = 8


def network_of(part: Part) -> Network:
    """The network of a part of a model file, of any version."""
    if "graph" in part.arrays:
        return from_graph(part.array("graph", np.uint8, (None,)).data)
    return Network.of(part)


def from_graph(data: bytes | memoryview) -> Network:
    """The network of an ONNX file."""
    try:
        graph = _Graph.read(data)
        kinds = {node.kind for node in graph.nodes}
        if not kinds.isdisjoint(_CHARACTERS):
            raise ModelError(
                "this model is a network over characters, which is no longer supported",
                remedy=f"Caesura {_LAST} reads it. Or train it again with --init multi.",
            )
        if kinds - _KNOWN:
            raise ModelError(f"its network has the operator {min(kinds - _KNOWN)}", remedy=AGAIN)
        return _network(graph).checked()
    except (KeyError, IndexError, ValueError, TypeError, OverflowError) as error:
        raise ModelError("its network cannot be read", remedy=AGAIN) from error


# --------------------------------------------------------------------- file format


@dataclass(frozen=True)
class _Node:
    """An operator: its kind, the names of its inputs and outputs, its numeric attributes."""

    kind: str
    takes: list[str]
    gives: list[str]
    numbers: Mapping[str, float]


class _Graph:
    """The operators in order, and the constants by name.

    Every failure is a KeyError, an IndexError, a ValueError or a ModelError.
    """

    def __init__(self, nodes: list[_Node], constants: Mapping[str, NDArray[Any]]) -> None:
        self.nodes = nodes
        self.constants = constants
        self.makes = {name: node for node in nodes for name in node.gives}

    @classmethod
    def read(cls, data: bytes | memoryview) -> _Graph:
        nodes: list[_Node] = []
        constants: dict[str, NDArray[Any]] = {}
        for part, body in _fields(memoryview(data)):
            if part == _FUNCTIONS:
                raise ModelError("its network has functions of its own")
            if part != _GRAPH or not isinstance(body, memoryview):
                continue
            for number, value in _fields(body):
                if number == _SPARSE:
                    raise ModelError("its network has sparse tensors")
                if number == _NODE and isinstance(value, memoryview):
                    nodes.append(_node(value))
                elif number == _TENSOR and isinstance(value, memoryview):
                    name, array = _tensor(value)
                    constants[name] = array
        return cls(nodes, constants)

    def of(self, *kinds: str) -> list[_Node]:
        return [node for node in self.nodes if node.kind in kinds]

    def users(self, name: str) -> list[_Node]:
        """The nodes that take an output."""
        return [node for node in self.nodes if name in node.takes]

    def array(self, node: _Node, place: int) -> NDArray[Any]:
        """The constant that a node takes at some place."""
        return self.constants[node.takes[place]]

    def has(self, node: _Node, place: int, dimensions: int) -> bool:
        """Whether a node takes a constant with so many dimensions."""
        array = self.constants.get(node.takes[place])
        return array is not None and array.ndim == dimensions


def _node(data: memoryview) -> _Node:
    text: dict[int, list[str]] = {_TAKES: [], _GIVES: [], _KIND: []}
    numbers: dict[str, float] = {}
    for number, value in _fields(data):
        if not isinstance(value, memoryview):
            continue
        if number in text:
            text[number].append(str(value, "utf-8"))
        elif number == _ATTRIBUTE:
            own: dict[int, Any] = dict(_fields(value))
            name = str(own[_NAME], "utf-8")
            if _FLOAT in own:
                numbers[name] = struct.unpack("<f", own[_FLOAT])[0]
            elif isinstance(own.get(_INTEGER), int):
                numbers[name] = float(own[_INTEGER])
    return _Node("".join(text[_KIND][-1:]), text[_TAKES], text[_GIVES], numbers)


def _tensor(data: memoryview) -> tuple[str, NDArray[Any]]:
    name, kind = "", 0
    shape: list[int] = []
    raw = memoryview(b"")
    for number, value in _fields(data):
        if number == _ELSEWHERE or (number == _WHERE and value):
            raise ModelError("its network keeps numbers in another file")
        if isinstance(value, int):
            if number == _DIMS:
                shape.append(value)
            elif number == _TYPE:
                kind = value
        elif number == _DIMS:
            at = 0
            while at < len(value):
                size, at = _varint(value, at)
                shape.append(size)
        elif number == _LABEL:
            name = str(value, "utf-8")
        elif number == _RAW:
            raw = value
    if kind not in _TYPES or len(shape) > _DEEP:
        raise ValueError("a constant of an unknown type")
    dtype = np.dtype(_TYPES[kind])
    if prod(shape) * dtype.itemsize != len(raw):
        raise ValueError("a constant of another size than it says")
    return name, np.frombuffer(raw, dtype).reshape(shape)


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """An integer of seven bits per byte, and its end."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("an integer without an end")


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: their numbers and values."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            size = 8 if kind == _EIGHT else 4
        else:
            raise ValueError("a field of an unknown kind")
        if at + size > len(data):
            raise ValueError("a field that goes beyond its message")
        yield key >> 3, data[at : at + size]
        at += size


# ------------------------------------------------------------------------- network


def _network(graph: _Graph) -> Network:
    attention, norms = graph.of("MultiHeadAttention"), graph.of("LayerNormalization")
    layers = len(attention)
    products = _products(graph, layers)
    (root,) = (node for node in graph.of("Expand") if node.takes[0] in graph.constants)
    (place,) = (node for node in graph.of("Slice") if graph.has(node, 0, 2))
    arrays = {**_tables(graph), **products, "root": graph.array(root, 0)[0, 0]}
    arrays[POSITION] = graph.array(place, 0)
    names = ["encoder.norm"]
    names += [f"encoder.layers.{n}.norm{k}" for n in range(layers) for k in (1, 2)]
    for name, node in zip(names, norms, strict=True):
        arrays[f"{name}.weight"] = graph.array(node, 1)
        arrays[f"{name}.bias"] = graph.array(node, 2)
    arrays["mixture"] = _mixture(graph, [node.gives[0] for node in norms[2::2]])
    tags = _tag_sizes(graph, products)
    heads, eps = attention[0].numbers["num_heads"], norms[0].numbers["epsilon"]
    return Network(arrays, tags, int(heads), float(eps))


def _products(graph: _Graph, layers: int) -> Arrays:
    """The products with a constant, which have a fixed order."""
    nodes = [node for node in graph.of(*_PRODUCTS) if node.takes[1] in graph.constants]
    names = [f"encoder.layers.{n}.{name}" for n in range(layers) for name in LAYER]
    names += HEADS
    at = names.index("tags")
    apart = len(nodes) == len(names) + len(TAGS) - 1
    if apart:
        # The oldest files have a product for each kind of tags.
        names[at : at + 1] = TAGS
    found: Arrays = {}
    for name, node in zip(names, nodes, strict=True):
        weight, scale, bias = _product(graph, node)
        factor = _factor(graph, node)
        if name != START and scale is not None and (factor is None or name.endswith(_DIVIDED)):
            found |= {f"{name}.weight": weight, f"{name}.scale": scale}
            if factor is not None:
                found[f"{name}.factor"] = factor
        else:
            plain = weight.astype(np.float32)
            plain = plain if scale is None else plain * scale
            if name == START:
                found[f"{START}.weight"] = np.ascontiguousarray(plain[:, 0])
            else:
                # Products in blocks or floats are rounded by column.
                found |= pack_product(name, plain if factor is None else plain * factor[:, None])
        found[f"{name}.bias"] = bias
    if apart:
        for end in ("weight", "scale", "bias"):
            parts = [found.pop(f"{tag}.{end}") for tag in TAGS]
            found[f"tags.{end}"] = np.concatenate(parts, -1)
    return found


def _product(graph: _Graph, node: _Node) -> tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any]]:
    """The weights [in, out], the scales of 8-bit weights, and the bias of a product."""
    weight = graph.array(node, 1)
    if node.kind == "DynamicQuantizeMatMul":
        if weight.dtype != np.int8:
            raise ValueError("a product that is not in 8 bits")
        return weight, graph.array(node, 2), graph.array(node, 4)
    if node.kind == "MatMulNBits":
        columns, blocks, _ = weight.shape
        scales = graph.array(node, 2).reshape(columns, blocks, 1)
        parts = (weight.astype(np.float32) - 128) * scales
        return parts.reshape(columns, -1).T, None, graph.array(node, 5)
    (after,) = graph.users(node.gives[0])
    if after.kind != "Add":
        raise ValueError("a product without a bias")
    return weight, None, graph.array(after, 1)


def _factor(graph: _Graph, node: _Node) -> NDArray[Any] | None:
    """The factor of the activations of a product before they are rounded."""
    maker = graph.makes.get(node.takes[0])
    if maker is None or maker.kind != "Mul" or not graph.has(maker, 1, 1):
        return None
    return graph.array(maker, 1)


def _tag_sizes(graph: _Graph, products: Arrays) -> tuple[int, ...]:
    splits = [node for node in graph.of("Split") if node.gives == [*TAGS]]
    if splits:
        (split,) = splits
        return tuple(graph.array(split, 1).tolist())
    # In floats the bias is added to a product.
    makers = [graph.makes[tag] for tag in TAGS]
    biases = [maker.takes[1 if maker.kind == "Add" else -1] for maker in makers]
    sizes = tuple(len(graph.constants[bias]) for bias in biases)
    if sum(sizes) != len(products["tags.bias"]):
        raise ValueError("tags of other sizes than their products")
    return sizes


def _tables(graph: _Graph) -> Arrays:
    """The tables of word features, of languages, of sub-words and of distances."""
    found: Arrays = {}
    pieces: list[NDArray[Any]] = []
    for node in graph.of("Gather"):
        if node.takes[0] == "features":
            (look,) = graph.users(node.gives[0])
            number = int(graph.array(node, 1))
            name = "manner.weight" if number < 0 else f"features.{number}.weight"
            found[name] = graph.array(look, 0)
        elif node.takes[1] == "ids":
            pieces.append(graph.array(node, 0))
        elif node.numbers and graph.has(node, 0, 2):
            found[DISTANCE] = graph.array(node, 0)
    found[f"{PIECES}.weight"] = pieces[0]
    if len(pieces) > 1:
        eight = pieces[0].dtype == np.int8
        found[f"{PIECES}.scale"] = pieces[1][:, 0] if eight else pieces[1]
    return found


def _mixture(graph: _Graph, layers: list[str]) -> NDArray[np.float32]:
    """The share of each layer; only the last one counts if there is no mixture."""
    parts = [
        float(graph.array(node, 1))
        for name in layers
        for node in graph.users(name)
        if node.kind == "Mul" and graph.has(node, 1, 0)
    ]
    if not parts:
        return layer_shares(None, len(layers))
    if len(parts) != len(layers):
        raise ValueError("a mixture without some layers")
    return np.array(parts, np.float32)
