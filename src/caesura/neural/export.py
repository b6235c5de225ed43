"""The trained network as an ONNX file with 8-bit weights, one scale a channel.

PyTorch writes the graph once; onnxruntime's quantiser then makes the matrix products 8-bit. Label
scores are left out: they are computed for the arcs of the tree alone, from the vectors of the
dependent and of its head.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from caesura.errors import MissingExtra
from caesura.neural.net import Net

__all__ = ["INPUTS", "OUTPUTS", "to_onnx"]

INPUTS: Final = ("ids", "mask", "word", "first", "last", "features")
OUTPUTS: Final = ("start", "upos", "xpos", "feats", "lemma", "arc", "label_dep", "label_head")


class _Exported(nn.Module):
    """The network with its outputs in order."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(
        self, ids: Tensor, mask: Tensor, word: Tensor, first: Tensor, last: Tensor, features: Tensor
    ) -> tuple[Tensor, ...]:
        out = self.net(ids, mask, word, first, last, features)
        return tuple(out[name] for name in OUTPUTS)


def to_onnx(net: Net, *, quantise: bool = True) -> bytes:
    """The network as the bytes of an ONNX file."""
    try:
        import onnx  # noqa: F401
        from onnxruntime.quantization import QuantType, quantize_dynamic
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ImportError as error:
        raise MissingExtra("onnx", "neural-train", "Exporting a network") from error
    net = net.to("cpu").float().eval()
    example = _example()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing, whose result the tests look at
        plain, ready, small = (Path(folder) / name for name in ("a.onnx", "b.onnx", "c.onnx"))
        torch.onnx.export(
            _Exported(net),
            tuple(example[name] for name in INPUTS),
            str(plain),
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes=_axes(),
            opset_version=17,
            dynamo=False,
        )
        if not quantise:
            return plain.read_bytes()
        quant_pre_process(str(plain), str(ready), skip_symbolic_shape=True)
        quantize_dynamic(
            str(ready),
            str(small),
            per_channel=True,
            reduce_range=False,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=[
                "MatMul",
                "Gather",
                "Gemm",
                "Attention",
                "EmbedLayerNormalization",
            ],
        )
        return small.read_bytes()


def _axes() -> dict[str, dict[int, str]]:
    pieces, words = {0: "window", 1: "piece"}, {0: "window", 1: "place"}
    axes: dict[str, dict[int, str]] = dict.fromkeys(("ids", "mask", "word"), pieces)
    axes |= dict.fromkeys(("first", "last", "features"), words)
    axes |= dict.fromkeys(OUTPUTS, words)
    return axes | {"arc": {**words, 2: "head"}}


def _example() -> dict[str, Tensor]:
    """Two windows of different sizes, so that no size is taken for a constant."""
    ids = torch.ones(2, 14, dtype=torch.long)
    mask = torch.ones(2, 14, dtype=torch.long)
    mask[1, 10:] = 0
    word = torch.tensor(
        [[0, 1, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 0], [0, 1, 2, 3, 4, 5, 5, 6, 7, 0] + [0] * 4]
    )
    first = torch.tensor([[1, 3, 4, 7, 8, 9, 10, 11, 12], [1, 2, 3, 4, 5, 7, 8, 1, 1]])
    last = torch.tensor([[2, 3, 6, 7, 8, 9, 10, 11, 12], [1, 2, 3, 4, 6, 7, 8, 1, 1]])
    features = torch.ones(2, 9, 3, dtype=torch.long)
    return {
        "ids": ids,
        "mask": mask,
        "word": word,
        "first": first,
        "last": last,
        "features": features,
    }
