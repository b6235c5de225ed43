"""The network of a model file in PyTorch, on a GPU.

Weights in few bits are converted to floats, and activations are floats, so scores differ from those
of the core in the last digits, and decisions that depend on these may differ too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.errors import ModelError
from caesura.learn.network.device_data import DeviceText, Place, on_device
from caesura.learn.network.export import floats, shape_of
from caesura.learn.network.net import Net, NetOptions, Transformer
from caesura.stages.network_reading import Window
from caesura.stages.network_weights import TAGS, Network

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

#: Arcs whose labels are scored together: each needs 30 KB for it.
_ARCS: Final = 8192


class TorchEngine:
    """A network on a device of PyTorch, with the methods of `_core.Network`.

    Windows of about the same length are padded and read together.
    """

    #: Sub-words that are read together.
    together: ClassVar[int] = 16384

    def __init__(self, network: Network, device: str) -> None:
        weights, shape = floats(network), shape_of(network)
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
        #: Columns of all tags, and the size of a vector of labels.
        self.tags, self.label_size = sum(network.tags), size

    def scores(
        self,
        pieces: NDArray[np.int32],
        pointer: Ints,
        features: Ints,
        windows: Ints,
        begin_id: int,
        end_id: int,
        limit: int,
        columns: Ints | None = None,
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
        text = DeviceText(pieces, pointer, features, (begin_id, end_id, 0), self.device)
        lengths = pointer[windows[:, 1]] - pointer[windows[:, 0]]
        order = np.argsort(lengths, kind="stable")[::-1]
        while len(order):
            number = max(1, self.together // (int(lengths[order[0]]) + 2))
            group = [Window(*row) for row in windows[order[:number]].tolist()]
            order = order[number:]
            out = self._run(text, text.place(group, limit=limit))
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

    def starts(self, *inputs: Any) -> Floats:
        """The scores of sentence starts alone, as `_core.Network.starts`."""
        found: Floats = self.scores(*inputs)[0]
        return found

    @torch.no_grad()
    def _run(self, text: DeviceText, place: Place) -> dict[str, Floats]:
        """The outputs of `Net` by name, for some windows."""
        bounds = on_device(place.bounds, self.device)
        try:
            found = self.net(**text.inputs(bounds, place.length, place.width))
        except (RuntimeError, IndexError) as error:
            raise ModelError(
                f"its network fails: {(str(error).splitlines() or [''])[0][:200]}",
                remedy="The file is damaged; train or fetch it again.",
            ) from error
        return dict(zip(found, self._arrays(list(found.values())), strict=True))

    @torch.no_grad()
    def label_points(self, weights: Floats, dependents: Floats, heads: Floats) -> Floats:
        """The score of each label of each arc, by the vectors of its two words.

        The constant 1 of each vector, for the bias, is added here.
        """
        size, labels, other = weights.shape
        flat = torch.from_numpy(weights).to(self.device).reshape(size, -1)
        before = torch.get_float32_matmul_precision()
        # Labels cost little time, and there are many that are nearly as good.
        torch.set_float32_matmul_precision("highest")
        try:
            found = []
            for at in range(0, len(heads), _ARCS):
                one, two = (
                    torch.nn.functional.pad(
                        torch.from_numpy(part[at : at + _ARCS]).to(self.device), (0, 1), value=1.0
                    )
                    for part in (dependents, heads)
                )
                mixed = (one @ flat).reshape(-1, labels, other)
                found.append(torch.bmm(mixed, two[:, :, None])[:, :, 0])
        finally:
            torch.set_float32_matmul_precision(before)
        return np.concatenate([np.zeros((0, labels), np.float32), *self._arrays(found)])

    def _arrays(self, found: Sequence[Tensor]) -> list[Floats]:
        """The values of tensors; all of them are copied with one synchronisation."""
        waits = self.device != "cpu"
        moved = [one.float().to("cpu", non_blocking=waits) for one in found]
        if waits:
            torch.cuda.current_stream(self.device).synchronize()
        return [one.numpy() for one in moved]
