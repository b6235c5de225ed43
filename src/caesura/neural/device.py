"""A network as it was trained in the place of its exported graph: floats, on a GPU if there is one.

A teacher that labels millions of words runs so, with the same windows and the same search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from caesura.neural.encoder import Transformer
from caesura.neural.examples import Labels
from caesura.neural.net import Net, NetOptions, Scratch
from caesura.neural.onnx import OUTPUTS, Encoder
from caesura.neural.shape import EncoderShape
from caesura.neural.subwords import Subwords
from caesura.neural.windows import Batch

__all__ = ["DeviceEncoder"]


class DeviceEncoder(Encoder):
    """Runs a network by PyTorch."""

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        shape: EncoderShape | None,
        labels: Labels,
        subwords: Subwords,
        net: Mapping[str, Any],
        *,
        limit: int,
        device: str = "auto",
    ) -> None:
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        encoder = Scratch(subwords.size()) if shape is None else Transformer(shape)
        self.net = Net(encoder, labels.sizes, NetOptions(**net))
        self.net.load_state_dict({k: torch.from_numpy(np.array(v)) for k, v in arrays.items()})
        self.net.to(device).eval()
        self.device = device
        self.subwords, self.limit, self.threads, self.layout = subwords, limit, 1, True

    @torch.no_grad()
    def _run(self, inputs: Batch) -> list[Any]:
        given = {k: torch.from_numpy(v).to(self.device) for k, v in inputs.inputs().items()}
        out = self.net(**given)
        return [out[name].float().cpu().numpy() for name in OUTPUTS]
