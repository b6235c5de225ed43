"""A network of a model file run by PyTorch, on a card.

Weights in few bits become the numbers that they stand for, and activations stay floats, so scores
differ from the core's in the last digits, and so does a decision that depends on those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.errors import ModelError
from caesura.neural.encoder import Transformer
from caesura.neural.net import Net, NetOptions
from caesura.neural.weights import TAGS, Network
from caesura.neural.windows import Batch, Window, batch

__all__ = ["TorchEngine"]

#: Arcs whose labels are scored together: each needs 30 KB for it.
_ARCS: Final = 8192


class TorchEngine:
    """A network on a device of PyTorch. It takes and returns what `_core.Network` does.

    Windows of about the same length are padded and read together.
    """

    #: Sub-words that are read together.
    together: ClassVar[int] = 16384

    def __init__(self, network: Network, device: str) -> None:
        weights, shape = network.floats(), network.shape()
        size = weights["label_dep.linear.weight"].shape[0]
        manner = weights.get("manner.weight")
        options = NetOptions(
            arc_size=weights["arc"].shape[0],
            label_size=size,
            tag_size=weights["tags.linear.weight"].shape[0],
            layers=shape.layers,
            mixture="mixture" in weights,
            languages=0 if manner is None else len(manner) - 1,
        )
        sizes = {name: len(weights[f"{name}.bias"]) for name in TAGS}
        # Labels are scored for the arcs of the tree alone.
        net = Net(Transformer(shape), sizes | {"deprel": 1}, options)
        state = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
        net.load_state_dict(state | {"label": net.label.data})
        self.net = net.to(device).eval()
        self.device = device
        #: Columns of all tags, and numbers of a vector of labels.
        self.tags, self.label_size = sum(network.tags), size

    def scores(
        self,
        pieces: NDArray[np.int32],
        pointer: NDArray[np.int64],
        features: NDArray[np.int64],
        windows: NDArray[np.int64],
        begin_id: int,
        end_id: int,
        limit: int,
        columns: NDArray[np.int64] | None = None,
    ) -> tuple[Any, ...]:
        """The scores of all words, as `_core.Network.scores`."""
        n = len(features)
        width = int((windows[:, 1] - windows[:, 0]).max(initial=0)) + 1
        start = np.zeros(n, np.float32)
        tags = np.zeros((n, self.tags if columns is None else len(columns)), np.float32)
        arcs = np.full((n, width), -np.inf, np.float32)
        base, sizes = np.zeros(n, np.int32), np.zeros(n, np.int32)
        dep, head = (np.zeros((n, self.label_size), np.float32) for _ in range(2))
        root = np.zeros(self.label_size, np.float32)
        lengths = pointer[windows[:, 1]] - pointer[windows[:, 0]]
        order = np.argsort(lengths, kind="stable")[::-1]
        while len(order):
            number = max(1, self.together // (int(lengths[order[0]]) + 2))
            group = [Window(*row) for row in windows[order[:number]].tolist()]
            order = order[number:]
            out = self.run(
                batch(
                    pieces, pointer, features, group,
                    begin_id=begin_id, end_id=end_id, pad_id=0, limit=limit,
                )
            )  # fmt: skip
            root = np.array(out["label_head"][0, 0])
            every = np.concatenate([out[name] for name in TAGS], -1)
            for row, window in enumerate(group):
                keep = slice(window.keep_first, window.keep_last)
                own = slice(window.keep_first - window.first, window.keep_last - window.first)
                heads = window.last - window.first + 1
                start[keep] = out["start"][row, own]
                tags[keep] = every[row, own] if columns is None else every[row, own][:, columns]
                arcs[keep, :heads] = out["arc"][row, own, :heads]
                base[keep], sizes[keep] = window.first, heads
                dep[keep] = out["label_dep"][row, own]
                head[keep] = out["label_head"][row, own.start + 1 : own.stop + 1]
        return start, tags, arcs, base, sizes, dep, head, root

    def starts(self, *inputs: Any) -> NDArray[np.float32]:
        """The scores of sentence starts alone, as `_core.Network.starts`."""
        found: NDArray[np.float32] = self.scores(*inputs)[0]
        return found

    @torch.no_grad()
    def run(self, inputs: Batch) -> dict[str, NDArray[np.float32]]:
        """Return the outputs of `net.Net` by name, for some windows."""
        given = {
            name: torch.from_numpy(array).to(self.device, non_blocking=True)
            for name, array in inputs.inputs().items()
        }
        try:
            found = self.net(**given)
        except (RuntimeError, IndexError) as error:
            raise ModelError(
                f"its network fails: {(str(error).splitlines() or [''])[0][:200]}",
                remedy="The file is damaged; train or fetch it again.",
            ) from error
        return dict(zip(found, self._numbers(list(found.values())), strict=True))

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
