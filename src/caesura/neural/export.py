"""The trained network as an ONNX file, node by node, with 8-bit weights.

The graph is written here and not traced, so that the precision of every product is ours to choose
and nothing but `onnx` is needed. A product is either *fast* (weights and activations in 8 bits, one
scale a column of weights and one for all activations) or *exact* (weights in 8 bits by blocks,
activations rounded within each block, which large ones among them do not hurt). An exact one takes
twice the time. A fast one rounds as well where the activations that go far are divided before, and
the weights that meet them multiplied (`smoothing` measures by how much; Xiao and others 2023,
"SmoothQuant", section 4). Label scores are left out: they are computed for the arcs of the tree
alone, from the vectors of the dependent and of its head.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MissingExtra
from caesura.neural.shape import EncoderShape, relative_buckets

try:
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    raise MissingExtra("onnx", "neural-train", "Exporting a network") from error

__all__ = ["INPUTS", "OUTPUTS", "TAGS", "ExportOptions", "to_onnx"]

Floats = NDArray[np.float32]

INPUTS: Final = ("ids", "mask", "word", "first", "last", "features")
TAGS: Final = ("upos", "xpos", "feats", "lemma")
OUTPUTS: Final = ("start", *TAGS, "arc", "label_dep", "label_head")
#: Operators that onnxruntime adds to the standard.
_OWN: Final = "com.microsoft"
#: Weights of an exact product that share a scale.
_BLOCK: Final = 128


@dataclass(frozen=True)
class ExportOptions:
    """How precise the parts of the network are."""

    #: Nothing in 8 bits: the network as it was trained, to compare with.
    plain: bool = False
    #: The products of each layer that are exact: of qkv, out, ff1, ff2.
    exact: frozenset[str] = frozenset()
    #: Bits of the embeddings of sub-words, with one scale a block of a row.
    embedding_bits: int = 8
    #: What the activations of a fast product are divided by, a number a channel, by the name of its
    #: weight: `encoder.layers.0.ff2`.
    divisors: Mapping[str, Floats] = field(default_factory=dict, compare=False)


class _Graph:
    """Nodes and weights as they are written."""

    def __init__(self, options: ExportOptions) -> None:
        self.options = options
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}
        self.count = 0

    def node(
        self,
        kind: str,
        *inputs: str,
        outputs: int = 1,
        name: str = "",
        own: bool = False,
        **more: Any,
    ) -> Any:
        self.count += 1
        names = [name or f"{kind}.{self.count}"]
        names += [f"{kind}.{self.count}.{n}" for n in range(1, outputs)]
        domain = {"domain": _OWN} if own else {}
        self.nodes.append(helper.make_node(kind, list(inputs), names, **domain, **more))
        return names[0] if outputs == 1 else names

    def constant(self, array: NDArray[Any], name: str = "") -> str:
        self.count += 1
        name = name or f"c.{self.count}"
        self.weights[name] = numpy_helper.from_array(np.asarray(array, order="C"), name)
        return name

    def longs(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def scalar(self, value: float) -> str:
        return self.constant(np.array(value, np.float32))

    # ------------------------------------------------------------- products

    def linear(
        self,
        x: str,
        weight: Floats,
        bias: Floats | None,
        exact: bool = False,
        divisor: Floats | None = None,
    ) -> str:
        """x @ weight.T + bias, with a weight as PyTorch keeps it: [out, in]."""
        size_out, size_in = weight.shape
        if self.options.plain:
            y = self.node("MatMul", x, self.constant(weight.T.astype(np.float32)))
            return y if bias is None else self.node("Add", y, self.constant(bias))
        if exact and size_in % _BLOCK == 0:
            packed, scales = _blocks(weight)
            inputs = [x, self.constant(packed), self.constant(scales), "", ""]
            if bias is not None:
                inputs.append(self.constant(bias))
            return str(
                self.node(
                    "MatMulNBits", *inputs, own=True, K=size_in, N=size_out, bits=8,
                    block_size=_BLOCK, accuracy_level=4,
                )
            )  # fmt: skip
        if divisor is not None:
            x = self.node("Mul", x, self.constant((1 / divisor).astype(np.float32)))
            weight = weight * divisor
        scale = np.maximum(np.abs(weight).max(1), 1e-12) / 127
        rounded = np.rint(weight / scale[:, None]).astype(np.int8).T
        inputs = [x, self.constant(rounded), self.constant(scale.astype(np.float32)), ""]
        if bias is not None:
            inputs.append(self.constant(bias))
        return str(self.node("DynamicQuantizeMatMul", *inputs, own=True))

    def embedding(self, ids: str, table: Floats) -> str:
        """Rows of a table; the rows have one scale each, or one a block when they have 4 bits."""
        bits = self.options.embedding_bits
        if self.options.plain:
            return str(self.node("Gather", self.constant(table), ids))
        if bits == 8:
            scale = np.maximum(np.abs(table).max(1, keepdims=True), 1e-12) / 127
            rows = np.rint(table / scale).astype(np.int8)
            found = self.node("Gather", self.constant(rows), ids)
            found = self.node("Cast", found, to=TensorProto.FLOAT)
            own = self.node("Gather", self.constant(scale.astype(np.float32)), ids)
            return str(self.node("Mul", found, own))
        # Two numbers a byte: high and low halves of a row are taken apart after the look-up.
        packed, scales = _nibbles(table, 32)
        found = self.node("Gather", self.constant(packed), ids)
        low = self.node("BitwiseAnd", found, self.constant(np.array(15, np.uint8)))
        high = self.node("BitShift", found, self.constant(np.array(4, np.uint8)), direction="RIGHT")
        both = self.node("Concat", low, high, axis=-1)
        both = self.node("Cast", both, to=TensorProto.FLOAT)
        both = self.node("Sub", both, self.scalar(8.0))
        own = self.node(
            "Cast", self.node("Gather", self.constant(scales), ids), to=TensorProto.FLOAT
        )
        shape = self.node("Shape", both)
        blocks = self.node("Concat", self.node("Shape", own), self.longs(32), axis=0)
        spread = self.node("Mul", self.node("Reshape", both, blocks),
                           self.node("Unsqueeze", own, self.longs(-1)))  # fmt: skip
        return str(self.node("Reshape", spread, shape))


def _blocks(weight: Floats) -> tuple[NDArray[np.uint8], Floats]:
    size_out, size_in = weight.shape
    parts = weight.reshape(size_out, size_in // _BLOCK, _BLOCK)
    scales = np.maximum(np.abs(parts).max(-1), 1e-12) / 127
    packed = np.clip(np.rint(parts / scales[:, :, None]) + 128, 0, 255).astype(np.uint8)
    return packed, scales.astype(np.float32)


def _nibbles(table: Floats, block: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """4 bits a number, the scale of a block such that its largest number is kept exactly."""
    rows, size = table.shape
    parts = table.reshape(rows, size // block, block)
    at = np.abs(parts).argmax(-1)
    largest = np.take_along_axis(parts, at[:, :, None], -1)[:, :, 0]
    scales = (largest / -8).astype(np.float16)
    safe = np.where(scales == 0, 1, scales).astype(np.float32)
    values = np.clip(np.rint(parts / safe[:, :, None]) + 8, 0, 15).astype(np.uint8)
    values = values.reshape(rows, size)
    half = size // 2
    return values[:, :half] | (values[:, half:] << 4), scales


def _mlp(graph: _Graph, x: str, weights: Mapping[str, Floats], name: str) -> str:
    y = graph.linear(x, weights[f"{name}.linear.weight"], weights[f"{name}.linear.bias"])
    return _gelu(graph, y)


def _gelu(graph: _Graph, x: str) -> str:
    return str(graph.node("Gelu", x, own=True))


def _norm(graph: _Graph, x: str, weights: Mapping[str, Floats], name: str, eps: float) -> str:
    gamma, beta = (graph.constant(weights[f"{name}.{end}"]) for end in ("weight", "bias"))
    return str(graph.node("LayerNormalization", x, gamma, beta, axis=-1, epsilon=eps))


def _transformer(
    graph: _Graph, shape: EncoderShape, weights: Mapping[str, Floats], extra: str
) -> list[str]:
    """The states after each layer."""
    options, hidden = graph.options, shape.hidden
    length = graph.node("Slice", graph.node("Shape", "ids"), graph.longs(1), graph.longs(2))
    places = weights["encoder.position.weight"][shape.first_position :]
    position = graph.node("Slice", graph.constant(places), graph.longs(0), length, graph.longs(0))
    x = graph.embedding("ids", weights["encoder.pieces.weight"])
    x = graph.node("Add", graph.node("Add", x, position), extra)
    x = _norm(graph, x, weights, "encoder.norm", shape.eps)
    # What may not be looked at is pushed far down, in float as the attention takes it.
    seen = graph.node("Cast", "mask", to=TensorProto.FLOAT)
    away = graph.node("Mul", graph.node("Sub", seen, graph.scalar(1.0)), graph.scalar(1e4))
    bias = graph.node("Unsqueeze", away, graph.longs(1, 2))
    distance = weights.get("encoder.distance.weight")
    if distance is not None:
        bias = graph.node("Add", _distances(graph, shape, distance, length), bias)
    else:
        zeros = graph.node("Mul", graph.node("Unsqueeze", seen, graph.longs(1, 3)), graph.scalar(0))
        bias = graph.node("Add", bias, zeros)
    states = []
    for n in range(shape.layers):
        own = f"encoder.layers.{n}"
        w = {k[len(own) + 1 :]: v for k, v in weights.items() if k.startswith(f"{own}.")}

        def product(x: str, name: str, own: str = own, w: Mapping[str, Floats] = w) -> str:
            exact, divisor = name in options.exact, options.divisors.get(f"{own}.{name}")
            return graph.linear(x, w[f"{name}.weight"], w[f"{name}.bias"], exact, divisor)

        q, k, v = graph.node("Split", product(x, "qkv"), graph.longs(hidden, hidden, hidden),
                             outputs=3, axis=-1)  # fmt: skip
        mixed = graph.node(
            "MultiHeadAttention", q, k, v, "", "", bias, own=True, num_heads=shape.heads
        )
        x = graph.node("Add", x, product(mixed, "out"))
        x = _norm(graph, x, w, "norm1", shape.eps)
        inner = _gelu(graph, product(x, "ff1"))
        x = graph.node("Add", x, product(inner, "ff2"))
        x = _norm(graph, x, w, "norm2", shape.eps)
        states.append(x)
    return states


def _distances(graph: _Graph, shape: EncoderShape, table: Floats, length: str) -> str:
    """The bias by distance as [1, head, query, key], cut out of that of the longest window."""
    longest = shape.positions - shape.first_position
    # A row of distances is enough: query q and key k lie k - q apart.
    row = relative_buckets(longest, shape.buckets)
    line = np.concatenate([row[longest - 1, : longest - 1], row[0, :longest]])
    values = graph.constant(table[line].T.astype(np.float32))  # [head, 2 * longest - 1]
    places = graph.node("Range", graph.constant(np.array(0, np.int64)),
                        graph.node("Squeeze", length, graph.longs(0)),
                        graph.constant(np.array(1, np.int64)))  # fmt: skip
    apart = graph.node("Sub", graph.node("Unsqueeze", places, graph.longs(0)),
                       graph.node("Unsqueeze", places, graph.longs(1)))  # fmt: skip
    at = graph.node("Add", apart, graph.longs(longest - 1))
    found = graph.node("Gather", values, at, axis=1)
    return str(graph.node("Unsqueeze", found, graph.longs(0)))


def _scratch(graph: _Graph, weights: Mapping[str, Floats], extra: str) -> list[str]:
    """The convolutions over characters."""
    x = graph.node("Gather", graph.constant(weights["encoder.pieces.weight"]), "ids")
    seen = graph.node("Unsqueeze", graph.node("Cast", "mask", to=TensorProto.FLOAT), graph.longs(2))
    x = graph.node("Mul", graph.node("Add", x, extra), seen)
    x = graph.node("Transpose", x, perm=[0, 2, 1])
    for n in range(2):
        weight, bias = (weights[f"encoder.convolutions.{n}.{end}"] for end in ("weight", "bias"))
        pad = weight.shape[2] // 2
        y = graph.node("Conv", x, graph.constant(weight), graph.constant(bias), pads=[pad, pad])
        x = graph.node("Add", _gelu(graph, y), x)
    return [graph.node("Transpose", x, perm=[0, 2, 1])]


def _recurrent(graph: _Graph, weights: Mapping[str, Floats], words: str) -> str:
    """The LSTM over words; onnx wants time first and the gates in another order."""
    x = graph.node("Transpose", words, perm=[1, 0, 2])
    size = weights["context.project.weight"].shape[0]

    def gates(array: Floats) -> Floats:
        i, f, g, o = np.split(array, 4)
        return np.concatenate([i, o, f, g])

    for layer in range(2):
        ends = (f"l{layer}", f"l{layer}_reverse")
        w = np.stack([gates(weights[f"context.lstm.weight_ih_{e}"]) for e in ends])
        r = np.stack([gates(weights[f"context.lstm.weight_hh_{e}"]) for e in ends])
        b = np.stack([
            np.concatenate([gates(weights[f"context.lstm.bias_{k}_{e}"]) for k in ("ih", "hh")])
            for e in ends
        ])  # fmt: skip
        y = graph.node("LSTM", x, graph.constant(w), graph.constant(r), graph.constant(b),
                       hidden_size=size, direction="bidirectional")  # fmt: skip
        y = graph.node("Transpose", y, perm=[0, 2, 1, 3])
        x = graph.node("Reshape", y, graph.longs(0, 0, -1))
    x = graph.node("Transpose", x, perm=[1, 0, 2])
    return graph.linear(x, weights["context.project.weight"], weights["context.project.bias"])


def _words(graph: _Graph, shape: EncoderShape | None, weights: Mapping[str, Floats]) -> str:
    """Vectors of the words, as in `net.Net.words`."""
    first = True
    added = ""
    tables = sum(name.startswith("features.") for name in weights)
    for n in range(tables):
        values = graph.node("Gather", "features", graph.constant(np.array(n, np.int64)), axis=2)
        found = graph.node("Gather", graph.constant(weights[f"features.{n}.weight"]), values)
        added = found if first else graph.node("Add", added, found)
        first = False
    # Special sub-words belong to word 0, to which nothing is added.
    padded = graph.node("Pad", added, graph.longs(0, 1, 0, 0, 0, 0))
    hidden = weights["features.0.weight"].shape[1]

    def rows(table: str, at: str) -> str:
        wide = graph.node("Unsqueeze", at, graph.longs(2))
        shape_ = graph.node("Concat", graph.node("Shape", at), graph.longs(hidden), axis=0)
        return str(graph.node("GatherElements", table, graph.node("Expand", wide, shape_), axis=1))

    extra = rows(padded, "word")
    layers = (
        _scratch(graph, weights, extra)
        if shape is None
        else _transformer(graph, shape, weights, extra)
    )
    states = layers[-1]
    mixture = weights.get("mixture")
    if mixture is not None:
        powers = np.exp(mixture[:-1] - mixture[:-1].max())
        parts = powers / powers.sum() * mixture[-1]
        states = ""
        for part, layer in zip(parts.tolist(), layers, strict=True):
            scaled = graph.node("Mul", layer, graph.scalar(part))
            states = scaled if not states else graph.node("Add", states, scaled)
    total = graph.node("CumSum", states, graph.longs(1))
    before = graph.node("Sub", "first", graph.longs(1))
    span = graph.node("Sub", rows(total, "last"), rows(total, before))
    size = graph.node("Add", graph.node("Sub", "last", "first"), graph.longs(1))
    size = graph.node("Unsqueeze", graph.node("Cast", size, to=TensorProto.FLOAT), graph.longs(2))
    mean = graph.node("Div", span, size)
    found = mean if shape is not None else _recurrent(graph, weights, mean)
    if "manner.weight" not in weights:
        return str(found)
    language = graph.node("Gather", "features", graph.constant(np.array(-1, np.int64)), axis=2)
    own = graph.node("Gather", graph.constant(weights["manner.weight"]), language)
    return str(graph.node("Add", found, own))


def _heads(graph: _Graph, weights: Mapping[str, Floats], words: str) -> None:
    """Scores of every decision, as in `net.Net.heads`."""
    hidden = weights["root"].shape[0]
    start = _mlp(graph, words, weights, "start.0")
    # A single column: as a product of numbers, since there is nothing to gain.
    row = graph.constant(weights["start.1.weight"].T)
    start = graph.node(
        "Add", graph.node("MatMul", start, row), graph.constant(weights["start.1.bias"])
    )
    graph.node("Squeeze", start, graph.longs(2), name="start")
    tags = _mlp(graph, words, weights, "tags")
    # One product for all tags: narrow ones take longer.
    biases = [weights[f"{name}.bias"] for name in TAGS]
    together = np.concatenate([weights[f"{name}.weight"] for name in TAGS])
    scores = graph.linear(tags, together, np.concatenate(biases))
    sizes = graph.longs(*map(len, biases))
    graph.nodes.append(helper.make_node("Split", [scores, sizes], TAGS, axis=-1))
    batch = graph.node("Slice", graph.node("Shape", words), graph.longs(0), graph.longs(1))
    shape = graph.node("Concat", batch, graph.longs(1, hidden), axis=0)
    root = graph.node("Expand", graph.constant(weights["root"][None, None]), shape)
    rooted = graph.node("Concat", root, words, axis=1)
    dep = _mlp(graph, words, weights, "arc_dep")
    head = _mlp(graph, rooted, weights, "arc_head")
    dep = graph.linear(dep, weights["arc"].T, weights["arc_bias"])
    graph.node("MatMul", dep, graph.node("Transpose", head, perm=[0, 2, 1]), name="arc")
    for name, x in (("label_dep", words), ("label_head", rooted)):
        graph.node("Identity", _mlp(graph, x, weights, name), name=name)


def to_onnx(
    weights: Mapping[str, NDArray[Any]],
    shape: EncoderShape | None = None,
    options: ExportOptions | None = None,
) -> bytes:
    """The network as the bytes of an ONNX file.

    `weights` are those of `Net.state_dict`, `shape` is its encoder's (`None`: over characters).
    """
    graph = _Graph(options or ExportOptions())
    plain = {name: np.asarray(array, np.float32) for name, array in weights.items()}
    _heads(graph, plain, _words(graph, shape, plain))
    long, number = TensorProto.INT64, TensorProto.FLOAT
    pieces, words = ["window", "piece"], ["window", "place"]
    inputs = [helper.make_tensor_value_info(n, long, pieces) for n in INPUTS[:3]]
    inputs += [helper.make_tensor_value_info(n, long, words) for n in INPUTS[3:5]]
    columns = sum(name.startswith("features.") for name in plain)
    inputs += [helper.make_tensor_value_info("features", long, [*words, columns])]
    outputs = [helper.make_tensor_value_info("start", number, words)]
    outputs += [
        helper.make_tensor_value_info(n, number, [*words, plain[f"{n}.bias"].shape[0]])
        for n in OUTPUTS[1:5]
    ]
    outputs += [helper.make_tensor_value_info("arc", number, [*words, "head"])]
    outputs += [
        helper.make_tensor_value_info(
            n, number, ["window", "any", plain[f"{n}.linear.bias"].shape[0]]
        )
        for n in OUTPUTS[6:]
    ]
    made = helper.make_graph(graph.nodes, "caesura", inputs, outputs, list(graph.weights.values()))
    model = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(_OWN, 1)]
    )
    model.ir_version = 9
    return bytes(model.SerializeToString())
