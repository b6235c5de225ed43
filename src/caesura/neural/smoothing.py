"""By how much activations are divided before they are rounded to 8 bits, measured on text.

One number that goes far leaves few steps for all the others, since they share a scale. The channels
that go far are the same in every text, so each is divided by a number of its own, and the weights
that meet it are multiplied by it: nearly all of the reach, and the rest is left to the activations
(Xiao and others 2023, "SmoothQuant", section 4).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray

from caesura.document import Document
from caesura.neural.restore import inputs_of, restore

if TYPE_CHECKING:
    from caesura.neural.parser import NeuralParser

__all__ = ["divisors"]

Floats = NDArray[np.float32]

#: How much of a channel's reach goes into the weights: of 0.5, 0.7, 0.85 and 1 the one that loses
#: nothing (EWT and GUM dev).
_SHARE: Final = 0.85
#: The least that counts as a reach: some channels are never used.
_LEAST: Final = 1e-3


class _Watched:
    """A session that remembers the largest number of each channel of some vectors."""

    def __init__(self, graph: bytes, vectors: Iterable[str]) -> None:
        model = onnx.load_model_from_string(graph)
        self.vectors = list(vectors)
        for name in self.vectors:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self.reach: dict[str, Floats] = {}

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[Any]:
        """As that of a session of onnxruntime."""
        found = list(self.session.run([*outputs, *self.vectors], inputs))
        for name, array in zip(self.vectors, found[len(outputs) :], strict=True):
            most = np.abs(array).max((0, 1))
            self.reach[name] = np.maximum(self.reach.get(name, np.float32(0)), most)
        return found[: len(outputs)]


def divisors(
    parser: NeuralParser, docs: Iterable[Document], products: Sequence[str]
) -> dict[str, Floats]:
    """What to divide the activations of some products of each layer by, for `ExportOptions`.

    Documents have tokens; products are named as there: qkv, out, ff1, ff2.
    """
    graph = parser.graph.tobytes()
    vectors = inputs_of(graph, products)
    watched = _Watched(graph, vectors.values())
    encoder = copy.copy(parser.encoder)
    encoder.session, encoder.picks = watched, False
    for doc in docs:
        encoder.scores(doc)
    weights = restore(graph).weights
    found = {}
    for name, vector in vectors.items():
        reach = np.maximum(watched.reach[vector], _LEAST)
        against = np.maximum(np.abs(weights[f"{name}.weight"]).max(0), _LEAST)
        own = reach**_SHARE / against ** (1 - _SHARE)
        found[name] = (own / np.exp(np.log(own).mean())).astype(np.float32)
    return found
