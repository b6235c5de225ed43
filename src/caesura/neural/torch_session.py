"""A network of a model file run by PyTorch, in the place of a session of onnxruntime.

On a card it is there for whoever has PyTorch and not onnxruntime-gpu. Weights in few bits become
the numbers that they stand for, and activations stay floats, so answers may differ in the last
digits, and where a decision hangs on those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from caesura.neural.encoder import Transformer
from caesura.neural.net import Net, NetOptions, Scratch
from caesura.neural.restore import restore

__all__ = ["TorchSession"]


class TorchSession:
    """The network of a graph that `export` wrote, on a device of PyTorch."""

    def __init__(self, graph: bytes, device: str) -> None:
        found = restore(graph)
        weights = found.weights
        size = weights["label_dep.linear.weight"].shape[0]
        manner = weights.get("manner.weight")
        options = NetOptions(
            arc_size=weights["arc"].shape[0],
            label_size=size,
            tag_size=weights["tags.linear.weight"].shape[0],
            layers=0 if found.shape is None else found.shape.layers,
            mixture="mixture" in weights,
            languages=0 if manner is None else len(manner) - 1,
        )
        sizes = {name: len(weights[f"{name}.bias"]) for name in ("upos", "xpos", "feats", "lemma")}
        pieces = len(weights["encoder.pieces.weight"])
        encoder = Scratch(pieces) if found.shape is None else Transformer(found.shape)
        # Labels are scored outside of the graph, for the arcs of the tree.
        net = Net(encoder, sizes | {"deprel": 1}, options)
        state = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
        net.load_state_dict(state | {"label": net.label.data})
        self.net = net.to(device).eval()
        self.device = device

    @torch.no_grad()
    def run(
        self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]
    ) -> list[NDArray[np.float32]]:
        """As that of a session of onnxruntime."""
        given = {name: torch.from_numpy(a).to(self.device) for name, a in inputs.items()}
        found = self.net(**given)
        return [found[name].float().cpu().numpy() for name in outputs]
