"""The weights of a network, read back from its ONNX file, so that training can go on from it.

The graph is the one that `export` writes, whose products, tables and norms come in a fixed order.
Weights in 8 or 4 bits become the numbers that they stand for: a network made of them computes what
the file does, but for the rounding of activations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MissingExtra, ModelError
from caesura.neural.export import TAGS, ExportOptions
from caesura.neural.shape import EncoderShape, relative_buckets

try:
    import onnx
    from onnx import numpy_helper
except ImportError as error:
    raise MissingExtra("onnx", "neural-train", "Going on from a network") from error

__all__ = ["Restored", "inputs_of", "restore"]

Floats = NDArray[np.float32]

_PRODUCTS: Final = ("DynamicQuantizeMatMul", "MatMulNBits", "MatMul")
#: The products of a layer, and those of the heads, as they come.
_LAYER: Final = ("qkv", "out", "ff1", "ff2")
_TOGETHER: Final = "+".join(TAGS)
_HEADS: Final = (
    "start.0.linear", "start.1", "tags.linear", _TOGETHER,
    "arc_dep.linear", "arc_head.linear", "arc", "label_dep.linear", "label_head.linear",
)  # fmt: skip
_BUCKETS: Final = 32


@dataclass(frozen=True)
class Restored:
    """The weights as `Net.state_dict` names them, without those of labels, and how they were kept.

    `shape` is None for a network over characters.
    """

    weights: dict[str, Floats]
    shape: EncoderShape | None
    options: ExportOptions


def restore(graph: bytes) -> Restored:
    """The weights of an exported network; a graph that is not one of ours is refused."""
    try:
        return _Reader(graph).read()
    except (KeyError, IndexError, ValueError, StopIteration, AssertionError) as error:
        raise ModelError(
            "its network is not as this version writes them, so nothing can go on from it",
            remedy="Train it anew, or go on from another model.",
        ) from error


def inputs_of(graph: bytes, ends: Collection[str]) -> dict[str, str]:
    """What those products take whose names end so, before it is divided: vectors of the graph."""
    reader = _Reader(graph)
    found = {name: reader.vector(node)[0] for name, node in reader.named().items()}
    return {name: vector for name, vector in found.items() if name.rpartition(".")[2] in ends}


class _Reader:
    """The nodes of a graph in order, and its constants."""

    def __init__(self, graph: bytes) -> None:
        try:
            model = onnx.load_model_from_string(graph)
        except Exception as error:  # protobuf has no public class for its errors
            raise ValueError("no ONNX file") from error
        self.nodes = list(model.graph.node)
        self.constants: Mapping[str, Any] = {one.name: one for one in model.graph.initializer}
        self.takes: dict[str, list[Any]] = {}
        for node in self.nodes:
            for name in node.input:
                self.takes.setdefault(name, []).append(node)
        self.makes = {name: node for node in self.nodes for name in node.output}
        self.exact: set[str] = set()
        self.divisors: dict[str, Floats] = {}
        self.plain = True
        self.bits = 8

    def array(self, name: str) -> NDArray[Any]:
        return numpy_helper.to_array(self.constants[name])

    def of(self, kind: str) -> list[Any]:
        return [node for node in self.nodes if node.op_type == kind]

    def read(self) -> Restored:
        layers = len(self.of("MultiHeadAttention"))
        found = self._features()
        shape = None
        if layers:
            shape, own = self._transformer(layers)
            found |= own
        else:
            found |= self._characters()
        found |= self._products()
        found |= self._mixture(layers)
        (root,) = (n for n in self.of("Expand") if n.input[0] in self.constants)
        found["root"] = self.array(root.input[0])[0, 0]
        options = ExportOptions(self.plain, frozenset(self.exact), self.bits, self.divisors)
        return Restored(
            {name: np.ascontiguousarray(a, np.float32) for name, a in found.items()}, shape, options
        )

    # -------------------------------------------------------------- products

    def named(self) -> dict[str, Any]:
        """All products with a constant, by the names of their weights."""
        nodes = [n for n in self.nodes if n.op_type in _PRODUCTS and n.input[1] in self.constants]
        layers = range(len(self.of("MultiHeadAttention")))
        names = [f"encoder.layers.{n}.{name}" for n in layers for name in _LAYER]
        names = [*(names or ["context.project"]), *_HEADS]
        if len(nodes) != len(names):
            # Files of older versions have a product for each kind of tags.
            at = names.index(_TOGETHER)
            names[at : at + 1] = TAGS
        return dict(zip(names, nodes, strict=True))

    def vector(self, node: Any) -> tuple[str, Floats | None]:
        """What a product takes, before it was divided, and by what."""
        maker = self.makes.get(node.input[0])
        if maker is None or maker.op_type != "Mul" or maker.input[1] not in self.constants:
            return node.input[0], None
        factor: Floats = self.array(maker.input[1])
        if factor.ndim != 1:
            return node.input[0], None
        return maker.input[0], np.divide(1, factor, dtype=np.float32)

    def _products(self) -> dict[str, NDArray[Any]]:
        """Weights and biases of all products with a constant."""
        found: dict[str, NDArray[Any]] = {}
        for name, node in self.named().items():
            weight, bias = self._product(node, name)
            _, divisor = self.vector(node)
            if divisor is not None:
                self.divisors[name] = divisor
                weight = weight / divisor
            if name == "arc":
                found["arc"], found["arc_bias"] = weight.T, bias
            elif name == _TOGETHER:
                (split,) = (n for n in self.of("Split") if list(n.output) == [*TAGS])
                ends = self.array(split.input[1]).cumsum()[:-1]
                parts = zip(TAGS, np.split(weight, ends), np.split(bias, ends), strict=True)
                for tag, rows, own in parts:
                    found[f"{tag}.weight"], found[f"{tag}.bias"] = rows, own
            else:
                found[f"{name}.weight"], found[f"{name}.bias"] = weight, bias
        return found

    def _product(self, node: Any, name: str) -> tuple[Floats, Floats]:
        """A weight as PyTorch keeps it, [out, in], and its bias."""
        if node.op_type == "MatMul":
            (after,) = self.takes[node.output[0]]
            assert after.op_type == "Add"
            return self.array(node.input[1]).T, self.array(after.input[1])
        self.plain = False
        packed, scales = self.array(node.input[1]), self.array(node.input[2])
        if node.op_type == "DynamicQuantizeMatMul":
            weight = (packed.astype(np.float32) * scales[None, :]).T
            return weight, self.array(node.input[4])
        if name.startswith("encoder."):
            self.exact.add(name.rpartition(".")[2])
        size_out, blocks, _ = packed.shape
        parts = (packed.astype(np.float32) - 128) * scales.reshape(size_out, blocks, 1)
        return parts.reshape(size_out, -1), self.array(node.input[5])

    # ---------------------------------------------------------------- tables

    def _tables(self) -> Iterator[tuple[int, Floats]]:
        """The tables that features of words look up, with the number of the feature."""
        for node in self.of("Gather"):
            if node.input[0] == "features":
                (look,) = self.takes[node.output[0]]
                yield int(self.array(node.input[1])), self.array(look.input[0])

    def _features(self) -> dict[str, NDArray[Any]]:
        return {
            "manner.weight" if n < 0 else f"features.{n}.weight": table
            for n, table in self._tables()
        }

    def _pieces(self) -> Floats:
        """The embeddings of sub-words: plain, in 8 bits or in 4."""
        looks = [n for n in self.of("Gather") if n.input[1] == "ids"]
        table = self.array(looks[0].input[0])
        if len(looks) == 1:
            return np.asarray(table, np.float32)
        scales = self.array(looks[1].input[0])
        if table.dtype == np.int8:
            return table.astype(np.float32) * scales
        self.bits = 4
        values = np.concatenate([table & 15, table >> 4], 1).astype(np.float32) - 8
        rows, size = values.shape
        parts = values.reshape(rows, scales.shape[1], -1) * scales.astype(np.float32)[:, :, None]
        return parts.reshape(rows, size)

    # -------------------------------------------------------------- encoders

    def _transformer(self, layers: int) -> tuple[EncoderShape, dict[str, NDArray[Any]]]:
        norms = self.of("LayerNormalization")
        assert len(norms) == 2 * layers + 1
        names = ["encoder.norm"]
        names += [f"encoder.layers.{n}.norm{k}" for n in range(layers) for k in (1, 2)]
        found: dict[str, NDArray[Any]] = {}
        for name, node in zip(names, norms, strict=True):
            found[f"{name}.weight"] = self.array(node.input[1])
            found[f"{name}.bias"] = self.array(node.input[2])
        (place,) = (
            n for n in self.of("Slice")
            if n.input[0] in self.constants and self.array(n.input[0]).ndim == 2
        )  # fmt: skip
        position = self.array(place.input[0])
        pieces = self._pieces()
        found |= {"encoder.position.weight": position, "encoder.pieces.weight": pieces}
        heads = _attribute(self.of("MultiHeadAttention")[0], "num_heads").i
        distance = self._distance(len(position))
        if distance is not None:
            found["encoder.distance.weight"] = distance
        first = self._first_product("ff1")
        shape = EncoderShape(
            vocabulary=len(pieces),
            hidden=pieces.shape[1],
            layers=layers,
            heads=int(heads),
            inner=first,
            # Positions before the first were left out.
            positions=len(position),
            eps=float(_attribute(norms[0], "epsilon").f),
            buckets=_BUCKETS if distance is not None else 0,
        )
        return shape, found

    def _first_product(self, name: str) -> int:
        """How wide the product of the first layer is that has this name."""
        return len(self._product(self.named()[f"encoder.layers.0.{name}"], "")[1])

    def _distance(self, longest: int) -> Floats | None:
        """The bias by distance, from its values for all distances."""
        looks = [n for n in self.of("Gather") if n.input[0] in self.constants and n.attribute
                 and self.array(n.input[0]).ndim == 2]  # fmt: skip
        if not looks:
            return None
        values = self.array(looks[0].input[0])  # [head, 2 * longest - 1]
        row = relative_buckets(longest, _BUCKETS)
        line = np.concatenate([row[longest - 1, : longest - 1], row[0, :longest]])
        assert len(line) == values.shape[1]
        table = np.zeros((_BUCKETS, values.shape[0]), np.float32)
        table[line] = values.T
        return table

    def _characters(self) -> dict[str, NDArray[Any]]:
        """The convolutions and the LSTM of a network over characters."""
        (look,) = (n for n in self.of("Gather") if n.input[1] == "ids")
        found = {"encoder.pieces.weight": self.array(look.input[0])}
        for n, node in enumerate(self.of("Conv")):
            found[f"encoder.convolutions.{n}.weight"] = self.array(node.input[1])
            found[f"encoder.convolutions.{n}.bias"] = self.array(node.input[2])
        for layer, node in enumerate(self.of("LSTM")):
            for way, end in enumerate((f"l{layer}", f"l{layer}_reverse")):
                w, r, b = (self.array(node.input[k])[way] for k in (1, 2, 3))
                found[f"context.lstm.weight_ih_{end}"] = _gates(w)
                found[f"context.lstm.weight_hh_{end}"] = _gates(r)
                for kind, part in zip(("ih", "hh"), np.split(b, 2), strict=True):
                    found[f"context.lstm.bias_{kind}_{end}"] = _gates(part)
        return found

    def _mixture(self, layers: int) -> dict[str, NDArray[Any]]:
        """How much each layer counts; nothing where only the last one is read."""
        norms = [n.output[0] for n in self.of("LayerNormalization")][2::2]
        parts = []
        for name in norms:
            scaled = [
                n for n in self.takes.get(name, ())
                if n.op_type == "Mul" and n.input[1] in self.constants
                and not self.array(n.input[1]).ndim
            ]  # fmt: skip
            parts += [float(self.array(n.input[1])) for n in scaled]
        if not layers or not parts:
            return {}
        assert len(parts) == layers
        shares = np.array(parts)
        total = shares.sum()
        return {"mixture": np.append(np.log(np.maximum(shares / total, 1e-12)), total)}


def _attribute(node: Any, name: str) -> Any:
    return next(one for one in node.attribute if one.name == name)


def _gates(array: Floats) -> Floats:
    """The gates of an LSTM in the order of PyTorch."""
    i, o, f, g = np.split(array, 4)
    return np.concatenate([i, f, g, o])
