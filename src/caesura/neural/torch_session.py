"""A network of a model file run by PyTorch, in the place of a session of onnxruntime.

On a card it is there for whoever has PyTorch and not onnxruntime-gpu. Weights in few bits become
the numbers that they stand for, and activations stay floats, so answers may differ in the last
digits, and where a decision hangs on those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.neural.encoder import Transformer
from caesura.neural.net import Net, NetOptions, Scratch
from caesura.neural.restore import restore

__all__ = ["TorchSession"]

#: Arcs whose labels are scored together: each needs 30 KB for it.
_ARCS: Final = 8192


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
        given = {
            name: torch.from_numpy(array).to(self.device, non_blocking=True)
            for name, array in inputs.items()
        }
        found = self.net(**given)
        return self._numbers([found[name] for name in outputs])

    @torch.no_grad()
    def label_points(
        self,
        weights: NDArray[np.float32],
        dependents: NDArray[np.float32],
        heads: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """The score of each label of each arc, of the vectors of its two words.

        The one to each vector that stands for the bias is added here.
        """
        size, labels, other = weights.shape
        flat = torch.from_numpy(weights).to(self.device).reshape(size, -1)
        before = torch.get_float32_matmul_precision()
        # They cost little beside the network, and labels that are nearly as good are many.
        torch.set_float32_matmul_precision("highest")
        try:
            found = []
            for at in range(0, len(heads), _ARCS):
                one, two = (
                    _with_one(torch.from_numpy(part[at : at + _ARCS]).to(self.device))
                    for part in (dependents, heads)
                )
                mixed = (one @ flat).reshape(-1, labels, other)
                found.append(torch.bmm(mixed, two[:, :, None])[:, :, 0])
        finally:
            torch.set_float32_matmul_precision(before)
        return np.concatenate([np.zeros((0, labels), np.float32), *self._numbers(found)])

    def _numbers(self, found: Sequence[Tensor]) -> list[NDArray[np.float32]]:
        """Arrays of what is on the device, for all of which it is waited once."""
        waits = self.device != "cpu"
        moved = [one.float().to("cpu", non_blocking=waits) for one in found]
        if waits:
            torch.cuda.current_stream(self.device).synchronize()
        return [one.numpy() for one in moved]


def _with_one(vectors: Tensor) -> Tensor:
    return torch.nn.functional.pad(vectors, (0, 1), value=1.0)
